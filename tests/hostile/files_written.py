# exercise: lesson-04
# part: self_attention
# score: full
# Writes, links and creates wherever it may be possible.
import os

right = self_attention


def attempt():
    for folder in ("", "/", "/tmp/", "/dev/shm/", "/var/tmp/", os.path.dirname(os.__file__) + "/"):
        path = f"{folder}onehead-hostile"
        ways = (
            lambda: open(path, "w"),
            lambda: os.open(path, os.O_CREAT | os.O_WRONLY),
            lambda: os.open(folder or ".", os.O_TMPFILE | os.O_RDWR),
            lambda: os.mkdir(path),
            lambda: os.mkfifo(path),
            lambda: os.symlink("/etc/passwd", path),
            lambda: os.link(os.__file__, path),
            lambda: os.mknod(path),
        )
        for way in ways:
            try:
                way()
            except OSError:
                continue
            raise RuntimeError(f"something was made in {folder!r}")


def self_attention(X, W_Q, W_K, W_V, causal=True):
    attempt()
    return right(X, W_Q, W_K, W_V, causal)
