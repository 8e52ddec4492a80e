"""What is tried in an environment."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pythons.claims import ROOT
from pythons.environment import Environment, FailedError

COLLECTION = "repository"
_NEEDED = (COLLECTION, "checkers", "schemas")
_WHERE = "import lve; print(lve.__file__)"
_PASSED = re.compile(r"^(?:.*\D)?(\d+) passed", re.MULTILINE)
WORKERS = ("-n", "auto", "--maxprocesses", "8", "--dist", "worksteal")

TESTS_OF_EXTRAS = {
    "bedrock": ["tests/extensions/bedrock"],
    "inspect": ["tests/extensions/importing/inspect_logs"],
    "pandas": ["tests/extensions/reports/test_frame.py"],
    "xlsx": ["tests/extensions/reports/test_xlsx.py"],
    "pii": ["tests/extensions/leaks/test_pii_checker.py"],
    "hf": ["tests/extensions/hf"],
    "datasets": [
        "tests/extensions/parquet/test_reading.py",
        "tests/extensions/reports/test_parquet.py",
    ],
    "retrievers": ["tests/extensions/opencompass/retrievers"],
    "sql": ["tests/extensions/formats/test_sql.py"],
    "git": ["tests/extensions/revisions"],
    "fast": ["tests/execution/test_event_loop.py", "tests/cli/run/test_command_interrupts.py"],
    "mcp": ["tests/extensions/mcp/test_servers.py", "tests/extensions/mcp/test_in_runs.py"],
    "ray": ["tests/extensions/ray/test_ray_launcher.py"],
    "postgres": ["tests/extensions/store"],
    "site": ["tests/extensions/site"],
    "metrics": [
        "tests/extensions/similarity/test_metrics.py",
        "tests/checkers/library/test_examples.py",
    ],
}
"""Extra -> the tests that use it."""


def replay(env: Environment) -> None:
    """Start a workspace, and judge the recorded answers of repository/ with the command and with
    pytest, far from the sources of lve.

    Raises:
        FailedError: something doesn't work.
    """
    with _workspace() as folder:
        where = env.run("python", "-c", _WHERE, cwd=folder).strip()
        if not Path(where).is_relative_to(env.folder):
            raise FailedError(f"lve comes from {where}, and not from the wheel")
        env.run("lve", "run", COLLECTION, "--model", "replay", cwd=folder)
        printed = env.run("pytest", COLLECTION, "--lve-replay", "-q", cwd=folder)
        _require_passed(printed)
    with tempfile.TemporaryDirectory() as empty:
        env.run("lve", "init", cwd=Path(empty))
        env.run("lve", "check", ".", cwd=Path(empty))
        env.run("lve", "run", ".", "--model", "replay", cwd=Path(empty))


def quick_suite(env: Environment) -> None:
    """Run the tests of `make quick` with the installed wheel.

    Raises:
        FailedError: a test fails.
    """
    _run_tests(env, ["--quick", *WORKERS])


def tests_of(env: Environment, extra: str) -> None:
    """Run the tests of an extra.

    Raises:
        FailedError: one fails, or none can be run.
    """
    _run_tests(env, ["-n", "2", *TESTS_OF_EXTRAS[extra]])


def _run_tests(env: Environment, args: Sequence[str]) -> None:
    """Run tests; those that fail, once more and alone, as `make test` does."""
    with tempfile.TemporaryDirectory() as folder:  # the usual one is that of all runs of a user
        options = ("-q", "-r", "fE", "-o", f"cache_dir={env.folder / 'cache'}")
        try:
            first = env.run("pytest", *options, f"--basetemp={folder}/1", *args, cwd=ROOT)
        except FailedError as error:
            again = ("--last-failed", "--last-failed-no-failures", "none", *_without_workers(args))
            try:
                env.run("pytest", *options, f"--basetemp={folder}/2", *again, cwd=ROOT)
            except FailedError as second:
                raise FailedError(f"{error}\n{second}") from None
        else:
            _require_passed(first)


def _without_workers(args: Sequence[str]) -> list[str]:
    return [one for one in args if one.startswith(("tests/", "--quick"))]


def _require_passed(printed: str) -> None:
    """Raise FailedError if every test was skipped."""
    if not _PASSED.search(printed):
        raise FailedError(f"no test has passed:\n{printed}")


@contextmanager
def _workspace() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for needed in _NEEDED:
            shutil.copytree(ROOT / needed, folder / needed)
        shutil.copy(ROOT / "pyproject.toml", folder)
        yield folder
