"""Whatever is raised for one test becomes that test's error, reported in one line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from lve.error_boundary import error_boundary, with_error_boundary
from lve.errors import LveError, UnexpectedError, UsageError
from lve.json_types import json_type


class Untellable(Exception):
    """An exception whose text can't be had."""

    def __str__(self) -> str:
        raise ValueError("no text either")


def endless(depth: int = 0) -> int:
    """Recurse without end."""
    return endless(depth + 1) + 1


def out_of_memory() -> None:
    """Want more than any machine has."""
    bytearray(1 << 62)


def hostile() -> None:
    """Raise a text that takes several lines and talks to the terminal."""
    raise KeyError("a\nb\x1b[31m" + "x" * 10_000)


def untellable() -> None:
    """Raise an exception without a text."""
    raise Untellable


@pytest.mark.parametrize(
    ("bug", "name"),
    [
        (endless, "RecursionError"),
        (out_of_memory, "MemoryError"),
        (hostile, "KeyError"),
        (untellable, "Untellable"),
        (lambda: str(10**5000), "ValueError"),
        (lambda: next(iter(())), "StopIteration"),
    ],
)
def test_any_exception_becomes_one_short_line(bug: Callable[[], object], name: str) -> None:
    with pytest.raises(UnexpectedError) as caught, error_boundary("filling the prompts"):
        bug()
    said = str(caught.value)
    assert said.startswith(f"an unexpected {name} while filling the prompts, in ")
    assert said.endswith("this is a bug in lve, please report it; LVE_TRACEBACK=1 shows more")
    assert len(said) < 400
    assert said.isprintable()


def test_the_line_says_where_in_lve() -> None:
    with (
        pytest.raises(UnexpectedError, match=r", in lve/json_types\.py:\d+"),
        error_boundary("x"),
    ):
        json_type(Unhashable())


class Unhashable:
    """What json_types doesn't know how to name."""

    @property  # type: ignore[misc] # that is the point
    def __class__(self) -> type:
        raise RuntimeError("no class")


@pytest.mark.parametrize("error", [UsageError("no"), LveError("no")])
def test_what_lve_raises_on_purpose_passes(error: LveError) -> None:
    with pytest.raises(LveError) as caught, error_boundary("x"):
        raise error
    assert caught.value is error


@pytest.mark.parametrize("ending", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_what_ends_the_process_or_the_task_passes(ending: type[BaseException]) -> None:
    with pytest.raises(ending), error_boundary("x"):
        raise ending


def use(items: Iterator[int]) -> None:
    """Meet a bug of one's own with the first item."""
    for item in items:
        raise KeyError(item)


def test_only_the_making_of_items_lies_within() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise RuntimeError("broken")

    found = with_error_boundary(items(), "reading")
    assert next(found) == 1
    with pytest.raises(UnexpectedError, match="RuntimeError while reading"):
        next(found)
    with pytest.raises(KeyError):
        use(with_error_boundary([1], "reading"))


def test_a_traceback_is_written_where_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for asked in ("", "0", "1"):
        monkeypatch.setenv("LVE_TRACEBACK", asked)
        with pytest.raises(UnexpectedError), error_boundary("x"):
            raise RuntimeError("\x1b[31mred")
        said = capsys.readouterr().err
        assert ("Traceback" in said) == (asked == "1")
        assert "\x1b" not in said


def test_a_traceback_has_no_keys(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LVE_TRACEBACK", "1")
    monkeypatch.setenv("MY_API_KEY", "aB3dE5fG7hI9jK1l")
    with pytest.raises(UnexpectedError) as caught, error_boundary("x"):
        raise RuntimeError("x" * 110 + "aB3dE5fG7hI9jK1l")
    said = capsys.readouterr().err
    assert "[redacted]" in said
    assert "aB3dE5fG" not in said + str(caught.value)
