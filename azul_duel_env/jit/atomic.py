"""Words of memory that threads share: read, written and claimed at once, in an order that all threads agree on.

Numba has no such operations for processors. Without compiled code no two threads ever step games, and plain ones do. The words are a
one-dimensional int64 array; an index is not checked.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from azul_duel_env.jit import COMPILED

ORDER, BYTES = "seq_cst", 8


def _place(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """Return the address of one word of a one-dimensional int64 array."""
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [index])


def _is_words(array: Any) -> bool:
    return isinstance(array, types.Array) and array.dtype == types.int64 and array.ndim == 1 and array.layout == "C"


def _load(_: Any, words: Any, index: Any) -> Any:
    if not _is_words(words):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_place(context, builder, signature.args[0], *args), ORDER, BYTES)

    return types.int64(words, types.int64), generate


def _store(_: Any, words: Any, index: Any, value: Any) -> Any:
    if not _is_words(words):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[2], _place(context, builder, signature.args[0], *args[:2]), ORDER, BYTES)
        return context.get_dummy_value()

    return types.void(words, types.int64, types.int64), generate


def _replace(_: Any, words: Any, index: Any, old: Any, new: Any) -> Any:
    if not _is_words(words):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, signature.args[0], *args[:2])
        return builder.extract_value(builder.cmpxchg(place, args[2], args[3], ORDER, ORDER), 1)

    return types.boolean(words, types.int64, types.int64, types.int64), generate


def _load_alone(words: Any, index: int) -> int:
    return int(words[index])


def _store_alone(words: Any, index: int, value: int) -> None:
    words[index] = value


def _replace_alone(words: Any, index: int, old: int, new: int) -> bool:
    found = int(words[index]) == old
    if found:
        words[index] = new
    return found


load: Any = intrinsic(_load) if COMPILED else _load_alone
"""``load(words, index)``: return a word, and see all that was written before it was stored."""
store: Any = intrinsic(_store) if COMPILED else _store_alone
"""``store(words, index, value)``: write a word, after all that was written before."""
replace: Any = intrinsic(_replace) if COMPILED else _replace_alone
"""``replace(words, index, old, new)``: write ``new`` if ``old`` is there, and return whether it was."""
