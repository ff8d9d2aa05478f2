# %% right built_by_loop
BOUNDARY = {}
for name in ["positional encoding", "token embedding", "feed-forward network", "layer normalization", "residual connection"]:
    BOUNDARY[name] = "outside"
for name in ["output projection", "softmax", "mask"] + [w + " projection" for w in ("query", "key", "value")]:
    BOUNDARY[name] = "inside"

# %% wrong output_projection_outside: output-outside
# W_O is taken for part of the block around the layer
BOUNDARY = {
    "query projection": "inside", "key projection": "inside", "value projection": "inside", "mask": "inside", "softmax": "inside",
    "output projection": "outside", "residual connection": "outside", "layer normalization": "outside",
    "feed-forward network": "outside", "token embedding": "outside", "positional encoding": "outside",
}

# %% wrong positions_inside: block-as-layer
# attention is thought to know the order by itself
BOUNDARY = dict.fromkeys(["query projection", "key projection", "value projection", "mask", "softmax", "output projection", "positional encoding"], "inside")
BOUNDARY.update(dict.fromkeys(["residual connection", "layer normalization", "feed-forward network", "token embedding"], "outside"))

# %% wrong residual_inside: block-as-layer
# the residual is counted as part of the layer
_in = ["query projection", "key projection", "value projection", "mask", "softmax", "output projection", "residual connection"]
_out = ["layer normalization", "feed-forward network", "token embedding", "positional encoding"]
BOUNDARY = {**{k: "inside" for k in _in}, **{k: "outside" for k in _out}}
