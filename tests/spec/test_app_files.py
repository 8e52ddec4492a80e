"""Files of the application: `@/FOLDER/FILE`, allowed by `files` in the settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from extensions.contributing.contribution import write_contribution, write_repository
from support.command_line import call
from support.folders import workspace, write_test

import lve
from lve.errors import SettingsError, SpecError
from lve.extensions.ray.files import files_of, moved, unpack
from lve.extensions.watching.watch import Snapshot
from lve.pipeline.choosing.loading import choose_workspace, load_test
from lve.prompts.plan import build_plan
from lve.sessions.provenance import hashes_of
from lve.settings.settings import AppFiles
from lve.spec.location import FilePlace, Unusable, is_plain_path, names_in_app, place_of_file

PROMPT, ROWS = "@/app/prompts/triage.txt", "@/data/tickets.csv"


@pytest.fixture
def app(root: Path) -> Path:
    """A workspace with an application, and a test of it in `tests/triage`."""
    workspace(root, "files: [app/prompts, data/]\n")
    (root / "app" / "prompts").mkdir(parents=True)
    (root / "data").mkdir()
    (root / "app" / "prompts" / "triage.txt").write_text("Sort {ticket}.\n")
    (root / "app" / "secret.txt").write_text("the secret")
    (root / "data" / "tickets.csv").write_text("ticket\nrefund\nlogin\n")
    write_test(root / "tests" / "triage", prompt=None, prompt_file=PROMPT, dataset=ROWS)
    return root


def texts(root: Path) -> list[str]:
    """Return what `lve render` would send for the test."""
    code, out, err = call("render", "tests/triage", "--json")
    assert code == 0, err
    instances = json.loads(out)["tests"][0]["instances"]
    return [one["conversations"][0]["messages"][0]["content"] for one in instances]


def test_prompt_and_rows_come_from_the_application(app: Path) -> None:
    assert call("check", "tests")[0] == 0
    result = lve.run("tests/triage", model="dummy/dummy")
    results = [*result.results]
    assert [one.args["ticket"] for one in results] == ["refund", "login"]
    assert {one.source for one in results} == {ROWS}
    assert lve.load("tests/triage").prompts[0].file == app / "app/prompts/triage.txt"


@pytest.mark.parametrize(
    "change", [("app/prompts/triage.txt", "prompts"), ("data/tickets.csv", "data")]
)
def test_the_session_has_their_hashes(app: Path, change: tuple[str, str]) -> None:
    spec = load_test(app / "tests/triage", choose_workspace(["tests"]))
    before, (file, part) = hashes_of(spec), change
    with (app / file).open("a") as stream:
        stream.write("more\n")
    now = hashes_of(spec)
    assert {name for name in now if now[name] != before.get(name)} == {part}


def test_a_changed_prompt_makes_a_recorded_answer_stale(app: Path) -> None:
    assert call("record", "tests/triage", "--model", "dummy/dummy")[0] in (0, 1)
    assert call("run", "tests/triage", "--model", "replay")[0] == 0
    (app / "app/prompts/triage.txt").write_text("Queue for {ticket}?\n")
    code, out, _ = call("run", "tests/triage", "--model", "replay")
    assert (code, "2 stale_recording" in out) == (3, True)


def test_a_changed_row_has_no_recorded_answer(app: Path) -> None:
    call("record", "tests/triage", "--model", "dummy/dummy")
    (app / "data/tickets.csv").write_text("ticket\nother\nlogin\n")
    _, out, _ = call("run", "tests/triage", "--model", "replay")
    assert "1 row is not recorded" in out


def test_a_changed_file_runs_its_test_again_and_no_other(app: Path) -> None:
    write_test(app / "tests" / "other")
    before = Snapshot.take((".",))
    for file in ("app/prompts/triage.txt", "data/tickets.csv"):
        (app / file).write_text("ticket\n{ticket}\n")
        now = Snapshot.take((".",))
        assert [one.parent.name for one in now.changed_since(before)] == ["triage"]
        before = now
    (app / "app/secret.txt").write_text("not allowed, not watched")
    assert not Snapshot.take((".",)).changed_since(before)


def test_a_file_that_comes_back_runs_its_test_again(app: Path) -> None:
    (app / "data/tickets.csv").unlink()
    before = Snapshot.take((".",))
    (app / "data/tickets.csv").write_text("ticket\nnew\n")
    assert [one.parent.name for one in Snapshot.take((".",)).changed_since(before)] == ["triage"]


def test_they_go_to_the_workers_of_a_cluster(app: Path) -> None:
    spec = load_test(app / "tests/triage", choose_workspace(["tests"]))
    files = files_of(spec, ())
    assert files is not None
    there = app / "there"
    unpack(files.packed()[1], there)
    for file in ("app/prompts/triage.txt", "data/tickets.csv"):
        (app / file).unlink()
    plan = build_plan(moved(spec, there))
    assert "Sort" in str(plan.prompts[0].messages[0].content)  # type: ignore[attr-defined]


def test_a_suite_gives_its_rows_to_all_tests_below_it(app: Path) -> None:
    (app / "tests" / "suite.yaml").write_text(f"dataset: '{ROWS}'\n")
    write_test(app / "tests" / "a", prompt="{ticket}")
    write_test(app / "tests" / "b", prompt="{own}", dataset=[{"own": 1}])
    write_test(app / "tests" / "c", dataset=None)
    (app / "tests" / "c" / "test.json").write_text(
        json.dumps({**json.loads((app / "tests/c/test.json").read_text()), "dataset": None})
    )
    write_test(app / "tests" / "d", prompt="{x}", matrix={"x": [1, 2, 3]})
    code, out, err = call("list", "tests", "--json")
    assert code == 0, err
    rows = {one["path"]: one["instances"] for one in json.loads(out)["tests"]}
    assert rows == {
        f"tests/{name}": count for name, count in zip("abcd", (2, 1, 1, 3), strict=True)
    } | {"tests/triage": 2}


def test_a_suite_has_no_files_but_those(app: Path) -> None:
    (app / "tests" / "suite.yaml").write_text("dataset: tickets.csv\n")
    (app / "tests" / "tickets.csv").write_text("ticket\n1\n")
    write_test(app / "tests" / "a", prompt="{ticket}")
    code, out, _ = call("check", "tests/a")
    assert code == 2
    assert "tests/suite.yaml:1:10" in out
    assert "write `@/FOLDER/tickets.csv`" in out


def test_a_contribution_depends_on_no_application(root: Path) -> None:
    folder = write_contribution(write_repository(root))
    (root / "lve.yaml").write_text("files: [data]\n")
    (root / "data").mkdir()
    (root / "data/rows.jsonl").write_text('{"name": "Ana"}\n')
    document = folder / "test.yaml"
    document.write_text(document.read_text() + "dataset: '@/data/rows.jsonl'\n")
    code, out, _ = call("check", "repository", "--contribute")
    assert code != 0
    assert "`@/data/rows.jsonl` is outside the test folder (copy it into the folder" in out


def test_who_runs_a_test_from_elsewhere_gives_it_nothing(
    app: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither from outside of its workspace nor from a workspace of one's own."""
    mine = workspace(app.parent / "mine", "files: [app/prompts, data]\n")
    for place in (mine, app.parent):
        monkeypatch.chdir(place)
        code, out, _ = call("check", str(app / "tests"))
        assert (code, out.count("is in no folder that the settings allow")) == (2, 2)
        assert out.count("that workspace allows it for runs in there: cd ") == 2
        assert "can add `files:" not in out
        with pytest.raises(SpecError, match="no folder that the settings allow"):
            lve.load(app / "tests/triage")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("app/secret.txt", "is in no folder that the settings allow"),
        ("top.txt", "is in no folder that the settings allow"),
        ("data", "is in no folder that the settings allow"),
        ("database/x.csv", "is in no folder that the settings allow"),
        ("data/../app/secret.txt", "is no plain path below the workspace"),
        ("data/./tickets.csv", "is no plain path below the workspace"),
        ("/etc/passwd", "is no plain path below the workspace"),
        ("data/.env", "is no plain path below the workspace"),
        ("data\\tickets.csv", "is no plain path below the workspace"),
        ("C:/data/tickets.csv", "is no plain path below the workspace"),
        ("", "is no plain path below the workspace"),
        ("data/inner.csv", "is a link, or behind one"),
        ("data/out.csv", "is a link, or behind one"),
        ("linked/secret.txt", "is a link, or behind one"),
        ("data/missing.csv", "does not exist"),
        ("data/folder", "is a folder, not a file"),
    ],
)
def test_only_plain_files_in_the_folders_can_be_used(app: Path, name: str, reason: str) -> None:
    (app / "data/inner.csv").symlink_to("tickets.csv")
    (app / "data/out.csv").symlink_to(app / "app/secret.txt")
    (app / "linked").symlink_to("app")
    (app / "data/folder").mkdir()
    files = AppFiles(app, ("app/prompts", "data", "linked"))
    place = place_of_file(app / "tests/triage", f"@/{name}", files)
    assert isinstance(place, Unusable)
    assert place.reason == reason


