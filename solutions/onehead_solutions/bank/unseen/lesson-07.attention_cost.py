# %% right counted_by_loops
def attention_cost(T, d_model, d_k, d_v, batch=1):
    c = {k: 0 for k in ("projections", "scores", "weighted_sum", "output_projection", "score_entries")}
    for _ in range(batch):
        for _ in range(T):
            c["projections"] += d_model * (2 * d_k + d_v)
            c["output_projection"] += d_v * d_model
            for _ in range(T):
                c["score_entries"] += 1
                c["scores"] += d_k
                c["weighted_sum"] += d_v
    c["total"] = sum(c.values()) - c["score_entries"]
    return c

# %% right expanded_formula
def attention_cost(T, d_model, d_k, d_v, batch=1):
    n = batch * T
    return dict(
        score_entries=n * T,
        total=n * (2 * d_model * d_k + 2 * d_model * d_v + T * (d_k + d_v)),
        projections=n * d_model * (d_k + d_k + d_v),
        output_projection=n * d_v * d_model,
        scores=n * T * d_k,
        weighted_sum=n * T * d_v,
    )

# %% right product_helper
def _mm(m, n, p):
    return m * n * p


def attention_cost(T, d_model, d_k, d_v, batch=1):
    one = {
        "projections": 2 * _mm(T, d_model, d_k) + _mm(T, d_model, d_v),
        "scores": _mm(T, d_k, T),
        "weighted_sum": _mm(T, T, d_v),
        "output_projection": _mm(T, d_v, d_model),
    }
    one["total"] = sum(one.values())
    one["score_entries"] = T * T
    return {k: batch * n for k, n in one.items()}

# %% wrong batch_ignored: cost-batch-ignored
# the count is that of one sequence
def attention_cost(T, d_model, d_k, d_v, batch=1):
    c = {"projections": T * d_model * (2 * d_k + d_v), "scores": T * T * d_k, "weighted_sum": T * T * d_v, "output_projection": T * d_v * d_model}
    return {**c, "total": sum(c.values()), "score_entries": T * T}

# %% wrong doubled_operations: cost-flops
# 2 * m * n * p, the FLOP count
def flops(m, n, p):
    return 2 * m * n * p


def attention_cost(T, d_model, d_k, d_v, batch=1):
    r = {
        "projections": batch * (2 * flops(T, d_model, d_k) + flops(T, d_model, d_v)),
        "scores": batch * flops(T, d_k, T),
        "weighted_sum": batch * flops(T, T, d_v),
        "output_projection": batch * flops(T, d_v, d_model),
    }
    r["total"] = sum(r.values())
    r["score_entries"] = batch * T**2
    return r

# %% wrong entries_in_total: cost-entries-added
# the score entries are added to the total
def attention_cost(T, d_model, d_k, d_v, batch=1):
    c = {"projections": batch * T * d_model * (2 * d_k + d_v), "scores": batch * T * T * d_k, "weighted_sum": batch * T * T * d_v,
         "output_projection": batch * T * d_v * d_model, "score_entries": batch * T * T}
    c["total"] = sum(c.values())
    return c

