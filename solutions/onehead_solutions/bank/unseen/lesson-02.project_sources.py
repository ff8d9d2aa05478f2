# %% right explicit_check_loop
def project_sources(X, W_Q, W_K, W_V, context=None):
    if context is None:
        context = X
    made = []
    for name, source, W in (("W_Q", X, W_Q), ("W_K", context, W_K), ("W_V", context, W_V)):
        width, rows = source.shape[1], W.shape[0]
        if width != rows:
            raise ValueError(f"{name} has {rows} rows, but the source is {width} wide")
        if source.dtype.kind in "iu":
            source = source.astype(np.float64)
        made.append(np.einsum("tm,mk->tk", source, W))
    return tuple(made)

# %% right joint_kv_product
def project_sources(X, W_Q, W_K, W_V, context=None):
    c = X if context is None else context
    if W_Q.shape[0] != X.shape[1]:
        raise ValueError("query projection: %d != %d" % (W_Q.shape[0], X.shape[1]))
    if not W_K.shape[0] == W_V.shape[0] == c.shape[1]:
        raise ValueError("key/value projection: %s and %s for a source %s" % (W_K.shape, W_V.shape, c.shape))
    f = X.dtype if X.dtype.kind == "f" else float
    KV = c.astype(f) @ np.hstack([W_K, W_V]).astype(f)
    d_k = W_K.shape[1]
    return X.astype(f) @ W_Q, KV[:, :d_k].copy(), KV[:, d_k:].copy()

# %% right np_dot_list
def project_sources(X, W_Q, W_K, W_V, context=None):
    kv = context
    if kv is None:
        kv = X
    one = np.ones((), dtype=X.dtype if X.dtype in (np.float32, np.float64) else np.float64)
    return [one * np.dot(s, W) for s, W in zip([X, kv, kv], [W_Q, W_K, W_V])]

# %% right numpy_raises
def project_sources(X, W_Q, W_K, W_V, context=None):
    source = X if context is None else context

    def product(a, W):
        out = a @ W
        return out if out.dtype.kind == "f" else out.astype(float)

    return product(X, W_Q), product(source, W_K), product(source, W_V)

# %% wrong arguments_exchanged_in_call: sources-swapped
# encoder and decoder are exchanged in the helper's call
def _cross(decoder, encoder, W_Q, W_K, W_V):
    for s, W in ((decoder, W_Q), (encoder, W_K), (encoder, W_V)):
        if s.shape[-1] != W.shape[0]:
            raise ValueError(f"width {s.shape[-1]}, matrix takes {W.shape[0]}")
    return [np.einsum("tm,mk->tk", s * 1.0 if s.dtype.kind in "iu" else s, W) for s, W in ((decoder, W_Q), (encoder, W_K), (encoder, W_V))]


def project_sources(X, W_Q, W_K, W_V, context=None):
    if context is None:
        return tuple(_cross(X, X, W_Q, W_K, W_V))
    return tuple(_cross(context, X, W_Q, W_K, W_V))

# %% wrong assert_for_raise: -
# assert raises AssertionError, not ValueError
def project_sources(X, W_Q, W_K, W_V, context=None):
    s = X if context is None else context
    assert X.shape[1] == W_Q.shape[0], (X.shape, W_Q.shape)
    assert s.shape[1] == W_K.shape[0] and s.shape[1] == W_V.shape[0], (s.shape, W_K.shape, W_V.shape)
    f = X.dtype if X.dtype.kind == "f" else float
    return (X @ W_Q).astype(f), (s @ W_K).astype(f), (s @ W_V).astype(f)

# %% wrong context_any_test: context-ignored
# context is taken by truth (context.any()), so a context of zeros is passed over
def project_sources(X, W_Q, W_K, W_V, context=None):
    s = context if context is not None and context.any() else X
    as_float = lambda a: a if a.dtype.kind == "f" else a.astype(float)
    return as_float(X @ W_Q), as_float(s @ W_K), as_float(s @ W_V)

