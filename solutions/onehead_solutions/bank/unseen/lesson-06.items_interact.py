# %% right any_generator
def items_interact(layer, X):
    B = X.shape[0]
    start = X.astype(np.float64) if X.dtype.kind in "iu" else X
    before = np.asarray(layer(start.copy())).copy()
    tol = (1e-4 if np.asarray(before).dtype == np.float32 or start.dtype == np.float32 else 1e-9) * max(1.0, np.abs(before).max())

    def changed(i, shift):
        Y = start.copy()
        Y[i] = shift(Y[i])
        D = np.abs(np.asarray(layer(Y)) - before)
        return any(D[j].max() > tol for j in range(B) if j != i)

    noise = np.random.default_rng(7).standard_normal(start.shape[1:]).astype(start.dtype)
    return bool(any(changed(i, s) for i in range(B) for s in (lambda a: a + 5 * noise, lambda a: 3 * noise - a, lambda a: 20 * noise)))

# %% right each_item_several_noises
def items_interact(layer, X):
    X = np.array(X, dtype=X.dtype if X.dtype.kind == "f" else float)
    base = np.array(layer(X.copy()))
    eps = np.finfo(base.dtype).eps if base.dtype.kind == "f" else 2e-16
    rng = np.random.default_rng(0)
    for item in range(len(X) if len(X) > 1 else 0):
        others = np.arange(len(X)) != item
        for size in (1.0, 10.0, 100.0):
            moved = X.copy()
            moved[item] += (size * rng.normal(size=X.shape[1:])).astype(X.dtype)
            out = np.array(layer(moved))
            room = 1e4 * eps * (1 + np.abs(base).max())
            if np.abs(out - base)[others].max() > room:
                return True
    return False

# %% right replace_items_by_noise
def items_interact(layer, X):
    """Whole other items, large and small; each output compared one item at a time."""
    X = np.asarray(X, dtype=X.dtype if X.dtype.kind == "f" else float)
    rng = np.random.default_rng(123)
    for size in (1, 30):
        base_X = X + size * rng.normal(size=X.shape).astype(X.dtype)
        base = np.array(layer(base_X.copy()))
        unit = np.finfo(np.float32).eps if np.float32 in (base.dtype, X.dtype) else np.finfo(float).eps
        room = 1e4 * unit * max(np.abs(base).max(), np.abs(base_X).max(), 1)
        for i, j in ((i, j) for i in range(len(X)) for j in range(len(X)) if i != j):
            Y = base_X.copy()
            Y[i] = size * rng.normal(size=X.shape[1:]).astype(X.dtype)
            if np.abs(np.array(layer(Y))[j] - base[j]).max() > room:
                return True
    return False

# %% wrong answer_inverted: interaction-inverted
# True means no interaction
def items_interact(layer, X):
    X = X.astype(X.dtype if X.dtype.kind == "f" else float)
    before = np.array(layer(X.copy()))
    tol = (1e-4 if before.dtype == np.float32 else 1e-9) * max(1, np.abs(before).max())
    clean = True
    for i in range(len(X)):
        Y = X.copy()
        Y[i] += (np.random.default_rng(i).normal(size=X[i].shape) * 5).astype(X.dtype)
        d = np.abs(np.array(layer(Y)) - before)
        clean &= bool(np.delete(d, i, axis=0).max() <= tol)
    return clean

# %% wrong doubling: change-not-made
# items are doubled, which moves nothing where X is zero
def items_interact(layer, X):
    X = X.astype(X.dtype if X.dtype.kind == "f" else float)
    before = np.array(layer(X.copy()))
    tol = (1e-4 if before.dtype == np.float32 else 1e-9) * max(1, np.abs(before).max())
    for i in range(len(X)):
        Y = X.copy()
        Y[i] *= 2
        d = np.abs(np.array(layer(Y)) - before)
        if np.delete(d, i, axis=0).max() > tol:
            return True
    return False

# %% wrong loose_tolerance: -
# a tolerance of 0.1 passes small leaks
def items_interact(layer, X):
    X = X.astype(X.dtype if X.dtype.kind == "f" else float)
    before = np.array(layer(X.copy()))
    for i in range(len(X)):
        Y = X.copy()
        Y[i] += 3
        d = np.abs(np.array(layer(Y)) - before)
        if np.delete(d, i, axis=0).max() > 0.1:
            return True
    return False

# %% wrong neighbour_only: -
# only the next item is looked at
def items_interact(layer, X):
    X = X.astype(X.dtype if X.dtype.kind == "f" else float)
    before = np.array(layer(X.copy()))
    tol = (1e-4 if before.dtype == np.float32 else 1e-9) * max(1, np.abs(before).max())
    for i in range(len(X) - 1):
        Y = X.copy()
        Y[i] += 3
        if np.abs(np.array(layer(Y))[i + 1] - before[i + 1]).max() > tol:
            return True
    return False

# %% wrong only_item_zero_moved: first-item-changed-only
# only item 0 is changed, leaks from other items are missed
def items_interact(layer, X):
    X = X.astype(X.dtype if X.dtype.kind == "f" else float)
    before = np.array(layer(X.copy()))
    Y = X.copy()
    Y[0] += (5 * np.random.default_rng(0).normal(size=X[0].shape)).astype(X.dtype)
    after = np.array(layer(Y))
    tol = (1e-4 if before.dtype == np.float32 else 1e-9) * max(1, np.abs(before).max())
    return bool(np.abs(after - before)[1:].max() > tol)