# %% wrong half_of_everything_quadratic: cost-causal-discount
# scores and weighted sum are halved
def attention_cost(T, d_model, d_k, d_v, batch=1):
    n = batch * T
    c = dict(projections=n * d_model * (2 * d_k + d_v), scores=n * T * d_k // 2, weighted_sum=n * T * d_v // 2, output_projection=n * d_v * d_model)
    c["total"] = sum(c.values())
    c["score_entries"] = n * T
    return c

# %% wrong head_width_for_model_width: cost-width
# scores are counted with d_model for d_k
def attention_cost(T, d_model, d_k, d_v, batch=1):
    n = batch * T
    c = dict(projections=n * d_model * (2 * d_k + d_v), scores=n * T * d_model, weighted_sum=n * T * d_v, output_projection=n * d_v * d_model)
    return {**c, "total": sum(c.values()), "score_entries": n * T}

# %% wrong multiplications_and_additions: cost-flops
# n multiplications and n additions are summed for each entry
def attention_cost(T, d_model, d_k, d_v, batch=1):
    def product(rows, inner, cols):
        mults = rows * inner * cols
        adds = rows * inner * cols
        return batch * (mults + adds)

    c = {"projections": product(T, d_model, 2 * d_k + d_v), "scores": product(T, d_k, T), "weighted_sum": product(T, T, d_v), "output_projection": product(T, d_v, d_model)}
    c["total"] = c["projections"] + c["scores"] + c["weighted_sum"] + c["output_projection"]
    c["score_entries"] = batch * T * T
    return c

# %% wrong one_comparison_per_token: cost-linear
# T * d_k for the scores and T entries
def attention_cost(T, d_model, d_k, d_v, batch=1):
    c = {
        "projections": batch * T * d_model * (2 * d_k + d_v),
        "scores": batch * T * d_k,
        "weighted_sum": batch * T * T * d_v,
        "output_projection": batch * T * d_v * d_model,
    }
    return {**c, "total": sum(c.values()), "score_entries": batch * T * T}

# %% wrong tokens_of_all_items: batch-flattened
# (batch * T)^2, as if tokens of different items were compared
def attention_cost(T, d_model, d_k, d_v, batch=1):
    n = batch * T
    c = {"projections": n * d_model * (2 * d_k + d_v), "scores": n * n * d_k, "weighted_sum": n * n * d_v, "output_projection": n * d_v * d_model}
    return {**c, "total": sum(c.values()), "score_entries": n * n}

# %% wrong triangle_of_scores: cost-causal-discount
# T(T+1)/2 pairs are counted because of the mask
def attention_cost(T, d_model, d_k, d_v, batch=1):
    pairs = batch * T * (T + 1) // 2
    c = {"projections": batch * T * d_model * (2 * d_k + d_v), "scores": pairs * d_k, "weighted_sum": pairs * d_v, "output_projection": batch * T * d_v * d_model}
    return {**c, "total": sum(c.values()), "score_entries": pairs}

# %% wrong values_projection_left_out: cost-projection-missing
# only Q and K are counted
def attention_cost(T, d_model, d_k, d_v, batch=1):
    n = batch * T
    c = dict(projections=2 * n * d_model * d_k, scores=n * T * d_k, weighted_sum=n * T * d_v, output_projection=n * d_v * d_model)
    return {**c, "total": sum(c.values()), "score_entries": n * T}

# %% wrong weighted_sum_with_dk: -
# the values are counted with the width of the keys
def attention_cost(T, d_model, d_k, d_v, batch=1):
    n = batch * T
    c = dict(projections=n * d_model * (2 * d_k + d_v), scores=n * T * d_k, weighted_sum=n * T * d_k, output_projection=n * d_v * d_model)
    return {**c, "total": sum(c.values()), "score_entries": n * T}

# %% wrong width_squared: cost-linear
# Q K^T is said to cost T * d_k^2
def attention_cost(T, d_model, d_k, d_v, batch=1):
    n = batch * T
    p, s, w, o = n * d_model * (d_k + d_k + d_v), n * d_k**2, n * T * d_v, n * d_v * d_model
    return dict(projections=p, scores=s, weighted_sum=w, output_projection=o, total=p + s + w + o, score_entries=n * T)

# %% wrong all_widths_of_the_model: count-square
def attention_cost(T, d_model, d_k, d_v, batch=1):
    c = d_model
    out = {"projections": 3 * T * c * c, "scores": T * T * c, "weighted_sum": T * T * c, "output_projection": T * c * c}
    out["total"] = out["projections"] + out["scores"] + out["weighted_sum"] + out["output_projection"]
    out["score_entries"] = T * T
    return {key: value * batch for key, value in out.items()}

# %% wrong total_of_three: count-output-missing
def attention_cost(T, d_model, d_k, d_v, batch=1):
    n = batch * T
    cost = {
        "projections": n * d_model * (2 * d_k + d_v),
        "scores": n * T * d_k,
        "weighted_sum": n * T * d_v,
    }
    cost["total"] = sum(cost.values())
    return cost | {"output_projection": n * d_v * d_model, "score_entries": n * T}

# %% wrong remembers_without_d_k: hidden-state
# what was counted for one width of the keys is handed out for another
_counted = {}


def attention_cost(T, d_model, d_k, d_v, batch=1):
    key = T, d_model, d_v, batch
    if key not in _counted:
        cost = {
            "projections": batch * T * d_model * (2 * d_k + d_v),
            "scores": batch * T * T * d_k,
            "weighted_sum": batch * T * T * d_v,
            "output_projection": batch * T * d_v * d_model,
        }
        _counted[key] = {**cost, "total": sum(cost.values()), "score_entries": batch * T * T}
    return dict(_counted[key])


# %% wrong flops_of_visible_pairs: cost-causal-discount, cost-flops
def attention_cost(T, d_model, d_k, d_v, batch=1):
    pairs = batch * T * (T + 1) // 2
    work = {
        "projections": 2 * batch * T * d_model * (2 * d_k + d_v),
        "scores": 2 * pairs * d_k,
        "weighted_sum": 2 * pairs * d_v,
        "output_projection": 2 * batch * T * d_v * d_model,
    }
    return {**work, "total": sum(work.values()), "score_entries": batch * T * T}


# %% wrong batch_of_the_call_before: hidden-state
total = {"batch": 1}

def attention_cost(T, d_model, d_k, d_v, batch=None):
    if batch is not None:
        total["batch"] = batch
    b = total["batch"]
    c = dict(projections=b * T * d_model * (2 * d_k + d_v), scores=b * T * T * d_k, weighted_sum=b * T * T * d_v, output_projection=b * T * d_v * d_model)
    c["total"] = sum(c.values())
    c["score_entries"] = b * T * T
    return c
