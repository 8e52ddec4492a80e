"""`--lve-shard`: each session is a part of what pytest has selected."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.command_line import call, lve
from support.pytest_runs import against, collected, sessions
from support.same_reports import timeless_report
from support.server import Received, model_server

from lve.errors import LveError

Write = Callable[..., Path]
MANY = [("Paris", True)] * 24


def answer(request: Received) -> str:
    return "Lyon" if request.prompt.endswith(("3?", "7?")) else "Paris"


@pytest.fixture
def mixed(pytester: pytest.Pytester, write_test: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Passes, failures, known weaknesses, skips, pass rates, and rows of a data set."""
    write_test("a", MANY)
    write_test("b", MANY[:5], expect="fail")
    write_test("c", MANY[:4], skip="not now")
    rate = {"pass_rate": ">=0.5", "max_repeats": 8}
    write_test("d", MANY[:4], expect=rate, default_model_args={"temperature": 1})
    write_test("e", MANY, expect={"pass_rate": ">=0.5", "max_repeats": 1})
    data = write_test("f", (), dataset="rows.csv")
    rows = "".join(f"France {n}\n" for n in range(100, 140))
    (data / "rows.csv").write_text(f"country\n{rows}", encoding="utf-8")
    monkeypatch.chdir(pytester.path)


def session_of(pytester: pytest.Pytester, *args: str) -> str:
    """Run pytest and return the ID of its session."""
    before = {info["session"] for info in sessions(pytester)}
    pytester.runpytest(*args)
    (new,) = {info["session"] for info in sessions(pytester)} - before
    return str(new)


def merged(*names: str) -> str:
    """Merge sessions and return the ID of the new one."""
    return call("session", "merge", *names)[1].strip()


@pytest.mark.usefixtures("mixed")
@pytest.mark.parametrize(
    "more", [(), ("-n2",), ("-k", "repository/a or repository/f")], ids=["plain", "xdist", "-k"]
)
def test_merged_shards_are_what_a_single_session_is(
    pytester: pytest.Pytester, more: tuple[str, ...]
) -> None:
    is_spread = "-n2" in more
    more = (*more, "-o", "lve_max_items=10", "--lve-no-cache")
    count = 2 if is_spread else 3
    with model_server(answer) as server:
        alone = ("-n0",) if is_spread else ()  # test_workers.py: workers record the same
        whole = session_of(pytester, *against(server.url, *more, *alone))
        asked = sorted(request.prompt for request in server.requests)
        server.requests.clear()
        parts = [
            session_of(pytester, *against(server.url, f"--lve-shard={n}/{count}", *more))
            for n in range(1, count + 1)
        ]
        assert sorted(request.prompt for request in server.requests) == asked
    state = pytester.path / ".lve"
    one = merged(*parts)
    assert timeless_report(one, state) == timeless_report(whole, state)
    infos = {info["session"]: info for info in sessions(pytester)}
    for same in ("status", "tests", "models", "selected", "spent"):
        assert infos[one][same] == infos[whole][same], same
    assert "shard" not in infos[one]["options"]


@pytest.mark.usefixtures("mixed")
def test_all_machines_collect_the_same_ids(pytester: pytest.Pytester) -> None:
    every = collected(pytester, "repository")
    parts = [collected(pytester, "repository", f"--lve-shard={n}/2") for n in (1, 2)]
    assert all(set(part) < set(every) for part in parts)
    assert set(parts[0]) | set(parts[1]) == set(every)
    both = set(parts[0]) & set(parts[1])
    assert both == {"repository/e/test.json::pass-rate"}, "its instances run on both"
    assert not sessions(pytester)


def test_a_chunk_of_rows_keeps_its_name(pytester: pytest.Pytester, write_test: Write) -> None:
    data = write_test("f", (), dataset="rows.csv")
    rows = "".join(f"France {n}\n" for n in range(40))
    (data / "rows.csv").write_text(f"country\n{rows}", encoding="utf-8")
    ids = collected(pytester, "repository", "-o", "lve_max_items=20", "--lve-shard=1/2")
    assert [one.partition("::")[2] for one in ids] == ["rows-2-21", "rows-22-41"]


