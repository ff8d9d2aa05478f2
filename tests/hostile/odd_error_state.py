# exercise: lesson-04
# part: self_attention
# score: full
# np.seterr(all="raise") for the whole notebook.
import numpy as np

np.seterr(all="raise")
