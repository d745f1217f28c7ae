"""`PrototypeSelector`: a selection that can be fitted, and asked about new rows."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from protospot.estimators.base import PrototypeEstimator
from protospot.types import Floats, Ints


class PrototypeSelector(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, PrototypeEstimator
):
    """Select a few weighted rows of X that stand for X, or for a target.

    The selection is that of `protospot.select` with X as the source. Seen as a clusterer it is
    k-medoids, built greedily; seen as a transformer it turns rows into costs to the prototypes.

    Parameters
    ----------
    n_prototypes
        How many rows to select; None with `min_gain` for no limit.
    metric
        As for `protospot.select`. With "precomputed" X is a square matrix, and `predict` and
        `transform` take an (n, n_fitted) one: entry [i, j] is the cost of serving row i from
        fitted row j, and there is no `target`.
    method
        "greedy", "simple", "stochastic", "optimal", "mmd-critic", "protodash" or "random".
    batch
        Rows that greedy adds per step.
    min_gain
        Greedy stops before a step whose best gain is below this many units of cost.
    refine
        Then swap prototypes for other rows as long as that lowers the cost.
    certify
        Then compute a cost that no rows can be below: see `selection_.gap`.
    memory
        Working memory beyond the inputs, in bytes or as "512MiB". No result depends on it.
    random_state
        Seed or NumPy RandomState, for the methods "stochastic" and "random".

    Attributes
    ----------
    selection_
        The `protospot.Selection`.
    prototype_indices_
        (k,) rows of X, in the order picked. k is below `n_prototypes`, with a
        `protospot.FewerPrototypesWarning`, when no further row would lower the cost.
    prototypes_
        (k, n_features) those rows; None with metric "precomputed".
    weights_
        (k,) share of the target mass that each prototype carries.
    labels_
        Position of the cheapest prototype of each row of the target, of X when there is none.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Warnings
    --------
    A `Pipeline` transforms X and nothing else. Below, the selector would look for scaled rows
    that stand for a target that was never scaled, and no error would tell::

        pipeline = make_pipeline(StandardScaler(), PrototypeSelector())
        pipeline.fit(X, prototypeselector__target=target)  # wrong: target is not scaled

    With metadata routing, switched on by ``sklearn.set_config(enable_metadata_routing=True)``, the
    pipeline is told to transform the target as it does X: see the second example. It then does so
    in `fit` and `fit_transform`, but not in `fit_predict` (scikit-learn 1.9), which therefore
    takes no target here.

    Examples
    --------
    >>> import protospot as ps
    >>> points = [[0.0], [1.0], [10.0], [11.0], [12.0]]
    >>> selector = ps.PrototypeSelector(n_prototypes=2).fit(points)
    >>> selector.prototype_indices_.tolist(), selector.weights_.tolist()
    ([2, 0], [0.6, 0.4])
    >>> selector.predict([[9.0], [2.0]]).tolist()
    [0, 1]
    >>> selector.transform([[9.0]]).tolist()
    [[1.0, 81.0]]

    Rows for a target, after a scaler:

    >>> import sklearn
    >>> from sklearn.pipeline import Pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     selector = ps.PrototypeSelector(n_prototypes=1).set_fit_request(target=True)
    ...     steps = [("scale", StandardScaler()), ("select", selector)]
    ...     pipeline = Pipeline(steps, transform_input=["target"])
    ...     pipeline.fit(points, target=[[9.0], [10.5]])["select"].prototype_indices_.tolist()
    [2]
    """

    def fit(self, X: Any, y: Any = None, *, target: Any = None, target_weights: Any = None) -> Self:
        """Select prototypes.

        Parameters
        ----------
        X
            (n, n_features) rows to select from, dense or sparse.
        y
            Ignored.
        target
            (n_target, n_features) rows to stand for; X itself when left out. In a pipeline read
            the warning above.
        target_weights
            (n_target,) mass of each of these rows; equal when left out.
        """
        X = self._read_rows(X)
        target = self._read_target(target)
        self.selection_ = self._select(X, target, target_weights)
        self.prototype_indices_ = self.selection_.indices
        self.prototypes_: Any = None if self._is_pairwise else X[self.prototype_indices_]
        self.weights_ = self.selection_.weights
        self.labels_ = self.selection_.owner
        self._keep_metric(X, target)
        return self

    def predict(self, X: Any) -> Ints:
        """Return the position in `prototypes_` of the cheapest prototype of each row."""
        check_is_fitted(self)
        return self._owners(self.prototypes_, self._read_new(X))

    def transform(self, X: Any) -> Floats:
        """Return the (n, k) costs of serving each row from each prototype."""
        check_is_fitted(self)
        return self._costs_to(self.prototypes_, self._read_new(X))

    def fit_predict(self, X: Any, y: Any = None) -> Ints:
        """Select prototypes; return the position of the cheapest one of each row of X.

        With a target call `fit`, then `predict`.
        """
        # ClusterMixin's would take a target, which a pipeline passes on as it came.
        owner: Ints = self.fit(X).labels_
        return owner

    @property
    def _n_features_out(self) -> int:
        return len(self.prototype_indices_)
