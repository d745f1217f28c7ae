"""MNIST at the paper's size: the memory that is asked for is kept, and changes no pick."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import protospot as ps

PER_CLASS, N_SOURCE = 5421, 5000
ROOM = 300 << 20  # the interpreter, the libraries and compiled kernels

# In a process of its own, whose peak is that of this selection and nothing else.
SCRIPT = """
import json, sys
import numpy as np
import protospot as ps

source, target, memory = sys.argv[1:]
source, target = np.load(source), np.load(target)
chosen = ps.select(source, target, k=200, memory=json.loads(memory))
with open("/proc/self/status") as status:
    peaks = [line.split() for line in status if line.startswith("VmHWM:")]
made_by = {name: chosen.made_by[name] for name in ("memory", "stages")}
print(json.dumps({
    "indices": chosen.indices.tolist(), "costs": chosen.costs.tolist(),
    "owner": chosen.owner.tolist(), "peak": int(peaks[0][1]) * 1024 if peaks else None, **made_by
}))
"""


@pytest.fixture(scope="module")
def inputs(data, tmp_path_factory):
    """Files of 5,000 random rows of the test set and 5,421 rows of each class of the other."""
    folder = tmp_path_factory.mktemp("mnist")
    rng = np.random.default_rng(0)
    with np.load(data / "mnist.npz") as mnist:
        labels = mnist["y_train"]
        rows = [np.flatnonzero(labels == digit)[:PER_CLASS] for digit in range(10)]
        target = mnist["X_train"][np.sort(np.concatenate(rows))]
        source = mnist["X_test"][rng.permutation(len(mnist["X_test"]))[:N_SOURCE]]
    assert target.shape == (54_210, 784)
    assert source.dtype == target.dtype == np.uint8
    np.save(folder / "source.npy", source)
    np.save(folder / "target.npy", target)
    return folder / "source.npy", folder / "target.npy"


def select(inputs, memory):
    command = [sys.executable, "-c", SCRIPT, *map(str, inputs), json.dumps(memory)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=900)
    return json.loads(done.stdout)


@pytest.mark.slow
def test_mnist_in_512_mib_is_mnist_without_a_limit(inputs):
    if not Path("/proc/self/status").exists():
        pytest.skip("the peak resident memory is read from /proc/self/status, which is not here")
    budget = 512 << 20
    held, free = select(inputs, "512MiB"), select(inputs, 1 << 36)
    assert held["memory"] == budget
    assert len(held["indices"]) == 200
    assert held["stages"] != free["stages"]
    for name in ("indices", "costs", "owner"):
        assert held[name] == free[name]
    if held["peak"] is None:
        pytest.skip("/proc/self/status has no VmHWM: the peak resident memory is not known")
    allowed = budget + sum(path.stat().st_size for path in inputs) + ROOM
    assert held["peak"] < allowed


@pytest.mark.slow
def test_a_hundred_digits_for_twenty_thousand_are_proven_to_be_near_the_best(inputs):
    source, target = (np.load(path) for path in inputs)
    target = target[np.random.default_rng(1).permutation(len(target))[:20_000]]
    greedy = ps.select(source, target, k=100)
    found = ps.select(source, target, k=100, refine=True, certify=True)
    assert found.cost < 0.995 * greedy.cost
    assert found.gap is not None
    assert found.gap <= 0.012
