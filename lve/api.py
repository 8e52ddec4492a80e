"""Running and loading tests from Python. `lve` exports these functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lve.pipeline.options import RunOptions
    from lve.pipeline.result import RunResult
    from lve.spec.model import Spec


def load(path: str | Path) -> Spec:
    """Load a test.

    Args:
        path: `test.json` or `test.yaml`, or the folder that has one of them.

    Raises:
        SpecError: it can't be used; carries all its problems.
    """
    from lve.spec.load import load_spec

    return load_spec(Path(path))


def discover(paths: str | Path | Sequence[str | Path] = ".") -> Iterator[Path]:
    """Yield the test documents below some paths (files, folders, trees or globs), sorted.

    Raises:
        UsageError: a path doesn't exist.
    """
    from lve.spec.discover import discover as find

    return find([paths] if isinstance(paths, (str, Path)) else paths)


def run(
    tests: str | Path | Spec | Sequence[str | Path | Spec],
    *,
    model: str | Sequence[str] | None = None,
    **options: Any,
) -> RunResult:
    """Run tests and return what came out. From async code use `arun`.

    Args:
        tests: paths (as for `lve run`) or loaded tests.
        model: the model, or several; the tests' own when None.
        options: fields of `lve.pipeline.options.RunOptions`, such as `base_url`, `repeats`,
            `parameters`, `model_args`, `max_connections`, `use_cache`, `trust`, `max_cost`.

    Raises:
        UsageError: a path doesn't exist, a test has no model, or an option can't be used.
        SpecError: `tests` is one path, and that test is invalid. (Among several, invalid tests are
            reported in the result and don't stop the others.)
    """
    import asyncio

    return asyncio.run(arun(tests, model=model, **options))


async def arun(
    tests: str | Path | Spec | Sequence[str | Path | Spec],
    *,
    model: str | Sequence[str] | None = None,
    **options: Any,
) -> RunResult:
    """As `run`, within the running event loop."""
    from lve.pipeline.run import run_tests
    from lve.spec.model import Spec

    several = [tests] if isinstance(tests, (str, Path, Spec)) else list(tests)
    return await run_tests(several, _options(model, options), warn=_warn, keep_results=True)


def assert_passed(result: RunResult) -> None:
    """Check that everything came out as the tests expect.

    Raises:
        AssertionError: it didn't; shows the verdicts, and the first failures with transcripts.
    """
    if not result.passed:
        from lve.reporting.explain import explain

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


def _warn(text: str) -> None:
    import warnings

    warnings.warn(text, stacklevel=2)


def _options(model: str | Sequence[str] | None, given: dict[str, Any]) -> RunOptions:
    from dataclasses import fields

    from lve.errors import UsageError
    from lve.pipeline.options import RunOptions

    known = {field.name for field in fields(RunOptions)} - {"models"}
    unknown = sorted(set(given) - known)
    if unknown:
        raise UsageError(f"unknown option {unknown[0]!r} (known: {', '.join(sorted(known))})")
    models = (model,) if isinstance(model, str) else tuple(model or ())
    return RunOptions(models=models, **given)
