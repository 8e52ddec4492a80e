"""Retrievers from plugins: which tests may use them, and the errors of broken ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace, write_dataset_test
from support.installed import Installed

SOURCE = """
from dataclasses import dataclass
from lve.extensions.opencompass.retrievers.slow_select import SlowSelect
from lve import Retriever
@dataclass(frozen=True, kw_only=True)
class Own(Retriever):
    ice_num: int = 1
    def prepare(self, examples):
        {body}
"""


def render(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    source: str,
    settings: str = "plugins: [Own]",
    **given: object,
) -> tuple[int, str]:
    monkeypatch.chdir(workspace(tmp_path / "w", settings))
    installed = Installed(tmp_path / "site", monkeypatch)
    installed.add("lve-own", {"lve_own": source}, {"lve.retrievers": {"Own": "lve_own:Own"}})
    write_dataset_test(
        Path("t"),
        {"train": [{"q": "one", "a": "1"}, {"q": "two", "a": "2"}], "test": [{"q": "?", "a": "!"}]},
        reader_cfg={"input_columns": ["q"], "output_column": "a"},
        ice_template={"type": "PromptTemplate", "template": "{q}"},
        prompt_template={"type": "PromptTemplate", "template": "</E>{q}", "ice_token": "</E>"},
        retriever={"type": "Own", **given},
    )
    code, out, err = call("render", "t")
    return code, out + err


@pytest.mark.parametrize(
    "body", ["return lambda p, r: [1]", "return SlowSelect(lambda p, r: (1,), lambda p, r: 1)"]
)
def test_what_it_chooses_stands_in_the_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    code, text = render(tmp_path, monkeypatch, SOURCE.format(body=body))
    assert code == 0
    assert "examples: 1\n" in text
    assert "two" in text


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("1 / 0", "can't be loaded: ZeroDivisionError"),
        (
            "class Own: pass",
            "is no dataclass derived from lve.Retriever",
        ),
        (SOURCE.format(body="return {}[1]"), "failed: KeyError: 1"),
        (SOURCE.format(body="raise SystemExit(0)"), "failed: SystemExit: 0"),
        (SOURCE.format(body="return 3"), "prepared int, no function"),
        (SOURCE.format(body="return lambda p, r: r['x']"), "failed: KeyError: 'x'"),
        (SOURCE.format(body="return lambda p, r: 3"), "chose 3, not a list of positions from 0"),
        (SOURCE.format(body="return lambda p, r: [2]"), "chose [2], not a list of positions fr"),
        (SOURCE.format(body="return lambda p, r: [-1]"), "chose [-1], not a list of positions f"),
    ],
)
def test_what_it_does_wrong_names_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, said: str
) -> None:
    code, text = render(tmp_path, monkeypatch, source)
    assert code == 2
    assert f"the retriever plugin 'Own' of lve-own 1.0 {said}" in text
    assert "Traceback" not in text


def test_its_arguments_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = SOURCE.format(body="return lambda p, r: []")
    code, text = render(tmp_path, monkeypatch, source, fix_id_list=[1])
    assert code == 2
    assert "Own has no argument 'fix_id_list'; it has" in text


def test_without_the_settings_a_test_cannot_use_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "open('loaded', 'w').close()\n" + SOURCE.format(body="pass")
    code, text = render(tmp_path, monkeypatch, source, settings="")
    assert code == 2
    assert "add `plugins: [Own]` to lve.yaml" in text
    assert not Path("loaded").exists()
