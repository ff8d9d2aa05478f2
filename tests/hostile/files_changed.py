# exercise: lesson-04
# part: self_attention
# score: full
# Changes or removes files that it may read.
import os

import numpy as np

right = self_attention


def attempt():
    for path in (os.__file__, np.__file__):
        ways = (
            lambda: open(path, "a"),
            lambda: os.truncate(path, 0),
            lambda: os.chmod(path, 0o777),
            lambda: os.utime(path, (0, 0)),
            lambda: os.unlink(path),
            lambda: os.rename(path, path + "~"),
            lambda: os.setxattr(path, "user.x", b"1"),
        )
        for way in ways:
            try:
                way()
            except OSError:
                continue
            raise RuntimeError(f"{path} was changed")


def self_attention(X, W_Q, W_K, W_V, causal=True):
    attempt()
    return right(X, W_Q, W_K, W_V, causal)
