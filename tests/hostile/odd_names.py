# exercise: lesson-04
# part: self_attention
# score: full
# Names of builtins and of modules are taken for variables.
type = list = dict = isinstance = json = struct = sys = os = None
name = value = session = link = self = "mine"
