# exercise: lesson-04
# part: self_attention
# score: full
# Shared memory and queues that would outlive the process.
import ctypes
import os

right = self_attention


def attempt():
    libc = ctypes.CDLL(None)
    calls = (
        lambda: libc.shmget(0x6F6E65, 4096, 0o1666),
        lambda: libc.semget(0x6F6E65, 1, 0o1666),
        lambda: libc.msgget(0x6F6E65, 0o1666),
        lambda: libc.shm_open(b"/onehead-hostile", os.O_CREAT | os.O_RDWR, 0o666),
        lambda: libc.mq_open(b"/onehead-hostile", os.O_CREAT | os.O_RDWR, 0o666, None),
        lambda: libc.memfd_create(b"onehead-hostile", 0),
    )
    for number, call in enumerate(calls):
        if call() >= 0:
            raise RuntimeError(f"call {number} came through")


def self_attention(X, W_Q, W_K, W_V, causal=True):
    attempt()
    return right(X, W_Q, W_K, W_V, causal)
