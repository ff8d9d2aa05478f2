# exercise: lesson-04
# exercise-status: crashed
# The whole file is an exit.
import os

os._exit(0)
