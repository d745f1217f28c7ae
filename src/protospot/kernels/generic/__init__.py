"""What every kernel computes, written once for any array library: the reference the tests trust."""

from protospot.kernels.generic.direct import direct, direct_pairs, direct_sparse
from protospot.kernels.generic.pairs import by_source, listing, merge, pack, pair_gains, walk
from protospot.kernels.generic.tiles import collect, gains, lower, nearest, sums

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
