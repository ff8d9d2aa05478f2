# exercise: lesson-04
# part: self_attention
# status: timed-out
# A regular expression that backtracks for ages.
import re


def self_attention(X, W_Q, W_K, W_V, causal=True):
    return re.match("(a+)+b", "a" * 60)
