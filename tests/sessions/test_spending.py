"""What a session has spent, over all its runs."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from support.results import make_result, make_transcript

from lve.checkers.questions import Answer
from lve.execution.budgets.budget import Amount
from lve.messages import Completion, Transcript, Usage
from lve.options.run_options import RunOptions
from lve.pipeline.engine import Engine
from lve.sessions.instance_result import InstanceResult
from lve.sessions.spending import (
    LEDGER_FILE,
    Ledger,
    Spending,
    amount_in_ledger,
    ledger_file,
    spent_by_killed,
)
from lve.spec.settings_file import load_workspace

CAPPED = RunOptions(max_requests=1000)
NO_CAP = RunOptions()


def one_request(line: int = 1, **changes: Any) -> InstanceResult:
    """A result of one request, 7 tokens and 1 cent."""
    return make_result(line=line, cost=0.01, **changes)


def spending_of(engine: Engine, info: dict[str, Any] | None = None) -> Spending:
    return Spending(engine.models.budget, engine.models.completers, info)


def run(
    root: Path,
    info: dict[str, Any],
    *,
    earlier: list[InstanceResult],
    results: list[InstanceResult],
    failed_attempts: int = 0,
    options: RunOptions = CAPPED,
) -> dict[str, Any]:
    """Return what `session.json` says of the spending after one more run."""
    engine = Engine(load_workspace(root), options, warn=pytest.fail)
    engine.prepare_model("dummy/dummy")
    spending = spending_of(engine, info)
    for result in earlier:
        spending.add_previous(result, is_final=True)
    spending.begin()
    for result in results:
        spending.add(result)
    made = len([result for result in results if not result.cached])
    traffic = engine.models.completers["dummy/dummy"].traffic
    traffic.requests += made + failed_attempts
    traffic.cost += made * 0.01
    traffic.prompt_tokens += made * 7
    spent = engine.models.budget.spent
    if options is CAPPED:
        spent.requests += made + failed_attempts
        spent.cost += made * 0.01
        spent.tokens += made * 7
    return spending.to_json()


@pytest.mark.parametrize("options", [CAPPED, NO_CAP])
def test_a_run_says_what_it_spent_and_what_of_that_no_result_accounts_for(
    root: Path, options: RunOptions
) -> None:
    results = [one_request(1), one_request(2)]
    said = run(root, {}, earlier=[], results=results, failed_attempts=8, options=options)
    assert said["spent"] == {"cost": 0.02, "tokens": 14, "requests": 10}
    assert said["spent_unrecorded"] == {"cost": 0.0, "tokens": 0, "requests": 8}


@pytest.mark.parametrize("options", [CAPPED, NO_CAP])
def test_a_killed_run_loses_only_what_it_spent_beside_its_results(
    root: Path, options: RunOptions
) -> None:
    first = [one_request(1), one_request(2)]
    info = run(root, {}, earlier=[], results=first, failed_attempts=8)
    in_journal = [*first, *(one_request(line) for line in range(3, 8))]
    spending = spending_of(Engine(load_workspace(root), CAPPED, warn=pytest.fail), info)
    for result in in_journal:
        spending.add_previous(result, is_final=True)
    assert (spending.before.requests, spending.before.tokens) == (15, 49)
    more = run(root, info, earlier=in_journal, results=[], options=options)
    assert more["spent"]["requests"] == 15
    assert more["spent_unrecorded"] == info["spent_unrecorded"]


def test_an_error_that_ran_again_still_counts(root: Path) -> None:
    engine = Engine(load_workspace(root), CAPPED, warn=pytest.fail)
    spending = spending_of(engine)
    spending.add_previous(one_request(1), is_final=True)
    for line in (2, 3):
        spending.add_previous(one_request(line, verdict="error"), is_final=False)
    spending.begin()
    assert engine.models.budget.spent.requests == 3
    spending.add(one_request(3, verdict="error"))  # it didn't get its turn
    said = spending.to_json()
    assert said["spent"]["requests"] == 3
    assert said["spent_unrecorded"]["requests"] == 1, "the line of the other is replaced"


def test_what_came_from_the_cache_took_nothing(root: Path) -> None:
    cached = Completion("hello", cached=True)
    transcript = Transcript(make_transcript().messages, (cached,), filled=(1,))
    from_cache = make_result(transcripts=(transcript,), cached=True, cost=0.0)
    said = run(root, {}, earlier=[from_cache], results=[from_cache])
    assert said["spent"] == asdict(Amount())


def test_answers_to_checkers_count_unless_they_came_from_the_cache(root: Path) -> None:
    def answer(**changes: Any) -> Answer:
        completion = Completion("yes", usage=Usage(3, 2), **changes)
        return Answer(str(changes), "judge", "m", completion, cost=None if changes else 0.5)

    failed = Answer("failed", "judge", "m", problem="overloaded")
    result = make_result(transcripts=(), cost=None, asked=(answer(), answer(cached=True), failed))
    spending = spending_of(Engine(load_workspace(root), CAPPED, warn=pytest.fail))
    spending.add_previous(result, is_final=True)
    assert spending.before == Amount(0.5, 5, 1)


def test_a_run_that_never_began_changes_nothing(root: Path) -> None:
    engine = Engine(load_workspace(root), CAPPED, warn=pytest.fail)
    spending = spending_of(engine, {"spent_unrecorded": {"requests": 8}})
    spending.add_previous(one_request(), is_final=True)
    assert spending.to_json() == {}


@pytest.mark.parametrize(
    ("at_least", "begins", "known"),
    [
        (Amount(), False, True),
        (Amount(), True, True),
        (Amount(requests=1), False, False),  # only the ledger has that, so it has to stay
        (Amount(requests=1), True, True),
    ],
)
def test_the_ledger_of_a_run_that_never_began_says_more_than_its_session(
    root: Path, at_least: Amount, *, begins: bool, known: bool
) -> None:
    spending = spending_of(Engine(load_workspace(root), CAPPED, warn=pytest.fail))
    spending.at_least(at_least)
    if begins:
        spending.begin()
    assert spending.is_known is known


@pytest.mark.parametrize("delete", [True, False])
def test_a_closed_ledger_holds_no_file_open(tmp_path: Path, *, delete: bool) -> None:
    file = tmp_path / LEDGER_FILE
    ledger = Ledger(file, Amount)
    number = ledger._handle
    for _ in range(2):  # the second time, the number may be another file's
        ledger.close(delete=delete)
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(number)
    assert file.exists() is not delete


def test_what_was_under_way_when_a_run_was_killed_counts(tmp_path: Path) -> None:
    spent = Amount(0.5, 10, 2)
    Ledger(tmp_path / LEDGER_FILE, lambda: Amount(10.0, 100, 20)).write()
    Ledger(tmp_path / LEDGER_FILE, lambda: spent).write()
    assert amount_in_ledger(tmp_path / LEDGER_FILE) == spent
    engine = Engine(load_workspace(tmp_path), CAPPED, warn=pytest.fail)
    spending = spending_of(engine, {})
    spending.add_previous(one_request(), is_final=True)
    spending.at_least(amount_in_ledger(tmp_path / LEDGER_FILE))
    spending.begin()
    assert engine.models.budget.spent == spent
    assert spending.to_json()["spent_unrecorded"] == {
        "cost": 0.49,
        "tokens": 3,
        "requests": 1,
    }


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"cost": -1}', '{"cost": "1"}', '{"cost": NaN}', '{"price": 1}']
)
def test_a_damaged_ledger_says_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / LEDGER_FILE).write_text(content)
    assert amount_in_ledger(tmp_path / LEDGER_FILE) == Amount()


def test_a_session_that_ended_in_order_has_no_ledger(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / LEDGER_FILE, Amount)
    ledger.write()
    ledger.close(delete=True)
    assert amount_in_ledger(tmp_path / LEDGER_FILE) == Amount()
    assert list(tmp_path.iterdir()) == []


def test_a_killed_process_spent_what_its_ledger_or_its_results_say(tmp_path: Path) -> None:
    results = [one_request(1), one_request(2)]
    file = ledger_file(tmp_path, "gw0")
    for under_way, requests in ((Amount(), 2), (Amount(1.0, 100, 5), 5)):
        Ledger(file, lambda under_way=under_way: under_way).write()  # type: ignore[misc]
        said = spent_by_killed(file, results)
        assert said["spent"]["requests"] == requests
        assert said["spent_unrecorded"]["requests"] == requests - 2


def test_requests_are_counted_beside_the_amount(tmp_path: Path) -> None:
    file = tmp_path / LEDGER_FILE
    ledger = Ledger(file, lambda: Amount(0.5, 10, 2))
    ledger.sent = 7
    ledger.count()
    assert amount_in_ledger(file) == Amount(requests=8)
    ledger.write()
    assert amount_in_ledger(file) == Amount(0.5, 10, 8)
    ledger.count()
    ledger.close(delete=False)
    assert amount_in_ledger(file) == Amount(0.5, 10, 9)
    assert len(file.read_bytes()) < 256


def test_many_requests_are_counted_by_few_writes_and_never_too_few(tmp_path: Path) -> None:
    file = tmp_path / LEDGER_FILE
    ledger = Ledger(file, Amount)
    counts = []
    for _ in range(10_000):
        ledger.count()
        counts.append(amount_in_ledger(file).requests)
    ledger.close(delete=False)
    assert all(sent <= noted <= sent * 1.01 for sent, noted in enumerate(counts, 1))
    assert len({*counts}) < 600
