"""From a finished cover to a Selection, with the record of how it was made."""

from __future__ import annotations

import contextlib
import platform
from functools import cache
from typing import Any

import numpy as np

from protospot.costs.make import Metric, metric_name
from protospot.costs.tiled import TiledCost
from protospot.cover import Cover
from protospot.kernels.choose import kernels
from protospot.selection import Selection


def as_selection(
    cost: TiledCost,
    cover: Cover,
    metric: Metric,
    method: str,
    facts: dict[str, Any],
    seconds: float,
) -> Selection:
    """Return what a cover holds as a Selection, with the record of how it was made."""
    indices, path, served = cover.finish()
    made_by = {
        "method": method,
        "metric": metric_name(metric),
        "k": len(indices),
        "n_source": cost.shape[0],
        "n_target": cost.shape[1],
        "dtype": str(cost.dtype),
        "device": "cpu",
        "engine": "local",
        "kernels": kernels().__name__.rpartition(".")[2],
        "threads": cost.plan.threads,
        "memory": cost.plan.budget,
        "stages": cover.gains.stages,
        "weights": "served",
        "seconds": seconds,
        "versions": dict(_versions()),
        **facts,
    }
    return Selection(indices, path, served, cover.owner, cover.best, cover.weights, made_by=made_by)


@cache
def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    found = {"python": platform.python_version(), "numpy": np.__version__}
    with contextlib.suppress(PackageNotFoundError):  # run from a source tree not installed
        found["protospot"] = version("protospot")
    return found
