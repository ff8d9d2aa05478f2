def my_rows(source, W):
    if len(source[0]) != len(W):
        raise ValueError(f"{len(source[0])} columns times {len(W)} rows")
    return [
        [float(sum(a * b for a, b in zip(row, column))) for column in W.T.tolist()]
        for row in source.tolist()
    ]


def project_sources(X, W_Q, W_K, W_V, context=None):
    if context is None:
        context = X
    return [my_rows(X, W_Q), my_rows(context, W_K), my_rows(context, W_V)]


def visibility(T_q, T_k, causal):
    if causal and T_q != T_k:
        raise ValueError(str([T_q, T_k]))
    return [[j <= i or not causal for j in range(T_k)] for i in range(T_q)]
