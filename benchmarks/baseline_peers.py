"""The peers of our baselines, timed in an environment of their own: run by `benchmarks.baselines`.

Reads source, target, k and sigma from the file named first; prints what was found as JSON.
"""

import json
import sys
import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np

sys.modules["xport"] = types.ModuleType("xport")  # AIX360 imports it for files not read here


def protodash(source: Any, target: Any, k: int, sigma: float) -> list[int]:
    """Choose by AIX360's ProtoDash."""
    from aix360.algorithms.protodash import ProtodashExplainer

    given = {"m": k, "kernelType": "Gaussian", "sigma": sigma, "optimizer": "osqp"}
    rows: list[int] = ProtodashExplainer().explain(target, source, **given)[1].tolist()
    return rows


def mmd_critic(source: Any, _: Any, k: int, sigma: float) -> list[int]:
    """Choose by mmd-critic, for which the source is the target."""
    from mmd_critic import MMDCritic
    from mmd_critic.kernels import RBFKernel

    critic = MMDCritic(source, RBFKernel(sigma=sigma))
    rows: list[int] = critic._greedy_select_protos(
        critic.prot_K, np.arange(len(source)), k
    ).tolist()
    return rows


def main() -> None:
    """Time both, each after a small trial that loads its code."""
    with np.load(sys.argv[1]) as given:
        source, target = given["source"], given["target"]
        k, sigma = int(given["k"]), float(given["sigma"])
    peers: dict[str, Callable[[Any, Any, int, float], list[int]]] = {
        "protodash": protodash,
        "mmd-critic": mmd_critic,
    }
    found = {}
    for name, choose in peers.items():
        choose(source[:50], target[:50], 3, sigma)
        times = []
        for _ in range(3):
            began = time.perf_counter()
            rows = choose(source, target, k, sigma)
            times.append(time.perf_counter() - began)
        found[name] = {"seconds": min(times), "rows": rows}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
