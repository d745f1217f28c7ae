"""What the estimators share: their parameters, the selection, and costs to its prototypes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import validate_data

from protospot import checks, costs
from protospot.costs.make import Metric, fixed_metric
from protospot.costs.metrics import DEFINITIONS
from protospot.errors import InputError
from protospot.select import select
from protospot.selection import Selection
from protospot.types import Floats, Ints


class PrototypeEstimator(BaseEstimator):
    """Selects prototypes from the rows of X, and knows what they cost for new rows."""

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
    ) -> None:
        self.n_prototypes = n_prototypes
        self.metric = metric
        self.method = method
        self.batch = batch
        self.min_gain = min_gain
        self.refine = refine
        self.certify = certify
        self.memory = memory
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_pairwise
        tags.input_tags.sparse = isinstance(self.metric, str) and self.metric in DEFINITIONS
        return tags

    @property
    def _is_pairwise(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _read_rows(self, X: Any) -> Any:
        """Return the X of `fit` as scikit-learn reads it."""
        X = validate_data(self, X, **self._accepted())
        self._check_matrix(X)
        return X

    def _read_labelled_rows(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Return the X and the labels of `fit` as scikit-learn reads them."""
        X, y = validate_data(self, X, y, **self._accepted())
        self._check_matrix(X)
        return X, y

    def _check_matrix(self, X: Any) -> None:
        if isinstance(self.metric, str) and self.metric == "similarity":
            raise InputError(
                "metric must not be 'similarity' for an estimator, because the costs of new rows "
                "would hang on the largest similarity among the fitted ones: pass X.max() - X "
                "with metric='precomputed'."
            )
        if self._is_pairwise and X.shape[0] != X.shape[1]:
            raise InputError(
                "with metric='precomputed' X must be a square matrix of the costs between its "
                f"rows, got shape {X.shape}: for a rectangular one call protospot.select."
            )

    def _read_target(self, target: Any) -> Any:
        """Return the target as scikit-learn reads it, with the features of X."""
        if target is None:
            return None
        if self._is_pairwise:
            raise InputError(
                "target must be left out with metric='precomputed', where X holds all the costs: "
                "for a rectangular matrix call protospot.select."
            )
        points = check_array(target, input_name="target", estimator=self, **self._accepted())
        if points.shape[1] != self.n_features_in_:
            raise InputError(
                f"target must have the {self.n_features_in_} features of X, got {points.shape[1]}."
            )
        validate_data(self, target, reset=False, skip_check_array=True)  # the names of its columns
        return points

    def _read_new(self, X: Any) -> Any:
        return validate_data(self, X, reset=False, **self._accepted())

    def _accepted(self) -> dict[str, Any]:
        # "numeric" keeps 8- and 16-bit numbers: they are widened block by block, not whole.
        return {"accept_sparse": False if self._is_pairwise else "csr", "dtype": "numeric"}

    def _select(self, X: Any, target: Any = None, target_weights: Any = None) -> Selection:
        """Return the selection of `n_prototypes` rows of X for the target."""
        if self.n_prototypes is not None:
            checks.read_count(self.n_prototypes, "n_prototypes")
            if X.shape[0] < self.n_prototypes:
                raise InputError(
                    f"n_samples={X.shape[0]} should be >= n_prototypes={self.n_prototypes}."
                )
        elif self.min_gain is None:
            raise InputError("n_prototypes may be None only when min_gain is given.")
        return select(
            self._as_source(X),
            target,
            self.n_prototypes,
            metric=self.metric,
            method=self.method,
            target_weights=target_weights,
            batch=self.batch,
            min_gain=self.min_gain,
            refine=self.refine,
            certify=self.certify,
            memory=self.memory,
            seed=check_random_state(self.random_state).randint(np.iinfo(np.int32).max),
        )

    def _as_source(self, X: Any) -> Any:
        # scikit-learn has the rows that are served first, `select` those that serve.
        return X.T if self._is_pairwise else X

    def _keep_metric(self, X: Any, target: Any) -> None:
        """Keep the metric as it is for the fitted data, so that new rows do not change it."""
        self._metric: Any = fixed_metric(self.metric, X, target)

    def _costs_to(self, prototypes: Any, X: Any) -> Floats:
        """Return the (n, k) costs of serving the rows of X from each prototype."""
        if self._is_pairwise:
            return np.asarray(X[:, self.prototype_indices_], dtype=np.float64)
        cost = costs.make(prototypes, X, metric=self._metric, memory=self.memory)
        return np.ascontiguousarray(cost.rows(np.arange(cost.shape[0])).T)

    def _owners(self, prototypes: Any, X: Any) -> Ints:
        """Return the position of the cheapest prototype of each row of X."""
        if self._is_pairwise:
            owner: Ints = self._costs_to(prototypes, X).argmin(axis=1)
        else:
            cost = costs.make(prototypes, X, metric=self._metric, memory=self.memory)
            _, owner = cost.nearest()
        return owner
