"""What comes with the tests decides nothing: whatever ini file lies in a contributed folder, trust,
addresses and models are those of the user and of the folder that they stand in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lve.options.run_options import RunOptions
from lve.pytest_plugin import options

Write = Callable[..., Path]

WANTED = {
    "lve_trust": "true",
    "lve_base_url": "http://evil.example/v1",
    "lve_model": "openai/expensive",
    "lve_session_dir": "/tmp/evil",
    "lve_no_cache": "true",
    "lve_budget": "1000",
    "lve_repeats": "100",
    "lve_max_connections": "1000",
    "lve_paths": "nothing",
    "lve_max_items": "1",
}
LINES = "\n".join(f"{name} = {value}" for name, value in WANTED.items())
FLAGS = (
    "--lve-trust --lve-base-url=http://evil.example --lve-model evil --lve-session-dir /tmp/evil"
)
TOML = "\n".join(f'{name} = "{value}"' for name, value in WANTED.items())
INIS = {
    "pytest.ini": f"[pytest]\n{LINES}\n",
    ".pytest.ini": f"[pytest]\n{LINES}\n",
    "tox.ini": f"[pytest]\n{LINES}\n",
    "setup.cfg": f"[tool:pytest]\n{LINES}\n",
    "pyproject.toml": f"[tool.pytest.ini_options]\n{TOML}\n",
}
ADDED = {
    "options": f"[pytest]\naddopts = {FLAGS}\n",
    "overrides": "[pytest]\naddopts = -o lve_trust=true -o lve_model=evil\n",
    "its own -c": f"[pytest]\n{LINES}\naddopts = -c contributed/x/pytest.ini\n",
    "its own rootdir": f"[pytest]\n{LINES}\naddopts = --rootdir=contributed/x {FLAGS}\n",
}
HARMLESS = options.Options()

CHECKER = """
from pathlib import Path
from lve.checkers.base import BaseChecker

class Evil(BaseChecker):
    def is_safe(self, prompt, response, param_values):
        Path("pwned").touch()
        return True
"""


@pytest.fixture
def contributed(pytester: pytest.Pytester, write_test: Write) -> Path:
    """A folder that came with a pull request, in a workspace that one stands in."""
    write_test("ok")
    folder = write_test("x", checker_args={"checker_name": "Evil"})
    place = pytester.path / "contributed" / "x"
    place.parent.mkdir()
    folder.rename(place)
    (place / "checker").mkdir()
    (place / "checker" / "checker.py").write_text(CHECKER)
    (place / "lve.yaml").write_text("model: openai/expensive\n")
    return place


def read(pytester: pytest.Pytester, *arguments: str) -> options.Options:
    """Return the options of a session."""
    return options.options_of(pytester.parseconfig(*arguments))


@pytest.mark.parametrize("name", INIS)
def test_an_ini_file_of_the_folder_decides_nothing(
    pytester: pytest.Pytester, contributed: Path, name: str
) -> None:
    (contributed / name).write_text(INIS[name])
    config = pytester.parseconfig("contributed/x")
    assert config.inipath == contributed / name  # or there is nothing to show
    assert options.options_of(config) == HARMLESS
    (pytester.path / name).write_text(INIS[name])
    (contributed / name).unlink()
    assert read(pytester, "contributed/x").run.trust, (
        "an ini file of the folder one stands in counts"
    )


@pytest.mark.parametrize("way", ADDED)
@pytest.mark.parametrize("place", ["contributed/x", "contributed/x/test.json", "contributed"])
def test_options_that_it_adds_decide_nothing(
    pytester: pytest.Pytester, contributed: Path, way: str, place: str
) -> None:
    folder = contributed.parent if place == "contributed" else contributed
    (folder / "pytest.ini").write_text(ADDED[way])
    assert read(pytester, place) == HARMLESS


def test_what_the_user_types_counts_beside_it(
    pytester: pytest.Pytester, contributed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (contributed / "pytest.ini").write_text(f"[pytest]\n{LINES}\naddopts = {FLAGS}\n")
    monkeypatch.setenv("PYTEST_ADDOPTS", "--lve-repeats 3")
    monkeypatch.setenv("LVE_BASE_URL", "http://mine.example")
    found = read(pytester, "contributed/x", "--lve-model=mine", "-o", "lve_allow_inconclusive=true")
    url = "http://mine.example"
    mine = RunOptions(models=("mine",), repeats=3, base_url=url, allow_inconclusive=True)
    assert found == options.Options(mine)


@pytest.mark.parametrize("words", [["-c", "{}"], ["-c{}"], ["--config-file={}"]])
def test_a_file_that_the_user_names_counts(
    pytester: pytest.Pytester, contributed: Path, words: list[str]
) -> None:
    (contributed / "pytest.ini").write_text(INIS["pytest.ini"])
    named = [word.format("contributed/x/pytest.ini") for word in words]
    assert read(pytester, *named, "contributed/x").run.trust


def test_who_stands_in_the_folder_uses_its_files(
    pytester: pytest.Pytester, contributed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (contributed / "pytest.ini").write_text("[pytest]\nlve_repeats = 7\n")
    monkeypatch.chdir(contributed)
    assert read(pytester).run.repeats == 7
    (contributed / "deeper").mkdir()
    monkeypatch.chdir(contributed / "deeper")
    assert read(pytester, "..").run.repeats == 7


@pytest.mark.parametrize("more", [[], ["-n1"]])
def test_its_code_does_not_run(
    pytester: pytest.Pytester, contributed: Path, more: list[str]
) -> None:
    (contributed / "pytest.ini").write_text(f"[pytest]\nlve_trust = true\naddopts = {FLAGS}\n")
    result = pytester.runpytest("contributed/x", "--lve-model=replay", *more)
    result.assert_outcomes(skipped=1)
    assert not (pytester.path / "pwned").exists()
    assert not (contributed / "pwned").exists()
    result.stdout.fnmatch_lines(["*is not trusted*"])
    result.stdout.fnmatch_lines(
        [
            "lve: */contributed/x/pytest.ini came with the tests, so its lve_* and --lve-* "
            "settings are ignored *",
        ]
    )
    assert (pytester.path / ".lve").is_dir(), "the session belongs to the workspace one stands in"
    assert not (contributed / ".lve").exists()


def test_a_fixture_uses_the_same_options(pytester: pytest.Pytester, contributed: Path) -> None:
    (contributed / "pytest.ini").write_text(f"[pytest]\nlve_trust = true\naddopts = {FLAGS}\n")
    (contributed / "suite").mkdir()
    (contributed / "suite" / "test_it.py").write_text(
        "def test_it(lve_run):\n    result = lve_run('contributed/x', model='replay')\n"
        "    assert 'not trusted' in str(result.summary.skipped)\n"
    )
    result = pytester.runpytest("contributed/x/suite/test_it.py")
    result.assert_outcomes(passed=1)
    assert not (pytester.path / "pwned").exists()


def test_nothing_is_said_where_nothing_is_ignored(
    pytester: pytest.Pytester, contributed: Path
) -> None:
    (contributed / "pytest.ini").write_text("[pytest]\naddopts = -ra\n")
    result = pytester.runpytest("contributed/x", "--lve-model=replay")
    assert "came with the tests" not in result.stdout.str()
