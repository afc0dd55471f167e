"""Telling the processor which memory is written soon, so that it is fetched while other work goes on."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

BYTES_OF_LINE = 64
TO_WRITE, TO_ALL_CACHES, OF_DATA = (ir.Constant(ir.IntType(32), number) for number in (1, 3, 1))


def _prefetch(_: Any, array: Any, index: Any) -> Any:
    if not isinstance(array, types.Array) or array.ndim != 1 or array.layout != "C":
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(8).as_pointer())
        arguments = [place, TO_WRITE, TO_ALL_CACHES, OF_DATA]
        kind = ir.FunctionType(ir.VoidType(), [argument.type for argument in arguments])
        builder.call(builder.module.declare_intrinsic("llvm.prefetch", (place.type,), kind), arguments)
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


prefetch: Any = intrinsic(_prefetch)
"""``prefetch(array, index)``: fetch the cache line of one number of a one-dimensional array. For compiled code only."""
