"""The options of a run, each defined in one place.

A field of `RunOptions` has an option's type and default. Its `Option` has the rest: the accepted
values, the help, where it can be given, and whether a resumed session restores it. The command line
(`lve.cli.run.command_options`), pytest (`lve.pytest_plugin.options`), `lve.run`
(`lve.pipeline.sessions.python_arguments`) and resuming (`lve.pipeline.sessions.session_options`)
derive from it. `make docs` writes what must be in a file: the arguments of `lve.run`, the options
in the session's schema and in docs/pytest.md.

So a new option is a field here, or in `lve.options.model_options`, and the code that uses it. One
that leaves out instances has `picks=True`; then estimates and the checks of pass rates know of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from lve.options.model_options import ModelOptions
from lve.options.option import (
    AMOUNT,
    CALIBRATE,
    CHOOSING,
    COUNT,
    EVERYWHERE,
    EXPRESSION,
    FLAG,
    INDEX,
    PATH,
    ROWS,
    RUN,
    RUN_AND_PYTEST,
    RUN_AND_RECORD,
    SHARD,
    TEXT,
    TEXTS,
    Option,
    option,
)

if TYPE_CHECKING:
    from lve.spec.model import Instance, Spec


@dataclass(repr=False, frozen=True, slots=True)
class RunOptions(ModelOptions):
    """How tests are run. The defaults are those of `lve run`.

    Nobody prints them, and every start would write the method for it.
    """

    instances: tuple[str, ...] = option(
        (),
        Option(
            TEXTS,
            "Only this instances file.",
            RUN_AND_RECORD,
            "fixed",
            picks=True,
            python_type="Sequence[str]",
            python_help="names of instance files; all when empty.",
        ),
    )
    index: int | None = option(
        None,
        Option(
            INDEX, "Only this instance of every test, from 0.", RUN_AND_RECORD, "result", picks=True
        ),
    )
    match: str | None = option(
        None,
        Option(
            EXPRESSION,
            "Only what has these words in its path or its parameters (`name=value`): joined by "
            "and, or, not and parentheses.",
            CHOOSING,
            "fixed",
            picks=True,
            short="-k",
        ),
    )
    tags: tuple[str, ...] = option(
        (),
        Option(
            TEXTS,
            "Only tests with this tag; with one of these, where one name has several values.",
            CHOOSING,
            "fixed",
            word="tag",
            metavar="NAME[=VALUE]",
            python_type="Sequence[str]",
        ),
    )
    rows: str | None = option(
        None,
        Option(
            ROWS,
            "Only these instances of every test, counted from 1: 10-20,30.",
            CHOOSING,
            "fixed",
            picks=True,
        ),
    )
    limit: int | None = option(
        None,
        Option(COUNT, "Only the first N instances of every test.", CHOOSING, "result", picks=True),
    )
    sample: int | None = option(
        None,
        Option(
            COUNT,
            "Only N instances of every test, drawn at random: the same each time, wherever they "
            "stand.",
            CHOOSING,
            "fixed",
            picks=True,
        ),
    )
    seed: int = option(
        0,
        Option(INDEX, "Draw another --sample.", CHOOSING, "fixed", default_text="0"),
    )
    failed_in: str | None = option(
        None,
        Option(
            TEXT,
            "Only what failed in a session: its id, the beginning of it, or `last`. With --model, "
            "against another model.",
            CHOOSING,
            "not_stored",  # The session that runs them says which it was.
            metavar="SESSION",
        ),
    )
    picked: Callable[[Spec, Instance], bool] | None = None
    """Whether an instance is one that `failed_in` asks for, where tests are only looked at."""
    shard: str | None = option(
        None,
        Option(
            SHARD,
            "Only this part of the instances, such as 3/8: the same on every machine. `lve merge` "
            "joins the sessions of all parts.",
            RUN_AND_PYTEST,
            "fixed",
            picks=True,
        ),
    )
    ray: str | None = option(
        None,
        Option(
            TEXT,
            "Run the instances on a Ray cluster: at this address, or on the cores of this machine; "
            "`off`: here, whatever the settings say.",
            RUN,
            "not_stored",  # a session's file names no machines
            metavar="[ADDRESS]",
            flag_value="local",
        ),
    )
    repeats: int | None = option(
        None,
        Option(
            COUNT,
            "Execute every instance N times, whatever its test says.",
            RUN_AND_PYTEST,
            "fixed",
            at_most=lambda caps: caps.repeats,
        ),
    )
    fail_fast: int | None = option(
        None,
        Option(
            COUNT,
            "Stop after N instances that failed or ended in an error (a test with a pass rate: "
            "when it failed).",
            RUN_AND_PYTEST,
            "kept",
            metavar="[N]",
            flag_value="1",
        ),
    )
    max_cost: float | None = option(
        None,
        Option(
            AMOUNT,
            "Stop before the session costs more US dollars (prices: lve.yaml).",
            (*RUN_AND_PYTEST, "score", CALIBRATE),
            "kept",  # as all that limits a session: without it there is no limit
            pytest_word="budget",
            metavar="DOLLARS",
        ),
    )
    max_tokens_total: int | None = option(
        None,
        Option(
            COUNT,
            "Stop before the session takes more tokens, in and out.",
            (*RUN, CALIBRATE),
            "kept",
        ),
    )
    max_requests: int | None = option(
        None,
        Option(
            COUNT,
            "Stop before the session sends more requests, retries included.",
            (*RUN, CALIBRATE),
            "kept",
        ),
    )
    use_cache: bool = option(
        True,
        Option(
            FLAG,
            "Neither read nor write the cache.",
            (*RUN_AND_PYTEST, CALIBRATE),
            "kept",
            word="no_cache",
            python_help="whether completions are read from the cache and written to it.",
        ),
    )
    refresh: bool = option(
        False, Option(FLAG, "Write the cache, but don't read it.", (*RUN, CALIBRATE), "kept")
    )
    keep: bool = option(
        True,
        Option(FLAG, "Whether the session is recorded in `.lve/runs`.", ("python",), "not_stored"),
    )
    state: Path | None = option(  # noqa: RUF009 (it is a field)
        None,
        Option(
            PATH,
            "Folder of sessions and cache.",
            (*RUN_AND_PYTEST, CALIBRATE),
            "not_stored",  # It is where the session was found.
            word="session_dir",
            default_text=".lve in the workspace",
            python_type="str | Path | None",
        ),
    )
    baseline: Path | None = option(  # noqa: RUF009 (it is a field)
        None,
        Option(
            PATH,
            "Compare the session with this baseline; a significant regression fails it.",
            RUN_AND_PYTEST,
            "not_stored",  # It is for who asks now.
            metavar="FILE",
            python_type="str | Path | None",
        ),
    )
    allow_inconclusive: bool = option(
        False,
        Option(
            FLAG,
            "A test that could not be decided doesn't make the run fail.",
            ("run", "score", "pytest", "python"),
            "not_stored",  # Whether this is good enough is for who asks now.
        ),
    )
    trust: bool = option(
        False,
        Option(
            FLAG,
            "Let the tests' own code (checkers, tools) and the settings' tool servers run. Only "
            "for what you have read.",
            (*EVERYWHERE, "score", CALIBRATE),
            "given_again",
        ),
    )


SEED_ALONE = (
    "{} draws another sample, and no sample is asked for: give {} N, too (the model's seed is a "
    "model arg: `--model-arg seed=N`, or `default_model_args` of a test)"
)
"""What is wrong with a seed that nothing uses, in words for both options."""
DEFAULTS = RunOptions()
OPTIONS: Mapping[str, Option] = {
    item.name: item.metadata["option"] for item in fields(RunOptions) if item.metadata
}
"""Field of `RunOptions` -> its description."""
PICKING = tuple(name for name, about in OPTIONS.items() if about.picks)
"""Fields that can leave out some of a test's instances."""


def word_of(name: str) -> str:
    """Return the word for an option on the command line: `max_cost`, `no_cache`."""
    return OPTIONS[name].word or name


def variables_of(name: str) -> tuple[str, ...]:
    """Return the environment variables for an option, as the command line and pytest call it."""
    words = dict.fromkeys((word_of(name), OPTIONS[name].pytest_word or word_of(name)))
    return tuple(f"LVE_{word.upper()}" for word in words)


def spelled(name: str) -> str:
    """Return an option as typed on the command line: `--max-cost`, `--no-cache`."""
    return "--" + word_of(name).replace("_", "-")
