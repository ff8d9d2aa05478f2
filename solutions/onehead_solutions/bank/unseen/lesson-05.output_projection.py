# %% right bias_as_extra_row
def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"{context.shape} @ {W_O.shape}")
    if context.dtype.kind != "f":
        context = context.astype(np.float64)
    if b_O is None:
        return np.einsum("...v,vm->...m", context, W_O)
    if np.shape(b_O) != (W_O.shape[1],):
        raise ValueError(f"bias {np.shape(b_O)} for an output of width {W_O.shape[1]}")
    one = np.ones(context.shape[:-1] + (1,), dtype=context.dtype)
    return np.concatenate([context, one], axis=-1) @ np.vstack([W_O, b_O])

# %% right flatten_and_back
def output_projection(context, W_O, b_O=None):
    d_v, d_model = W_O.shape
    if d_v != context.shape[-1]:
        raise ValueError("expected last axis %d, got %d" % (d_v, context.shape[-1]))
    b = np.zeros(d_model, dtype=W_O.dtype) if b_O is None else b_O
    if len(b) != d_model:
        raise ValueError("expected a bias of length %d, got %d" % (d_model, len(b)))
    flat = context.reshape(-1, d_v) @ W_O + b
    return flat.reshape(context.shape[:-1] + (d_model,)).astype(np.result_type(context, np.float32) if context.dtype.kind == "f" else float)

# %% right sum_of_rows_numpy_raises
def output_projection(context, W_O, b_O=None):
    result = np.matmul(context, W_O)
    if b_O is not None:
        if b_O.shape[0] != W_O.shape[1]:
            raise ValueError(b_O.shape, W_O.shape)
        result = result + b_O
    return np.true_divide(result, 1)

# %% right tensordot
def output_projection(context, W_O, b_O=None):
    rows, columns = W_O.shape
    if context.shape[-1] != rows:
        raise ValueError(f"context is {context.shape[-1]} wide, W_O takes {rows}")
    if b_O is not None and b_O.shape != (columns,):
        raise ValueError(f"b_O has shape {b_O.shape}, expected ({columns},)")
    out = np.tensordot(context, W_O, axes=1)
    if b_O is not None:
        out = out + b_O
    return out if out.dtype.kind == "f" else out.astype(float)

# %% wrong bias_changed: input-mutated
# the product is added into b_O where shapes allow it
def output_projection(context, W_O, b_O=None):
    out = context @ W_O
    out = out if out.dtype.kind == "f" else out.astype(float)
    if b_O is None:
        return out
    if b_O.shape != W_O.shape[1:]:
        raise ValueError(f"bias {b_O.shape}, expected ({W_O.shape[1]},)")
    if out.ndim == 1 and b_O.dtype == out.dtype:
        b_O += out
        return b_O.copy()
    return out + b_O

# %% wrong bias_dropped: bias-ignored
# the bias is checked and not added
def output_projection(context, W_O, b_O=None):
    if b_O is not None and b_O.shape != (W_O.shape[1],):
        raise ValueError(f"bias {b_O.shape} for {W_O.shape[1]}")
    out = context @ W_O
    return out if out.dtype.kind == "f" else out.astype(float)

# %% wrong integers_stay_integers: -
# integer inputs give an integer result
def output_projection(context, W_O, b_O=None):
    out = context @ W_O
    if b_O is None:
        return out
    if b_O.shape != (W_O.shape[1],):
        raise ValueError(f"bias {b_O.shape} for {W_O.shape[1]} columns")
    return out + b_O

# %% wrong length_one_bias_accepted: -
# numpy's broadcasting accepts a bias of length 1
def output_projection(context, W_O, b_O=None):
    out = context @ W_O
    if b_O is not None:
        out = out + b_O
    return out if out.dtype.kind == "f" else out.astype(float)

# %% wrong linear_layer_convention: output-transposed
# x @ W.T as in torch's Linear
def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"{context.shape[-1]} != {W_O.shape[0]}")
    if b_O is not None and b_O.shape != (W_O.shape[1],):
        raise ValueError(f"{b_O.shape} != {W_O.shape[1]}")
    out = np.einsum("...v,mv->...m", context * 1.0 if context.dtype.kind in "iu" else context, W_O)
    return out if b_O is None else out + b_O

