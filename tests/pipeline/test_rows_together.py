"""Rows whose answers are in the cache or have come in one turn of the loop are run together: none
takes another with it, holds it up, or is lost."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import workspace, write_sums
from support.judges import yes
from support.killing import KilledRun
from support.openai_answers import sum_or_echo
from support.server import model_server

from lve.errors import BudgetError, SessionError
from lve.execution.stop import FAIL_FAST, Stopped
from lve.messages import Completion, Message, Role, Transcript
from lve.options.run_options import RunOptions
from lve.pipeline.engine import BUDGET, Engine
from lve.sessions.instance_result import InstanceResult
from lve.workspace import Workspace

ANSWER = Transcript((Message("?", Role.user),), (Completion("!"),))


async def waits(log: list[Any], name: Any) -> Any:
    log.append(f"{name} begins")
    await asyncio.sleep(0)
    return name


async def stopped(log: list[Any], name: Any) -> Any:
    log.append(f"{name} begins")
    raise Stopped("failure")


async def answers(log: list[Any], name: Any) -> Transcript:
    log.append(f"{name} asks")
    await asyncio.sleep(0)
    return ANSWER


class Rows:
    """An engine, whose rows are texts: what happens when they are looked up, and judged."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.engine = Engine(Workspace(workspace(root)), RunOptions(keep=False), warn=pytest.fail)
        self.log: list[Any] = []
        self.engine._run = self._look_up
        monkeypatch.setattr("lve.pipeline.engine.judged_or_later", self._judge)

    def _look_up(self, _: object, row: Any, number: int) -> Any:
        if row == "asks":
            return waits(self.log, number)
        if row.startswith("fresh"):
            return answers(self.log, number)
        if row == "lookup fails":
            raise SessionError("no lookup")
        if row == "no budget":
            raise BudgetError("spent")
        return ANSWER

    def _judge(self, _: object, row: Any, number: int, __: object) -> Any:
        if row.startswith("fresh"):
            self.log.append(f"{number} judged")
        if row == "judge fails":
            raise SessionError("no judge")
        if row in ("long", "fresh, long"):
            return waits(self.log, number)
        if row == "is stopped":
            return stopped(self.log, number)
        return InstanceResult("t", "m", "s", number, 0, {}, "passed", row)

    def run_each(
        self,
        *rows: str,
        done: Callable[[Any], None] | None = None,
        act: Callable[[list[asyncio.Task[Any]]], object] | None = None,
    ) -> list[Any]:
        """Execute rows at once, each by a worker of its own; return what happened. `act` is called
        with the workers when all have their answers."""

        def passed_on(result: Any) -> None:
            (done or (lambda _: None))(result)
            self.log.append(result.line if isinstance(result, InstanceResult) else result)

        async def work(number: int, row: str) -> None:
            jobs: Any = [(None, row, number, passed_on)]
            _, rest = self.engine._execute(jobs)
            assert rest is not None
            await rest
            self.log.append(f"{number} goes on")

        async def execute() -> list[Any]:
            workers = [asyncio.create_task(work(*each)) for each in enumerate(rows)]
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            if act is not None:
                act(workers)
            return await asyncio.wait_for(asyncio.gather(*workers, return_exceptions=True), 60)

        self.log += [str(error) for error in asyncio.run(execute()) if error is not None]
        return self.log

    def run(self, *rows: str, done: Callable[[Any], None] | None = None) -> tuple[int, list[Any]]:
        """Execute rows together; return how many were begun, and what happened in which order: the
        number of a row that is done, and the error."""

        def passed_on(result: Any) -> None:
            (done or (lambda _: None))(result)
            self.log.append(result.line if isinstance(result, InstanceResult) else result)

        async def execute() -> int:
            jobs: Any = [(None, row, number, passed_on) for number, row in enumerate(rows)]
            begun, rest = self.engine._execute(jobs)
            if rest is not None:
                await rest
            return begun

        begun = len(rows)
        try:
            begun = asyncio.run(execute())
        except (SessionError, Stopped) as error:
            self.log.append(str(error))
        return begun, self.log


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rows:
    return Rows(tmp_path, monkeypatch)


def test_rows_are_passed_on_in_their_order_up_to_the_one_that_asks(rows: Rows) -> None:
    assert rows.run("", "", "asks", "", "") == (3, [0, 1, "2 begins", 2])


def test_rows_that_wait_do_so_at_once_and_hold_up_no_other(rows: Rows) -> None:
    _, log = rows.run("long", "", "long", "", "asks")
    assert log == [1, 3, "0 begins", "2 begins", "4 begins", 0, 2, 4]


@pytest.mark.parametrize(
    ("failing", "error"), [("lookup fails", "no lookup"), ("judge fails", "no judge")]
)
def test_what_goes_wrong_with_a_row_takes_no_other_with_it(
    rows: Rows, failing: str, error: str
) -> None:
    _, log = rows.run("", "long", "", failing)
    assert log == [0, 2, "1 begins", 1, error]