# %% wrong own_output_counts: own-change-counted
# a change of the item's own output is called a leak
def items_interact(layer, X):
    before = np.array(layer(X.copy()))
    for i in range(len(X)):
        Y = X.copy()
        Y[i] = Y[i] + 1
        if not np.allclose(layer(Y), before):
            return True
    return False

# %% wrong tiny_change: -
# items are moved by 1e-12, less than the tolerance can see
def items_interact(layer, X):
    X = X.astype(X.dtype if X.dtype.kind == "f" else float)
    before = np.array(layer(X.copy()))
    for i in range(len(X)):
        Y = X.copy()
        Y[i] += 1e-12
        d = np.abs(np.array(layer(Y)) - before)
        if np.delete(d, i, axis=0).max() > 1e-9:
            return True
    return False

# %% wrong writes_into_x: input-mutated
# each item of X is changed in place, one after the other, and left so
def items_interact(layer, X):
    if X.dtype.kind != "f":
        X = X.astype(float)
    rng = np.random.default_rng(0)
    before = np.array(layer(X))
    tol = (1e-4 if before.dtype == np.float32 else 1e-9) * max(1, np.abs(before).max())
    for i in range(len(X)):
        for _ in range(3):
            before = np.array(layer(X))
            X[i] += (5 * rng.normal(size=X[i].shape)).astype(X.dtype)
            moved = np.abs(np.array(layer(X)) - before)
            if np.delete(moved, i, axis=0).max() > tol:
                return True
    return False

# %% wrong last_token_moved: -
# only the last token of an item is changed
def items_interact(layer, X):
    before = np.array(layer(X.copy()))
    for b in range(len(X)):
        changed = X.copy()
        changed[b, -1] = 5 - 3 * changed[b, -1]
        after = np.array(layer(changed))
        others = np.arange(len(X)) != b
        if not np.allclose(after[others], before[others], rtol=1e-9, atol=1e-9):
            return True
    return False

# %% wrong first_token_looked_at: -
# only the first token of the others is looked at
def items_interact(layer, X):
    before = np.array(layer(X.copy()))
    for b in range(len(X)):
        changed = X.copy()
        changed[b] = 5 - 3 * changed[b]
        after = np.array(layer(changed))
        others = np.arange(len(X)) != b
        if not np.allclose(after[others, 0], before[others, 0], rtol=1e-9, atol=1e-9):
            return True
    return False

# %% wrong neighbours_looked_at: -
def items_interact(layer, X):
    rng = np.random.default_rng(5)
    before = layer(X.copy())
    B = len(X)
    for b in range(B):
        changed = X.copy()
        changed[b] = rng.normal(size=X[b].shape)
        after = layer(changed)
        for other in ((b - 1) % B, (b + 1) % B):
            if other != b and not np.allclose(after[other], before[other]):
                return True
    return False

# %% wrong all_features_moved_alike: -
def items_interact(layer, X):
    before = np.array(layer(X.copy()))
    B, T, _ = X.shape
    for b in range(B):
        for t in range(T):
            changed = X.copy()
            changed[b, t] += 4
            after = np.array(layer(changed))
            keep = [i for i in range(B) if i != b]
            if np.abs(after[keep] - before[keep]).max() > 1e-8:
                return True
    return False

# %% right alone_against_the_batch
def items_interact(layer, X):
    """An item's result should be the same alone and in a batch."""
    together = layer(X)
    return not all(np.allclose(layer(X[b : b + 1])[0], together[b]) for b in range(len(X)))

# %% right two_batches_in_one
def items_interact(layer, X):
    """Puts another batch behind this one: nothing may move."""
    rng = np.random.default_rng(0)
    more = rng.normal(size=X.shape)
    a = layer(np.concatenate([X, more])); b = layer(np.concatenate([X, 2 * more + 1])); c = layer(np.concatenate([more, X])); d = layer(np.concatenate([2 * more + 1, X]))
    n = len(X)
    if not (np.allclose(a[:n], b[:n], atol=1e-10) and np.allclose(c[n:], d[n:], atol=1e-10)): return True
    for i in range(n):
        Y = X.copy(); Y[i] = rng.normal(size=X[i].shape)
        if not np.allclose(np.delete(layer(Y), i, 0), np.delete(layer(X), i, 0), atol=1e-10): return True
    return False

# %% wrong half_of_the_items: -
# Half of the items is changed, the other half looked at.
def items_interact(layer, X):
    rng = np.random.default_rng(0)
    base = layer(X.copy())
    half = len(X) // 2
    for part, rest in ((slice(0, half), slice(half, None)), (slice(half, None), slice(0, half))):
        Y = X.copy()
        Y[part] = rng.normal(size=Y[part].shape)
        if not np.allclose(layer(Y)[rest], base[rest]):
            return True
    return False

# %% wrong both_ways: -
# Only what goes both ways counts.
def items_interact(layer, X):
    rng = np.random.default_rng(0)
    base = layer(X.copy())
    B = len(X)
    for a in range(B):
        for b in range(a + 1, B):
            Y = X.copy()
            Y[a] = rng.normal(size=Y[a].shape)
            Z = X.copy()
            Z[b] = rng.normal(size=Z[b].shape)
            if not np.allclose(layer(Y)[b], base[b]) and not np.allclose(layer(Z)[a], base[a]):
                return True
    return False

# %% wrong halves_alone: -
# Who reads an item of the same half is not seen.
def items_interact(layer, X):
    base = np.array(layer(X.copy()))
    half = len(X) // 2
    return not all(
        np.allclose(layer(X[part].copy()), base[part], rtol=0, atol=1e-9)
        for part in (slice(0, half), slice(half, None))
    )
