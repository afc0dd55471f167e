"""What Numba does for each function and a rule doesn't need: left out, or done once for all. It took a quarter of the time to compile.

Rules are many and small, and much of the time to compile one was neither typing nor code: descriptions of each pass for listeners that
nobody has, timers that nest as deep as calls do, rewrites of what a rule doesn't hold, the same operator on the same types looked up anew
at each place, and searches for garbage among millions of objects that are all in use.
"""

from __future__ import annotations

import gc
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from numba.core import ir, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.dispatcher import Dispatcher
from numba.core.sigutils import normalize_signature
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import NopythonRewrites
from numba.core.types.functions import Function
from numba.core.untyped_passes import InlineClosureLikes

OPERATORS = frozenset(value for value in vars(operator).values() if callable(value))

USED = (
    (PassManager, "_runPass"),
    (PassManager, "dependency_analysis"),
    (Function, "get_call_type"),
    (ConfigStack, "top_or_none"),
    (Dispatcher, "add_overload"),
)
"""Inner parts of Numba that are called or replaced by name."""


@contextmanager
def without_collecting() -> Iterator[None]:
    """Don't look for garbage meanwhile."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def compile_rule_with(dispatcher: Any) -> Callable[[Any], Any]:
    """Return what compiles a rule for the types of a call, where Numba also asks a cache and sets timers that all calls below tick."""

    def compile_rule(call: Any) -> Any:
        args, return_type = normalize_signature(call)
        with global_compiler_lock:
            known = dispatcher.overloads.get(tuple(args))
            if known is None:
                with dispatcher._compiling_counter:
                    known = dispatcher._compiler.compile(args, return_type)
                dispatcher.add_overload(known)
        return known.entry_point

    return compile_rule


def compile_entry_with(dispatcher: Any) -> Callable[[Any], Any]:
    """Return what compiles an entry for the types of a call, or finds its code on disk, while no other process compiles the same."""
    compile_or_find = dispatcher.compile

    def compile_entry(call: Any) -> Any:
        args, _ = normalize_signature(call)
        with global_compiler_lock:  # before the other lock: threads take both in one order
            if tuple(args) in dispatcher.overloads:
                return compile_or_find(call)
            with dispatcher._cache.alone(call, dispatcher.targetctx):
                return compile_or_find(call)

    return compile_entry


# Passes ---------------------------------------------------------------------------------------
def _holds_functions(state: Any) -> bool:
    """Return whether functions are made inside this one, as comprehensions may be."""
    return any(isinstance(constant, CodeType) for constant in state.func_id.code.co_consts)


def _computes_arrays(state: Any) -> bool:
    """Return whether anything but an argument, a field or a part of one is an array: expressions on whole arrays are rewritten."""
    calls = ((expression, call) for expression, call in state.calltypes.items() if isinstance(expression, ir.Expr))
    results = (call.return_type for expression, call in calls if expression.op != "getitem" and call is not None)
    return any(isinstance(result, types.Array) for result in results)


NEEDED: dict[type, Callable[[Any], bool]] = {InlineClosureLikes: _holds_functions, NopythonRewrites: _computes_arrays}
"""Passes that take long, and which functions need them."""


class LeanPasses(PassManager):
    """Numba's passes, without what is only told to those who listen."""

    def _runPass(self, index: int, step: Any, state: Any) -> None:  # noqa: ARG002, N802
        """Run one pass, if the function needs it."""
        if type(step) in NEEDED and not NEEDED[type(step)](state):
            return
        step.analysis = self._analysis
        step.run_initialization(state)
        step.run_pass(state)
        step.run_finalizer(state)


# Types ----------------------------------------------------------------------------------------
SCALARS = (types.Number, types.Boolean)
OPERANDS = (*SCALARS, types.Array, types.Record)

_kinds: dict[Any, int] = {}
"""The settings that functions were compiled with, each with a number: they may decide what an operator does."""

_signatures: dict[tuple[Any, ...], tuple[Any, Any]] = {}
"""What is called with operands of which types under which settings, and what comes of it: it is the same whatever function asks."""

_functions: Any = Function
_look_up = _functions.get_call_type


def _may_remember(function: Any, args: Any) -> bool:
    """Return whether a call means the same everywhere: an operator, or a function of Numba's own from scalars."""
    kinds = OPERANDS if function.typing_key in OPERATORS else SCALARS
    return all(isinstance(arg, kinds) or _is_index(arg) for arg in args)


def _is_index(arg: Any) -> bool:
    parts: Any = arg if isinstance(arg, types.BaseTuple) else ()
    return len(parts) > 0 and all(isinstance(part, SCALARS) for part in parts)


@contextmanager
def remembering_calls() -> Iterator[None]:
    """Look up each call of Numba's own functions once, where Numba does so at each place: for its type, and again for its code.

    Only who holds Numba's lock may do so.
    """
    settings: Any = None
    kind: int | None = None

    def get_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
        nonlocal settings, kind
        if kws or not _may_remember(function, args):
            return _look_up(function, context, args, kws)
        current = ConfigStack.top_or_none()
        if current is not settings:
            settings, kind = current, _kinds.setdefault(current and current.copy(), len(_kinds))
        key = (id(function), kind, *args)
        if key not in _signatures:
            _signatures[key] = function, _look_up(function, context, args, kws)  # who is kept keeps its id
        return _signatures[key][1]

    outside = _functions.get_call_type
    _functions.get_call_type = get_call_type
    try:
        yield
    finally:
        _functions.get_call_type = outside