def test_a_workspace_behind_a_link_is_no_link_in_it(app: Path, tmp_path: Path) -> None:
    link = tmp_path / "link-to-workspace"
    link.symlink_to(app)
    place = place_of_file(link / "tests", ROWS, AppFiles(link, ("data",)))
    assert place == FilePlace(link / "data", "tickets.csv")


def test_files_of_the_folder_itself_are_found_as_before(app: Path) -> None:
    place = place_of_file(app / "data", "tickets.csv", None)
    assert place == FilePlace(app / "data", "tickets.csv")


def test_names_of_what_can_be_used(app: Path) -> None:
    folder = write_test(app / "t", dataset={"train": ROWS, "test": [{"ticket": 1}], "limit": 3})
    assert [*names_in_app(load_test(folder, choose_workspace(["t"])))] == [ROWS]


@pytest.mark.parametrize("name", ["..", "/etc", ".", "a/../b", ".git", "a\\b", "a//b"])
def test_settings_list_plain_folders(root: Path, name: str) -> None:
    workspace(root, f"files: ['{name}']\n")
    with pytest.raises(SettingsError, match="isn't a plain folder below this file"):
        choose_workspace(["."])


def test_a_misspelt_file_is_suggested(app: Path) -> None:
    write_test(app / "tests/triage", prompt=None, prompt_file=PROMPT, dataset="@/data/ticket.csv")
    _, out, _ = call("check", "tests")
    assert "`@/data/ticket.csv` does not exist (did you mean `@/data/tickets.csv`?)" in out


@pytest.mark.parametrize("key", ["prompt_object", "output_schema"])
def test_other_keys_have_their_files_in_the_folder(app: Path, key: str) -> None:
    keys = {"prompt": None} if key == "prompt_object" else {}
    write_test(app / "tests/triage", **keys, **{key: "@/data/x.json"})
    _, out, _ = call("check", "tests")
    assert "`@/` stands only in `prompt_file`, `prompts` and `dataset`" in out


def test_what_is_plain() -> None:
    assert is_plain_path("a/b.txt")
    assert not any(map(is_plain_path, ("", "a/", "../a", "a/.b", "a\0b", "a\\b")))


Door = Callable[[str], tuple[int, str, str]]


@pytest.mark.parametrize("command", ["check", "render", "run", "list"])
def test_every_door_opens_them(app: Path, command: str) -> None:
    more = ["--model", "dummy/dummy"] if command == "run" else []
    code, out, err = call(command, "tests", *more)
    assert code == 0, out + err
