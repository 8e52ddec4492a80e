"""lve: tests for language models, as folders of text.

The names in `__all__` are the public interface; everything else may change. A name is imported when
it is first used, so that `import lve` is fast.
"""

# This comes before every other import: `python -m lve` searches the current folder for modules
# first, and in somebody else's folder that would run their code.
import os
import sys

if (
    sys.argv[:1] == ["-m"]
    and not getattr(sys.flags, "safe_path", False)
    and sys.path[:1] in ([""], [os.getcwd()])  # noqa: PTH109
):
    del sys.path[0]

from importlib import import_module
from typing import TYPE_CHECKING

from lve.version import __version__ as __version__

if TYPE_CHECKING:
    from lve.api import aadapt as aadapt
    from lve.api import adapt as adapt
    from lve.api import arun as arun
    from lve.api import assert_passed as assert_passed
    from lve.api import discover as discover
    from lve.api import load as load
    from lve.api import params as params
    from lve.api import run as run
    from lve.checkers.contract import CheckContext as CheckContext
    from lve.checkers.contract import Checker as Checker
    from lve.checkers.contract import Verdict as Verdict
    from lve.errors import LveError as LveError
    from lve.errors import SpecError as SpecError
    from lve.errors import TrustError as TrustError
    from lve.errors import UsageError as UsageError
    from lve.messages import Completion as Completion
    from lve.messages import Message as Message
    from lve.messages import Role as Role
    from lve.messages import Transcript as Transcript
    from lve.messages import Usage as Usage
    from lve.models.chat_model import ChatModel as ChatModel
    from lve.models.chat_model import ChatRequest as ChatRequest
    from lve.models.scripted import ScriptedAnswer as ScriptedAnswer
    from lve.models.scripted import ScriptedModel as ScriptedModel
    from lve.pipeline.result import RunResult as RunResult
    from lve.prompts.objects.prompt import Prompt as Prompt
    from lve.results.records import InstanceResult as InstanceResult
    from lve.spec.model import Instance as Instance
    from lve.spec.model import Spec as Spec

_NAMES = {
    "lve.api": ("aadapt", "adapt", "arun", "assert_passed", "discover", "load", "params", "run"),
    "lve.checkers.contract": ("CheckContext", "Checker", "Verdict"),
    "lve.errors": ("LveError", "SpecError", "TrustError", "UsageError"),
    "lve.messages": ("Completion", "Message", "Role", "Transcript", "Usage"),
    "lve.models.chat_model": ("ChatModel", "ChatRequest"),
    "lve.models.scripted": ("ScriptedAnswer", "ScriptedModel"),
    "lve.pipeline.result": ("RunResult",),
    "lve.prompts.objects.prompt": ("Prompt",),
    "lve.results.records": ("InstanceResult",),
    "lve.spec.model": ("Instance", "Spec"),
}
"""Module -> the public names in it."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'lve' has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
