# %% right sorted_sets
_math = {"scale-order", "context-range", "shared-basis", "zero-queries"}
CLAIMS = {
    c: "mathematical" if c in _math else "interpretation"
    for c in ["scale-order", "keys-topic", "context-range", "weight-relevance", "shared-basis", "query-intent", "zero-queries", "verb-finder"]
}

# %% wrong range_not_seen: fact-as-interpretation
# the convex mixture is not recognised as a fact of the equations
CLAIMS = {"scale-order": "mathematical", "keys-topic": "interpretation", "context-range": "interpretation", "weight-relevance": "interpretation",
          "shared-basis": "mathematical", "query-intent": "interpretation", "zero-queries": "mathematical", "verb-finder": "interpretation"}

# %% wrong weight_is_relevance: interpretation-as-fact
# the largest weight is taken for relevance
CLAIMS = {k: "mathematical" for k in ("scale-order", "context-range", "shared-basis", "zero-queries", "weight-relevance")}
CLAIMS |= {k: "interpretation" for k in ("keys-topic", "query-intent", "verb-finder")}
