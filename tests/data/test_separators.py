"""Tables that seem to have one column."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace, write_test

from lve.data.problems import separator_hint


@pytest.mark.parametrize(
    ("columns", "word"), [(["q;a"], "semicolons"), (["q\ta"], "tabs"), (["q|a"], "bars")]
)
def test_what_separates_the_columns_is_told(columns: list[str], word: str) -> None:
    assert separator_hint(columns) == f"its columns are separated by {word}: use commas"


@pytest.mark.parametrize("columns", [[], ["q"], ["q;a", "b"], ["q a"]])
def test_other_tables_get_no_hint(columns: list[str]) -> None:
    assert separator_hint(columns) is None


@pytest.mark.parametrize(
    "more",
    [
        {"prompt": "Say {q}"},
        {"prompt": "Say {q}", "prompt_parameters": ["q"]},
        {
            "prompt": None,
            "checker_args": None,
            "reader_cfg": {"input_columns": ["q"], "output_column": "a"},
            "infer_cfg": {
                "prompt_template": {"type": "PromptTemplate", "template": "{q}"},
                "retriever": {"type": "ZeroRetriever"},
                "inferencer": {"type": "GenInferencer"},
            },
        },
    ],
    ids=["columns", "parameters", "template"],
)
def test_every_dialect_tells_it_once(
    more: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    write_test(tmp_path / "t", instances=None, dataset="rows.csv", **more)
    (tmp_path / "t" / "rows.csv").write_text("q;a\n1;2\n2;3\n", encoding="utf-8")
    code, out, _ = call("check", "t")
    assert code == 2
    assert out.count("its columns are separated by semicolons: use commas") == 1
    assert len(out.splitlines()) == 2
