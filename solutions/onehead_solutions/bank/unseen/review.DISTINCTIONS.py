# %% right any_order
DISTINCTIONS = {
    "share-of-row": "weight",
    "zeroed-value": "effect",
    "reads-wrong-text": "source",
    "reads-later": "mask",
    "causal-writer": "self",
    "translation": "cross",
}

# %% wrong causal_is_cross: mask-as-source
# a mask is thought to make it another kind of attention
DISTINCTIONS = {"translation": "cross", "causal-writer": "cross", "reads-later": "mask", "reads-wrong-text": "source", "zeroed-value": "effect", "share-of-row": "weight"}

# %% wrong share_is_effect: weight-as-effect
# a weight is called an effect
DISTINCTIONS = {"translation": "cross", "causal-writer": "self", "reads-later": "mask", "reads-wrong-text": "source", "zeroed-value": "effect", "share-of-row": "effect"}
