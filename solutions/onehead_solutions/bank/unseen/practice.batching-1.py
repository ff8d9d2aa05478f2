# %% right pad
def batching_1(sequences):
    lengths = [s.shape[0] for s in sequences]
    T = max(lengths)
    X = np.stack([np.vstack([s, np.zeros((T - len(s), s.shape[1]))]) for s in sequences])
    return X, lengths

# %% wrong last_token_repeated: -
# padding repeats the last token
def batching_1(sequences):
    T = max(map(len, sequences))
    X = np.array([np.pad(s, ((0, T - len(s)), (0, 0)), mode="edge") for s in sequences])
    return X, [s.shape[0] for s in sequences]

# %% wrong padded_at_the_front: padding-in-front
# zeros come before the tokens
def batching_1(sequences):
    T = max(len(s) for s in sequences)
    return np.stack([np.pad(s, ((T - len(s), 0), (0, 0))) for s in sequences]), [len(s) for s in sequences]

# %% wrong sorted_by_length: input-mutated
# the caller's list is sorted in place
def batching_1(sequences):
    lengths = [len(s) for s in sequences]
    X = np.zeros((len(sequences), max(lengths), sequences[0].shape[1]))
    for b, s in enumerate(sequences):
        X[b, : len(s)] = s
    sequences.sort(key=len)
    return X, lengths

# %% wrong first_sequence_everywhere: batch-first-item
# the rows of the batch are all filled from the first sequence
def batching_1(sequences):
    lengths = [s.shape[0] for s in sequences]
    X = np.zeros((len(sequences), max(lengths), sequences[0].shape[1]))
    X[:, : lengths[0]] = sequences[0]
    return X, lengths

# %% wrong rows_that_are_not_zero: -
# a token of zeros is taken for padding
def batching_1(sequences):
    T = max(map(len, sequences))
    X = np.stack([np.pad(s, ((0, T - len(s)), (0, 0))) for s in sequences])
    return X, [int(np.any(x != 0, axis=1).sum()) for x in X]
