# exercise: lesson-02
# parts: attention_kind
# The answers are spelt another way.
def attention_kind(query_source, key_source, value_source):
    if query_source == key_source == value_source:
        return "self-attention"
    return "cross-attention" if key_source == value_source else "neither"
