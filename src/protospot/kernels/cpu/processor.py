"""What processors can do and no loop says: pick numbers out of an array, ask for memory ahead.

Numbers are picked sixteen at a time. Which of them stands in the bits of a mask. Processors with
AVX-512 pick in one instruction, which no loop is turned into: it is asked for by name. Elsewhere a
loop does the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from protospot.kernels.jit import kernel
from protospot.types import Ints, Numbers

LANES = 16

_MASK = ir.IntType(LANES)
_WORD = ir.IntType(64)
_SHORT = {"float": "f32", "double": "f64"}  # what LLVM calls types in names
_NEEDED = ("avx512f", "avx512bw", "avx512vbmi2")  # the last for numbers of two bytes


def _intrinsic(function: Callable[..., Any]) -> Any:
    """Make an intrinsic; numba's own types do not say that it is called without the context."""
    return intrinsic(function)


def has_instruction() -> bool:
    """Whether this processor picks in one instruction."""
    try:
        features = binding.get_host_cpu_features()
    except RuntimeError:  # not to be had on every platform
        return False
    return all(features.get(name, False) for name in _NEEDED)


def _start(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    """Return the address of sixteen numbers of an array, as one vector, and how it is aligned."""
    data = context.make_array(kind)(context, builder, array).data
    start = builder.gep(data, [place])
    vector = ir.VectorType(start.type.pointee, LANES)
    return builder.bitcast(start, vector.as_pointer()), kind.dtype.bitwidth // 8


def _load(*given: Any) -> Any:
    address, align = _start(*given)
    loaded = given[1].load(address)
    loaded.align = align
    return loaded


@_intrinsic
def below(_: Any, values: Any, limits: Any, first: Any) -> Any:
    """Return the mask of those of sixteen values from `first` on that are below their limits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, place = signature.args, arguments[2]
        both = [_load(context, builder, kinds[n], arguments[n], place) for n in range(2)]
        mask = builder.bitcast(builder.fcmp_ordered("<", *both), _MASK)
        return builder.zext(mask, _WORD)

    return types.int64(values, limits, first), generate


@_intrinsic
def marked(_: Any, marks: Any, first: Any) -> Any:
    """Return the mask of those of sixteen marks from `first` on that are not 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found = _load(context, builder, signature.args[0], *arguments)
        mask = builder.icmp_unsigned("!=", found, ir.Constant(found.type, None))
        return builder.zext(builder.bitcast(mask, _MASK), _WORD)

    return types.int64(marks, first), generate


@_intrinsic
def number(_: Any, mask: Any) -> Any:
    """Return how many bits of a mask are set."""
    return types.int64(mask), lambda _, builder, __, arguments: builder.ctpop(arguments[0])


@_intrinsic
def prefetch(_: Any, values: Any, place: Any) -> Any:
    """Ask for the memory at a place, which may lie behind the end, before it is needed."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, _ = _start(context, builder, signature.args[0], *arguments)
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        insert: Any = cgutils.get_or_insert_function
        hints = [number(0), number(2), number(1)]  # to read, and to keep in the second cache
        function = insert(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [builder.bitcast(address, byte), *hints])
        return context.get_dummy_value()

    return types.void(values, place), generate


def _compress(builder: Any, values: Any, lanes: Any, place: Any) -> None:
    """Write those of a vector's numbers whose lanes are set."""
    kind = str(values.type.element)
    name = f"llvm.masked.compressstore.v{values.type.count}{_SHORT.get(kind, kind)}"
    signature = ir.FunctionType(ir.VoidType(), [values.type, place.type, lanes.type])
    insert: Any = cgutils.get_or_insert_function
    builder.call(insert(builder.module, signature, name), [values, place, lanes])


@_intrinsic
def take_at_once(_: Any, values: Any, mask: Any, first: Any, out: Any, at: Any) -> Any:
    """Write the values from `first` on that the mask names to `out`, from `at` on.

    Sixteen places may be written. `out` may be `values` where nothing is moved back.
    """
    if values.dtype != out.dtype:
        raise TypingError("values and out must be of one type")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, bits = signature.args, builder.trunc(arguments[1], _MASK)
        found = _load(context, builder, kinds[0], arguments[0], arguments[2])
        address, _ = _start(context, builder, kinds[3], arguments[3], arguments[4])
        place = builder.bitcast(address, found.type.element.as_pointer())
        lanes = builder.bitcast(bits, ir.VectorType(ir.IntType(1), LANES))
        # The largest registers hold eight of eight bytes. More than a register LLVM takes apart
        # one by one.
        width = min(LANES, 512 // values.dtype.bitwidth)
        for begin in range(0, LANES, width):
            chosen = [ir.Constant(ir.IntType(32), begin + lane) for lane in range(width)]
            which = ir.Constant(ir.VectorType(ir.IntType(32), width), chosen)
            some, marks = (builder.shuffle_vector(x, x, which) for x in (found, lanes))
            _compress(builder, some, marks, place)
            number = builder.ctpop(builder.bitcast(marks, ir.IntType(width)))
            place = builder.gep(place, [builder.zext(number, _WORD)])
        return context.get_dummy_value()

    return types.void(values, mask, first, out, at), generate


@kernel()
def take_by_loop(values: Numbers, mask: int, first: int, out: Numbers, at: int) -> None:
    """Same as take_at_once."""
    place = np.uintp(at)
    for e in range(np.uintp(first), np.uintp(first) + np.uintp(LANES)):
        # Written always, kept when the mask says so: no branch to mispredict.
        out[place] = values[e]
        place += np.uintp(mask & 1)
        mask >>= 1


@kernel()
def widest(edges: Ints) -> int:
    """Return the largest difference between two edges (np.diff takes seconds to compile)."""
    most = 0
    for b in range(len(edges) - 1):
        most = max(most, edges[b + 1] - edges[b])
    return most


take: Any = take_at_once if has_instruction() else take_by_loop
