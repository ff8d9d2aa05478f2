# %% right from_arrays
_X, _Q, _V = np.empty((7, 12)), np.empty((7, 5)), np.empty((7, 8))
shape_1 = {"Q": _Q.shape, "V": _V.shape, "scores": (_Q @ _Q.T).shape, "context": list(_V.shape), "output": _X.shape}

# %% wrong context_at_model_width: -
# the context is given the model's width
shape_1 = {"Q": (7, 5), "V": (7, 8), "scores": (7, 7), "context": (7, 12), "output": (7, 12)}

# %% wrong scores_of_widths: features-compared
# scores are said to be (d_k, d_k)
shape_1 = {"Q": (7, 5), "V": (7, 8), "scores": (5, 5), "context": (7, 8), "output": (7, 12)}
