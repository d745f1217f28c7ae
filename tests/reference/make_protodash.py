"""What AIX360's ProtoDash answers, written to `protodash.json` beside this file.

AIX360 needs NumPy 1 and SciPy 1.10, so it gets an environment of its own; the file in the
repository was made by

    python3.11 -m venv aix
    aix/bin/pip install "numpy<2" "scipy<=1.10.1" cvxpy "osqp<1" "scikit-learn<1.3" requests pandas
    aix/bin/pip install --no-deps aix360==0.3.0
    aix/bin/python tests/reference/make_protodash.py
"""

import json
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np

# AIX360 imports it to read files that are not read here, and it cannot be built any more.
sys.modules["xport"] = types.ModuleType("xport")

# Rows to explain, rows to choose from, columns, prototypes, width, seed; first the notebook's.
CASES = ((300, 4000, 100, 5, 2.0, 0), *((80, 120, 4, 12, 1.0, seed) for seed in range(1, 9)))


def drawn(n_target: int, n_source: int, width: int, seed: int) -> Any:
    """Return target and source as AIX360's notebook draws them: rows of length 1."""
    random = np.random.RandomState(seed)
    target, source = (random.normal(0.0, 1.0, (n, width)) for n in (n_target, n_source))
    return tuple(x / np.linalg.norm(x, axis=1, keepdims=True) for x in (target, source))


def main() -> None:
    """Ask, and write."""
    from aix360.algorithms.protodash import ProtodashExplainer

    found = []
    for n_target, n_source, width, k, sigma, seed in CASES:
        target, source = drawn(n_target, n_source, width, seed)
        weights, rows, values = ProtodashExplainer().explain(
            target, source, m=k, kernelType="Gaussian", sigma=sigma, optimizer="osqp"
        )
        found.append(
            {
                "case": [n_target, n_source, width, k, sigma, seed],
                "rows": rows.tolist(),
                "weights": weights.tolist(),
                "fit": values.tolist(),
            }
        )
    path = Path(__file__).with_name("protodash.json")
    path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
