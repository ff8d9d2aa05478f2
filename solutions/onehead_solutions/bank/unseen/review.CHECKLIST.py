# %% right plain
CHECKLIST = {"step 1": "C", "step 2": "E", "step 3": "A", "step 4": "D", "step 5": "B"}

# %% wrong loss_first: trains-so-right
# "it trains" comes first, shapes are left out
CHECKLIST = {"step 1": "F", "step 2": "E", "step 3": "A", "step 4": "D", "step 5": "B"}
