"""What the library promises of its speed, and whether a full run bears it out."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.measure import Outcome
from benchmarks.peers import GREEDY, REFINED
from benchmarks.score import same_picks

Results = dict[str, list[Outcome]]  # by case, protospot first


@dataclass(frozen=True, slots=True)
class Claim:
    """A number that must be at most, or at least, so much."""

    sentence: str
    bound: float
    value: float | None  # None where it was not measured
    at_most: bool = True
    is_floor: bool = False  # the value may be larger: a peer was stopped when its time was over

    @property
    def holds(self) -> bool | None:
        """Whether it does; None where that was not measured."""
        if self.value is None:
            return None
        if self.at_most:
            return self.value <= self.bound
        return self.value >= self.bound or (None if self.is_floor else False)


def claims(results: Results) -> list[Claim]:
    """Return every promise about the cases, with what was measured."""
    return [
        Claim("mnist: selection / one GEMM", 1.3, over_limit(results, "mnist")),
        Claim("mnist: k = 2,000 / k = 200", 1.2, _more_picks(results, "mnist", "mnist-many")),
        Claim("stored: selection / one read of the matrix", 6, over_limit(results, "stored")),
        _ahead(results, "stored", "submodlib LazyGreedy", 15),
        _same(results, "stored", "submodlib LazyGreedy"),
        _ahead(results, "stored", "interpret SPOT", 200),
        _same(results, "stored", "interpret SPOT"),
        *(_ahead(results, "square", name, 10) for name in GREEDY),
        *(_ahead(results, "square-matrix", name, 10) for name in GREEDY),
        Claim(
            "mnist-refined: refined and certified / greedy", 5, _refined(results, "mnist-refined")
        ),
        Claim("mnist-refined: certified gap in %", 1.2, _gap(results, "mnist-refined")),
        Claim(
            "square-matrix: protospot refined / kmedoids fasterpam",
            1,
            _over(results, "square-matrix", "kmedoids fasterpam"),
        ),
        Claim(
            "square-matrix: cost over that of kmedoids fasterpam, in %",
            0.1,
            _dearer(results, "square-matrix", "kmedoids fasterpam"),
        ),
        Claim("large: selection / one GEMM", 4, over_limit(results, "large")),
        Claim("large: k = 20,000 / k = 500", 1.5, _more_picks(results, "large", "large-many")),
        Claim("small: milliseconds", 10, _milliseconds(results, "small")),
    ]


def over_limit(results: Results, case: str) -> float | None:
    """Return protospot's seconds over those of the machine's limit."""
    own = _find(results, case, "protospot")
    return None if own is None else own.over_limit


def times_slower(peer: Outcome, own: Outcome) -> float | None:
    """Return a peer's seconds over protospot's; at least that, where its time was over."""
    seconds = peer.allowed if peer.status == "over time" else peer.seconds
    return None if own.seconds is None or seconds is None else seconds / own.seconds


def _ahead(results: Results, case: str, name: str, bound: float) -> Claim:
    peer, own = _find(results, case, name), _find(results, case, "protospot")
    value = None if peer is None or own is None else times_slower(peer, own)
    is_floor = peer is not None and peer.status == "over time"
    sentence = f"{case}: {name} / protospot"
    return Claim(sentence, bound, value, at_most=False, is_floor=is_floor)


def _same(results: Results, case: str, name: str) -> Claim:
    peer, own = _find(results, case, name), _find(results, case, "protospot")
    if peer is None or own is None or not peer.indices or not own.indices:
        return Claim(f"{case}: picks shared with {name}", 0, None, at_most=False)
    same, of = same_picks(peer.indices, own.indices), len(own.indices)
    return Claim(f"{case}: picks shared with {name}, of {of}", of, same, at_most=False)


def _more_picks(results: Results, few: str, many: str) -> float | None:
    first, second = _find(results, few, "protospot"), _find(results, many, "protospot")
    if first is None or second is None or second.seconds is None:
        return None
    return times_slower(second, first)


def _refined(results: Results, case: str) -> float | None:
    greedy, better = _find(results, case, "protospot"), _find(results, case, REFINED)
    return None if greedy is None or better is None else times_slower(better, greedy)


def _gap(results: Results, case: str) -> float | None:
    better = _find(results, case, REFINED)
    return None if better is None or better.gap is None else 100 * better.gap


def _over(results: Results, case: str, name: str) -> float | None:
    """Return the seconds of the refined selection, bound and all, over a peer's."""
    peer, better = _find(results, case, name), _find(results, case, REFINED)
    return None if peer is None or better is None else times_slower(better, peer)


def _dearer(results: Results, case: str, name: str) -> float | None:
    peer, better = _find(results, case, name), _find(results, case, REFINED)
    if peer is None or better is None or not peer.cost or not better.cost:
        return None
    return 100 * (better.cost / peer.cost - 1)


def _milliseconds(results: Results, case: str) -> float | None:
    own = _find(results, case, "protospot")
    return None if own is None or own.seconds is None else 1000 * own.seconds


def _find(results: Results, case: str, name: str) -> Outcome | None:
    return next((x for x in results.get(case, []) if x.competitor == name), None)
