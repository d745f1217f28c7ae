"""The methods that choose prototypes: a table of plain functions."""

from protospot.solvers.greedy import greedy, stochastic
from protospot.solvers.optimal import optimal
from protospot.solvers.solver import Run, Solver
from protospot.solvers.whole import random, simple

SOLVERS: dict[str, Solver] = {
    "greedy": greedy,
    "optimal": optimal,
    "random": random,
    "simple": simple,
    "stochastic": stochastic,
}

__all__ = ["SOLVERS", "Run", "Solver"]
