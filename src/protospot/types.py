"""Names for the array types that signatures use, and what a callback is told."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = NDArray[Any]  # a numeric array of whatever dtype the data has


@dataclass(frozen=True, slots=True)
class Pick:
    """What `on_pick` is told after each pick."""

    rank: int  # 0 for the first prototype
    index: int  # its row in the source
    gain: float  # by how much it lowered the cost; nan for the first, which has nothing to lower
    cost: float  # transport cost of the selection so far


@dataclass(frozen=True, slots=True)
class Bound:
    """What `on_bound` is told each time that all sources were looked at."""

    steps: int  # made so far
    value: float  # no set of as many prototypes costs less, but for rounding
    cost: float  # of the selection


OnPick: TypeAlias = Callable[[Pick], None]
OnBound: TypeAlias = Callable[[Bound], None]
