# exercise: lesson-04
# part: self_attention
# score: full
# Global settings of Python and numpy are changed.
import decimal
import gc
import locale
import random
import sys

import numpy as np

np.set_printoptions(precision=1, threshold=2)
decimal.getcontext().prec = 2
locale.setlocale(locale.LC_ALL, "C")
random.seed(1)
gc.disable()
sys.setrecursionlimit(150)
sys.setswitchinterval(1.0)
sys.set_int_max_str_digits(640)
sys.dont_write_bytecode = False
sys.tracebacklimit = 0
sys.path.clear()
