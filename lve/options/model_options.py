"""The options of a run that say which model to use, and how, and which baseline to compare it with.
See `lve.options.run_options`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lve.data_classes import dataclass, field
from lve.options.option import (
    ASKING,
    CALIBRATE,
    CHOOSING,
    EVERYWHERE,
    RUN,
    RUN_AND_PYTEST,
    RUN_AND_RECORD,
    Option,
    option,
)
from lve.options.values import (
    ATTACKS,
    COUNT,
    FLAG,
    GATE,
    INDEX,
    MAPPING,
    MODEL_ARGS,
    PAIRS,
    PATH,
    SECONDS,
    TEXT,
    TEXTS,
)

if TYPE_CHECKING:
    from lve.models.chat_model import ChatModel

DEFAULT_MAX_CONNECTIONS = 64
"""Maximum number of concurrent requests per model."""
DEFAULT_MAX_TESTS = 64
"""Maximum number of concurrent tests per model."""


@dataclass(init=False, repr=False, eq=False, frozen=True, slots=True)
class ModelOptions:
    """Which model to use, and how. A base class of `RunOptions` only, so it needs no generated
    methods, which would slow down every start."""

    models: tuple[str, ...] = option(
        (),
        Option(
            TEXTS,
            "Model to ask, such as openai/gpt-6-luna, dummy/dummy, or replay for the recorded "
            "answers; overrides the tests' own.",
            EVERYWHERE,
            "fixed",
            word="model",
            short="-m",
            metavar="MODEL",
            python_word="model",
            python_type="AnyModel | Sequence[AnyModel] | None",
            python_help="the model, or several; the tests' own when None. A name, a function of "
            "your application, or a model that was made in Python (any `lve.ChatModel`).",
        ),
    )
    own_models: Mapping[str, ChatModel] = field(default_factory=dict)
    """Name -> model for models that were made in Python. The caller closes them."""
    listen: Callable[[], Callable[[str], None]] | None = None
    """Receives the tested model's streamed answers; see `lve.models.chat_model.ChatRequest`."""
    binds_answers: bool = False
    """Whether results say what was sent, because they are recorded."""
    prompts: tuple[str, ...] = option(
        (),
        Option(
            TEXTS,
            "Only these variants of the tests' prompts (`prompts`).",
            CHOOSING,
            "fixed",
            python_type="Sequence[str]",
        ),
    )
    attacks: str | None = option(
        None,
        Option(
            ATTACKS,
            "Attack the tests with these, instead of what they say: names that `lve attacks` "
            "lists, groups, or all, separated by commas; none: with nothing.",
            (*CHOOSING, "record"),
            "fixed",
            python_help="names of attacks, separated by commas; the tests' own when None.",
        ),
    )
    roles: Mapping[str, str] = option(
        {},
        Option(
            PAIRS,
            "The model of a role that tests need, such as judge=openai/gpt-6-luna; overrides the "
            "settings.",
            ASKING,
            "fixed",
            word="role",
            metavar="ROLE=MODEL",
            python_help="role -> model, such as `{'judge': 'openai/gpt-6-luna'}`; override the "
            "settings.",
        ),
    )
    base_url: str | None = option(
        None, Option(TEXT, "An OpenAI-compatible server.", EVERYWHERE, "given_again", metavar="URL")
    )
    parameters: Mapping[str, str] = option(
        {},
        Option(
            MAPPING,
            "Set a parameter of the prompt.",
            RUN_AND_RECORD,
            "fixed",
            word="parameter",
            short="-p",
            python_help="override the rows' values; values for all parameters make a row of their "
            "own.",
        ),
    )
    model_args: Mapping[str, Any] = option(
        {},
        Option(
            MODEL_ARGS,
            "Set a model arg (YAML value; null removes it).",
            RUN_AND_RECORD,
            "fixed",
            word="model_arg",
            python_help="override settings, test and row; None removes an arg.",
        ),
    )
    stream: bool = option(
        False,
        Option(
            FLAG,
            "Stream answers, so that results have the time to the first token.",
            RUN_AND_RECORD,
            "fixed",
        ),
    )
    batch: bool = option(
        False,
        Option(
            FLAG,
            "Ask the tested models through their batch APIs: half the price, answers within a day.",
            RUN,
            "fixed",
        ),
    )
    timeout_s: float | None = option(
        None,
        Option(
            SECONDS,
            "Time limit of one attempt at a request, in seconds.",
            (*EVERYWHERE, CALIBRATE),
            "kept",
            word="timeout",
        ),
    )
    deadline_s: float | None = option(
        None,
        Option(
            SECONDS,
            "Time limit of one completion with all its attempts, in seconds.",
            (*EVERYWHERE, CALIBRATE),
            "kept",
            word="deadline",
            default_text="600",
        ),
    )
    max_connections: int | None = option(
        None,
        Option(
            COUNT,
            "Concurrent requests per model; at most its max_connections in lve.yaml.",
            (*EVERYWHERE, CALIBRATE),
            "limited",
            at_most=lambda caps: DEFAULT_MAX_CONNECTIONS,
            short="-j",
            default_text=f"that, or {DEFAULT_MAX_CONNECTIONS}",
        ),
    )
    max_tests: int = option(
        DEFAULT_MAX_TESTS,
        Option(
            COUNT,
            "Concurrent tests per model.",
            RUN_AND_RECORD,
            "limited",
            at_most=lambda caps: DEFAULT_MAX_TESTS,
            default_text=str(DEFAULT_MAX_TESTS),
        ),
    )

    @property
    def tested(self) -> tuple[str, ...]:
        """The models to test that the user gave, with `--model` or `--role model=NAME`."""
        role = self.roles.get("model")
        return self.models or ((role,) if role else ())


@dataclass(init=False, repr=False, eq=False, frozen=True, slots=True)
class BaselineOptions(ModelOptions):
    """How a run is compared with a baseline. A base class of `RunOptions`, as `ModelOptions` is."""

    baseline: Path | None = option(
        None,
        Option(
            PATH,
            "Compare the results with this baseline; a regression fails the run.",
            RUN_AND_PYTEST,
            "not_stored",  # a question of the current invocation
            metavar="FILE",
            python_type="str | Path | None",
        ),
    )
    gate: str | None = option(
        None,
        Option(
            GATE,
            "What is a regression: significant, any (a result that broke), or auto.",
            RUN_AND_PYTEST,
            "kept",
            default_text="that of lve.yaml, or auto",
        ),
    )
    max_broken: int | None = option(
        None,
        Option(
            INDEX,
            "How many results may break before it is a regression.",
            RUN_AND_PYTEST,
            "kept",
            default_text="as --gate says",
        ),
    )
    allow_missing: bool = option(
        False,
        Option(
            FLAG,
            "Let results of the baseline be missing, or without a verdict.",
            RUN_AND_PYTEST,
            "not_stored",
        ),
    )

    @property
    def names_two_gates(self) -> bool:
        """Whether both `gate` and `max_broken` are chosen, which is an error."""
        return self.gate is not None and self.max_broken is not None
