"""Running and loading tests from Python. `lve` exports these functions."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, Unpack, cast

from lve.errors import SpecError, UsageError
from lve.execution.event_loop import run_in_loop
from lve.limits.effort import Effort
from lve.options.python_arguments import checked_options, checked_path, one_or_several
from lve.options.run_arguments import RunArguments, signature_with_options
from lve.pipeline.caller_warnings import warn_caller
from lve.pipeline.choosing.all_problems import with_all_problems
from lve.pipeline.choosing.loading import choose_workspace
from lve.settings.settings import Caps
from lve.spec.discover import discover as find
from lve.spec.load import load_spec
from lve.spec.spec import Spec
from lve.suggest import did_you_mean

if TYPE_CHECKING:
    from lve.pipeline.result import RunResult

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def load(path: str | Path) -> Spec:
    """Load a test.

    Args:
        path: `test.json` or `test.yaml`, or the folder that contains it.

    Raises:
        SpecError: the test is invalid; the error has all its problems.
        SlowTestError: reading it takes too long.
        UsageError: `path` isn't a path.
    """
    file = checked_path(path, "path")
    with Effort():
        try:
            return load_spec(file)
        except SpecError as error:
            if not any(problem.code == "app_file" for problem in error.problems):
                raise with_all_problems(error, file) from None
        workspace = choose_workspace([file])
        files = workspace.settings.caps.files
        try:
            return load_spec(file, workspace.root, caps=Caps(files=files))
        except SpecError as error:
            raise with_all_problems(error, file, workspace.root, files) from None


def discover(paths: str | Path | Sequence[str | Path] = ".") -> Iterator[Path]:
    """Yield the paths of all test documents below `paths`, sorted.

    Args:
        paths: files, folders (searched with all folders below them) and globs.

    Raises:
        UsageError: a path doesn't exist.
    """
    return find(
        one_or_several(paths, "paths"),
        report=lambda problem: warn_caller(problem.message_with_code),
    )


async def arun(
    tests: str | Path | Spec | Sequence[str | Path | Spec], **options: Unpack[RunArguments]
) -> RunResult:
    """Do what `run` does, inside a running event loop."""
    from lve.pipeline.run import run_tests

    _check_call(arun, "arun", (tests,), options)
    several = one_or_several(tests, "tests", Spec)
    return await run_tests(several, checked_options(options), warn=warn_caller, keep_results=True)


cast("Any", arun).__signature__ = signature_with_options(arun)


def same_arguments(
    function: Callable[Arguments, Coroutine[object, None, Result]],
) -> Callable[[Callable[..., Result]], Callable[Arguments, Result]]:
    """Return a decorator that copies the signature of `function`, for type checkers and `help`."""

    def decorate(blocking: Callable[..., Result]) -> Callable[Arguments, Result]:
        return update_wrapper(blocking, function, assigned=(), updated=())

    return decorate


@same_arguments(arun)
def run(*args: Any, **options: Any) -> RunResult:
    """Run tests and return their results. From async code, use `arun`.

    Args:
        tests: paths (as for `lve run`) or loaded tests.
        model: the model, or several; the tests' own when None. A name, a function of your
            application, or a model that was made in Python (any `lve.ChatModel`).
        prompts: only these variants of the tests' prompts (`prompts`).
        attacks: names of attacks, separated by commas; the tests' own when None.
        roles: role -> model, such as `{'judge': 'openai/gpt-6-luna'}`; override the settings.
        base_url: an OpenAI-compatible server.
        parameters: override the rows' values; values for all parameters make a row of their own.
        model_args: override settings, test and row; None removes an arg.
        stream: stream answers, so that results have the time to the first token.
        batch: ask the tested models through their batch APIs: half the price, answers within a day.
        timeout_s: time limit of one attempt at a request, in seconds.
        deadline_s: time limit of one completion with all its attempts, in seconds. [default: 600]
        max_connections: concurrent requests per model; at most its max_connections in lve.yaml.
            [default: that, or 64]
        max_tests: concurrent tests per model.
        baseline: compare the results with this baseline; a regression fails the run.
        gate: what is a regression: significant, any (a result that broke), or auto. [default: that
            of lve.yaml, or auto]
        max_broken: how many results may break before it is a regression. [default: as --gate says]
        allow_missing: let results of the baseline be missing, or without a verdict.
        instances: names of files in instances/; all when empty.
        index: only this row of every test, from 0.
        match: only tests and rows with these words in the path or the parameters (`name=value`),
            joined by and, or, not and parentheses.
        tags: only tests with this tag. Values of the same name are alternatives.
        rows: only these rows of every test, counted from 1, such as 10-20,30.
        limit: only the first N rows of every test.
        sample: only N rows of every test, drawn at random, always the same.
        seed: draw another --sample.
        failed_in: only what failed in this session: its id, the beginning of its id, or `last`.
            With --model, run against another model.
        shard: only this part of the rows, such as 3/8; it is the same on every machine. `lve
            session merge` joins the sessions of all parts.
        ray: run the rows on a Ray cluster: the one at this address, or all cores of this machine;
            `off`: no cluster, whatever the settings say.
        repeats: run every row N times, whatever its test says.
        fail_fast: stop after N results that failed or ended in an error; a test with a pass rate
            counts once, when it has failed.
        max_cost: stop before the session costs more than this, in US dollars (prices: lve.yaml).
        max_tokens_total: stop before the session uses more tokens than this, in and out.
        max_requests: stop before the session sends more requests than this, retries included.
        use_cache: whether completions are read from the cache and written to it.
        refresh: write the cache, but don't read it.
        keep: whether the session is recorded in `.lve/runs`.
        state: folder of sessions and cache. [default: .lve in the workspace]
        allow_inconclusive: don't fail because of inconclusive tests.
        strict_models: run nothing if a test's model can't be used.
        trust: let the tests' own code (checkers, tools) and the settings' tool servers and
            applications run. Only for code that you have read.

    Raises:
        UsageError: a path doesn't exist, a test has no model, or an option is invalid.
        SpecError: the only test is invalid. (Of several, the result has those that are invalid.)
    """
    return wait_for(arun, "run", args, options)


def assert_passed(result: RunResult) -> None:
    """Check that every test met its expectation.

    Raises:
        AssertionError: one didn't; the message has the verdicts, and the first failures with their
            transcripts.
    """
    __tracebackhide__ = True  # pytest shows the caller's line instead of this one
    if not result.passed:
        from lve.reporting.text import explain

        raise AssertionError(explain(result))


def params(paths: str | Path | Sequence[str | Path] = ".") -> list[Any]:
    """Return tests for `pytest.mark.parametrize`, each with its path as id.

    Args:
        paths: as for `discover`.

    Raises:
        SpecError: a test is invalid.
        UsageError: a path doesn't exist.
    """
    import pytest

    return [pytest.param(spec, id=spec.path) for spec in map(load, discover(paths))]


def wait_for(
    function: Callable[..., Coroutine[object, None, Result]],
    name: str,
    args: tuple[object, ...],
    options: dict[str, object],
) -> Result:
    """Call `function` for `lve.<name>`, wait for its result and return it."""
    import asyncio

    _check_call(function, name, args, options)
    with suppress(RuntimeError):  # no loop is running
        asyncio.get_running_loop()
        raise UsageError(
            f"lve.{name} can't wait inside a running event loop (a notebook has one): "
            f"write `await lve.{function.__name__}(...)`",
            code="event_loop",
        )
    return run_in_loop(function(*args, **options))


def _check_call(
    function: Callable[..., object],
    name: str,
    args: tuple[object, ...],
    options: Mapping[str, object],
) -> None:
    """Refuse arguments that `function` doesn't have; the error uses the name `lve.<name>`."""
    from inspect import signature

    takes = signature(function)
    try:
        takes.bind(*args, **options)
    except TypeError as error:
        unknown = next((option for option in options if option not in takes.parameters), None)
        hint = did_you_mean(unknown, takes.parameters) if unknown is not None else None
        raise TypeError(f"lve.{name}: {error}" + (f"; {hint}" if hint else "")) from None
