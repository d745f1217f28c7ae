"""The numba twins of `protospot.kernels.generic`: same names, arguments and results."""

from protospot.kernels.cpu.direct import direct, direct_pairs, direct_sparse
from protospot.kernels.cpu.field import contenders, descend, settle
from protospot.kernels.cpu.pairs import (
    by_source,
    by_target,
    listing,
    pack,
    pair_gains,
    tally,
    walk,
)
from protospot.kernels.cpu.tables import (
    column_sums,
    count_numbers,
    factors,
    pull,
    pulled,
    row_sums,
    squared_lengths,
    take_numbers,
)
from protospot.kernels.cpu.tiles import (
    collect,
    contest,
    gains,
    lower,
    nearest,
    sparse_products,
    sums,
)

__all__ = [
    "by_source",
    "by_target",
    "collect",
    "column_sums",
    "contenders",
    "contest",
    "count_numbers",
    "descend",
    "direct",
    "direct_pairs",
    "direct_sparse",
    "factors",
    "gains",
    "listing",
    "lower",
    "nearest",
    "pack",
    "pair_gains",
    "pull",
    "pulled",
    "row_sums",
    "settle",
    "sparse_products",
    "squared_lengths",
    "sums",
    "take_numbers",
    "tally",
    "walk",
]