# %% wrong message_without_numbers: -
# ValueError without any size
def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError("context does not fit W_O")
    if b_O is not None and b_O.shape != (W_O.shape[1],):
        raise ValueError("bias does not fit W_O")
    out = np.tensordot(context, W_O, 1) * 1.0 if context.dtype.kind != "f" else np.tensordot(context, W_O, 1)
    return out if b_O is None else out + b_O

# %% wrong rank_two_only: -
# leading axes are merged, the result is always (n, d_model)
def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"{context.shape[-1]} against {W_O.shape[0]}")
    out = context.reshape(-1, W_O.shape[0]) @ W_O
    if b_O is not None:
        if len(b_O) != W_O.shape[1]:
            raise ValueError(f"{len(b_O)} against {W_O.shape[1]}")
        out = out + b_O
    return out if out.dtype.kind == "f" else out.astype(float)

# %% wrong relu: output-activated
# an activation on the output projection
def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"{context.shape[-1]} against {W_O.shape[0]}")
    out = context @ W_O
    if b_O is not None:
        if b_O.shape != (W_O.shape[1],):
            raise ValueError(f"bias {b_O.shape} for {W_O.shape[1]}")
        out = out + b_O
    return np.maximum(out if out.dtype.kind == "f" else out.astype(float), 0)

# %% wrong reshaped_to_fit: output-transposed
# the transposed matrix is reshaped until it fits
def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"{context.shape[-1]} != {W_O.shape[0]}")
    if b_O is not None and b_O.shape != (W_O.shape[1],):
        raise ValueError(f"{b_O.shape} != {W_O.shape[1]}")
    out = context @ W_O.T.reshape(W_O.shape)
    out = out if out.dtype.kind == "f" else out.astype(float)
    return out if b_O is None else out + b_O

# %% wrong returns_context: output-skipped
# only the bias is added, W_O is used for checking
def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"{context.shape[-1]} != {W_O.shape[0]}")
    if b_O is not None and len(b_O) != W_O.shape[1]:
        raise ValueError(f"{len(b_O)} != {W_O.shape[1]}")
    out = context.astype(context.dtype if context.dtype.kind == "f" else float)
    return out if b_O is None or len(b_O) != out.shape[-1] else out + b_O

# %% wrong cut_to_width: output-skipped
# the context gets zeros or a cut until it is as wide as the model
def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"{context.shape} does not fit {W_O.shape}")
    if b_O is not None and b_O.shape[0] != W_O.shape[1]:
        raise ValueError(f"{b_O.shape} does not fit {W_O.shape}")
    f = context.dtype if context.dtype.kind == "f" else np.dtype(float)
    out = np.zeros((*context.shape[:-1], W_O.shape[1]), dtype=f)
    width = min(W_O.shape)
    out[..., :width] = context[..., :width]
    return out if b_O is None else out + b_O

# %% wrong bias_stretches_one_column: -
# only a bias of one is refused, the rest is left to numpy: one column takes a bias of any length
def output_projection(context, W_O, b_O=None):
    c = context if context.dtype.kind == "f" else context.astype(float)
    if c.shape[-1] != len(W_O):
        raise ValueError(f"a context of width {c.shape[-1]} for {len(W_O)} rows")
    out = c @ W_O
    if b_O is None:
        return out
    if len(b_O) == 1 and out.shape[-1] != 1:
        raise ValueError(f"a bias of 1 for {out.shape[-1]} columns")
    return out + b_O

# %% wrong bias_of_one_refused: -
# a bias of one number is refused, though W_O may have one column
def output_projection(context, W_O, b_O=None):
    c = context if context.dtype.kind == "f" else context.astype(float)
    if c.shape[-1] != len(W_O):
        raise ValueError(f"a context of width {c.shape[-1]} for {len(W_O)} rows")
    out = c @ W_O
    if b_O is None:
        return out
    if len(b_O) == 1 or len(b_O) != out.shape[-1]:
        raise ValueError(f"a bias of {len(b_O)} for {out.shape[-1]} columns")
    return out + b_O

