"""How Numba makes machine code of the rules: parts are put together first, and optimised once.

By itself Numba optimises every function, with all that it calls, and makes machine code and a
wrapper for Python of it; then again as a part of whatever calls it. The rules are some hundred
small functions that only few entries call from Python, so most of that is thrown away. Here a
*part* is translated for LLVM and no more. An *entry* links all parts that it needs, optimises
them together and makes machine code of the whole. What the contract names (`play`, `legal`, ...)
is optimised once and then linked into every entry: each of them needs it.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, _LowerResult
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering

SHARED = "_bottega_shared"  # marks functions that are optimised once for all entries


class PartLibrary(JITCodeLibrary):
    """The code of a function that only compiled code calls: never machine code of its own."""

    shared = False
    complete = False  # whether it holds what it calls

    def finalize(self) -> None:
        if self.shared:
            self.link()
            self._optimize_final_module()
        self._finalized = True

    def link(self) -> None:
        """Put everything that is called in here."""
        # LLVM takes over only what something already there refers to: callers come first.
        for library in reversed(self.called({})):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self.complete = True

    def called(self, found: dict[Any, None]) -> dict[Any, None]:
        """Every library that is needed, each behind those that it needs itself."""
        for library in self._linking_libraries:
            if library not in found:
                if isinstance(library, PartLibrary) and not library.complete:
                    library.called(found)
                found[library] = None
        return found


class EntryLibrary(PartLibrary):
    """The code of a function that Python calls, with all its parts."""

    def finalize(self) -> None:
        self.link()
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()


class NoMachineCode:
    """Stands where Numba keeps a function that Python can call."""


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerPart(NativeLowering):
    """Translates a part; whoever calls it finds its library."""

    _name = "bottega_lower_part"

    def run_pass(self, state: Any) -> bool:
        library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        library.shared = hasattr(state.func_id.func, SHARED)
        state.library = library
        state.flags.no_cpython_wrapper = state.flags.no_cfunc_wrapper = True
        state.flags.no_compile = True
        super().run_pass(state)
        lowered, stand_in = state["cr"], NoMachineCode()
        state.targetctx.insert_user_function(stand_in, lowered.fndesc, [library])
        state.reload_init.extend(library._reload_init)
        state["cr"] = _LowerResult(lowered.fndesc, lowered.call_helper, stand_in, lowered.env)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerEntry(NativeLowering):
    """Translates an entry, links its parts and makes machine code."""

    _name = "bottega_lower_entry"

    def run_pass(self, state: Any) -> bool:
        state.library = EntryLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        state.flags.no_cfunc_wrapper = True
        return bool(super().run_pass(state))


class PartCompiler(Compiler):
    """Numba's compiler, for parts."""

    lowering: type[NativeLowering] = LowerPart

    def define_pipelines(self) -> Any:
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes = [
                (self.lowering if step is NativeLowering else step, why)
                for step, why in pipeline.passes
            ]
            pipeline.finalize()
        return pipelines


class EntryCompiler(PartCompiler):
    """Numba's compiler, for entries."""

    lowering = LowerEntry


class Part(CPUDispatcher):
    """A compiled function that only compiled functions call."""

    def add_overload(self, compiled: Any) -> None:
        self.overloads[tuple(compiled.signature.args)] = compiled
