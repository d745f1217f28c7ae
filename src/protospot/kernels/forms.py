"""The sums over features that costs are made of; see `generic.direct`."""

SQUARED = 0  # sum_k (p_i x_ik - q_j y_jk)^2
ABSOLUTE = 1  # sum_k |x_ik - y_jk|
PRODUCT = 2  # sum_k x_ik y_jk
