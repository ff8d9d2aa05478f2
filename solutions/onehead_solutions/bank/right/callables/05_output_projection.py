import numpy as np


class OutputProjection:
    @classmethod
    def check(cls, what, given, expected):
        if given != expected:
            raise ValueError(f"{what}: given {given}, expected {expected}")

    def __call__(self, context, W_O, b_O=None):
        self.check("width of the context", context.shape[-1], W_O.shape[0])
        output = (context * 1.0) @ W_O
        if b_O is not None:
            self.check("shape of the bias", b_O.shape, (W_O.shape[1],))
            output += b_O
        return output


class ParameterCount:
    def __call__(self, d_model, d_k, d_v, bias=False):
        extra = 1 if bias else 0
        shapes = {
            "W_Q": (d_model, d_k),
            "W_K": (d_model, d_k),
            "W_V": (d_model, d_v),
            "W_O": (d_v, d_model),
        }
        counts = {name: (rows + extra) * columns for name, (rows, columns) in shapes.items()}
        return {"total": sum(counts.values()), **counts}


class Fold:
    @staticmethod
    def __call__(W_V, W_O):
        return (W_V * 1.0) @ W_O


output_projection = OutputProjection()
parameter_count = ParameterCount()
fold_output_projection = Fold()
