# %% right arange
def padding_visible(lengths, T):
    lengths = np.asarray(lengths)
    bad = lengths[(lengths > T) | (lengths < 0)]
    if bad.size:
        raise ValueError(f"length {bad[0]} is not between 0 and {T}")
    return np.arange(T)[None, None, :] < lengths[:, None, None]

# %% right nested_list
def padding_visible(lengths, T):
    for n in lengths:
        if not 0 <= n <= T:
            raise ValueError("length %d outside [0, %d]" % (n, T))
    return [[[True] * int(n) + [False] * (T - int(n))] for n in lengths]

# %% right zeros_and_slices
def padding_visible(lengths, T):
    out = np.zeros((len(lengths), 1, T), dtype=bool)
    for b, n in enumerate(lengths):
        if n < 0:
            raise ValueError(f"negative length {n}; it must be between 0 and {T}")
        if n > T:
            raise ValueError(f"length {n} for only {T} places")
        out[b, 0, :n] = True
    return out

# %% wrong clips_lengths: lengths-unchecked
# lengths out of range are clipped instead of refused
def padding_visible(lengths, T):
    n = np.clip(lengths, 0, T)
    return np.arange(T)[None, None] < n[:, None, None]

# %% wrong left_padding: padding-in-front
# the last lengths[b] keys are shown
def padding_visible(lengths, T):
    for n in lengths:
        if not 0 <= n <= T:
            raise ValueError(f"{n} of {T}")
    return np.array([[[j >= T - n for j in range(T)]] for n in lengths])

# %% wrong negative_passes: lengths-unchecked
# only lengths over T are refused
def padding_visible(lengths, T):
    lengths = np.asarray(lengths)
    if lengths.max() > T:
        raise ValueError(f"length {lengths.max()} is over {T}")
    return np.arange(T) < lengths[:, None, None]

# %% wrong no_query_axis: -
# (B, T) without the axis for queries
def padding_visible(lengths, T):
    for n in lengths:
        if n < 0 or n > T:
            raise ValueError(f"{n} is not in [0, {T}]")
    return np.array([[j < n for j in range(T)] for n in lengths])

# %% wrong one_key_too_many: length-off-by-one
# <= counts the length as an index
def padding_visible(lengths, T):
    lengths = np.array(lengths)
    for n in lengths:
        if n < 0 or n > T:
            raise ValueError(f"{n} is not in [0, {T}]")
    return (np.arange(T) <= lengths[:, None])[:, None]

# %% wrong rows_hidden: padding-hides-queries
# (B, T, 1): the padded queries are hidden, not the keys
def padding_visible(lengths, T):
    lengths = np.asarray(lengths)
    if (lengths < 0).any() or (lengths > T).any():
        raise ValueError(f"lengths {lengths.tolist()} for T = {T}")
    return (np.arange(T)[None, :] < lengths[:, None])[:, :, None]

# %% wrong sorts_lengths: input-mutated
# lengths.sort() for the range check reorders the caller's list
def padding_visible(lengths, T):
    original = list(lengths)
    lengths.sort()
    if lengths[0] < 0:
        raise ValueError(f"length {lengths[0]} below 0 (T = {T})")
    if lengths[-1] > T:
        raise ValueError(f"length {lengths[-1]} over {T}")
    return np.arange(T) < np.array(original)[:, None, None]

# %% wrong true_for_padding: mask-inverted
# >= marks the padding, not the tokens
def padding_visible(lengths, T):
    lengths = np.asarray(lengths)
    for n in lengths:
        if n < 0 or n > T:
            raise ValueError(f"{n} not in 0..{T}")
    return np.arange(T).reshape(1, 1, T) >= lengths.reshape(-1, 1, 1)

# %% wrong zero_refused: -
# a length of 0 is refused though it is allowed
def padding_visible(lengths, T):
    for n in lengths:
        if n <= 0 or n > T:
            raise ValueError(f"length {n} is not between 1 and {T}")
    return np.arange(T) < np.asarray(lengths)[:, None, None]

# %% wrong rows_kept_by_size: hidden-state
def padding_visible(lengths, T, rows=[]):
    for n in lengths:
        if n < 0 or n > T:
            raise ValueError(f"length {n}; places {T}")
    if not rows or len(rows[0]) != T or len(rows) != len(lengths):
        rows[:] = [[False] * T for _ in lengths]
    for row, n in zip(rows, lengths):
        for t in range(n):
            row[t] = True
    return np.array(rows, dtype=bool)[:, None, :]

# %% wrong nothing_real_refused: -
# a batch without a real token is refused
def padding_visible(lengths, T):
    n = np.asarray(lengths)
    if (n < 0).any() or (n > T).any() or not n.any():
        raise ValueError(f"lengths {n.tolist()} for {T} tokens")
    return (np.arange(T) < n[:, None])[:, None, :]

# %% wrong one_item_without_axis: -
# one item's padding comes without the axis of items
def padding_visible(lengths, T):
    n = np.asarray(lengths)
    if (n < 0).any() or (n > T).any():
        raise ValueError(f"lengths {n.tolist()} for {T} tokens")
    seen = (np.arange(T) < n[:, None])[:, None, :]
    return seen[0] if len(n) == 1 else seen

# %% wrong one_token_is_no_padding: -
def padding_visible(lengths, T):
    for n in lengths:
        if n < 0 or n > T:
            raise ValueError(f"length {n} is not in 0..{T}")
    if T == 1:
        return np.ones((len(lengths), 1, 1), dtype=bool)
    return (np.arange(T) < np.array(lengths)[:, None])[:, None, :]

# %% wrong ends_checked: lengths-unchecked
def padding_visible(lengths, T):
    n = np.asarray(lengths)
    for k in (n[0], n[-1]):
        if k < 0 or k > T:
            raise ValueError(f"length {k} is not in 0..{T}")
    return (np.arange(T) < n[:, None])[:, None, :]
