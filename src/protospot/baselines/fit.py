"""Non-negative weights of a growing set that fit best, by an active set and its Cholesky factor.

Maximises goal.w - w.K.w / 2 over w >= 0, as Lawson and Hanson (1974) do: the weights that are above
zero solve a linear system, whose triangular factor grows by a row with each of them. It is made
anew only where a weight falls to zero.
"""

from __future__ import annotations

import numpy as np

from protospot.types import Floats

_SPANNED = 1e-12  # share of a member that the others leave unexplained, below which it is a copy
_TINY = 1e-300  # so that nothing is divided by zero
_FLAT = 1e-12  # slope up to which a weight of zero stays zero


class Fit:
    """The best weights of the members so far."""

    def __init__(self, most: int) -> None:
        self.weights: Floats = np.zeros(0)
        self._matrix, self._goal = np.empty((most, most)), np.empty(most)
        self._factor = np.zeros((most, most))  # lower triangle of the active members' matrix
        self._active: list[int] = []

    @property
    def value(self) -> float:
        """The fit: goal.w - w.K.w / 2."""
        w, n = self.weights, len(self.weights)
        return float(self._goal[:n] @ w - w @ self._matrix[:n, :n] @ w / 2)

    def add(self, alike: Floats, goal: float) -> None:
        """Add a member, given how alike it is to each member, itself the last, and its goal."""
        n = len(self.weights)
        self._matrix[n, : n + 1] = self._matrix[: n + 1, n] = alike
        self._goal[n] = goal
        self.weights = np.append(self.weights, 0.0)
        refused: set[int] = set()  # copies, and what rounding would bring and take for ever
        while True:
            slope = self._goal[: n + 1] - self._matrix[: n + 1, : n + 1] @ self.weights
            slope[[*self._active, *refused]] = -np.inf
            steepest = int(slope.argmax())
            if slope[steepest] <= _FLAT:
                return
            if self._enter(steepest):
                self._settle()
            if steepest not in self._active:
                refused.add(steepest)

    def _enter(self, member: int) -> bool:
        """Let a member's weight be above zero; False where the others explain it."""
        from scipy.linalg import solve_triangular

        m = len(self._active)
        beside = self._matrix[member, self._active]
        row = solve_triangular(self._factor[:m, :m], beside, lower=True) if m else beside
        left = self._matrix[member, member] - row @ row
        if left <= _SPANNED * self._matrix[member, member]:
            return False
        self._factor[m, :m], self._factor[m, m] = row, np.sqrt(left)
        self._active.append(member)
        return True

    def _settle(self) -> None:
        """Solve for the active weights; those that would be negative leave."""
        from scipy.linalg import cho_solve

        while self._active:
            m = len(self._active)
            factor = np.tril(self._factor[:m, :m])
            wanted = cho_solve((factor, True), self._goal[self._active])
            now = self.weights[self._active]
            falling = wanted <= 0
            if not falling.any():
                self.weights[self._active] = wanted
                return
            steps = np.full(m, np.inf)
            steps[falling] = now[falling] / np.maximum(now[falling] - wanted[falling], _TINY)
            leaving = steps <= steps.min()
            self.weights[self._active] = np.where(leaving, 0.0, now + steps.min() * (wanted - now))
            self._active = [i for i, gone in zip(self._active, leaving, strict=True) if not gone]
            kept = np.ix_(self._active, self._active)
            size = len(self._active)
            self._factor[:size, :size] = np.linalg.cholesky(self._matrix[kept])
