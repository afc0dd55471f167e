"""The one compile decorator. Where compiled code is kept is told in ``cache``, how it is made in ``compilers``."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core import config as numba_config

from azul_duel_env.jit.notice import print_notice

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = numba_config
COMPILED = not config.DISABLE_JIT
"""False under ``NUMBA_DISABLE_JIT=1``: the same functions then run as plain Python."""

AS_KNOWN = False
"""Whether Numba's inner parts are as we know them. If not, all is compiled plainly: slower, and anew in each process."""

if COMPILED:
    try:
        from numba.core.compiler_lock import global_compiler_lock

        from azul_duel_env.jit.cache import STORE, FunctionCache
        from azul_duel_env.jit.compilers import EntryCompiler, RuleCompiler
        from azul_duel_env.jit.lean import compile_entry_with, compile_rule_with

        AS_KNOWN = True
    except (ImportError, AttributeError) as problem:
        print_notice(
            f"Numba {numba.__version__} is not as expected ({problem}): each process takes a minute to compile the rules, "
            "and steps take longer. See which versions of Numba this package asks for."
        )


if AS_KNOWN and hasattr(os, "register_at_fork"):
    # A fork waits until no other thread compiles or loads: the child would wait for ever for the lock that such a thread holds. This comes
    # first of all that happens before a fork, so it must be registered last: filelock, which ``cache`` imports, lets no lock go meanwhile.
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
    )


def rule(function: Function) -> Function:
    """Compile a function of the rules that compiled code calls; under ``NUMBA_DISABLE_JIT=1`` leave it as it is.

    It becomes a part of the ``entry`` functions that call it: see ``compilers``. Python can't call it. It makes no array and returns none,
    so nobody counts references to those it is given.
    """
    return _rule(function, counts_references=False)


def rule_with_arrays(function: Function) -> Function:
    """Compile a rule that makes arrays, by NumPy's functions too, or returns them."""
    return _rule(function, counts_references=True)


def rule_in_any_order(function: Function) -> Function:
    """Compile a rule whose sums of floats may be taken in any order: as many terms at once as the processor can.

    So they may differ in rounding between kinds of processors, and from the uncompiled ones.
    """
    return _rule(function, counts_references=False, fastmath={"reassoc"})


def entry(function: Function) -> Function:
    """Compile a function that Python calls; under ``NUMBA_DISABLE_JIT=1`` leave it as it is."""
    return _entry(function)


def entry_without_gil(function: Function) -> Function:
    """Compile a function that Python calls from several threads at once, each on rows of its own."""
    return _entry(function, nogil=True)


def _rule(function: Function, counts_references: bool, **options: Any) -> Function:
    if not AS_KNOWN:
        return _compiled(function, **options)
    options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher: Any = _compiled(function, pipeline_class=RuleCompiler, _nrt=counts_references, **options)
    dispatcher.compile = compile_rule_with(dispatcher)
    return dispatcher


def _entry(function: Function, **options: Any) -> Function:
    if not AS_KNOWN:
        return _compiled(function, **options)
    dispatcher: Any = _compiled(function, pipeline_class=EntryCompiler, no_cfunc_wrapper=True, **options)
    dispatcher._cache = FunctionCache(function, STORE)
    dispatcher.compile = compile_entry_with(dispatcher)
    return dispatcher


def _compiled(function: Function, **options: Any) -> Function:
    """Compile on the first call."""
    if not COMPILED:
        return function
    # No rule divides by zero (the uncompiled lane would tell): not to ask saves a tenth of a step.
    dispatcher: Any = numba.njit(error_model="numpy", **options)(function)
    if AS_KNOWN:
        resolve = dispatcher.get_call_template
        dispatcher.get_call_template = lambda args, kws: resolve([_widest(arg) for arg in args], kws)
    return dispatcher


def _widest(argument: Any) -> Any:
    """Take every integer as int64 and no value as a constant, so that each function compiles once and not for each kind of call."""
    argument = numba.types.unliteral(argument)
    return numba.types.int64 if argument in numba.types.signed_domain else argument
