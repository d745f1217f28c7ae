"""torch tensors in main memory are as good as arrays; torch itself need not be installed."""

import numpy as np
import pytest

import protospot as ps

# Small whole numbers, which every type here holds exactly.
RNG = np.random.default_rng(5)
SOURCE, TARGET = (RNG.integers(0, 9, (n, 3)).astype(float) for n in (40, 60))
WEIGHTS = RNG.integers(0, 9, 60)


def same(one, other):
    """Whether two selections are equal to the last bit."""
    names = ("indices", "costs", "weights", "owner", "best")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


class Tensor:
    """As much of a torch tensor as protospot needs, and as unwilling."""

    __module__ = "torch"
    device = type("device", (), {"type": "cpu"})()

    def __init__(self, array, dtype="torch.bfloat16", has_gradient=True):
        self.array, self.dtype, self.has_gradient = array, dtype, has_gradient

    def detach(self):
        return Tensor(self.array, self.dtype, False)

    def float(self):
        return Tensor(self.array.astype("f4"), "torch.float32", self.has_gradient)

    def numpy(self):
        if self.has_gradient or "bfloat16" in self.dtype:
            raise RuntimeError("call detach() and float() first")
        return self.array

    def __array__(self, dtype=None, copy=None):
        return self.numpy()


def test_tensors_are_detached_and_widened_wherever_they_are_passed():
    weights = Tensor(WEIGHTS.astype("f4"))
    chosen = ps.select(Tensor(SOURCE), Tensor(TARGET), 6, target_weights=weights)
    assert same(chosen, ps.select(SOURCE, TARGET, 6, target_weights=WEIGHTS))
    assert ps.assign(chosen, Tensor(SOURCE), Tensor(TARGET))[0].tolist() == chosen.owner.tolist()


TORCH = ["float64", "float32", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64"]


@pytest.mark.parametrize("dtype", TORCH)
def test_torch_tensors_of_every_type_give_the_same_selection(dtype):
    torch = pytest.importorskip("torch", reason="torch is no part of the test environment")

    def form(array):
        return torch.tensor(array).to(getattr(torch, dtype))

    assert same(ps.select(form(SOURCE), form(TARGET), 6), ps.select(SOURCE, TARGET, 6))


def test_torch_tensors_may_require_gradients_everywhere():
    torch = pytest.importorskip("torch", reason="torch is no part of the test environment")
    source, target = (torch.tensor(rows, requires_grad=True) for rows in (SOURCE, TARGET))
    weights = torch.ones(60, requires_grad=True)
    whole = ps.select(SOURCE, TARGET, 6)
    for form in (source, source.T.contiguous().T):
        assert same(ps.select(form, target, 6, target_weights=weights), whole)
    assert same(ps.select(source, target, 6, target_weights=weights.bfloat16()), whole)
    assert ps.assign(whole, source, target)[0].tolist() == whole.owner.tolist()
    assert source.requires_grad
    assert source.grad is None
