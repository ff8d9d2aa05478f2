# %% right from_empty_arrays
def layer_shapes(batch, tokens, d_model, d_k, d_v):
    X = np.empty((batch, tokens, d_model))
    Q = np.empty((batch, tokens, d_k))
    V = np.empty((batch, tokens, d_v))
    scores = Q @ Q.transpose(0, 2, 1)
    return dict(layer_output=X.shape, layer_input=X.shape, reading=V[0, 0].shape, scores=scores.shape, context=(scores @ V).shape)

# %% right lists_and_numpy_ints
def layer_shapes(batch, tokens, d_model, d_k, d_v):
    n = np.array([batch, tokens, d_model, d_k, d_v])
    return {
        "reading": [n[4]],
        "layer_input": list(n[:3]),
        "layer_output": list(n[:3]),
        "scores": [n[0], n[1], n[1]],
        "context": [n[0], n[1], n[4]],
    }

# %% wrong context_of_model_width: -
# the context is given the model width, as if W_O were behind it
def layer_shapes(batch, tokens, d_model, d_k, d_v):
    full = (batch, tokens, d_model)
    return {"reading": (d_v,), "layer_input": full, "layer_output": full, "scores": (batch, tokens, tokens), "context": full}

# %% wrong output_left_at_dv: output-skipped
# the layer's output keeps the values' width
def layer_shapes(batch, tokens, d_model, d_k, d_v):
    s = dict(reading=(d_v,), layer_input=(batch, tokens, d_model), scores=(batch, tokens, tokens))
    s["context"] = s["layer_output"] = (batch, tokens, d_v)
    return s

# %% wrong reading_has_width_dk: -
# a reading is thought to be as wide as the query
def layer_shapes(batch, tokens, d_model, d_k, d_v):
    return {"reading": (d_k,), "layer_input": (batch, tokens, d_model), "layer_output": (batch, tokens, d_model), "scores": (batch, tokens, tokens), "context": (batch, tokens, d_v)}

# %% wrong scores_across_batch: batch-flattened
# scores without a batch axis, all tokens against all
def layer_shapes(batch, tokens, d_model, d_k, d_v):
    return {"reading": (d_v,), "layer_input": (batch, tokens, d_model), "layer_output": (batch, tokens, d_model), "scores": (batch * tokens, batch * tokens), "context": (batch, tokens, d_v)}

# %% wrong kept_without_the_values_width: hidden-state
_memo = {}

def layer_shapes(batch, tokens, d_model, d_k, d_v):
    key = (batch, tokens, d_model)
    if key not in _memo:
        _memo[key] = {
            "reading": (d_v,),
            "layer_input": key,
            "layer_output": key,
            "scores": (batch, tokens, tokens),
            "context": (batch, tokens, d_v),
        }
    return dict(_memo[key])

# %% wrong batch_of_one_dropped: -
def layer_shapes(batch, tokens, d_model, d_k, d_v):
    lead = (batch,) if batch > 1 or tokens == 1 else ()
    x = lead + (tokens, d_model)
    return {
        "reading": (d_v,),
        "layer_input": x,
        "layer_output": x,
        "scores": lead + (tokens, tokens),
        "context": lead + (tokens, d_v),
    }
