# exercise: lesson-02
# parts: attention_kind
# The names are compared with "is".
def attention_kind(query_source, key_source, value_source):
    q, k, v = ("".join(list(s)) for s in (query_source, key_source, value_source))
    if q is k and k is v:
        return "self"
    return "cross" if k is v else "neither"
