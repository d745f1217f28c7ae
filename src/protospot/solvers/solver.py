"""What every solver is given, and how it adds prototypes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from protospot.checks import nearest_name
from protospot.costs.cost import Cost
from protospot.cover import Cover
from protospot.errors import InputError, Stop
from protospot.types import Floats, OnPick, Pick


@dataclass(slots=True)
class Run:
    """One selection under way."""

    cost: Cost
    cover: Cover
    k: int  # how many prototypes in all, those in the cover included
    batch: int = 1
    min_gain: float | None = None
    seed: int | None = None
    on_pick: OnPick | None = None
    options: dict[str, Any] = field(default_factory=dict)
    arguments: Iterable[str] = ()  # names that every method takes, for spelling
    facts: dict[str, Any] = field(default_factory=dict)  # what a solver adds to made_by
    data: tuple[Any, Any] | None = None  # source and target as given, unless they are a matrix
    weights: Floats | None = None  # of the prototypes, where a method sets its own

    @property
    def room(self) -> int:
        """How many prototypes are still to be picked."""
        return self.k - len(self.cover.picked)

    @property
    def random(self) -> np.random.Generator:
        """A generator started from the seed."""
        return np.random.default_rng(self.seed)

    def add(self, sources: Iterable[int]) -> bool:
        """Add prototypes one by one and tell the callback; False when it asked to stop."""
        for source in sources:
            gain = self.cover.add(source)
            rank = len(self.cover.picked) - 1
            if self.on_pick is not None:
                try:
                    self.on_pick(Pick(rank, source, gain, self.cover.cost))
                except Stop:
                    return False
        return True

    def take_options(self, **defaults: Any) -> dict[str, Any]:
        """Return the method's options; refuse those it does not have."""
        for name in self.options:
            if name not in defaults:
                allowed = ", ".join(defaults) or "no options of its own"
                near = nearest_name(name, [*defaults, *self.arguments])
                raise InputError(f"unknown option {name!r}; this method has {allowed}.{near}")
        return defaults | self.options


class Solver(Protocol):
    """Fills `run.cover` with up to k prototypes, and returns why it stopped."""

    def __call__(self, run: Run) -> str:
        """Solve."""
        ...
