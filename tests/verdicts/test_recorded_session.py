"""A session, read from its folder."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path

import pytest
from support.results import make_result

from lve.errors import SessionError
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_tests import SessionTest, append_tests
from lve.spec.spec import Expectation
from lve.verdicts.recorded_session import RecordedSession

DATA: dict[str, str] = {
    "a/test.yaml": (
        "description: d\nprompt: [{content: hi}]\ncheck: {contains: yes}\nexpect: fail\n"
    ),
    "b/test.yaml": (
        "description: d\nprompt: [{content: hi}]\ncheck: {contains: hi}\n"
        "expect: {pass_rate: '>=0.5'}\nrepeats: 8\n"
    ),
    "c/test.yaml": "description: d\nprompt: [{content: hi}]\ncheck: {contains: hi}\nskip: later\n",
    "d/test.yaml": "description: d\nprompt: [{content: hi}]\nprompt_file: missing.prompt\n",
    "e/test.yaml": "description: d\nprompt_file: no.prompt\ncheck: {contains: hi}\n",
    "lve.yaml": "",
}


def made(
    state: Path, *tests: SessionTest, status: str = "complete", **info: object
) -> SessionFolder:
    folder = SessionFolder.create(state, {"options": {}, **info})
    append_tests(folder.path, tests)
    journal = folder.open_journal()
    for line in (1, 2):
        journal.append(make_result(test="a", model="m", line=line, verdict="failed"))
    journal.close()
    if status != "running":
        folder.update(status=status)
    return folder


def verdicts(folder: SessionFolder) -> dict[str, str]:
    with RecordedSession.of(folder, warn=pytest.fail) as session:
        return {tally.test: tally.verdict()[0] for tally in session.tallies}


def test_a_run_and_its_folder_say_the_same(tmp_path: Path) -> None:
    import lve

    for name, text in DATA.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ran = lve.run(tmp_path, model="dummy/dummy")
    assert ran.folder is not None
    for name in "abcde":  # reports need nothing but the session
        shutil.rmtree(tmp_path / name)
    with RecordedSession.of(ran.folder, warn=pytest.fail) as session:
        assert session.summary.to_json() == ran.summary.to_json()
        assert session.summary.skipped == ran.summary.skipped == {"c": "later"}
        assert session.summary.invalid == ran.summary.invalid
        assert set(ran.summary.invalid) == {"d", "e"}
        verdicts = {key: tally.verdict() for key, tally in session.summary.tallies.items()}
        assert verdicts == {key: tally.verdict() for key, tally in ran.summary.tallies.items()}
        assert session.tests["b", "dummy/dummy"].document == "b/test.yaml"
        assert session.tests["b", "dummy/dummy"].expect.threshold == 0.5
        assert len(list(session.results())) == sum(ran.summary.results().values())


def test_what_a_test_expects_comes_from_the_session(tmp_path: Path) -> None:
    weakness = SessionTest("a", "m", expect=Expectation("fail"))
    assert verdicts(made(tmp_path, weakness)) == {"a": "passed"}
    assert verdicts(made(tmp_path, SessionTest("a", "m"))) == {"a": "failed"}


def test_an_older_session_is_reported_with_a_warning(tmp_path: Path) -> None:
    warned: list[str] = []
    with RecordedSession.of(made(tmp_path), warn=warned.append) as session:
        assert [tally.verdict()[0] for tally in session.tallies] == ["failed"]
        assert session.tests["a", "m"].document is None
    assert "doesn't say what 1 of its tests expect" in warned[0]


@pytest.mark.parametrize(
    ("status", "info", "verdict"),
    [
        ("complete", {}, "passed"),
        ("running", {}, "inconclusive"),
        ("running", {"unfinished": []}, "inconclusive"),
        ("interrupted", {}, "inconclusive"),
        ("interrupted", {"unfinished": [{"test": "a", "model": "m"}]}, "inconclusive"),
        ("interrupted", {"unfinished": [{"test": "z", "model": "m"}]}, "passed"),
    ],
)
def test_an_unfinished_test_has_no_verdict(
    tmp_path: Path, status: str, info: dict[str, object], verdict: str
) -> None:
    weakness = SessionTest("a", "m", expect=Expectation("fail"))
    assert verdicts(made(tmp_path, weakness, status=status, **info)) == {"a": verdict}


def test_a_killed_session_is_reported_from_a_running_one(tmp_path: Path) -> None:
    folder = made(tmp_path, SessionTest("a", "m"), status="running")
    with RecordedSession.of(folder) as session:
        assert (session.status, session.is_running, session.was_cut_short) == (
            "killed",
            False,
            True,
        )
    journal = folder.open_journal()
    with RecordedSession.of(folder) as session:
        assert (session.status, session.is_running) == ("running", True)
    journal.close()


def test_cost_is_that_of_all_runs(tmp_path: Path) -> None:
    folder = SessionFolder.create(tmp_path, {"options": {}, "spent": {"cost": 0.5}})
    journal = folder.open_journal()
    journal.append(make_result(cost=0.25))
    journal.close()
    with RecordedSession.of(folder) as session:
        assert session.cost == 0.5
    folder.update(spent={})
    with RecordedSession.of(folder) as session:
        assert session.cost == 0.25


def test_a_damaged_session_is_one_sentence(tmp_path: Path) -> None:
    folder = made(tmp_path, SessionTest("a", "m"))
    (folder.path / "session.json").write_text("{}")
    with pytest.raises(SessionError, match="has format None"):
        RecordedSession.of(folder)
