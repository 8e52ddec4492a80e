"""The progress line."""

from __future__ import annotations

import io
from functools import partial

import pytest

from lve.cli.run.progress import (
    ERASE_LINE,
    ProgressFacts,
    ProgressLine,
    describe_progress,
    fit_progress,
)


@pytest.mark.parametrize(
    ("facts", "rate", "expected"),
    [
        (ProgressFacts(), 0.0, "0 done · 0 passed, 0 failed · 0.0/s · 0 in flight"),
        (
            ProgressFacts(done=3, passed=2, failed=1, in_flight=4, limit=64, maximum=64),
            1.25,
            "3 done · 2 passed, 1 failed · 1.2/s · 4 in flight",
        ),
        (
            ProgressFacts(done=3, failed=3, expected_failures=2, maximum=64, limit=64),
            1.25,
            "3 done · 0 passed, 1 failed, 2 failed as expected · 1.2/s · 0 in flight",
        ),
        (
            ProgressFacts(
                done=50,
                total=200,
                passed=40,
                failed=5,
                errors=4,
                inconclusive=1,
                tokens=123_456,
                cost=0.5,
                in_flight=8,
                limit=9,
                maximum=64,
                waits={"timeout": 3, "rate limit of the settings": 0},
            ),
            25.0,
            "█████░░░░░░░░░░░░░░░ 50/200 · 40 passed, 5 failed, 4 errors, 1 inconclusive · 25/s"
            " · ETA 0:06 · 123k tokens · $0.5000"
            " · 8 in flight (limit 9 of 64: the server is overloaded) · 3 wait: timeout",
        ),
    ],
)
def test_describe(facts: ProgressFacts, rate: float, expected: str) -> None:
    assert describe_progress(facts, rate) == expected


BUSY = ProgressFacts(
    done=141,
    total=300,
    passed=138,
    failed=2,
    errors=1,
    tokens=1410,
    cost=1.551,
    in_flight=7,
    limit=7,
    maximum=10,
    waits={"rate_limit": 5},
)


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (
            170,
            "141 of 300 · 138 passed, 2 failed, 1 error · 53/s · ETA 0:03 · 1410 tokens · $1.5510"
            " · 7 in flight (limit 7 of 10: the server is overloaded) · 5 wait: rate_limit",
        ),
        (
            79,
            "141/300  ✓138 ✗2 !1  53/s  ETA 0:03  ↑7/7  ↻5 rate_limit  1410 tok  $1.55",
        ),
        (70, "141/300  ✓138 ✗2 !1  53/s  ETA 0:03  ↑7/7  ↻5 rate_limit  1410 tok"),
        (5, "141/3"),
    ],
)
def test_a_narrow_line_says_in_few_letters_what_matters(width: int, expected: str) -> None:
    assert fit_progress(BUSY, 53.0, width) == expected


def test_a_stream_without_symbols_gets_plain_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    for plain, expected in ((True, " 7 in flight "), (False, "+138 x2 !1  ")):
        clock = partial(next, iter((0.0, 100.0)))
        line = ProgressLine(lambda: BUSY, stream=stream, clock=clock, plain=plain)
        line.update()
        assert expected in stream.buffer.getvalue().decode()


def test_long_waits_are_told_in_hours() -> None:
    facts = ProgressFacts(done=1, total=10_001)
    assert "ETA 2:46:40" in describe_progress(facts, 1.0)


def test_a_log_gets_whole_lines_and_few_of_them() -> None:
    now = 100.0
    stream = io.StringIO()
    facts = ProgressFacts(done=5, total=20, passed=5, in_flight=4)
    line = ProgressLine(lambda: facts, stream=stream, clock=lambda: now, plain=True)
    for _ in range(25 * 10):
        line.update()
        now += 0.1
    line.clear()
    first, second = stream.getvalue().splitlines()
    assert first == "lve: 5 of 20 · 5 passed, 0 failed · 0.5/s · ETA 0:30 · 4 in flight"
    assert second.startswith("lve: 5 of 20")


def test_a_log_gets_a_line_every_ten_seconds() -> None:
    stream = io.StringIO()
    clock = partial(next, iter((0.0, 9.75, 10.0, 19.75, 20.0, 20.25)))
    line = ProgressLine(lambda: BUSY, stream=stream, clock=clock, plain=True)
    for expected in (0, 1, 1, 2, 2):
        line.update()
        assert stream.getvalue().count("\n") == expected


def test_the_rate_is_that_of_this_session_from_its_start_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    stream = io.StringIO()
    times = iter((1_000.0, 1_004.0))
    facts = ProgressFacts(done=110, total=120, passed=110)
    ProgressLine(lambda: facts, stream=stream, clock=partial(next, times), already_done=50).update()
    assert " · 15/s · ETA 0:01 · " in stream.getvalue()


def test_a_line_leaves_the_last_column_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal would begin another line, which isn't erased."""
    whole = describe_progress(BUSY, 53.0)
    for columns, fits in ((len(whole), False), (len(whole) + 1, True)):
        monkeypatch.setenv("COLUMNS", str(columns))
        stream = io.StringIO()
        clock = partial(next, iter((0.0, BUSY.done / 53)))
        ProgressLine(lambda: BUSY, stream=stream, clock=clock).update()
        assert (whole in stream.getvalue()) is fits


@pytest.mark.parametrize(
    ("done", "total", "filled"),
    [(0, 200, 0), (9, 200, 0), (10, 200, 1), (199, 200, 19), (200, 200, 20), (230, 200, 20)],
)
def test_the_bar_is_as_long_as_the_work_is_done(done: int, total: int, filled: int) -> None:
    bar = describe_progress(ProgressFacts(done=done, total=total), 1.0).partition(" ")[0]
    assert bar == "█" * filled + "░" * (20 - filled)


@pytest.mark.parametrize(("rate", "shown"), [(0.0, "0.0/s"), (9.94, "9.9/s"), (10.0, "10/s")])
def test_a_slow_pace_has_a_decimal(rate: float, shown: str) -> None:
    assert f" · {shown} · " in describe_progress(ProgressFacts(done=1), rate)


def test_at_most_ten_updates_a_second() -> None:
    now = 100.0
    stream = io.StringIO()
    line = ProgressLine(lambda: ProgressFacts(done=1), stream=stream, clock=lambda: now)
    for _ in range(100):
        line.update()
        now += 0.01
    assert stream.getvalue().count("done") == 10


def test_at_most_ten_updates_a_second_however_often_it_makes_way() -> None:
    now = 100.0
    stream = io.StringIO()
    line = ProgressLine(lambda: ProgressFacts(done=1), stream=stream, clock=lambda: now)
    for _ in range(100):
        line.update()
        line.clear()
        now += 0.01
    assert stream.getvalue().count("done") == 10


def test_clear_leaves_nothing_behind() -> None:
    stream = io.StringIO()
    line = ProgressLine(ProgressFacts, stream=stream, clock=lambda: 1.0)
    line.update()
    line.clear()
    line.clear()
    assert stream.getvalue().endswith("in flight\r\x1b[2K")


def test_a_line_is_erased_before_another_stream_is_written() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    line = ProgressLine(lambda: BUSY, stream=stream, clock=partial(next, iter((0.0, 100.0))))
    line.update()
    line.clear()
    assert stream.buffer.getvalue().endswith(ERASE_LINE.encode())
