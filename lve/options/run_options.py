"""The options of a run, each defined in one place.

A field of `RunOptions` has the option's type and default; its `Option` has the rest. The command
line (`lve.cli.run.command_options`), pytest (`lve.pytest_plugin.options`), `lve.run`
(`lve.options.python_arguments`) and resuming (`lve.sessions.stored_options`) are derived from it,
and `lve.options.values` converts and refuses values for all of them. `make docs` writes what must
be in a file: `lve.options.run_arguments`, and the options in the session's schema and in
docs/pytest.md.

So a new option is a field here, or in `lve.options.model_options`, and the code that uses it. If
it can leave out instances, it has `picks=True`: estimates and checks of pass rates need to know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lve.data_classes import dataclass, declared_fields
from lve.options.model_options import BaselineOptions
from lve.options.option import (
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
    AMOUNT,
    COUNT,
    EXPRESSION,
    FLAG,
    INDEX,
    PATH,
    ROWS,
    SHARD,
    TEXT,
    TEXTS,
)

if TYPE_CHECKING:
    from lve.spec.spec import Instance, Spec


@dataclass(init=False, repr=False, eq=False, frozen=True, slots=True)
class ChoosingOptions(BaselineOptions):
    """Which tests and rows run. A base class of `RunOptions`, as `BaselineOptions` is."""

    instances: tuple[str, ...] = option(
        (),
        Option(
            TEXTS,
            "Only the rows of this file in the tests' instances folders.",
            RUN_AND_RECORD,
            "fixed",
            picks=True,
            python_type="Sequence[str]",
            python_help="names of files in instances/; all when empty.",
        ),
    )
    index: int | None = option(
        None,
        Option(INDEX, "Only this row of every test, from 0.", RUN_AND_RECORD, "fixed", picks=True),
    )
    match: str | None = option(
        None,
        Option(
            EXPRESSION,
            "Only tests and rows with these words in the path or the parameters "
            "(`name=value`), joined by and, or, not and parentheses.",
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
            "Only tests with this tag. Values of the same name are alternatives.",
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
            "Only these rows of every test, counted from 1, such as 10-20,30.",
            CHOOSING,
            "fixed",
            picks=True,
        ),
    )
    limit: int | None = option(
        None, Option(COUNT, "Only the first N rows of every test.", CHOOSING, "fixed", picks=True)
    )
    sample: int | None = option(
        None,
        Option(
            COUNT,
            "Only N rows of every test, drawn at random, always the same.",
            CHOOSING,
            "fixed",
            picks=True,
        ),
    )
    seed: int = option(
        0, Option(INDEX, "Draw another --sample.", CHOOSING, "fixed", default_text="0")
    )
    failed_in: str | None = option(
        None,
        Option(
            TEXT,
            "Only what failed in this session: its id, the beginning of its id, or `last`. With "
            "--model, run against another model.",
            CHOOSING,
            "not_stored",  # the new session records the other one's id itself
            metavar="SESSION",
        ),
    )
    picked: Callable[[Spec, Instance], bool] | None = None
    """Returns whether `failed_in` selects an instance, for verbs that don't run tests."""
    shard: str | None = option(
        None,
        Option(
            SHARD,
            "Only this part of the rows, such as 3/8; it is the same on every machine. `lve "
            "session merge` joins the sessions of all parts.",
            RUN_AND_PYTEST,
            "fixed",
            picks=True,
        ),
    )


@dataclass(repr=False, frozen=True, slots=True)
class RunOptions(ChoosingOptions):
    """How tests are run. The defaults are those of `lve run`. It has no `__repr__`: generating one
    would slow down every start."""

    ray: str | None = option(
        None,
        Option(
            TEXT,
            "Run the rows on a Ray cluster: the one at this address, or all cores of this "
            "machine; `off`: no cluster, whatever the settings say.",
            RUN,
            "not_stored",  # a session's file must not name machines
            metavar="[ADDRESS]",
            flag_value="local",
        ),
    )
    repeats: int | None = option(
        None,
        Option(
            COUNT,
            "Run every row N times, whatever its test says.",
            RUN_AND_PYTEST,
            "fixed",
            at_most=lambda caps: caps.repeats,
        ),
    )
    fail_fast: int | None = option(
        None,
        Option(
            COUNT,
            "Stop after N results that failed or ended in an error; a test with a pass rate "
            "counts once, when it has failed.",
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
            "Stop before the session costs more than this, in US dollars (prices: lve.yaml).",
            (*RUN_AND_PYTEST, "score", CALIBRATE),
            "kept",  # like all limits: a resumed session must not lose its limit
            pytest_word="budget",
            metavar="DOLLARS",
        ),
    )
    max_tokens_total: int | None = option(
        None,
        Option(
            COUNT,
            "Stop before the session uses more tokens than this, in and out.",
            (*RUN_AND_PYTEST, CALIBRATE),
            "kept",
        ),
    )
    max_requests: int | None = option(
        None,
        Option(
            COUNT,
            "Stop before the session sends more requests than this, retries included.",
            (*RUN_AND_PYTEST, CALIBRATE),
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
    state: Path | None = option(
        None,
        Option(
            PATH,
            "Folder of sessions and cache.",
            (*RUN_AND_PYTEST, CALIBRATE),
            "not_stored",  # a resumed session is already in it
            word="session_dir",
            default_text=".lve in the workspace",
            python_type="str | Path | None",
        ),
    )
    allow_inconclusive: bool = option(
        False,
        Option(
            FLAG,
            "Don't fail because of inconclusive tests.",
            ("run", "score", "pytest", "python"),
            "not_stored",  # a question of the current invocation
        ),
    )
    strict_models: bool = option(
        False, Option(FLAG, "Run nothing if a test's model can't be used.", RUN, "not_stored")
    )
    trust: bool = option(
        False,
        Option(
            FLAG,
            "Let the tests' own code (checkers, tools) and the settings' tool servers and "
            "applications run. Only for code that you have read.",
            (*EVERYWHERE, "score", CALIBRATE),
            "given_again",
        ),
    )


SEED_ALONE = (
    "{} draws another sample, and no sample is asked for: give {} N, too (the model's seed is a "
    "model arg: `--model-arg seed=N`, or `default_model_args` of a test)"
)
"""Message about a seed that has no effect; takes the spelling of both options."""
DEFAULTS = RunOptions()
OPTIONS: Mapping[str, Option] = {
    name: field.metadata["option"]
    for name, field in declared_fields(RunOptions).items()
    if field.metadata
}
"""Field of `RunOptions` -> its description."""
PICKING = tuple(name for name, about in OPTIONS.items() if about.picks)
"""Fields that can leave out some of a test's instances."""


def word_of(name: str) -> str:
    """Return the option's name on the command line, without dashes: `max_cost`, `no_cache`."""
    return OPTIONS[name].word or name


def variables_of(name: str) -> tuple[str, ...]:
    """Return the environment variables that set an option, by its names on the command line and in
    pytest."""
    words = dict.fromkeys((word_of(name), OPTIONS[name].pytest_word or word_of(name)))
    return tuple(f"LVE_{word.upper()}" for word in words)


def spelled(name: str) -> str:
    """Return an option as it is typed on the command line: `--max-cost`, `--no-cache`."""
    return "--" + word_of(name).replace("_", "-")
