"""How rules and entries are compiled: each entry with all the rules it calls as one piece.

By itself Numba optimises each function together with all that it calls, translates it to machine code and keeps both on disk, so a
rule ten calls below an entry goes through all this ten times. Nobody calls a rule from Python. So here a rule is only lowered, alone, and
linked once into each entry that reaches it; an entry is optimised knowing that nobody else calls its rules. Measured, all
else equal: a vector environment starts cold in less than half of the time, and steps in five sixths of it.

Numba also counts references to every array that a function is given, looks at in part or leaves, with atomic operations that threads
contend for. What calls a rule holds the arrays while it runs, so rules don't: measured, a step takes 0.92 of the time on one thread and
0.85 on two. Only those that make or return arrays need it (``jit.rule_with_arrays``).
"""

from __future__ import annotations

from typing import Any

from llvmlite.binding import Linkage
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, LoweringPass, PassManager, register_pass
from numba.core.errors import NumbaTypeError
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import AnnotateTypes, NativeLowering
from numba.core.types import Dispatcher

from azul_duel_env.jit.lean import USED, LeanPasses, remembering_calls, without_collecting
from azul_duel_env.jit.notice import COMPILING

OVERRIDDEN = (
    (JITCodeLibrary, "_optimize_final_module"),
    (JITCodeLibrary, "_finalize_final_module"),
    (JITCodeLibrary, "_finalize_dynamic_globals"),
    (JITCodeLibrary, "enable_object_caching"),
    (JITCodeLibrary, "has_dynamic_globals"),
    (JITCPUCodegen, "magic_tuple"),
    (CompileResult, "_reduce"),
    (CompileResult, "_rebuild"),
    (JITCodeLibrary, "_get_module_for_linking"),
    (JITCodeLibrary, "finalize"),
    (CompilerBase, "compile_extra"),
    (CompilerBase, "define_pipelines"),
    (CPUDispatcher, "get_call_template"),
    (CPUDispatcher, "compile"),
)
"""Inner parts of Numba that are called or replaced by name: without one of them, all that is said here would silently not happen."""

for owner, part in (*OVERRIDDEN, *USED):
    if not hasattr(owner, part):
        raise ImportError(f"{owner.__name__} has no {part}")


class RuleLibrary(JITCodeLibrary):
    """The code of a rule alone: linked into the entries that reach it, and never run by itself."""

    def finalize(self) -> None:
        """Be ready to be linked, without what this rule calls and without machine code."""
        self._raise_if_finalized()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = Linkage.linkonce_odr
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return the rule's module."""
        self._ensure_finalized()
        return self._final_module


def _reached(libraries: list[Any]) -> list[Any]:
    """Return libraries and those of all rules that they call, directly or not, each once."""
    reached = dict.fromkeys(libraries)
    new = libraries
    while new:
        below = [called for library in new if isinstance(library, RuleLibrary) for called in library._linking_libraries]
        new = [called for called in dict.fromkeys(below) if called not in reached]
        reached.update(dict.fromkeys(new))
    return list(reached)


class EntryLibrary(JITCodeLibrary):
    """The code of an entry, with that of all its rules."""

    def finalize(self) -> None:
        """Link all rules, optimise the whole and make machine code."""
        self._linking_libraries = _reached(self._linking_libraries)
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Optimise it all, after telling LLVM that nobody else calls the rules: what one rule calls once moves into it."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        super()._optimize_final_module()


@register_pass(mutates_CFG=True, analysis_only=False)
class UseRuleLibrary(LoweringPass):
    """Let a rule be lowered into a library of its kind."""

    _name = "azul_duel_env_use_rule_library"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Choose the library."""
        state.library = RuleLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class UseEntryLibrary(LoweringPass):
    """Let an entry be lowered into a library of its kind, which the disk cache may keep."""

    _name = "azul_duel_env_use_entry_library"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Choose the library."""
        state.library = EntryLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class OfferToCallers(LoweringPass):
    """Tell Numba where calls of a rule lead: what it does itself for functions with machine code."""

    _name = "azul_duel_env_offer_to_callers"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Tell it."""
        lowered = state.cr
        name = lowered.fndesc.qualname
        no_address = 0
        key = _dynfunc.make_function(
            lowered.fndesc.lookup_module(), name, f"rule {name}", no_address, lowered.env, (state.library,)
        )
        state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
        state.cr = lowered._replace(cfunc=key)
        return True


def _received_and_returned(state: Any) -> list[Any]:
    """Return the types of what a function gets from the compiled functions that it calls, and of what it returns."""
    calls = [node for node in state.calltypes if getattr(node, "op", "") == "call"]
    ours = [call for call in calls if isinstance(state.typemap[call.func.name], Dispatcher)]
    return [state.return_type, *(state.calltypes[call].return_type for call in ours)]


@register_pass(mutates_CFG=False, analysis_only=True)
class RefuseUncountedArrays(AnalysisPass):
    """Refuse a rule that gets or returns a new array while nobody counts references: its memory would be lost or freed too soon."""

    _name = "azul_duel_env_refuse_uncounted_arrays"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Refuse it."""
        models = state.targetctx.data_model_manager
        if not state.flags.nrt and any(models[kind].contains_nrt_meminfo() for kind in _received_and_returned(state)):
            raise NumbaTypeError(
                f"{state.func_id.func_qualname} gets or returns an array: it must be a rule_with_arrays"
            )
        return False


def _numbas_passes(state: Any, library: type[LoweringPass]) -> LeanPasses:
    """Return Numba's own passes, with one more that chooses the library just before the code is made."""
    passes = LeanPasses("nopython")
    for step, description in DefaultPassBuilder.define_nopython_pipeline(state).passes:
        if step is NativeLowering:
            passes.add_pass(library, "choose the library")
        passes.add_pass(step, description)
    return passes


class RuleCompiler(CompilerBase):
    """Compiles a rule, without machine code."""

    def define_pipelines(self) -> list[PassManager]:
        """Return the passes."""
        self.state.flags.no_compile = True
        passes = _numbas_passes(self.state, UseRuleLibrary)
        passes.add_pass_after(RefuseUncountedArrays, AnnotateTypes)
        passes.add_pass_after(OfferToCallers, NativeLowering)
        passes.finalize()
        return [passes]


class EntryCompiler(CompilerBase):
    """Compiles an entry, with all the rules it calls, and tells that it does."""

    def compile_extra(self, func: Any) -> Any:
        """Compile the entry."""
        with COMPILING, without_collecting(), remembering_calls():
            return super().compile_extra(func)

    def define_pipelines(self) -> list[PassManager]:
        """Return the passes."""
        passes = _numbas_passes(self.state, UseEntryLibrary)
        passes.finalize()
        return [passes]
