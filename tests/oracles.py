"""Brute force: what the engine must agree with, written so that it can be read against the paper.

Everything is float64, by direct differences, and computed again at every step.
"""

from itertools import combinations

import numpy as np

TIE = 1e-12  # of the cost after the first pick: gains closer than this are equal


def cost_matrix(source, target=None, metric="sqeuclidean"):
    """Costs by the definition of the metric, a source at a time."""
    source = np.asarray(source, dtype=np.float64)
    target = source if target is None else np.asarray(target, dtype=np.float64)
    if metric == "cosine":  # 1 - cos(x, y) is half the squared distance of the unit vectors
        source, target = _unit(source), _unit(target)
    rules = {
        "sqeuclidean": lambda x: ((x - target) ** 2).sum(axis=1),
        "euclidean": lambda x: np.sqrt(((x - target) ** 2).sum(axis=1)),
        "cityblock": lambda x: np.abs(x - target).sum(axis=1),
        "cosine": lambda x: ((x - target) ** 2).sum(axis=1) / 2,
        "dot": lambda x: -(x * target).sum(axis=1),
    }
    return np.array([rules[metric](x) for x in source])


def mass(cost, weights=None):
    """Target weights that sum to 1."""
    weights = np.ones(cost.shape[1]) if weights is None else np.asarray(weights, dtype=np.float64)
    return weights / weights.sum()


def cost_of(cost, chosen, weights=None):
    """Transport cost of a set: every target to its cheapest prototype."""
    return float(mass(cost, weights) @ cost[list(chosen)].min(axis=0))


def path(cost, chosen, weights=None):
    """Transport cost after each pick."""
    return np.array([cost_of(cost, chosen[: t + 1], weights) for t in range(len(chosen))])


def owners(cost, chosen):
    """Position of each target's cheapest prototype; the one picked first where costs are equal."""
    return cost[list(chosen)].argmin(axis=0)


def tie_of(cost, first, weights=None):
    """How close two gains are equal, after this first pick."""
    return TIE * float(mass(cost, weights) @ np.abs(cost[first]))


def gains(cost, chosen, weights=None):
    """What each source would lower the cost by; minus its cost alone when nothing is chosen."""
    q = mass(cost, weights)
    if not len(chosen):
        return -(cost @ q)
    values = np.maximum(cost[list(chosen)].min(axis=0) - cost, 0) @ q
    values[list(chosen)] = -np.inf
    return values


def greedy(cost, k, weights=None, *, batch=1, min_gain=None, start=()):
    """Algorithm 1 with the tie rule: of equal gains the lowest row; a gain of zero is not taken."""
    picks = list(start)
    while len(picks) < k:
        values = gains(cost, picks, weights)
        tie = tie_of(cost, picks[0], weights) if picks else _first_tie(cost, values, weights)
        step = _top(values, min(batch, k - len(picks)), tie)
        if picks:
            least = -np.inf if min_gain is None else min_gain
            step = [i for i in step if values[i] > tie and values[i] >= least]
        if not step:
            break
        picks += step
    return picks


def margins(cost, picks, weights=None):
    """By how much each pick's gain beats every other source's."""
    leads = []
    for t, pick in enumerate(picks):
        values = gains(cost, picks[:t], weights)
        lead = values[pick]
        values[pick] = -np.inf
        leads.append(lead - max(values.max(), 0.0 if t else -np.inf))
    return np.array(leads)


def has_tie(cost, picks, weights=None, least=0.0):
    """Whether the rule for ties decided some pick, or rounding of size `least` could."""
    return bool(
        (margins(cost, picks, weights) <= max(least, tie_of(cost, picks[0], weights))).any()
    )


def simple(cost, k, weights=None):
    """SPOTsimple: the sources that receive most mass when every target goes to its cheapest."""
    received = np.zeros(len(cost))
    np.add.at(received, cost.argmin(axis=0), mass(cost, weights))
    return [i for i in _top(received, min(k, len(cost)), TIE) if received[i] > 0]


def optimum(cost, k, weights=None):
    """Cost of the best set of k sources, by looking at every one."""
    return min(cost_of(cost, chosen, weights) for chosen in combinations(range(len(cost)), k))


def _first_tie(cost, values, weights):
    """Of the costs, not of their sum: they may cancel, and a sum of nothing is rounding."""
    scales = np.abs(cost) @ mass(cost, weights)
    return TIE * scales[values >= values.max() - 1e-13 * scales].max()


def _top(values, count, tie):
    left, found = values.copy(), []
    for _ in range(count):
        at = int(np.flatnonzero(left >= left.max() - tie)[0])
        if left[at] == -np.inf:
            break
        found.append(at)
        left[at] = -np.inf
    return found


def _unit(points):
    return points / np.sqrt((points**2).sum(axis=1))[:, None]
