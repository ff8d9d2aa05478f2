# needs: numpy 2
import numpy as np


class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_K.shape != W_Q.shape or W_O.shape != W_V.shape[::-1] or len(W_V) != len(W_Q):
            raise ValueError(f"q {W_Q.shape}, k {W_K.shape}, v {W_V.shape}, o {W_O.shape}")
        self.v_proj, self.q_proj, self.k_proj, self.o_proj = W_V, W_Q, W_K, W_O

    @property
    def num_parameters(self):
        return sum(p.size for p in vars(self).values())

    def forward(self, x, mask):
        x = x * 1.0
        v, k, q = x @ self.v_proj, x @ self.k_proj, x @ self.q_proj
        a = q @ k.mT / q.shape[-1] ** 0.5
        mask = mask & np.ones(a.shape, bool)
        p = np.where(mask, a, -np.inf)
        p = p - np.where(mask.any(-1), p.max(-1), 0)[..., None].astype(a.dtype)
        p = np.exp(p)
        p = p / np.where(mask.any(-1), p.sum(-1), 1)[..., None].astype(a.dtype)
        z = p @ v
        return {
            "Q": q,
            "K": k,
            "V": v,
            "scores": a,
            "visible": mask,
            "weights": p,
            "context": z,
            "output": z @ self.o_proj,
        }

    def trace(self, X, visible=None, causal=True):
        mask = np.ones((X.shape[-2],) * 2, bool) if visible is None else visible
        return self.forward(X, mask & np.tri(X.shape[-2], dtype=bool) if causal else mask)

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]
