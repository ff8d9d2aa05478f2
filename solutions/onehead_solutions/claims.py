"""The answers to the claims of lesson-03 and lesson-07, with the reason of each."""

PROJECTION_CLAIMS: dict[str, str] = {
    # Softmax grows with its argument, and a positive factor keeps the order of a row.
    "scale-order": "mathematical",
    # "About" is a matter of meaning; an equation only compares the key with queries.
    "keys-topic": "interpretation",
    # Visible weights are not negative and sum to 1: the context is a mean of the values.
    "context-range": "mathematical",
    # A large weight is a large score. Whether that helps to understand is for people to judge.
    "weight-relevance": "interpretation",
    # (X W_Q A)(X W_K A^-T)^T = X W_Q A A^-1 W_K^T X^T.
    "shared-basis": "mathematical",
    # An image for a vector; nothing in the layer wants an answer.
    "query-intent": "interpretation",
    # All scores are 0, and the softmax of equal scores is uniform over the visible keys.
    "zero-queries": "mathematical",
    # A frequency on some texts, turned into what training was after.
    "verb-finder": "interpretation",
}

ATTENTION_CLAIMS: dict[str, str] = {
    # Row 5 of the map says where its largest entry is.
    "largest-weight": "supported",
    # An effect depends on the values and W_O, too, and neither is in the map.
    "removal-effect": "not supported",
    # context[3] is the sum of weights[3, k] * V[k]: the factor is the entry in row 3, column 0.
    "mixing-factor": "supported",
    # A cause in the whole model; the map shows one layer, and no experiment.
    "reason-for-word": "not supported",
    # Row 6 of the map says how large its largest entry is.
    "half-on-one": "supported",
    # A long value vector moves the output although its weight is small.
    "small-weight-harmless": "not supported",
    # The entries above the diagonal are in the map.
    "reads-only-past": "supported",
    # One sentence, and a pattern that many other rules would leave.
    "resolves-pronouns": "not supported",
}
