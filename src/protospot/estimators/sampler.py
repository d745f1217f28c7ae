"""`PrototypeSampler`: keeps the prototypes of a data set, as a resampling step."""

from __future__ import annotations

from typing import Any, Self

from sklearn.utils import _safe_indexing, indexable

from protospot.errors import InputError
from protospot.estimators.base import PrototypeEstimator


class PrototypeSampler(PrototypeEstimator):
    """Keep only the rows of X that stand for all of them.

    It follows imbalanced-learn's protocol for samplers, and is a step of an
    ``imblearn.pipeline.Pipeline`` before the model that is to be fitted on fewer rows. (A
    scikit-learn transformer may not change the number of rows.) imbalanced-learn is not needed
    otherwise.

    Parameters
    ----------
    n_prototypes
        How many rows to keep, chosen from all rows in one selection. y has no part in the choice:
        a small class that lies close to others may lose all its rows.
    metric, method, batch, min_gain, refine, certify, memory, random_state
        As for `PrototypeSelector`; a matrix, "precomputed", is refused.

    Attributes
    ----------
    selection_
        The `protospot.Selection`.
    sample_indices_
        (k,) rows of X that are kept, in the order picked.
    weights_
        (k,) share of all rows that each kept row stands for: a model's ``sample_weight``.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import protospot as ps
    >>> points = [[0.0], [1.0], [10.0], [11.0], [12.0]]
    >>> sampler = ps.PrototypeSampler(n_prototypes=2)
    >>> sampler.fit_resample(points, ["low", "low", "high", "high", "high"])
    ([[10.0], [0.0]], ['high', 'low'])
    >>> sampler.weights_.tolist()
    [0.6, 0.4]
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Select the rows to keep; y is ignored."""
        X = self._read_rows(X)
        if self._is_pairwise:
            raise InputError(
                "metric must not be 'precomputed' for PrototypeSampler, whose result would be "
                "rows of a matrix of costs: call protospot.select and take its indices."
            )
        self.selection_ = self._select(X)
        self.sample_indices_ = self.selection_.indices
        self.weights_ = self.selection_.weights
        return self

    def fit_resample(self, X: Any, y: Any = None) -> tuple[Any, Any]:
        """Return the rows of X and the entries of y that are kept.

        Parameters
        ----------
        X
            (n, n_features) rows: an array, a frame or a sparse matrix.
        y
            (n,) anything that goes with the rows, or None.

        Returns
        -------
        X_kept, y_kept
            Of the types given; `y_kept` is None when y is.
        """
        X, y = indexable(X, y)
        self.fit(X, y)
        kept = self.sample_indices_
        return _safe_indexing(X, kept), None if y is None else _safe_indexing(y, kept)
