# exercise: lesson-02
# parts: attention_kind
# Three sources are called cross, and so is everything that is not self.
def attention_kind(query_source, key_source, value_source):
    different = len({query_source, key_source, value_source})
    return {1: "self", 2: "cross", 3: "cross"}[different]
