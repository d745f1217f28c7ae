"""Our MMD-Critic and ProtoDash beside packages that have them: `python -m benchmarks.baselines`.

Those packages need older NumPy and SciPy, so the command makes an environment for them; all are
timed in one run, on the same points. Writes docs/benchmarks/baselines.md.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import Any

import numpy as np

import protospot as ps
from benchmarks.data import TARGET, mixture
from protospot import scores

_NEEDED = (
    "numpy<2",
    "scipy<=1.10.1",
    "scikit-learn<1.3",
    "cvxpy",
    "osqp<1",
    "requests",
    "pandas",
    "mmd-critic==0.1.2",
)
_ALONE = "aix360==0.3.0"  # without what it says it needs, some of which cannot be built any more
_PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "baselines.md"
_PEERS = {"protodash": "AIX360 0.3.0", "mmd-critic": "mmd-critic 0.1.2"}
_WIDTH = 32


def main() -> None:
    """Time, compare, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.baselines", description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000, help="of source and target each")
    parser.add_argument("-k", type=int, default=50, help="prototypes")
    parser.add_argument("--environment", type=Path, help="where the peers are, or are to be")
    given = parser.parse_args()
    source, target = mixture(given.rows, _WIDTH), mixture(given.rows, _WIDTH, draw=TARGET)
    sigma = 10.0
    with tempfile.TemporaryDirectory() as folder:
        python = _environment(given.environment or Path(folder) / "peers")
        data = Path(folder) / "points.npz"
        points = {"source": source.astype(np.float64), "target": target.astype(np.float64)}
        np.savez(data, k=given.k, sigma=sigma, **points)  # type: ignore[arg-type]
        script = Path(__file__).with_name("baseline_peers.py")
        answer = subprocess.run([python, script, data], check=True, capture_output=True, text=True)
    theirs = json.loads(answer.stdout)
    about = (
        f"{given.rows:,} x {given.rows:,} points of {_WIDTH} features, k = {given.k}, kernel width "
        f"{sigma:g}; {platform.system()}, Python {platform.python_version()}."
    )
    lines = [
        about,
        "",
        "| method | package | seconds | x protospot | discrepancy | rows shared |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for method, peer in _PEERS.items():
        # mmd-critic knows no target but the source.
        other = target if method == "protodash" else None
        seconds, chosen = _timed(source, other, given.k, method, sigma)
        their = theirs[method]
        mine = _discrepancy(chosen.indices.tolist(), method, source, other, sigma)
        shared = len(set(their["rows"]) & set(chosen.indices.tolist()))
        lines.append(f"| {method} | protospot | {seconds:.3g} | 1 | {mine:.6g} | |")
        found = _discrepancy(their["rows"], method, source, other, sigma)
        lines.append(
            f"| {method} | {peer} | {their['seconds']:.3g} | {their['seconds'] / seconds:.3g} | "
            f"{found:.6g} | {shared} of {given.k} |"
        )
    text = "\n".join(lines)
    print(text)
    _PAGE.write_text(f"# The baselines beside their packages\n\n{_ABOUT}\n\n{text}\n")


_ABOUT = """\
Made by `python -m benchmarks.baselines`, which makes an environment for packages that need an older
NumPy. Seconds are those of the quickest of three calls. The discrepancy is that between the target
and each package's rows, weighted as the method does: the lower the better. Most of what is left of
MMD-Critic is the kernel itself, four million exponentials here, which both have to compute."""


def _timed(
    source: Any, target: Any, k: int, method: str, sigma: float
) -> tuple[float, ps.Selection]:
    ps.select(source[:50], target, 3, method=method, sigma=sigma)  # compiles
    times = []
    for _ in range(3):
        began = time.perf_counter()
        chosen = ps.select(source, target, k, method=method, sigma=sigma)
        times.append(time.perf_counter() - began)
    return min(times), chosen


def _discrepancy(rows: list[int], method: str, source: Any, target: Any, sigma: float) -> float:
    """Return that of a set of rows, with the weights that the method gives them."""
    data = source if target is None else target
    chosen = ps.select(source[rows], data, len(rows), method=method, sigma=sigma)
    return scores.discrepancy(chosen, source[rows], data, sigma=sigma)


def _environment(folder: Path) -> Path:
    """Return the Python of an environment that has the peers; make it if need be."""
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        install: list[str | Path] = [python, "-m", "pip", "install", "--quiet"]
        subprocess.run([*install, *_NEEDED], check=True)
        subprocess.run([*install, "--no-deps", _ALONE], check=True)
    return python


if __name__ == "__main__":
    main()
