# %% right in_groups
CLAIMS = {k: "supported" for k in ("largest-weight", "mixing-factor", "half-on-one", "reads-only-past")}
CLAIMS.update({k: "not supported" for k in ("removal-effect", "reason-for-word", "small-weight-harmless", "resolves-pronouns")})

# %% wrong small_weight_small_effect: weight-as-effect
# a small weight is taken for a small effect
_yes = "largest-weight mixing-factor half-on-one reads-only-past small-weight-harmless".split()
_no = "removal-effect reason-for-word resolves-pronouns".split()
CLAIMS = dict([(k, "supported") for k in _yes] + [(k, "not supported") for k in _no])

# %% wrong unsupported_misspelt: -
# "unsupported" is written for "not supported" in one entry
CLAIMS = {"largest-weight": "supported", "removal-effect": "unsupported", "mixing-factor": "supported", "reason-for-word": "not supported",
          "half-on-one": "supported", "small-weight-harmless": "not supported", "reads-only-past": "supported", "resolves-pronouns": "not supported"}

# %% wrong weight_gives_reason: weight-as-reason
# a heat map is said to tell why
CLAIMS = {"largest-weight": "supported", "removal-effect": "not supported", "mixing-factor": "supported", "reason-for-word": "supported",
          "half-on-one": "supported", "small-weight-harmless": "not supported", "reads-only-past": "supported", "resolves-pronouns": "not supported"}
