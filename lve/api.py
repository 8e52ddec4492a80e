"""Running and loading tests from Python. `lve` exports these functions."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from lve.caller_warnings import warn_caller

if TYPE_CHECKING:
    from lve.models.chat_model import ChatModel
    from lve.pipeline.result import RunResult
    from lve.prompts.objects.prompt import Prompt
    from lve.spec.model import Spec

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def load(path: str | Path) -> Spec:
    """Load a test.

    Args:
        path: `test.json` or `test.yaml`, or the folder that has one of them.

    Raises:
        SpecError: it can't be used; carries all its problems.
        UsageError: `path` is no path.
    """
    from lve.errors import SpecError
    from lve.pipeline.choosing.all_problems import with_all_problems
    from lve.pipeline.sessions.python_arguments import checked_path
    from lve.spec.load import load_spec

    file = checked_path(path, "path")
    try:
        return load_spec(file)
    except SpecError as error:
        raise with_all_problems(error, file) from None


def discover(paths: str | Path | Sequence[str | Path] = ".") -> Iterator[Path]:
    """Yield the test documents below some paths (files, folders, trees or globs), sorted.

    Raises:
        UsageError: a path doesn't exist.
    """
    from lve.pipeline.sessions.python_arguments import one_or_several
    from lve.spec.discover import discover as find

    return find(one_or_several(paths, "paths"), report=lambda problem: warn_caller(problem.told))


async def arun(
    tests: str | Path | Spec | Sequence[str | Path | Spec],
    *,
    model: str | ChatModel | Sequence[str | ChatModel] | None = None,
    roles: Mapping[str, str] | None = None,
    base_url: str | None = None,
    parameters: Mapping[str, str] | None = None,
    model_args: Mapping[str, Any] | None = None,
    stream: bool = False,
    batch: bool = False,
    timeout_s: float | None = None,
    deadline_s: float | None = None,
    max_connections: int | None = None,
    max_tests: int = 64,
    instances: Sequence[str] = (),
    index: int | None = None,
    match: str | None = None,
    tags: Sequence[str] = (),
    rows: str | None = None,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    failed_in: str | None = None,
    shard: str | None = None,
    ray: str | None = None,
    repeats: int | None = None,
    fail_fast: int | None = None,
    max_cost: float | None = None,
    max_tokens_total: int | None = None,
    max_requests: int | None = None,
    use_cache: bool = True,
    refresh: bool = False,
    keep: bool = True,
    state: str | Path | None = None,
    baseline: str | Path | None = None,
    allow_inconclusive: bool = False,
    trust: bool = False,
) -> RunResult:
    """As `run`, within the running event loop."""
    given = dict(locals())
    from lve.pipeline.run import run_tests
    from lve.pipeline.sessions.python_arguments import checked_options, one_or_several
    from lve.spec.model import Spec

    several = one_or_several(given.pop("tests"), "tests", Spec)
    return await run_tests(several, checked_options(given), warn=warn_caller, keep_results=True)


def _same_arguments(
    function: Callable[Arguments, Coroutine[Any, Any, Result]],
) -> Callable[[Callable[..., Result]], Callable[Arguments, Result]]:
    """Tell type checkers and `help` that a function takes what a coroutine function takes."""

    def decorate(blocking: Callable[..., Result]) -> Callable[Arguments, Result]:
        return update_wrapper(blocking, function, assigned=(), updated=())

    return decorate


@_same_arguments(arun)
def run(*args: Any, **options: Any) -> RunResult:
    """Run tests and return what came out. From async code use `arun`.

    Args:
        tests: paths (as for `lve run`) or loaded tests.
        model: the model, or several; the tests' own when None. A name, or a model that was made in
            Python (`lve.ScriptedModel`, any `lve.ChatModel`).
        roles: role -> model, such as `{'judge': 'openai/gpt-6-luna'}`; win over the settings' own.
        base_url: an OpenAI-compatible server.
        parameters: win over the instances' own; all of a test's make one of their own.
        model_args: win over settings, test and instance; None takes an arg away.
        stream: stream answers: results tell the time to the first token.
        batch: ask the tested models by their batch APIs: for half the price, within a day.
        timeout_s: seconds for one attempt.
        deadline_s: seconds for one completion, with all its attempts. [default: 600]
        max_connections: requests under way at once, per model; at most its max_connections in
            lve.yaml. [default: that, or 64]
        max_tests: tests under way at once, per model.
        instances: names of instance files; all when empty.
        index: only this instance of every test, from 0.
        match: only what has these words in its path or its parameters (`name=value`): joined by
            and, or, not and parentheses.
        tags: only tests with this tag; with one of these, where one name has several values.
        rows: only these instances of every test, counted from 1: 10-20,30.
        limit: only the first N instances of every test.
        sample: only N instances of every test, drawn at random: the same each time, wherever they
            stand.
        seed: draw another --sample.
        failed_in: only what failed in a session: its id, the beginning of it, or `last`. With
            --model, against another model.
        shard: only this part of the instances, such as 3/8: the same on every machine. `lve merge`
            joins the sessions of all parts.
        ray: run the instances on a Ray cluster: at this address, or on the cores of this machine;
            `off`: here, whatever the settings say.
        repeats: execute every instance N times, whatever its test says.
        fail_fast: stop after N instances that failed or ended in an error (a test with a pass rate:
            when it failed).
        max_cost: stop before the session costs more US dollars (prices: lve.yaml).
        max_tokens_total: stop before the session takes more tokens, in and out.
        max_requests: stop before the session sends more requests, retries included.
        use_cache: whether completions are read from the cache and written to it.
        refresh: write the cache, but don't read it.
        keep: whether the session is recorded in `.lve/runs`.
        state: folder of sessions and cache. [default: .lve in the workspace]
        baseline: compare the session with this baseline; a significant regression fails it.
        allow_inconclusive: a test that could not be decided doesn't make the run fail.
        trust: let the tests' own code (checkers, tools) and the settings' tool servers run. Only
            for what you have read.

    Raises:
        UsageError: a path doesn't exist, a test has no model, or an option can't be used.
        SpecError: `tests` is one path, and that test is invalid. (Among several, invalid tests are
            reported in the result and don't stop the others.)
    """
    return _wait_for(arun, "run", args, options)


def assert_passed(result: RunResult) -> None:
    """Check that everything came out as the tests expect.

    Raises:
        AssertionError: it didn't; shows the verdicts, and the first failures with transcripts.
    """
    __tracebackhide__ = True  # pytest shows the caller's line, and not this one
    if not result.passed:
        from lve.reporting.text import explain

        raise AssertionError(explain(result))


def params(paths: str | Path | Sequence[str | Path] = ".") -> list[Any]:
    """Return tests for `pytest.mark.parametrize`, each with its path as id.

    Args:
        paths: files, folders, trees or globs.

    Raises:
        SpecError: a test is invalid.
        UsageError: a path doesn't exist.
    """
    import pytest

    return [pytest.param(spec, id=spec.path) for spec in map(load, discover(paths))]


async def aadapt(
    prompt: Prompt,
    language: str,
    model: str,
    *,
    base_url: str | None = None,
    cache_dir: str | Path | None = None,
) -> Prompt:
    """As `adapt`, within the running event loop."""
    from lve.pipeline.adapting import adapt_prompt

    folder = None if cache_dir is None else Path(cache_dir)
    return await adapt_prompt(
        prompt, language, model, base_url=base_url, cache_dir=folder, warn=warn_caller
    )


@_same_arguments(aadapt)
def adapt(*args: Any, **options: Any) -> Prompt:
    """Translate a prompt's examples with a model, through the cache, retries and limits of
    `lve.run`, save the result and return it.

    Args:
        prompt: it takes the language and the translated examples.
        language: as the model understands it, such as `german`.
        model: a name, as for `lve run`.
        base_url: the model's server, if it isn't the provider's own.
        cache_dir: where prompts are saved; as in `Prompt.save`.

    Raises:
        AdaptError: the model answered badly however often it was asked.
        ModelError: the model could not be reached.
        UnknownModelError: no such model, or its key or endpoint is missing.
    """
    return _wait_for(aadapt, "adapt", args, options)


def _wait_for(
    function: Callable[..., Coroutine[Any, Any, Result]],
    name: str,
    args: tuple[Any, ...],
    options: dict[str, Any],
) -> Result:
    """Call a coroutine function for `lve.<name>`, and wait for what it returns."""
    import asyncio

    from lve.errors import UsageError

    _check_call(function, name, args, options)
    with suppress(RuntimeError):  # no loop is running
        asyncio.get_running_loop()
        raise UsageError(
            f"lve.{name} can't wait inside a running event loop (a notebook has one): "
            f"write `await lve.{function.__name__}(...)`",
            code="event_loop",
        )
    return asyncio.run(function(*args, **options))


def _check_call(
    function: Callable[..., Any], name: str, args: tuple[Any, ...], options: dict[str, Any]
) -> None:
    """Refuse arguments that the function doesn't have, under the name that the caller used."""
    from inspect import signature

    from lve.suggest import did_you_mean

    takes = signature(function)
    try:
        takes.bind(*args, **options)
    except TypeError as error:
        unknown = next((option for option in options if option not in takes.parameters), None)
        hint = did_you_mean(unknown, takes.parameters) if unknown is not None else None
        raise TypeError(f"lve.{name}: {error}" + (f"; {hint}" if hint else "")) from None