@pytest.mark.parametrize(("more", "count"), [((), 3), (("-n1",), 2)], ids=["plain", "xdist"])
def test_a_shard_without_items_has_a_session(
    pytester: pytest.Pytester,
    write_test: Write,
    monkeypatch: pytest.MonkeyPatch,
    more: tuple[str, ...],
    count: int,
) -> None:
    write_test("a")
    monkeypatch.chdir(pytester.path)
    shards = [f"--lve-shard={n}/{count}" for n in range(1, count + 1)]
    codes = [pytester.runpytest("repository", shard, *more).ret for shard in shards]
    assert sorted(codes) == [0, *[5] * (count - 1)]
    code, name, told = call("session", "merge", *(info["session"] for info in sessions(pytester)))
    assert (code, f"merged {count} shards: 1 test: 1 passed" in told) == (0, True)
    whole = session_of(pytester, "repository")
    state = pytester.path / ".lve"
    assert timeless_report(name.strip(), state) == timeless_report(whole, state)


@pytest.mark.usefixtures("mixed")
def test_shards_of_different_selections_are_refused(pytester: pytest.Pytester) -> None:
    options = ("repository", "--lve-replay")
    first = session_of(pytester, *options, "--lve-shard=1/2", "-k", "repository/a or repository/b")
    second = session_of(pytester, *options, "--lve-shard=2/2", "-k", "repository/a and not 1]")
    with pytest.raises(LveError, match="differ in what pytest selected"):
        call("session", "merge", first, second)
    with pytest.raises(LveError, match=r"missing: shard 2/2.*`--lve-shard 2/2`"):
        call("session", "merge", first)


def test_shards_of_pytest_and_of_lve_run_are_parts_of_one_run(
    pytester: pytest.Pytester, write_test: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_test("a", MANY)
    monkeypatch.chdir(pytester.path)
    first = session_of(pytester, "repository", "--lve-replay", "--lve-shard=1/2")
    call("run", "repository", "--model", "replay", "--shard", "2/2")
    assert "24 passed" in lve("show", merged(first, "last")).stdout


def test_what_is_no_test_of_a_model_runs_in_every_shard(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", MANY)
    pytester.makepyfile(
        """
        def test_plain():
            pass

        def test_all_of_it(lve_run):
            assert len(lve_run("repository/a").results) == 24
        """
    )
    done = [pytester.runpytest(f"--lve-shard={n}/2").parseoutcomes() for n in (1, 2)]
    assert sum(one["passed"] for one in done) == 24 + 2 * 2
    assert sum(one["deselected"] for one in done) == 24


@pytest.mark.usefixtures("mixed")
def test_what_failed_last_differs_from_machine_to_machine(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("repository", "--lve-replay", "--lve-shard=1/2", "--lf")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--lve-shard can't be used with --lf*--lve-failed-in*"])


@pytest.mark.usefixtures("mixed")
def test_a_wrong_shard_is_refused(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("repository", "--lve-shard=4/3")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*'4/3' has no such part*"])


@pytest.mark.usefixtures("mixed")
def test_a_shard_that_stopped_early_goes_on_with_its_own_part(pytester: pytest.Pytester) -> None:
    replay = ("repository", "--lve-replay", "-k", "repository/a or repository/e")
    whole = session_of(pytester, *replay)
    first = session_of(pytester, *replay, "--lve-shard=1/2")
    second = session_of(pytester, *replay, "--lve-shard=2/2")
    folder = pytester.path / ".lve" / "runs" / second
    (folder / "results.jsonl").write_bytes(b"")
    info = json.loads((folder / "session.json").read_text(encoding="utf-8"))
    (folder / "session.json").write_text(json.dumps({**info, "status": "running"}))
    with pytest.raises(LveError, match="hasn't ended"):
        call("session", "merge", first, second)
    call("run", "--resume", second)
    state = pytester.path / ".lve"
    again = timeless_report(merged(first, second), state)
    assert again == timeless_report(whole, state)


def test_a_merged_session_goes_on_where_a_shard_stopped(
    pytester: pytest.Pytester, write_test: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_test("a", [("Lyon", False)] * 12)
    write_test("b", MANY)
    monkeypatch.chdir(pytester.path)
    whole = session_of(pytester, "repository", "--lve-replay")
    first = session_of(pytester, "repository", "--lve-replay", "--lve-shard=1/2", "-x")
    second = session_of(pytester, "repository", "--lve-replay", "--lve-shard=2/2")
    code, name, told = call("session", "merge", first, second)
    assert code == 130
    assert f"a shard ended early (interrupted): `lve run --resume {name.strip()}`" in told
    assert "unfinished: 12 done" not in lve("show", whole).stdout
    assert "go on with: lve run --resume" in lve("show", name.strip()).stdout
    assert call("run", "--resume", name.strip())[0] == 1
    state = pytester.path / ".lve"
    assert timeless_report(name.strip(), state) == timeless_report(whole, state)
