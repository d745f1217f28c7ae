"""Methods of others, for comparison: they match the target's kernel mean, not its mass.

Both are solvers like our own. What they choose is a Selection whose weights are the method's;
`protospot.couple` finds the transport plan that goes with them.
"""

from protospot.baselines.mmd_critic import mmd_critic
from protospot.baselines.protodash import protodash
from protospot.solvers import SOLVERS, Solver

METHODS: dict[str, Solver] = SOLVERS | {"mmd-critic": mmd_critic, "protodash": protodash}

__all__ = ["METHODS", "mmd_critic", "protodash"]