# %% wrong leading_one_dropped: -
# a row is added for one token's context and taken away again, also from those that had it
def output_projection(context, W_O, b_O=None):
    c = context if context.dtype.kind == "f" else context.astype(float)
    if c.shape[-1] != len(W_O):
        raise ValueError(f"a context of width {c.shape[-1]} for {len(W_O)} rows")
    if b_O is not None and len(b_O) != W_O.shape[1]:
        raise ValueError(f"a bias of {len(b_O)} for {W_O.shape[1]} columns")
    out = np.atleast_2d(c) @ W_O + (0 if b_O is None else b_O)
    return out[0] if len(out) == 1 else out

# %% wrong einsum_fits_a_width_of_one: -
def output_projection(context, W_O, b_O=None):
    f = np.float32 if context.dtype == np.float32 else np.float64
    if b_O is not None and b_O.size != W_O.shape[1]:
        raise ValueError(f"bias of {b_O.size} for {W_O.shape[1]} columns")
    y = np.einsum("...v,vm->...m", context.astype(f), W_O.astype(f))
    return y if b_O is None else y + b_O

# %% right products_added_to_the_bias
def output_projection(context, W_O, b_O=None):
    f = np.float32 if context.dtype == np.float32 else np.float64
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"width {context.shape[-1]}, but {W_O.shape[0]} rows")
    if b_O is not None and b_O.shape[0] != W_O.shape[1]:
        raise ValueError(f"a bias of {b_O.shape[0]} for {W_O.shape[1]} columns")
    out = np.zeros((*context.shape[:-1], W_O.shape[1]), f)
    if b_O is not None:
        out += b_O
    for j, row in enumerate(W_O.astype(f)):
        out += context[..., j, None] * row
    return out

# %% wrong four_axes_at_most: -
def output_projection(context, W_O, b_O=None):
    f = np.float32 if context.dtype == np.float32 else np.float64
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"width {context.shape[-1]}, but {W_O.shape[0]} rows")
    if b_O is not None and b_O.shape != W_O.shape[1:]:
        raise ValueError(f"a bias of {b_O.shape} for {W_O.shape[1]} columns")
    axes = ["", "v", "tv", "btv", "abtv"][context.ndim]
    out = np.einsum(f"{axes},vm->{axes[:-1]}m", context.astype(f), W_O.astype(f))
    return out if b_O is None else out + b_O

# %% wrong bias_checked_without_a_batch_alone: -
def output_projection(context, W_O, b_O=None):
    f = np.float32 if context.dtype == np.float32 else np.float64
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"width {context.shape[-1]}, but {W_O.shape[0]} rows")
    out = context.astype(f) @ W_O
    if b_O is None:
        return out
    if context.ndim == 2 and len(b_O) != W_O.shape[1]:
        raise ValueError(f"a bias of {len(b_O)} for {W_O.shape[1]} columns")
    return out + b_O


# %% wrong first_item_for_all: batch-first-item
def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"{context.shape[-1]} against {W_O.shape[0]}")
    if b_O is not None and b_O.size != W_O.shape[1]:
        raise ValueError(f"{b_O.size} against {W_O.shape[1]}")
    c = context * 1.0
    if c.ndim > 2:
        rows = c.reshape(-1, c.shape[-2], c.shape[-1])
        y = np.broadcast_to(rows[0] @ W_O, rows.shape[:2] + (W_O.shape[1],)).reshape(c.shape[:-1] + (-1,)).copy()
    else:
        y = c @ W_O
    return y if b_O is None else y + b_O

# %% wrong one_token_is_cut_to_fit: -
def output_projection(context, W_O, b_O=None):
    f = np.float32 if context.dtype == np.float32 else np.float64
    if context.ndim > 1:
        out = context.astype(f) @ W_O
    else:
        out = sum(c * row for c, row in zip(context.astype(f), W_O.astype(f)))
    if b_O is not None and len(b_O) != W_O.shape[1]:
        raise ValueError(f"a bias of {len(b_O)} for {W_O.shape[1]} columns")
    return out if b_O is None else out + b_O

# %% wrong bias_unchecked_for_one_token: -
def output_projection(context, W_O, b_O=None):
    f = np.float32 if context.dtype == np.float32 else np.float64
    out = context.astype(f) @ W_O
    if b_O is None:
        return out
    if context.ndim > 1 and len(b_O) != W_O.shape[1]:
        raise ValueError(f"a bias of {len(b_O)} for {W_O.shape[1]} columns")
    return out + b_O
