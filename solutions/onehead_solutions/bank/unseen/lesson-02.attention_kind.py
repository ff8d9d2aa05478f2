# %% right match_statement
def attention_kind(query_source, key_source, value_source):
    match (query_source == key_source, key_source == value_source):
        case (True, True):
            return "self"
        case (False, True):
            return "cross"
        case _:
            return "neither"

# %% right set_size
def attention_kind(query_source, key_source, value_source):
    if len({query_source, key_source, value_source}) == 1:
        return "self"
    return "cross" if len({key_source, value_source}) == 1 else "neither"

# %% wrong identity_of_strings: -
# `is` compares objects, equal names may be two objects
def attention_kind(query_source, key_source, value_source):
    if query_source is key_source is value_source:
        return "self"
    return "cross" if key_source is value_source else "neither"

# %% wrong looks_for_decoder: -
# cross only when the queries come from something called decoder
def attention_kind(query_source, key_source, value_source):
    if query_source == key_source and key_source == value_source:
        return "self"
    if "decoder" in query_source and key_source == value_source:
        return "cross"
    return "neither"

# %% wrong not_self_is_cross: neither-as-cross
# everything that is not self is called cross
def attention_kind(query_source, key_source, value_source):
    return "self" if query_source == key_source == value_source else "cross"

# %% wrong queries_and_keys_only: -
# values are not compared
def attention_kind(query_source, key_source, value_source):
    if query_source == key_source:
        return "self"
    if key_source != value_source and query_source != value_source:
        return "neither"
    return "cross"

# %% wrong first_letters: -
# sources are told apart by their first letter
def attention_kind(query_source, key_source, value_source):
    q, k, v = query_source[0], key_source[0], value_source[0]
    return "neither" if k != v else "self" if q == k else "cross"

# %% wrong kept_without_values: hidden-state
# the answer is kept by the first two sources
_kept = {}

def attention_kind(query_source, key_source, value_source):
    kind = "neither" if key_source != value_source else "self" if query_source == key_source else "cross"
    return _kept.setdefault((query_source, key_source), kind)

# %% wrong whatever_the_case: -
def attention_kind(query_source, key_source, value_source):
    q, k, v = (s.strip().lower() for s in (query_source, key_source, value_source))
    if q == k == v:
        return "self"
    return "cross" if k == v else "neither"

# %% wrong decoder_once_decoder_ever: hidden-state
seen_queries = set()

def attention_kind(query_source, key_source, value_source):
    # a source that once asked is "the decoder"
    seen_queries.add(query_source)
    if key_source == value_source and key_source in seen_queries:
        return "self"
    return "cross" if key_source == value_source else "neither"

# %% wrong no_name_is_no_source: -
def attention_kind(query_source, key_source, value_source):
    if not (query_source and key_source and value_source):
        return "neither"
    if query_source == key_source == value_source:
        return "self"
    if key_source == value_source:
        return "cross"
    return "neither"

# %% wrong blanks_dropped: -
def attention_kind(query_source, key_source, value_source):
    q, k, v = (name.strip() for name in (query_source, key_source, value_source))
    if k != v:
        return "neither"
    return "self" if q == k else "cross"


# %% wrong encoder_is_special: -
def attention_kind(query_source, key_source, value_source):
    if query_source == key_source == value_source:
        return "self"
    if key_source == value_source:
        return "cross" if query_source != "encoder" else "neither"
    return "neither"

# %% wrong keys_whose_name_the_query_begins_with: -
def attention_kind(query_source, key_source, value_source):
    if key_source != value_source:
        return "neither"
    return "self" if query_source.startswith(key_source) else "cross"

# %% wrong values_stripped: -
def attention_kind(query_source, key_source, value_source):
    if key_source.strip() != value_source.strip():
        return "neither"
    return "self" if query_source == key_source else "cross"
