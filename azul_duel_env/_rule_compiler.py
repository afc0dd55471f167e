"""How a rule is compiled: into LLVM's language only, to be linked into the entries that call it.

Numba optimises each function together with all that it calls, translates it to machine code and keeps both on disk, so a rule ten
calls below an entry goes through all this ten times. Nobody calls a rule from Python: to leave it until the entry is compiled halves
the time of a cold start, and the entry's code is as fast.
"""

from __future__ import annotations

from typing import Any

from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
from numba.core.typed_passes import NativeLowering


class LinkedOnly(JITCodeLibrary):
    """The code of a rule: linked into its callers' before it is optimised, and never run by itself."""

    def _optimize_final_module(self) -> None:
        """Leave that to the entry."""

    def _finalize_final_module(self) -> None:
        """Be ready to be linked, without machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class ChooseLibrary(LoweringPass):
    """Let the rule be lowered into a library that is linked only."""

    _name = "azul_duel_env_choose_library"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        state.library = LinkedOnly(state.targetctx.codegen(), state.func_id.func_qualname)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class OfferToCallers(LoweringPass):
    """Tell Numba where calls of the rule lead: what it does itself for functions with machine code."""

    _name = "azul_duel_env_offer_to_callers"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        lowered = state.cr
        name = lowered.fndesc.qualname
        no_address = 0
        key = _dynfunc.make_function(
            lowered.fndesc.lookup_module(), name, f"rule {name}", no_address, lowered.env, (state.library,)
        )
        state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
        state.cr = lowered._replace(cfunc=key)
        return True


class RuleCompiler(CompilerBase):
    """Numba's own pipeline, without machine code."""

    def define_pipelines(self) -> list[PassManager]:
        """Return the passes."""
        self.state.flags.no_compile = True
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state, "rule")
        lowering = next(i for i, (step, _) in enumerate(passes.passes) if step is NativeLowering)
        passes.passes.insert(lowering, (ChooseLibrary, "choose the library of a rule"))
        passes.add_pass_after(OfferToCallers, NativeLowering)
        passes.finalize()
        return [passes]
