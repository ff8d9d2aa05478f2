# exercise: lesson-02
# parts: attention_kind
# The value source is not looked at.
def attention_kind(query_source, key_source, value_source):
    return "self" if query_source == key_source else "cross"
