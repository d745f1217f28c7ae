"""Numbers that kernels and their callers agree on."""

# The sums over features that costs are made of; see `generic.direct`.
SQUARED = 0  # sum_k (p_i x_ik - q_j y_jk)^2
ABSOLUTE = 1  # sum_k |x_ik - y_jk|
PRODUCT = 2  # sum_k x_ik y_jk

# The rows of a table of targets: what a listed pair needs of its target.
BEST = 0
SCALE = 1  # of listed costs
MARGIN = 2  # by which a listed cost may be off
WEIGHT = 3

LOOK = 64  # pairs that could be looked at in the time that it takes to find a list
AHEAD = 8  # sources that are looked at first, to see where the lead is