def test_rows_after_one_that_cannot_be_judged_have_their_results(rows: Rows) -> None:
    assert rows.run("judge fails", "", "long")[1] == [1, "2 begins", 2, "no judge"]


def test_an_error_is_raised_rather_than_that_it_has_stopped_others(rows: Rows) -> None:
    assert rows.run("is stopped", "judge fails")[1] == ["0 begins", "no judge"]


def test_a_budget_that_is_spent_stops_the_session(rows: Rows) -> None:
    assert rows.run("", "no budget")[1] == [0, BUDGET]
    assert rows.engine.stopped_by == "spent"


def test_a_result_that_stops_the_session_is_the_last_one(rows: Rows) -> None:
    def stop(result: InstanceResult) -> None:
        if result.line == 1:
            rows.engine.stop(FAIL_FAST, "1 failure")

    assert rows.run("", "", "", "", done=stop)[1] == [0, 1]


def test_nothing_is_written_or_sent_after_a_result_that_cannot_be_written(rows: Rows) -> None:
    def full_disk(result: InstanceResult) -> None:
        if result.line == 1:
            raise SessionError("the disk is full")

    rows.run("", "", "", "asks", done=full_disk)
    assert rows.log == [0, "3 begins", "the disk is full"]
    assert rows.engine.stop_signal.reason == "failure", "the model's completer looks at it"


def test_answers_that_come_together_are_judged_then_passed_on_then_workers_go_on(
    rows: Rows,
) -> None:
    log = rows.run_each("fresh", "fresh, long", "fresh")
    assert log[3:] == [
        *("0 judged", "1 judged", "2 judged"),
        *(0, 2),
        *("0 goes on", "1 begins", "2 goes on"),
        *(1, "1 goes on"),
    ]


def test_the_only_answer_waits_for_no_other(rows: Rows) -> None:
    log = rows.run_each("fresh", act=lambda _: rows.log.append("a turn later"))
    assert log == ["0 asks", "0 judged", 0, "0 goes on", "a turn later"]


def test_a_row_that_is_given_up_is_not_judged_and_takes_no_other_with_it(rows: Rows) -> None:
    log = rows.run_each("fresh", "fresh", act=lambda workers: workers[0].cancel())
    assert log[2:] == ["1 judged", 1, "1 goes on", ""]


def test_answers_that_came_with_one_that_stops_the_session_are_kept(rows: Rows) -> None:
    log = rows.run_each("fresh", "fresh", done=lambda _: rows.engine.stop(FAIL_FAST, "1 failure"))
    assert log[2:] == ["0 judged", "1 judged", 0, 1, "0 goes on", "1 goes on"]


def test_no_worker_goes_on_before_a_result_that_cannot_be_written_has_stopped_all(
    rows: Rows,
) -> None:
    reasons: list[str | None] = []

    def full_disk(result: InstanceResult) -> None:
        reasons.append(rows.engine.stop_signal.reason)
        if result.line == 1:
            raise SessionError("the disk is full")

    log = rows.run_each("fresh", "fresh", "fresh", done=full_disk)
    assert log[6:] == [0, 2, "0 goes on", "2 goes on", "the disk is full"]
    assert reasons == [None, None, "failure"]


def test_results_that_come_together_are_written_at_once_before_workers_go_on(rows: Rows) -> None:
    rows.engine.hold = lambda is_held: rows.log.append("held" if is_held else "written")
    log = rows.run_each("fresh", "fresh, long", "fresh")
    assert log[6:12] == ["held", 0, 2, "written", "0 goes on", "1 begins"]


def test_no_worker_goes_on_if_results_cannot_be_written(rows: Rows) -> None:
    def hold(is_held: bool) -> None:
        if not is_held:
            raise SessionError("the disk is full")

    rows.engine.hold = hold
    log = rows.run_each("fresh", "fresh, long", "fresh")
    assert log[6:] == [0, 2, "1 begins", 1, "1 goes on", *["the disk is full"] * 2]
    assert rows.engine.stop_signal.reason == "failure"


class OddError(BaseException):
    """No `Exception`, as pytest's."""


@pytest.mark.parametrize("error", [SessionError("no"), OddError("no"), StopIteration("no")])
@pytest.mark.parametrize("part", ["judged", "passed on"])
def test_no_worker_waits_for_ever_whatever_goes_wrong_with_another_row(
    rows: Rows, monkeypatch: pytest.MonkeyPatch, error: BaseException, part: str
) -> None:
    def judge(_: object, row: Any, number: int, __: object) -> Any:
        if number == 0 and part == "judged":
            raise error
        return InstanceResult("t", "m", "s", number, 0, {}, "passed", row)

    def pass_on(result: InstanceResult) -> None:
        if result.line == 0:
            raise error

    monkeypatch.setattr("lve.pipeline.engine.judged_or_later", judge)
    log = rows.run_each("fresh", "fresh", "fresh", done=pass_on)
    assert log[3:7] == [1, 2, "1 goes on", "2 goes on"]
    assert len(log) == 8, "the error is the first row's own"


