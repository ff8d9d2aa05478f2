# %% right plain
LIMITATIONS = {"reversed": "b", "one by one": "c", "large weight": "a"}

# %% wrong invariant: order-invariant
# invariance for equivariance
LIMITATIONS = {"reversed": "a", "one by one": "c", "large weight": "a"}

# %% wrong trains_one_by_one: training-one-by-one
# generation and training are mixed up
LIMITATIONS = {"reversed": "b", "one by one": "a", "large weight": "a"}
