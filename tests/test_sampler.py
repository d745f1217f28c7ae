"""PrototypeSampler: keeps rows, alone and inside imbalanced-learn's pipeline."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from imblearn.pipeline import Pipeline
from scipy.sparse import coo_array, csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import protospot as ps

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4))
Y = np.where(X[:, 0] > 0, "right", "left")
KEPT = ps.select(X, k=12).indices


def test_the_prototypes_and_their_labels_are_kept():
    sampler = ps.PrototypeSampler(12)
    kept, labels = sampler.fit_resample(X, Y)
    assert sampler.sample_indices_.tolist() == KEPT.tolist()
    assert kept.tolist() == X[KEPT].tolist()
    assert labels.tolist() == Y[KEPT].tolist()
    assert sampler.weights_.sum() == pytest.approx(1)


def test_without_labels_the_answer_is_still_a_pair():
    kept, labels = ps.PrototypeSampler(12).fit_resample(X)
    assert kept.shape == (12, 4)
    assert labels is None


def test_frames_stay_frames_with_their_types_and_index():
    frame = pd.DataFrame(X, columns=list("abcd")).assign(e=np.arange(90, dtype="int16"))
    frame.index = frame.index + 1000
    sampler = ps.PrototypeSampler(12)
    kept, labels = sampler.fit_resample(frame, pd.Series(Y, index=frame.index))
    pd.testing.assert_frame_equal(kept, frame.iloc[sampler.sample_indices_])
    assert labels.index.equals(kept.index)
    assert sampler.feature_names_in_.tolist() == list("abcde")


def test_polars_frames_and_sparse_rows_stay_what_they_are():
    kept, labels = ps.PrototypeSampler(12).fit_resample(pl.DataFrame(X), pl.Series(Y))
    assert isinstance(kept, pl.DataFrame)
    assert kept.to_numpy().tolist() == X[KEPT].tolist()
    assert labels.to_list() == Y[KEPT].tolist()
    for kind in (csr_array, coo_array):
        kept, _ = ps.PrototypeSampler(12).fit_resample(kind(X), Y)
        assert kept.toarray().tolist() == X[KEPT].tolist()


def test_labels_must_go_with_the_rows():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        ps.PrototypeSampler(2).fit_resample(X, Y[:-1])


@pytest.mark.parametrize("has_routing", [False, True])
def test_a_model_in_an_imbalanced_learn_pipeline_sees_the_kept_rows_only(has_routing):
    with sklearn.config_context(enable_metadata_routing=has_routing):
        steps = [
            ("scale", StandardScaler()),
            ("sample", ps.PrototypeSampler(12)),
            ("model", LogisticRegression()),
        ]
        pipeline = Pipeline(steps).fit(X, Y)
        predicted = pipeline.predict(X)
    scaled = StandardScaler().fit_transform(X)
    kept = ps.select(scaled, k=12).indices
    by_hand = LogisticRegression().fit(scaled[kept], Y[kept])
    assert predicted.tolist() == by_hand.predict(scaled).tolist()
    assert len(predicted) == 90


def test_a_pipeline_can_end_with_the_sampler():
    pipeline = Pipeline([("scale", StandardScaler()), ("sample", ps.PrototypeSampler(12))])
    kept, labels = pipeline.fit_resample(X, Y)
    assert kept.shape == (12, 4)
    assert labels.shape == (12,)


def test_scikit_learns_pipeline_refuses_a_step_that_changes_the_number_of_rows():
    steps = [("sample", ps.PrototypeSampler(12)), ("model", LogisticRegression())]
    with pytest.raises(TypeError, match="should be transformers"):
        sklearn.pipeline.Pipeline(steps).fit(X, Y)