def test_a_row_that_is_given_up_while_others_are_passed_on_stops_none_of_these(rows: Rows) -> None:
    workers: list[asyncio.Task[Any]] = []

    def cancel(result: InstanceResult) -> None:
        if result.line == 0:
            workers[1].cancel()

    log = rows.run_each("fresh", "fresh", "fresh", done=cancel, act=workers.extend)
    assert log[6:] == [0, 1, 2, "0 goes on", "2 goes on", ""]
    assert rows.engine.stop_signal.reason is None


@pytest.mark.filterwarnings("error")
def test_a_row_that_is_given_up_before_its_check_asks_leaves_no_warning(rows: Rows) -> None:
    def cancel(workers: list[asyncio.Task[Any]]) -> None:  # as Ctrl-C while answers are judged
        asyncio.get_running_loop().call_soon(workers[1].cancel)

    log = rows.run_each("fresh", "fresh, long", act=cancel)
    gc.collect()
    assert log[2:] == ["0 judged", "1 judged", 0, "0 goes on", ""]


def lines(root: Path) -> list[dict[str, Any]]:
    """Return the results of the latest session, in the order of its journal."""
    folder = max((root / ".lve" / "runs").iterdir(), key=lambda path: path.name)
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def test_checks_that_ask_a_model_are_asked_at_once_after_rows_that_never_wait(root: Path) -> None:
    """All 16 rows of the group have their answers in the cache, and none its judge's."""
    write_sums(root / "a", 31)
    prompt = [{"role": "user", "content": "Compute {a} + {b}."}]
    write_sums(root / "b", 16, prompt=prompt)
    with model_server(sum_or_echo) as server, model_server(yes(), hold_until=12) as judge:
        settings = {"j": {"base_url": judge.url, "model": "j"}}
        roles = {"judge": "j"}
        (root / "lve.yaml").write_text(json.dumps({"models": settings, "roles": roles}))
        at = ["--model", "openai/m", "--base-url", server.url, "--max-tests", "1"]
        lve("run", ".", *at)
        write_sums(root / "b", 16, prompt=prompt, checker_args=None, check={"judge": "Is {a}."})
        lve("run", ".", *at)
        assert judge.stats()["max_in_flight"] >= 12
    assert [line["test"] for line in lines(root)] == ["a"] * 31 + ["b"] * 16


def test_checks_that_ask_a_model_are_asked_at_once_after_answers_that_come_together(
    root: Path,
) -> None:
    write_sums(root / "t", 16, checker_args=None, check={"judge": "Is {a}."})
    with (
        model_server(sum_or_echo, hold_until=16) as server,
        model_server(yes(), hold_until=16) as judge,
    ):
        settings = {"j": {"base_url": judge.url, "model": "j"}}
        (root / "lve.yaml").write_text(json.dumps({"models": settings, "roles": {"judge": "j"}}))
        lve("run", "t", "--model", "openai/m", "--base-url", server.url, "-j", "16")
        assert judge.stats()["max_in_flight"] == 16


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_rows_that_were_judged_and_not_written_are_judged_again(root: Path) -> None:
    write_sums(root / "t", 1500)
    with model_server(sum_or_echo) as server:
        at = ["--base-url", server.url]
        lve("run", "t", "--model", "openai/m", *at)
        before = {*root.glob(".lve/runs/*")}
        run = KilledRun("t", "--model", "openai/m", *at)
        while not any(map(_has_results, {*root.glob(".lve/runs/*")} - before)):
            assert run.is_running
            time.sleep(0.001)
        run.kill()
        killed = len(lines(root))
        code, _, _ = call("run", "--resume", "last", *at)
        assert len(server.requests) == 1500
    assert (code, killed < 1500) == (0, True)
    assert [line["line"] for line in lines(root)] == [*range(1, 1501)]


def _has_results(folder: Path) -> bool:
    file = folder / "results.jsonl"
    return file.exists() and file.stat().st_size > 0


def test_a_check_that_takes_long_holds_up_no_row_that_is_run_with_it(root: Path) -> None:
    write_sums(root / "t", 60)
    endless = "sum(1 for i in range(10**9)) if a == '20' else 1 // (a != '25')"
    with model_server(sum_or_echo) as server:
        at = ["--model", "openai/m", "--base-url", server.url, "-j", "1"]
        lve("run", "t", *at)
        checker = {"checker_name": "LambdaChecker", "func": f"lambda r, a, b: {endless}"}
        write_sums(root / "t", 60, checker_args=checker)
        lve("run", "t", *at, code=3)
    verdicts = {line["line"]: line["verdict"] for line in lines(root)}
    order = [*verdicts]
    assert [line for line in order if verdicts[line] != "passed"] == [26, 21]
    assert order.index(21) > order.index(31), "the last one of those that are run with it"
