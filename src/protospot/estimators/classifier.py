"""`NearestPrototypeClassifier`: every row gets the label of its cheapest prototype."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from protospot.costs.make import Metric
from protospot.errors import InputError
from protospot.estimators.base import PrototypeEstimator
from protospot.evaluate import evaluate
from protospot.selection import Selection
from protospot.transport import transport
from protospot.types import Numbers


class NearestPrototypeClassifier(ClassifierMixin, PrototypeEstimator):
    """Classify by the label of the cheapest prototype.

    The prototypes are rows of X that stand for X, or for a target whose labels are not known.
    They can be carried into the target before they classify: then it is the domain adaptation of
    Gurumoorthy, Jawanpuria and Mishra (2021).

    Parameters
    ----------
    n_prototypes
        How many rows of X to select, in all. The labels have no part in the choice: a class none
        of whose rows is selected is never predicted. None takes every row of X, for prototypes
        that were chosen before; what says how to select then does nothing.
    metric, method, batch, min_gain, refine, certify, memory, random_state
        As for `PrototypeSelector`.
    move
        True: carry each prototype to the place in the target that stands for the rows it serves
        (`protospot.transport`), and leave out those that serve none. "mean", "median",
        "geometric-median" or "direction": the same, to this centre, where `transport` knows none
        for the metric.

    Attributes
    ----------
    classes_
        Labels seen in y.
    selection_
        The `protospot.Selection`, also of prototypes that were left out.
    prototype_indices_
        (k,) rows of X that classify.
    prototypes_
        (k, n_features) those rows, or where they were carried; None with metric "precomputed".
    prototype_labels_
        (k,) their labels.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Warnings
    --------
    In a pipeline after a scaler, a `target` is not scaled unless the pipeline is told to: see
    `PrototypeSelector`.

    Examples
    --------
    >>> import protospot as ps
    >>> points, labels = [[0.0], [1.0], [10.0], [11.0], [12.0]], ["a", "a", "b", "b", "b"]
    >>> model = ps.NearestPrototypeClassifier(n_prototypes=2).fit(points, labels)
    >>> model.predict([[3.0], [8.0]]).tolist()
    ['a', 'b']

    Labelled prototypes, carried to where the target's rows are:

    >>> model = ps.NearestPrototypeClassifier(n_prototypes=None, move=True)
    >>> model.fit([[0.0], [10.0]], ["a", "b"], target=[[4.0], [4.5], [14.0], [15.0]])
    NearestPrototypeClassifier(move=True, n_prototypes=None)
    >>> model.prototypes_.tolist(), model.predict([[8.0]]).tolist()
    ([[4.25], [14.5]], ['a'])
    """

    def __init__(
        self,
        n_prototypes: int | None = 10,
        *,
        metric: Metric = "sqeuclidean",
        method: str = "greedy",
        batch: int = 1,
        min_gain: float | None = None,
        refine: bool = False,
        certify: bool = False,
        memory: int | str | None = None,
        random_state: Any = None,
        move: bool | str = False,
    ) -> None:
        super().__init__(
            n_prototypes,
            metric=metric,
            method=method,
            batch=batch,
            min_gain=min_gain,
            refine=refine,
            certify=certify,
            memory=memory,
            random_state=random_state,
        )
        self.move = move

    def fit(self, X: Any, y: Any, *, target: Any = None, target_weights: Any = None) -> Self:
        """Select prototypes, or take all rows of X, and keep their labels.

        Parameters
        ----------
        X
            (n, n_features) labelled rows, dense or sparse.
        y
            (n,) their labels.
        target
            (n_target, n_features) rows to stand for; X itself when left out.
        target_weights
            (n_target,) mass of each of these rows; equal when left out.
        """
        X, y = self._read_labelled_rows(X, y)
        check_classification_targets(y)
        target = self._read_target(target)
        self.classes_ = np.unique(y)
        self.selection_ = self._select(X, target, target_weights)
        self.prototype_indices_ = self.selection_.indices
        self.prototypes_: Any = None if self._is_pairwise else X[self.prototype_indices_]
        if self.move:
            self._move(X if target is None else target)
        self.prototype_labels_ = y[self.prototype_indices_]
        self._keep_metric(X, target)
        return self

    def predict(self, X: Any) -> Numbers:
        """Return the label of the cheapest prototype of each row."""
        check_is_fitted(self)
        labels: Numbers = self.prototype_labels_
        return labels[self._owners(self.prototypes_, self._read_new(X))]

    def _select(self, X: Any, target: Any = None, target_weights: Any = None) -> Selection:
        if self.n_prototypes is not None:
            return super()._select(X, target, target_weights)
        return evaluate(
            np.arange(X.shape[0]),
            self._as_source(X),
            target,
            metric=self.metric,
            target_weights=target_weights,
            memory=self.memory,
        )

    def _move(self, target: Any) -> None:
        """Carry the prototypes to the target; keep those that have a place there."""
        if self._is_pairwise:
            raise InputError(
                "move must be False with metric='precomputed', where there are no points to move "
                f"between, got move={self.move!r}."
            )
        center = self.move if isinstance(self.move, str) else None
        moved = transport(self.selection_, target, center=center)
        has_place = np.isfinite(moved).all(axis=1)
        if not has_place.any():
            raise InputError(
                "move must leave at least one prototype, but the rows that each serves cancel "
                "out: choose another centre or another metric."
            )
        self.prototypes_ = moved[has_place]
        self.prototype_indices_ = self.prototype_indices_[has_place]
