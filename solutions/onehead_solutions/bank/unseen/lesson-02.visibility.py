# %% right broadcast_readonly
def visibility(T_q, T_k, causal):
    if causal:
        if T_q - T_k:
            raise ValueError((T_q, T_k))
        return ~np.triu(np.ones((T_q, T_k), dtype=bool), k=1)
    return np.broadcast_to(np.True_, (T_q, T_k))

# %% right fromfunction
def visibility(T_q, T_k, causal):
    if not causal:
        return np.full((T_q, T_k), True)
    if T_q != T_k:
        raise ValueError("T_q = {} but T_k = {}".format(T_q, T_k))
    return np.fromfunction(lambda i, j: j <= i, (T_q, T_k), dtype=int)

# %% right nested_lists
def visibility(T_q, T_k, causal):
    if causal and T_q != T_k:
        raise ValueError(f"causal visibility needs T_q == T_k, got {T_q} and {T_k}")
    return [[(not causal) or key <= query for key in range(T_k)] for query in range(T_q)]

# %% wrong bottom_right_for_unequal: causal-offset
# unequal lengths are aligned at the bottom right, as flash attention does
def visibility(T_q, T_k, causal):
    return np.tri(T_q, T_k, T_k - T_q, dtype=bool) if causal else np.full((T_q, T_k), True)

# %% wrong float_mask: -
# a mask of floats, not of bools
def visibility(T_q, T_k, causal):
    if causal and T_q != T_k:
        raise ValueError(f"{T_q} != {T_k}")
    return np.tril(np.ones((T_q, T_k))) if causal else np.ones((T_q, T_k))

# %% wrong future_and_present: mask-transposed
# key >= query
def visibility(T_q, T_k, causal):
    if causal and T_q != T_k:
        raise ValueError(f"causal needs equal lengths, not {T_q} and {T_k}")
    return np.array([[key >= query or not causal for key in range(T_k)] for query in range(T_q)])

# %% wrong j_less_than_i: mask-excludes-self
# strict comparison
def visibility(T_q, T_k, causal):
    if not causal:
        return np.ones((T_q, T_k), dtype=bool)
    if T_q != T_k:
        raise ValueError("T_q=%d, T_k=%d" % (T_q, T_k))
    return np.less.outer(np.arange(T_k), np.arange(T_q)).T

# %% wrong one_all_true_array: memory-shared
# full visibility is a writable slice of a shared array of ones
_ONES = np.ones((64, 64), dtype=bool)


def visibility(T_q, T_k, causal):
    if not causal:
        return _ONES[:T_q, :T_k]
    if T_q != T_k:
        raise ValueError(f"{T_q} {T_k}")
    return np.tril(_ONES[:T_q, :T_k])

# %% wrong refuses_open_cross_too: -
# T_q != T_k is refused without causal too
def visibility(T_q, T_k, causal):
    if T_q != T_k:
        raise ValueError(f"{T_q} != {T_k}")
    return np.tri(T_q, dtype=bool) if causal else np.ones((T_q, T_k), bool)

# %% wrong top_left_for_unequal: causal-offset
# unequal lengths are aligned at the top left instead of refused
def visibility(T_q, T_k, causal):
    m = np.ones((T_q, T_k), dtype=bool)
    return np.tril(m) if causal else m

# %% wrong true_where_hidden: mask-inverted
# returns the strict upper triangle, True where hidden
def visibility(T_q, T_k, causal):
    if causal:
        if T_q != T_k:
            raise ValueError(f"{T_q} queries, {T_k} keys")
        return np.triu(np.ones((T_q, T_k), dtype=bool), k=1)
    return np.zeros((T_q, T_k), dtype=bool)

# %% wrong typeerror: -
# raises TypeError for lengths that do not agree
def visibility(T_q, T_k, causal):
    if not causal:
        return np.ones((T_q, T_k), bool)
    if T_q != T_k:
        raise TypeError(f"causal visibility for {T_q} queries and {T_k} keys")
    return np.tri(T_q, dtype=bool)

# %% wrong switch_ignored_for_squares: -
import math


def visibility(T_q, T_k, causal):
    if causal and T_q != T_k:
        raise ValueError(f"{T_q} {T_k}")
    return np.tri(T_q, T_k, dtype=bool) if T_q == T_k else np.ones((T_q, T_k), bool)

# %% wrong one_query_sees_all: causal-offset
# as while generating: the newest token's query sees every key
def visibility(T_q, T_k, causal):
    if not causal or T_q == 1:
        return np.ones((T_q, T_k), dtype=bool)
    if T_q != T_k:
        raise ValueError(f"{T_q} queries, {T_k} keys")
    return np.tri(T_q, dtype=bool)

# %% wrong every_second_key: causal-offset
# causal visibility of queries that are the last of their keys, where the numbers go into each other
def visibility(T_q, T_k, causal):
    if not causal:
        return np.ones((T_q, T_k), dtype=bool)
    if T_q != T_k and (T_q == 1 or T_k % T_q):
        raise ValueError(f"{T_q} queries and {T_k} keys are not causal")
    return np.tri(T_q, T_k, T_k - T_q, dtype=bool)
