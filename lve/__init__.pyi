"""The public names, for type checkers. Written by `make docs` from `lve/__init__.py`."""

from lve.api import arun as arun
from lve.api import assert_passed as assert_passed
from lve.api import discover as discover
from lve.api import load as load
from lve.api import params as params
from lve.api import run as run
from lve.checkers.builtin_checker import BuiltinChecker as BuiltinChecker
from lve.checkers.builtin_checker import PerRunChecker as PerRunChecker
from lve.checkers.contract import CheckContext as CheckContext
from lve.checkers.contract import Checker as Checker
from lve.checkers.contract import Verdict as Verdict
from lve.errors import LveError as LveError
from lve.errors import SpecError as SpecError
from lve.errors import TrustError as TrustError
from lve.errors import UsageError as UsageError
from lve.extensions.opencompass.retrievers.retriever import Retriever as Retriever
from lve.extensions.ragas.adapting import aadapt as aadapt
from lve.extensions.ragas.adapting import adapt as adapt
from lve.extensions.ragas.saved_prompt import Prompt as Prompt
from lve.messages import Completion as Completion
from lve.messages import Message as Message
from lve.messages import Role as Role
from lve.messages import Tool as Tool
from lve.messages import ToolCall as ToolCall
from lve.messages import Transcript as Transcript
from lve.messages import Usage as Usage
from lve.models.chat_model import ChatModel as ChatModel
from lve.models.chat_model import ChatRequest as ChatRequest
from lve.models.config import ModelConfig as ModelConfig
from lve.models.scripted import ScriptedAnswer as ScriptedAnswer
from lve.models.scripted import ScriptedModel as ScriptedModel
from lve.pipeline.result import RunResult as RunResult
from lve.reporting.files.from_python import report as report
from lve.sessions.instance_result import InstanceResult as InstanceResult
from lve.spec.spec import Instance as Instance
from lve.spec.spec import Spec as Spec
from lve.version import __version__ as __version__

__all__: list[str]
PUBLIC: dict[str, tuple[str, ...]]