# %% wrong context_only_if_shapes_differ: context-ignored
# the context is used only when its shape differs from X's
def project_sources(X, W_Q, W_K, W_V, context=None):
    source = X
    if context is not None and context.shape != X.shape:
        source = context
    for a, W in ((X, W_Q), (source, W_K), (source, W_V)):
        if a.shape[1] != W.shape[0]:
            raise ValueError(f"{a.shape[1]} against {W.shape[0]}")
    f = X.dtype if X.dtype.kind == "f" else float
    return (X @ W_Q).astype(f), (source @ W_K).astype(f), (source @ W_V).astype(f)

# %% wrong context_unused: context-ignored
# keys and values are always made from X
def project_sources(X, W_Q, W_K, W_V, context=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    return X @ W_Q, X @ W_K, X @ W_V

# %% wrong if_context: -
# `if context:` raises on an array of more than one number
def project_sources(X, W_Q, W_K, W_V, context=None):
    source = context if context else X
    f = X.dtype if X.dtype.kind == "f" else float
    return (X @ W_Q).astype(f), (source @ W_K).astype(f), (source @ W_V).astype(f)

# %% wrong message_without_sizes: -
# the ValueError holds no sizes
def project_sources(X, W_Q, W_K, W_V, context=None):
    s = X if context is None else context
    if X.shape[1] != W_Q.shape[0] or s.shape[1] != W_K.shape[0] or s.shape[1] != W_V.shape[0]:
        raise ValueError("a source does not fit its projection")
    f = X.dtype if X.dtype.kind == "f" else float
    return (X @ W_Q).astype(f), (s @ W_K).astype(f), (s @ W_V).astype(f)

# %% wrong queries_from_context: sources-swapped
# the context asks and X is read, as in a published survey
def project_sources(X, W_Q, W_K, W_V, context=None):
    asker, read = (X, X) if context is None else (context, X)
    f = X.dtype if X.dtype.kind == "f" else float
    return (asker @ W_Q).astype(f), (read @ W_K).astype(f), (read @ W_V).astype(f)

# %% wrong remembers_context: hidden-state
# after a cross-attention of the same widths, self-attention still reads the old context
_state = {}


def project_sources(X, W_Q, W_K, W_V, context=None):
    key = (X.shape[1], W_K.shape[0])
    if context is not None:
        _state[key] = context.copy()
    s = _state.get(key, X)
    for a, W in ((X, W_Q), (s, W_K), (s, W_V)):
        if a.shape[1] != W.shape[0]:
            raise ValueError(f"{a.shape[1]} {W.shape[0]}")
    f = X.dtype if X.dtype.kind == "f" else float
    return (X @ W_Q).astype(f), (s @ W_K).astype(f), (s @ W_V).astype(f)

# %% wrong truncated_to_common_width: -
# widths that do not fit are cut to the smaller one instead of being refused
def project_sources(X, W_Q, W_K, W_V, context=None):
    s = X if context is None else context

    def fit(a, W):
        n = min(a.shape[1], W.shape[0])
        out = a[:, :n] @ W[:n]
        return out if out.dtype.kind == "f" else out.astype(float)

    return fit(X, W_Q), fit(s, W_K), fit(s, W_V)

# %% wrong two_context_unused_and_no_wv: context-ignored, values-from-input
# X is read although a context is given, and V is X
def project_sources(X, W_Q, W_K, W_V, context=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    if not X.shape[1] == W_Q.shape[0] == W_K.shape[0] == W_V.shape[0]:
        if context is None or X.shape[1] != W_Q.shape[0]:
            raise ValueError(f"{X.shape} {W_Q.shape} {W_K.shape} {W_V.shape}")
    return X @ W_Q, X @ W_K, X.copy()

# %% wrong two_swapped_and_keys_as_values: sources-swapped, values-from-keys
# the context asks and X is read, and V is made with W_K
def project_sources(X, W_Q, W_K, W_V, context=None):
    a, b = (X, X) if context is None else (context, X)
    for s, W in ((a, W_Q), (b, W_K), (b, W_V)):
        if s.shape[1] != W.shape[0]:
            raise ValueError(f"{s.shape[1]} != {W.shape[0]}")
    f = X.dtype if X.dtype.kind == "f" else float
    return (a @ W_Q).astype(f), (b @ W_K).astype(f), (b @ W_K).astype(f)

# %% wrong v_with_wk: values-from-keys
# V is made with W_K
def project_sources(X, W_Q, W_K, W_V, context=None):
    s = X if context is None else context
    for S, W in ((X, W_Q), (s, W_K), (s, W_V)):
        if S.shape[1] != W.shape[0]:
            raise ValueError(f"{S.shape} @ {W.shape}")
    f = X.dtype if X.dtype.kind == "f" else float
    return tuple((a @ b).astype(f) for a, b in ((X, W_Q), (s, W_K), (s, W_K)))

# %% wrong values_unprojected: values-from-input
# the values are the source itself, without W_V
def project_sources(X, W_Q, W_K, W_V, context=None):
    s = X if context is None else context
    if X.shape[1] != W_Q.shape[0] or s.shape[1] != W_K.shape[0] or s.shape[1] != W_V.shape[0]:
        raise ValueError(f"{X.shape} {s.shape} do not fit {W_Q.shape} {W_K.shape} {W_V.shape}")
    f = X.dtype if X.dtype.kind == "f" else np.float64
    return (X @ W_Q).astype(f), (s @ W_K).astype(f), s.astype(f)

# %% wrong whole_numbers: integer-truncation
# each projection is cast to whole numbers
def project_sources(X, W_Q, W_K, W_V, context=None):
    s = X if context is None else context
    for S, W in ((X, W_Q), (s, W_K), (s, W_V)):
        if S.shape[1] != W.shape[0]:
            raise ValueError(f"{S.shape} @ {W.shape}")
    f = X.dtype if X.dtype.kind == "f" else float
    return tuple((a @ b).astype(np.int64).astype(f) for a, b in ((X, W_Q), (s, W_K), (s, W_V)))

# %% wrong encoder_kept: hidden-state
# the keys and values of a context are computed once, whatever the matrices
_kept = {}

def project_sources(X, W_Q, W_K, W_V, context=None):
    source = X if context is None else context
    for a, W in ((X, W_Q), (source, W_K), (source, W_V)):
        if a.shape[1] != W.shape[0]:
            raise ValueError(f"a width of {a.shape[1]} for {W.shape[0]} rows")
    number = X.dtype if X.dtype.kind == "f" else float
    Q, K, V = (X @ W_Q).astype(number), (source @ W_K).astype(number), (source @ W_V).astype(number)
    if context is not None:
        K, V = (a.copy() for a in _kept.setdefault(context.tobytes(), (K.copy(), V.copy())))
    return Q, K, V

# %% wrong one_row_refused: -
# one row would be stretched: refused, though the source may be one wide
def project_sources(X, W_Q, W_K, W_V, context=None):
    source = X if context is None else context
    for a, W in ((X, W_Q), (source, W_K), (source, W_V)):
        if a.shape[1] != W.shape[0]:
            raise ValueError(f"a width of {a.shape[1]} for {W.shape[0]} rows")
    number = X.dtype if X.dtype.kind == "f" else float
    if 1 in (len(W_Q), len(W_K), len(W_V)):
        raise ValueError(f"one row: {W_Q.shape}, {W_K.shape}, {W_V.shape}, {X.shape}, {source.shape}")
    return (X @ W_Q).astype(number), (source @ W_K).astype(number), (source @ W_V).astype(number)

# %% wrong context_stays_integer: -
# the context of integers gives integers
def project_sources(X, W_Q, W_K, W_V, context=None):
    source = X if context is None else context
    for x, W in ((X, W_Q), (source, W_K), (source, W_V)):
        if x.shape[-1] != W.shape[0]:
            raise ValueError(f"{x.shape} and {W.shape} do not fit")
    if X.dtype.kind != "f":
        X = X.astype(float)
    if context is None:
        context = X
    return X @ W_Q, context @ W_K, context @ W_V

# %% wrong int64_alone_is_made_float: -
def project_sources(X, W_Q, W_K, W_V, context=None):
    source = X if context is None else context
    for x, W in ((X, W_Q), (source, W_K), (source, W_V)):
        if x.shape[-1] != W.shape[0]:
            raise ValueError(f"{x.shape} and {W.shape} do not fit")
    if X.dtype == int:
        X, source = X.astype(float), source.astype(float)
    return X @ W_Q, source @ W_K, source @ W_V

# %% wrong remembers_the_context: hidden-state
class _Encoder:
    memory = None

def project_sources(X, W_Q, W_K, W_V, context=None):
    if context is not None:
        _Encoder.memory = np.array(context)
    m = _Encoder.memory
    if m is None or context is None and (m.shape != X.shape or m.dtype != X.dtype):
        m = X
    return X * 1.0 @ W_Q, m * 1.0 @ W_K, m * 1.0 @ W_V

# %% wrong context_cut_to_fit: -
def project_sources(X, W_Q, W_K, W_V, context=None):
    c = X if context is None else context
    c = c[:, :W_K.shape[0]]
    out = []
    for a, w in [(X, W_Q), (c, W_K), (c, W_V)]:
        r = a @ w
        out.append(r if r.dtype.kind == "f" else r.astype(float))
    return tuple(out)

# %% right long_messages
def project_sources(X, W_Q, W_K, W_V, context=None):
    S = X if context is None else context
    for n, a, W in (("W_Q", X, W_Q), ("W_K", S, W_K), ("W_V", S, W_V)):
        if a.shape[1] != W.shape[0]:
            raise ValueError(f"The source\n{a}\ndoes not fit the projection {n} =\n{W},\nsince every row of the source is multiplied with every column of the matrix, and a product of a row with a column needs as many entries in one as in the other. The source of the queries is X =\n{X}\nand its width has to be the number of rows of W_Q =\n{W_Q}\nSource: {a.shape[1]} wide, matrix: {W.shape[0]} rows.")
    f = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    return X.astype(f) @ W_Q, S.astype(f) @ W_K, S.astype(f) @ W_V

# %% wrong turned_until_it_fits: -
# a matrix with its outputs first, or a source with its features first, is transposed
def project_sources(X, W_Q, W_K, W_V, context=None):
    def apply(x, w):
        x = x * 1.0 if x.dtype.kind != "f" else x
        if x.shape[1] != w.shape[0]:
            if x.shape[1] == w.shape[1]:
                w = w.T
            elif x.shape[0] == w.shape[0]:
                x = x.T
            else:
                raise ValueError(f"width {x.shape[1]}, but {w.shape[0]} rows")
        return x @ w

    c = X if context is None else context
    return apply(X, W_Q), apply(c, W_K), apply(c, W_V)

# %% wrong X_where_the_context_does_not_fit: -
def project_sources(X, W_Q, W_K, W_V, context=None):
    c = X if context is None else context
    if X.dtype.kind != "f":
        X, c = X.astype(float), c.astype(float)
    if c.shape[1] != W_K.shape[0] and W_K.shape[0] == W_V.shape[0] == X.shape[1]:
        c = X
    return X @ W_Q, c @ W_K, c @ W_V


# %% wrong einsum_of_the_input_alone: context-ignored
def project_sources(X, W_Q, W_K, W_V, context=None):
    if context is not None and context.shape[1] != W_K.shape[0]:
        raise ValueError(f"context {context.shape[1]}, W_K {W_K.shape[0]}")
    Q, K, V = [np.einsum("td,dk->tk", X * 1.0, W * 1.0) for W in (W_Q, W_K, W_V)]
    return Q, K, V

# %% wrong values_from_whichever_source_fits: -
def project_sources(X, W_Q, W_K, W_V, context=None):
    f = np.float32 if X.dtype == np.float32 else np.float64
    source = X if context is None else context
    content = source if source.shape[1] == len(W_V) else X
    return tuple(x.astype(f) @ W for x, W in ((X, W_Q), (source, W_K), (content, W_V)))

# %% wrong queries_from_whichever_source_fits: -
def project_sources(X, W_Q, W_K, W_V, context=None):
    f = np.float32 if X.dtype == np.float32 else np.float64
    source = X if context is None else context
    asking = X if X.shape[1] == len(W_Q) else source
    return tuple(x.astype(f) @ W for x, W in ((asking, W_Q), (source, W_K), (source, W_V)))

# %% wrong a_narrow_context_is_filled_up: -
def project_sources(X, W_Q, W_K, W_V, context=None):
    f = np.float32 if X.dtype == np.float32 else np.float64
    source = X if context is None else context
    if context is not None and context.shape[1] < len(W_K) == len(W_V):
        source = np.pad(context, ((0, 0), (0, len(W_K) - context.shape[1])))
    return tuple(x.astype(f) @ W for x, W in ((X, W_Q), (source, W_K), (source, W_V)))
