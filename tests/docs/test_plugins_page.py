"""docs/plugins.md: its example package works, at every door."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from support.command_line import call
from support.folders import workspace, write_dataset_test, write_test
from support.installed import Installed

import lve
from lve.documents.toml_text import parse_toml
from lve.plugins import GROUPS

PAGE = (Path(__file__).parents[2] / "docs" / "plugins.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"```\w+ (\S+)\n(.*?)```", PAGE, re.DOTALL))
PROJECT = parse_toml(FILES["pyproject.toml"])["project"]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    """The package of the page, in a workspace whose settings let tests use it."""
    [settings] = re.findall(r"```yaml\n\s*(plugins: .*)\n", PAGE)
    monkeypatch.chdir(workspace(tmp_path / "w", settings))
    made = Installed(tmp_path / "site", monkeypatch)
    made.add(
        PROJECT["name"],
        {"lve_acme": FILES["lve_acme.py"]},
        PROJECT["entry-points"],
        PROJECT["version"],
    )
    return made


def test_pip_gets_a_package_of_the_two_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the build backend that the page names makes of them is installed as pip does it."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist"]
    subprocess.run(build, cwd=tmp_path, check=True, capture_output=True)
    [wheel] = (tmp_path / "dist").iterdir()
    ZipFile(wheel).extractall(tmp_path / "site")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delitem(sys.modules, "lve_acme", raising=False)
    monkeypatch.chdir(workspace(tmp_path / "w"))
    write_test(Path("t"), model="dummy/dummy", prompt=[{"content": "Anna"}])
    code, out, err = call("run", "t", "--model", "acme/small", "--reporter", "dots")
    assert (code, out) == (1, "x 1\n"), err
    assert sys.modules["lve_acme"].__file__ == str(tmp_path / "site" / "lve_acme.py")


def test_the_table_has_all_groups() -> None:
    assert re.findall(r"^\| `(lve\.\w+)` \|", PAGE, re.MULTILINE) == list(GROUPS.values())


def test_it_is_listed(installed: Installed) -> None:
    _, out, _ = call("plugins")
    assert out.splitlines()[-5:] == [
        "checker · Palindrome · lve-acme · 1.0 · tests may use it",
        "importer · quiz · lve-acme · 1.0",
        "model · acme · lve-acme · 1.0 · tests may use it",
        "reporter · dots · lve-acme · 1.0",
        "retriever · LastRetriever · lve-acme · 1.0 · tests may use it",
    ]


def test_a_model_a_checker_and_a_report(installed: Installed) -> None:
    for name, text in (("a", "Anna"), ("b", "Bob, not")):
        write_test(
            Path(name),
            model="acme/small",
            prompt=[{"content": text}],
            checker_args={"checker_name": "Palindrome"},
            examples=[{"response": "Anna", "verdict": "passed"}],
        )
    assert call("check", ".")[0] == 0
    code, out, err = call("run", ".", "--reporter", "dots")
    assert (code, sorted(out)) == (1, sorted(".x 1\n")), err
    [session] = (Path(".lve") / "runs").iterdir()
    versions = json.loads((session / "session.json").read_text("utf-8"))["versions"]
    assert versions["lve-acme"] == "1.0"
    code, out, _ = call("run", "b", "--json")
    [instance] = json.loads(out)["tests"][0]["instances"]
    assert instance["responses"] == ["Bob, not"]
    assert instance["reason"] == "backwards it reads 'ton ,bob'"
    assert call("score", "last", "--reporter", "dots")[1] == "x 1\n"


def test_the_checker_is_described(installed: Installed) -> None:
    _, out, _ = call("show", "checker", "Palindrome")
    assert out.splitlines()[:2] == ["Palindrome", "  The answer reads the same backwards."]
    assert "  tier        code\n  argument    ignore_case: true or false, default true." in out


def test_arguments_of_the_checker_are_checked_like_others(installed: Installed) -> None:
    write_test(Path("t"), checker_args={"checker_name": "Palindrome", "ignore_caes": True})
    code, out, _ = call("check", "t")
    assert code == 2
    assert "ignore_case" in out


def test_options_of_the_model_stand_in_the_settings(installed: Installed) -> None:
    model = "{provider: acme, options: {loudly: true}}"
    Path("lve.yaml").write_text(f"plugins: [acme]\nmodels: {{loud: {model}}}\n", "utf-8")
    checker = {"checker_name": "RegexChecker", "pattern": "SAY HELLO", "match_safe": True}
    write_test(Path("t"), model="loud", checker_args=checker)
    assert call("run", "t")[0] == 0


def test_the_retriever_picks_the_last_examples(installed: Installed) -> None:
    rows = [{"q": str(n), "a": str(n)} for n in range(4)]
    write_dataset_test(
        Path("t"),
        {"train": rows, "test": [{"q": "?", "a": "!"}]},
        reader_cfg={"input_columns": ["q"], "output_column": "a"},
        ice_template={"type": "PromptTemplate", "template": "{q}"},
        prompt_template={
            "type": "PromptTemplate",
            "template": "</E>{q}",
            "ice_token": "</E>",
        },
        retriever={"type": "LastRetriever", "ice_num": 2},
    )
    code, out, err = call("render", "t", "--json")
    assert code == 0, err
    [instance] = json.loads(out)["tests"][0]["instances"]
    assert instance["row"]["retrieved"] == [2, 3]


def test_the_importer_reads_a_quiz(installed: Installed) -> None:
    Path("quiz.txt").write_text("2 + 2 = 4\nwhy?\n", "utf-8")
    code, out, err = call("import", "quiz", "quiz.txt", "-o", "made")
    assert (code, out) == (0, "1 test: all valid\n")
    assert err == "lve: warning: quiz.txt:2: has no answer [importer_left_out]\n"
    assert call("run", "made", "--model", "acme/small")[0] == 1  # it only repeats the question


def test_python_uses_them_with_a_loaded_test(installed: Installed) -> None:
    write_test(
        Path("t"),
        model="acme/m",
        prompt=[{"content": "Anna"}],
        checker_args={"checker_name": "Palindrome"},
    )
    assert lve.run(lve.load("t")).exit_code() == 0
