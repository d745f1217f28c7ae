"""The field of sources, as a pick sees it: who may lead, and which targets a pick serves better."""

from __future__ import annotations

import numpy as np

from protospot.kernels.jit import MAXIMUM, kernel
from protospot.types import Bools, Floats, Ints, Numbers


@kernel(MAXIMUM)
def contenders(values: Floats, doubts: Floats, slack: float, tie: float, out: Ints) -> int:
    """Same as generic.contenders."""
    bar = values[0] - doubts[0]
    for i in range(len(values)):
        bar = max(bar, values[i] - doubts[i])
    reach = bar - tie - 2 * slack
    found = np.uintp(0)
    for i in range(np.uintp(len(values))):
        if values[i] + doubts[i] >= reach:
            out[found] = i
            found += np.uintp(1)
    return int(found)


@kernel()
def settle(
    targets: Numbers,
    costs: Floats,
    weights: Floats,
    best: Floats,
    changed: Ints,
    before: Floats,
    after: Floats,
) -> tuple[int, float]:
    """Same as generic.settle."""
    found, drop = 0, 0.0
    for e in range(len(targets)):
        j = np.uintp(targets[e])
        if costs[e] < best[j]:
            changed[found], before[found], after[found] = j, best[j], costs[e]
            drop += weights[j] * (best[j] - costs[e])
            best[j] = costs[e]
            found += 1
    return found, drop


@kernel()
def rivals(
    values: Floats, doubts: Floats, is_stale: Bools, slack: float, bar: float, out: Ints
) -> int:
    """Same as generic.rivals."""
    found = np.uintp(0)
    for i in range(np.uintp(len(values))):
        out[found] = i
        reaches = (values[i] + doubts[i] + slack >= bar) & (values[i] > -np.inf)
        found += np.uintp(is_stale[i] & reaches)
    return int(found)
