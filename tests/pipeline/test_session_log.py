"""What a session writes of itself, whoever hands it its work."""

from __future__ import annotations

import subprocess
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

import pytest
from support.folders import workspace, write_sums
from support.results import make_result

from lve.checkers.questions import Answer
from lve.errors import SessionError
from lve.execution.budgets.budget import Amount
from lve.messages import Completion
from lve.models.scripted import ScriptedModel
from lve.options.run_options import RunOptions
from lve.pipeline.engine import Engine
from lve.pipeline.resources.share import SessionPart, Share
from lve.pipeline.session_log import SessionLog
from lve.sessions.session_file import new_id
from lve.sessions.spending import LEDGER_FILE, Ledger, amount_in_ledger
from lve.settings.model_settings import ModelSettings, Price
from lve.settings.settings import Settings
from lve.spec.load import load_spec
from lve.verdicts.summary import Summary
from lve.workspace import Workspace


def engine(root: Path, settings: Settings | None = None, **options: Any) -> Engine:
    place = Workspace(workspace(root), settings or Settings())
    return Engine(place, RunOptions(**options), warn=pytest.fail)


def test_tests_that_come_while_it_runs_are_written_at_the_end(tmp_path: Path) -> None:
    spec = load_spec(write_sums(workspace(tmp_path) / "sums", 1))
    log = SessionLog.begin(engine(tmp_path))
    assert log.folder is not None
    assert "tests" not in log.folder.info()
    log.note(spec, "replay")
    log.finish()
    log.end("complete", Summary())
    info = log.folder.info()
    assert (list(info["tests"]), info["models"], info["paths"]) == (
        ["sums"],
        ["replay"],
        [str(spec.file)],
    )
    assert "unfinished" not in info


