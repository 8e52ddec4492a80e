"""The options of a run, each defined in one place.

A field of `RunOptions` has an option's type and default. Its `Option` has the rest: the accepted
values, the help, where it can be given, and whether a resumed session restores it. The command line
(`lve.cli.run.command_options`), pytest (`lve.pytest_plugin.options`), `lve.run`
(`lve.pipeline.python_arguments`) and resuming (`lve.pipeline.session_options`) derive from it.
`make docs` writes what must be in a file: the arguments of `lve.run`, the options in the session's
schema and in docs/pytest.md.

So a new option is a field here and the code that uses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lve.conventions import DEFAULT_MAX_CONNECTIONS, DEFAULT_MAX_TESTS
from lve.option import (
    AMOUNT,
    COUNT,
    FLAG,
    INDEX,
    MAPPING,
    PAIRS,
    PATH,
    SECONDS,
    TEXT,
    TEXTS,
    Door,
    Option,
    option,
)

if TYPE_CHECKING:
    from lve.models.chat_model import ChatModel

EVERYWHERE: tuple[Door, ...] = ("run", "record", "pytest", "python")
RUN_AND_RECORD: tuple[Door, ...] = ("run", "record", "python")
RUN_AND_PYTEST: tuple[Door, ...] = ("run", "pytest", "python")
RUN: tuple[Door, ...] = ("run", "python")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How tests are run. The defaults are those of `lve run`."""

    models: tuple[str, ...] = option(
        (),
        Option(
            TEXTS,
            "Model to ask, such as openai/gpt-6-luna, dummy/dummy, or replay for the recorded "
            "answers; wins over the tests' own.",
            EVERYWHERE,
            "result",
            word="model",
            short="-m",
            metavar="MODEL",
            python_word="model",
            python_type="str | ChatModel | Sequence[str | ChatModel] | None",
            python_help="the model, or several; the tests' own when None. A name, or a model that "
            "was made in Python (`lve.ScriptedModel`, any `lve.ChatModel`).",
        ),
    )
    own_models: Mapping[str, ChatModel] = field(default_factory=dict)
    """Name -> model for models that were made in Python. Their maker closes them."""
    roles: Mapping[str, str] = option(
        {},
        Option(
            PAIRS,
            "The model of a role that tests need, such as judge=openai/gpt-6-luna; wins over the "
            "settings' own.",
            EVERYWHERE,
            "result",
            word="role",
            metavar="ROLE=MODEL",
            python_help="role -> model, such as `{'judge': 'openai/gpt-6-luna'}`; win over the "
            "settings' own.",
        ),
    )
    base_url: str | None = option(
        None, Option(TEXT, "An OpenAI-compatible server.", EVERYWHERE, "grant", metavar="URL")
    )
    parameters: Mapping[str, str] = option(
        {},
        Option(
            MAPPING,
            "Set a parameter of the prompt.",
            RUN_AND_RECORD,
            "result",
            word="parameter",
            short="-p",
            python_help="win over the instances' own; all of a test's make one of their own.",
        ),
    )
    model_args: Mapping[str, Any] = option(
        {},
        Option(
            MAPPING,
            "Set a model arg (YAML value; null takes it away).",
            RUN_AND_RECORD,
            "result",
            word="model_arg",
            python_help="win over settings, test and instance; None takes an arg away.",
        ),
    )
    stream: bool = option(
        False,
        Option(
            FLAG,
            "Stream answers: results tell the time to the first token.",
            RUN_AND_RECORD,
            "result",
        ),
    )
    timeout_s: float | None = option(
        None, Option(SECONDS, "Seconds for one attempt.", RUN_AND_RECORD, "habit", word="timeout")
    )
    deadline_s: float | None = option(
        None,
        Option(
            SECONDS,
            "Seconds for one completion, with all its attempts.",
            RUN_AND_RECORD,
            "habit",
            word="deadline",
            default_text="600",
        ),
    )
    max_connections: int | None = option(
        None,
        Option(
            COUNT,
            "Requests under way at once, per model; at most its max_connections in lve.yaml.",
            EVERYWHERE,
            "pace",
            at_most=lambda caps: DEFAULT_MAX_CONNECTIONS,
            short="-j",
            default_text=f"that, or {DEFAULT_MAX_CONNECTIONS}",
        ),
    )
    max_tests: int = option(
        DEFAULT_MAX_TESTS,
        Option(
            COUNT,
            "Tests under way at once, per model.",
            RUN_AND_RECORD,
            "pace",
            at_most=lambda caps: DEFAULT_MAX_TESTS,
            default_text=str(DEFAULT_MAX_TESTS),
        ),
    )
    instances: tuple[str, ...] = option(
        (),
        Option(
            TEXTS,
            "Only this instances file.",
            RUN_AND_RECORD,
            "result",
            python_type="Sequence[str]",
            python_help="names of instance files; all when empty.",
        ),
    )
    index: int | None = option(
        None, Option(INDEX, "Only this instance of every test, from 0.", RUN_AND_RECORD, "result")
    )
    limit: int | None = option(
        None, Option(COUNT, "Only the first N instances of every test.", RUN_AND_PYTEST, "result")
    )
    repeats: int | None = option(
        None,
        Option(
            COUNT,
            "Execute every instance N times, whatever its test says.",
            RUN_AND_PYTEST,
            "result",
            at_most=lambda caps: caps.repeats,
        ),
    )
    max_cost: float | None = option(
        None,
        Option(
            AMOUNT,
            "Stop before the session costs more US dollars (prices: lve.yaml).",
            RUN_AND_PYTEST,
            "habit",  # as all that limits a session: without it there is no limit
            pytest_word="budget",
            metavar="DOLLARS",
        ),
    )
    max_tokens_total: int | None = option(
        None, Option(COUNT, "Stop before the session takes more tokens, in and out.", RUN, "habit")
    )
    max_requests: int | None = option(
        None,
        Option(
            COUNT, "Stop before the session sends more requests, retries included.", RUN, "habit"
        ),
    )
    use_cache: bool = option(
        True,
        Option(
            FLAG,
            "Neither read nor write the cache.",
            RUN_AND_PYTEST,
            "habit",
            word="no_cache",
            python_help="whether completions are read from the cache and written to it.",
        ),
    )
    refresh: bool = option(False, Option(FLAG, "Write the cache, but don't read it.", RUN, "habit"))
    keep: bool = option(
        True, Option(FLAG, "Whether the session is recorded in `.lve/runs`.", ("python",), "never")
    )
    state: Path | None = option(  # noqa: RUF009 (it is a field)
        None,
        Option(
            PATH,
            "Folder of sessions and cache.",
            RUN_AND_PYTEST,
            "never",  # It is where the session was found.
            word="session_dir",
            default_text=".lve in the workspace",
            python_type="str | Path | None",
        ),
    )
    allow_inconclusive: bool = option(
        False,
        Option(
            FLAG,
            "A test that could not be decided doesn't make the run fail.",
            ("run", "score", "pytest", "python"),
            "never",  # Whether this is good enough is for who asks now.
        ),
    )
    trust: bool = option(
        False,
        Option(
            FLAG,
            "Let the tests' own checker code run. Only for tests that you have read.",
            (*EVERYWHERE, "score"),
            "grant",
        ),
    )

    @property
    def tested(self) -> tuple[str, ...]:
        """The models to test, if the user names any: `--role model=NAME` does it, too."""
        role = self.roles.get("model")
        return self.models or ((role,) if role else ())


DEFAULTS = RunOptions()
OPTIONS: Mapping[str, Option] = {
    item.name: item.metadata["option"] for item in fields(RunOptions) if item.metadata
}
"""Field of `RunOptions` -> its description."""


def word_of(name: str) -> str:
    """Return the word for an option on the command line: `max_cost`, `no_cache`."""
    return OPTIONS[name].word or name


def spelled(name: str) -> str:
    """Return an option as typed on the command line: `--max-cost`, `--no-cache`."""
    return "--" + word_of(name).replace("_", "-")
