"""The curves of `scaling`, drawn as SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.scaling import FULL, Curves

_COLOURS = {"n_source": "#0072b2", "n_target": "#d55e00", "d": "#009e73", "k": "#cc79a7"}
_MARKS = {"n_source": "o", "n_target": "s", "d": "^", "k": "D"}


def draw(found: Curves, out: Path) -> None:
    """Write scaling.svg and picks.svg."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    # The same numbers give the same file, so that a new run shows what changed.
    with mpl.rc_context(
        {"svg.hashsalt": "protospot", "svg.fonttype": "none", "axes.grid": True, "grid.alpha": 0.3}
    ):
        figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
        _time(left, found)
        _memory(right, found)
        figure.savefig(out / "scaling.svg", metadata={"Date": None})
        figure, axes = plt.subplots(figsize=(5.5, 3.8), layout="constrained")
        _picks(axes, found)
        figure.savefig(out / "picks.svg", metadata={"Date": None})
        plt.close("all")


def _time(axes: Any, found: Curves) -> None:
    exponents = found.exponents()
    for axis in exponents:
        curve = found.along(axis)
        label = f"{axis} from {curve[0].size:,}: exponent {exponents[axis]:.2f}"
        seconds = [point.seconds for point in curve]
        axes.plot(_multiples(found, axis), seconds, _MARKS[axis], **_line(axis, label))
    _by_doublings(axes, "seconds")
    axes.set_yscale("log")
    axes.set_title("Time, as one size grows")
    axes.legend(fontsize=8)


def _memory(axes: Any, found: Curves) -> None:
    for axis in FULL:
        above = [(point.peak - point.loaded) / 2**20 for point in found.along(axis)]
        axes.plot(_multiples(found, axis), above, _MARKS[axis], **_line(axis, axis))
    _by_doublings(axes, "MiB above the inputs")
    axes.set_ylim(bottom=0)
    axes.set_title("Peak memory, as one size grows")
    axes.legend(fontsize=8)


def _picks(axes: Any, found: Curves) -> None:
    # The first range holds all that comes before the first pick.
    rows = found.picks()[1:]
    middles = [(first * last) ** 0.5 for first, last, _ in rows]
    axes.plot(middles, [1e6 * seconds for _, _, seconds in rows], "o-", color="#0072b2")
    if rows:
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("pick")
    axes.set_ylabel("microseconds per pick")
    axes.set_title(f"What a pick costs ({found.pick_size})", fontsize=9)


def _by_doublings(axes: Any, what: str) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xlabel("size, as a multiple of where it starts")
    axes.set_ylabel(what)
    axes.xaxis.set_major_formatter("{x:g}")


def _multiples(found: Curves, axis: str) -> list[float]:
    curve = found.along(axis)
    return [point.size / curve[0].size for point in curve]


def _line(axis: str, label: str) -> dict[str, Any]:
    return {"color": _COLOURS[axis], "linestyle": "-", "markersize": 4, "label": label}
