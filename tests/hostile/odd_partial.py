# exercise: lesson-04
# part: self_attention
# score: full
# A functools.partial for a function.
import functools

self_attention = functools.partial(self_attention)
