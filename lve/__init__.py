"""lve: tests for language models, as folders of text.

The names in `__all__` are the public interface; everything else may change. Each name is imported
on first use, so that `import lve` is fast.
"""

# This must come before every other import. `python -m lve` puts the current folder first on the
# module search path, so modules in an untrusted folder would run.
import os
import sys

if (
    sys.argv[:1] == ["-m"]
    and not getattr(sys.flags, "safe_path", False)
    and sys.path[:1] in ([""], [os.getcwd()])  # noqa: PTH109
):
    del sys.path[0]

from importlib import import_module

PUBLIC: dict[str, tuple[str, ...]] = {
    "lve.api": ("arun", "assert_passed", "discover", "load", "params", "run"),
    "lve.checkers.builtin_checker": ("BuiltinChecker", "PerRunChecker"),
    "lve.checkers.contract": ("CheckContext", "Checker", "Verdict"),
    "lve.errors": ("LveError", "SpecError", "TrustError", "UsageError"),
    "lve.extensions.opencompass.retrievers.retriever": ("Retriever",),
    "lve.extensions.ragas.adapting": ("aadapt", "adapt"),
    "lve.extensions.ragas.saved_prompt": ("Prompt",),
    "lve.messages": (
        "Completion",
        "Message",
        "Role",
        "Tool",
        "ToolCall",
        "Transcript",
        "Usage",
    ),
    "lve.models.chat_model": ("ChatModel", "ChatRequest"),
    "lve.models.config": ("ModelConfig",),
    "lve.models.scripted": ("ScriptedAnswer", "ScriptedModel"),
    "lve.pipeline.result": ("RunResult",),
    "lve.reporting.files.from_python": ("report",),
    "lve.sessions.instance_result": ("InstanceResult",),
    "lve.spec.spec": ("Instance", "Spec"),
    "lve.version": ("__version__",),
}
"""Module -> the public names in it. `make docs` writes `lve/__init__.pyi` from this."""
_HOMES = {name: module for module, names in PUBLIC.items() for name in names}
__all__ = sorted(name for name in _HOMES if not name.startswith("_"))


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'lve' has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
