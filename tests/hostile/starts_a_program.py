# exercise: lesson-04
# part: self_attention
# status: raised
# A shell is started.
import subprocess


def self_attention(X, W_Q, W_K, W_V, causal=True):
    subprocess.run(["/bin/sh", "-c", ":"])