def test_a_session_says_in_which_surroundings_it_runs(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    for line in ("init -q", "-c user.name=a -c user.email=a@b commit -q --allow-empty -m x"):
        subprocess.run(["git", "-C", str(root), *line.split()], check=True)
    settings = Settings(roles={"judge": "dummy/dummy"})
    log = SessionLog.begin(engine(tmp_path, settings, max_requests=7))
    assert log.folder is not None
    info = log.folder.info()
    assert "lve" in info["versions"]
    assert info["git"] is not None
    assert len(info["git"]["commit"]) == 40
    assert info["options"]["max_requests"] == 7
    assert info["roles"] == {"judge": "dummy/dummy"}
    log.finish()


def test_tests_that_are_known_at_the_beginning_stay(tmp_path: Path) -> None:
    known = {"tests": {"a": {"document": "1"}}, "models": ["replay"], "paths": ["a"]}
    log = SessionLog.begin(engine(tmp_path), **known)
    log.finish()
    log.end("interrupted", Summary())
    assert log.folder is not None
    again = SessionLog.resume(engine(tmp_path), log.folder)
    assert again.status_before == "interrupted"
    again.finish()
    again.end("complete", Summary())
    info = log.folder.info()
    assert {name: info[name] for name in known} == known
    assert info["unfinished"] == []


@pytest.mark.parametrize("earlier", [0, 2])
def test_a_session_that_goes_on_counts_on(tmp_path: Path, earlier: int) -> None:
    log = SessionLog.begin(engine(tmp_path))
    for line in range(1, earlier + 1):
        log.spending.add_previous(make_result(line=line), is_final=True)
    log.start()
    assert log.folder is not None
    assert log._ledger is not None
    log._ledger.count()
    assert amount_in_ledger(log.folder.path / LEDGER_FILE).requests == earlier + 1
    log.finish()


def test_an_end_that_cannot_be_written_is_silent_only_after_a_failure(tmp_path: Path) -> None:
    log = SessionLog.begin(engine(tmp_path))
    log.finish()
    assert log.folder is not None
    (log.folder.path / "session.json").unlink()
    log.end("failed", Summary())  # what it failed with is on its way
    with pytest.raises(SessionError):
        log.end("complete", Summary())


def test_a_session_that_cannot_be_resumed_leaves_its_journal_free(tmp_path: Path) -> None:
    log = SessionLog.begin(engine(tmp_path))
    log.end("interrupted", Summary())
    assert log.folder is not None
    (log.folder.path / "session.json").unlink()
    with pytest.raises(SessionError):
        SessionLog.resume(engine(tmp_path), log.folder)
    log.folder.open_journal().close()


def test_a_session_that_is_not_kept_writes_nothing(tmp_path: Path) -> None:
    log = SessionLog.begin(engine(tmp_path, keep=False))
    log.finish()
    log.end("complete", Summary())
    assert log.folder is None
    assert not (tmp_path / ".lve").exists()


def test_a_resumed_run_that_never_begins_forgets_nothing_that_was_spent(tmp_path: Path) -> None:
    killed = SessionLog.begin(engine(tmp_path))
    killed.end("interrupted", Summary())
    assert killed.folder is not None
    spent = Amount(0.5, 10, 2)
    Ledger(killed.folder.path / LEDGER_FILE, lambda: spent).write()
    again = SessionLog.resume(engine(tmp_path, max_cost=1.0), killed.folder)
    again.finish()
    again.end("failed", Summary())
    assert amount_in_ledger(killed.folder.path / LEDGER_FILE) == spent


def test_a_session_is_held_until_it_says_how_it_ended(tmp_path: Path) -> None:
    log = SessionLog.begin(engine(tmp_path))
    assert log.folder is not None
    log.finish()
    with pytest.raises(SessionError, match="another process"):
        log.folder.open_journal()
    log.end("complete", Summary())
    log.folder.open_journal().close()


class Stubborn(ScriptedModel):
    """A model whose server takes no temperature."""

    sent_differently: ClassVar = {"left_out": ["temperature"]}


def test_how_requests_were_changed_is_kept_for_the_models_of_all_runs(tmp_path: Path) -> None:
    earlier = {"a": {"renamed": {"max_tokens": "max_completion_tokens"}}}
    log = SessionLog.begin(engine(tmp_path), sent=earlier)
    log.end("interrupted", Summary())
    assert log.folder is not None
    now = engine(tmp_path, own_models={"b": Stubborn([])})
    now.prepare_model("b")
    again = SessionLog.resume(now, log.folder)
    again.finish()
    again.end("complete", Summary())
    assert log.folder.info()["sent"] == {**earlier, "b": Stubborn.sent_differently}


def test_of_several_processes_the_first_writes_what_the_session_begins_with(
    tmp_path: Path,
) -> None:
    session, asked = new_id(datetime.now(UTC)), []

    def begin(name: str) -> SessionLog:
        def begun_with() -> dict[str, Any]:
            asked.append(name)
            return {"tests": {"t": {"document": name}}, "models": ["replay"], "paths": ["t"]}

        part = SessionPart(session, name, Share(2))
        return SessionLog.begin(engine(tmp_path), part=part, begun_with=begun_with)

    logs = [begin("gw0"), begin("gw1")]
    folder = logs[0].folder
    assert folder is not None
    assert asked == ["gw0"]
    assert folder.info()["tests"] == {"t": {"document": "gw0"}}
    for log in logs:
        log.finish()
        log.end("complete", Summary())


def test_a_judge_of_cached_answers_is_paid_for_once(tmp_path: Path) -> None:
    now = engine(tmp_path, own_models={"judge": ScriptedModel([])})
    now.prepare_model("judge")
    log = SessionLog.begin(now)
    log.spending.begin()
    now.models.completers["judge"].traffic.cost = 0.5
    now.models.completers["judge"].traffic.requests = 1
    answer = Answer("key", "judge", "judge", Completion("yes"), cost=0.5)
    log.append(make_result(transcripts=(), cached=True, asked=(answer,)))
    log.finish()
    log.end("interrupted", Summary())
    assert log.folder is not None
    info = log.folder.info()
    assert info["spent"] == {"cost": 0.5, "tokens": 0, "requests": 1}
    assert info["spent_unrecorded"] == asdict(Amount()), "a resumed session would count it twice"


def test_the_ledger_of_a_session_without_a_budget_follows_its_results(tmp_path: Path) -> None:
    priced = Settings(models={"m": ModelSettings(price=Price(1.0, 1.0))})
    now = engine(tmp_path, priced, own_models={"m": ScriptedModel([])})
    now.prepare_model("m")
    log = SessionLog.begin(now)
    log.spending.begin()
    now.models.completers["m"].traffic.cost = 0.25
    log.append(make_result(model="m", cost=0.25))
    assert log.folder is not None
    assert amount_in_ledger(log.folder.path / LEDGER_FILE).cost == 0.25
    log.finish()
    log.end("complete", Summary())
