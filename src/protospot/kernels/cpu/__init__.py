"""The numba twins of `protospot.kernels.generic`: same names, arguments and results."""

from protospot.kernels.cpu.direct import direct, direct_pairs, direct_sparse
from protospot.kernels.cpu.pairs import by_source, listing, merge, pack, pair_gains, walk
from protospot.kernels.cpu.tiles import collect, gains, lower, nearest, sums

__all__ = [
    "by_source",
    "collect",
    "direct",
    "direct_pairs",
    "direct_sparse",
    "gains",
    "listing",
    "lower",
    "merge",
    "nearest",
    "pack",
    "pair_gains",
    "sums",
    "walk",
]
