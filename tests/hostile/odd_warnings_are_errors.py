# exercise: lesson-04
# part: self_attention
# score: full
# Every warning is an error.
import warnings

import numpy as np

warnings.simplefilter("error")
np.seterr(all="warn")
