# %% right loop_own_document
def masking_3(scores, documents):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    W = np.zeros_like(s)
    for i in range(len(s)):
        mine = [j for j in range(i + 1) if documents[j] == documents[i]]
        e = np.exp(s[i, mine] - s[i, mine].max())
        W[i, mine] = e / e.sum()
    return W

# %% wrong document_mask_only: mask-missing
# later tokens of the same document are read
def masking_3(scores, documents):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    z = np.where(np.equal.outer(documents, documents), s, -np.inf)
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)

# %% wrong fill_minus_1e4: mask-finite-fill
# -1e4 is not below scores of -1e4
def masking_3(scores, documents):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    T = len(s)
    see = np.tri(T, dtype=bool) & np.equal.outer(documents, documents)
    z = np.where(see, s, -1e4)
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)

# %% wrong neighbours_only: -
# a document is thought to end when another begins
def masking_3(scores, documents):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    T = len(s)
    run = np.concatenate([[0], np.cumsum(documents[1:] != documents[:-1])]).astype(int)
    see = np.tri(T, dtype=bool) & (run[:, None] == run)
    z = np.where(see, s, -np.inf)
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)

# %% wrong no_max: softmax-unstable
# exponentials of raw scores
def masking_3(scores, documents):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    T = len(s)
    see = np.tri(T, dtype=bool) & np.equal.outer(documents, documents)
    e = np.where(see, np.exp(s), 0)
    return e / e.sum(axis=1, keepdims=True)

# %% wrong scores_multiplied: mask-zero-fill
# scores * mask leaves hidden keys with score 0
def masking_3(scores, documents):
    T = len(scores)
    mask = (documents[:, None] == documents[None, :]) * np.tri(T, dtype=bool)
    s = (scores if scores.dtype.kind == "f" else scores.astype(float)) * mask
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)

# %% wrong hides_what_is_seen: mask-inverted
# the fill stands where the scores belong
def masking_3(scores, documents):
    f = scores.dtype if scores.dtype.kind == "f" else float
    ok = np.tril(np.equal.outer(documents, documents))
    s = np.where(ok, -np.inf, scores.astype(f))
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

# %% wrong minus_1e4_added: mask-finite-fill
def masking_3(scores, documents):
    bias = np.full(scores.shape, -10000.0)
    for i, mine in enumerate(documents):
        for j in range(i + 1):
            if documents[j] == mine:
                bias[i, j] = 0
    logits = (scores + bias).astype((scores * 1.0).dtype)
    logits -= logits.max(axis=1, keepdims=True)
    p = np.exp(logits)
    return p / p.sum(axis=1, keepdims=True)

# %% wrong ids_as_columns: -
# ids count as places of a table, which negative ones count from the end
def masking_3(scores, documents):
    table = np.eye(documents.max() + 1)[documents]
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    z = np.where(np.tril(table @ table.T > 0), s, -np.inf)
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)

# %% wrong masks_one_after_the_other: mask-renormalised
# a later token of the same document may take the whole softmax
def masking_3(scores, documents):
    s = np.where(np.equal.outer(documents, documents), scores, -np.inf)
    e = np.exp(s - s.max(axis=1, keepdims=True)) * np.tri(len(s), dtype=bool)
    return e / e.sum(axis=1, keepdims=True)

# %% wrong causal_first: mask-renormalised
# an earlier token of another document may take the whole softmax
def masking_3(scores, documents):
    s = np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)
    e = np.exp(s - s.max(axis=1, keepdims=True)) * np.equal.outer(documents, documents)
    return e / e.sum(axis=1, keepdims=True)

# %% wrong less_its_own_score: softmax-unstable
# a token's own score is no bound for those before it
def masking_3(scores, documents):
    see = np.tri(len(scores), dtype=bool) & np.equal.outer(documents, documents)
    e = np.exp(np.where(see, scores - np.diag(scores)[:, None], -np.inf))
    return e / e.sum(axis=1, keepdims=True)

# %% wrong one_token_squeezed: -
def masking_3(scores, documents):
    see = np.tri(len(scores), dtype=bool) & np.equal.outer(documents, documents)
    s = np.where(see, scores, -np.inf)
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return np.squeeze(e / e.sum(axis=1, keepdims=True))

# %% wrong triangle_times_documents: softmax-unstable
# what overflows is cut out of the future, and is no number in other documents
def masking_3(scores, documents):
    e = np.tril(np.exp(scores * 1.0)).astype((scores * 1.0).dtype)
    e = e * np.equal.outer(documents, documents)
    return e / e.sum(axis=1, keepdims=True)
