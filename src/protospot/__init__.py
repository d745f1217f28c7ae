"""protospot: pick a few weighted rows that stand for many, by optimal transport.

Examples
--------
>>> import numpy as np
>>> import protospot as ps
>>> points = np.array([[0.0], [1.0], [10.0], [11.0], [12.0]])
>>> chosen = ps.select(points, k=2)
>>> chosen.indices.tolist(), chosen.weights.round(1).tolist()
([2, 0], [0.6, 0.4])
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from protospot.certify import certify
from protospot.couple import couple
from protospot.criticism import criticisms
from protospot.errors import (
    FewerPrototypesWarning,
    InputError,
    MemoryBudgetError,
    MissingExtraError,
    Stop,
)
from protospot.evaluate import assign, evaluate, head
from protospot.explain import explain
from protospot.refine import refine
from protospot.select import select
from protospot.selection import Selection, load
from protospot.suggest import SuggestedK, suggest_k
from protospot.transport import transport
from protospot.types import Bound, Pick

if TYPE_CHECKING:
    from protospot.estimators import (
        NearestPrototypeClassifier,
        PrototypeSampler,
        PrototypeSelector,
    )

__version__ = "0.1.0"

__all__ = [
    "Bound",
    "FewerPrototypesWarning",
    "InputError",
    "MemoryBudgetError",
    "MissingExtraError",
    "NearestPrototypeClassifier",
    "Pick",
    "PrototypeSampler",
    "PrototypeSelector",
    "Selection",
    "Stop",
    "SuggestedK",
    "assign",
    "certify",
    "couple",
    "criticisms",
    "evaluate",
    "explain",
    "head",
    "load",
    "refine",
    "select",
    "suggest_k",
    "transport",
]

_ESTIMATORS = ("NearestPrototypeClassifier", "PrototypeSampler", "PrototypeSelector")


def __getattr__(name: str) -> Any:
    # scikit-learn is slow to import: only those who use an estimator wait for it.
    if name in _ESTIMATORS:
        return getattr(importlib.import_module("protospot.estimators"), name)
    raise AttributeError(f"module 'protospot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
