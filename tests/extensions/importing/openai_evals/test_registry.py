"""What is read of a registry, and what can't be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from extensions.importing.openai_evals.registry import BASIC, imported, rows_of

from lve.errors import UsageError
from lve.extensions.importing.openai_evals import read_evals


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        ("{", "s.jsonl", "no sample that can be imported"),
        ("version https://git-lfs.github.com/spec/v1\nsize 1\n", "s.jsonl", "run `git lfs pull`"),
        ("", "../../../secret.jsonl", "outside"),
        ("", "gone.jsonl", "No such file"),
        ("", "https://example.org/s.jsonl", "no file of data/"),
        ("", 7, "no file of data/"),
        ("\n" * 100_001, "s.jsonl", "more than 100,000 samples"),
    ],
)
def test_samples_that_cannot_be_read_are_told(
    registry: Path, text: str, name: object, why: str
) -> None:
    (registry.parents[1] / "secret.jsonl").write_text('{"input": "secret", "ideal": "x"}')
    entries = {"e": {"class": f"{BASIC}.match:Match", "args": {"samples_jsonl": name}}}
    (registry / "evals" / "e.yaml").write_text(yaml.safe_dump(entries))
    (registry / "data" / "s.jsonl").write_text(text)
    result = read_evals(registry)
    assert [*result.tests] == []
    assert why in result.left_out[-1]
    assert "secret" not in str(result.tests)


def test_samples_may_be_a_folder(registry: Path) -> None:
    (registry / "data" / "many").mkdir()
    for name in ("b.jsonl", "a.jsonl", "notes.txt"):
        text = json.dumps({"input": name, "ideal": "x"})
        (registry / "data" / "many" / name).write_text(text)
    result, _ = imported(registry, f"{BASIC}.match:Match", [], samples_jsonl="many")
    assert [row["question"] for row in rows_of(result)] == ["a.jsonl", "b.jsonl"]


def test_one_file_or_the_whole_package_may_be_named(registry: Path) -> None:
    samples = [{"input": "q", "ideal": "x"}]
    imported(registry, f"{BASIC}.match:Match", samples)
    for source in (registry / "evals" / "e.yaml", registry.parent):
        assert [test.folder for test in read_evals(source).tests] == ["capitals"]
    with pytest.raises(UsageError, match="is no registry"):
        read_evals(registry / "data")


def test_a_file_that_is_no_yaml_stops_no_other(registry: Path) -> None:
    (registry / "evals" / "a.yaml").write_text("a: [")
    (registry / "evals" / "b.yaml").write_text("- 1")
    (registry / "evals" / "c.yaml").write_text("x: {class: 'm:Sandbagging'}\ny: 3\n")
    result, left = imported(registry, f"{BASIC}.match:Match", [{"input": "q", "ideal": "x"}])
    assert len(result.tests) == 1
    assert len(left) == 2
    assert "a.yaml" in left[0]
    assert "the class Sandbagging has no counterpart" in left[1]


def test_a_folder_of_samples_that_leads_out_stops_no_other_eval(
    registry: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "s.jsonl").write_text('{"input": "secret", "ideal": "x"}')
    (registry / "data" / "link").symlink_to(tmp_path / "secret")
    bad = {"class": f"{BASIC}.match:Match", "args": {"samples_jsonl": "link"}}
    (registry / "evals" / "a.yaml").write_text(yaml.safe_dump({"bad": bad}))
    result, [left] = imported(registry, f"{BASIC}.match:Match", [{"input": "q", "ideal": "x"}])
    assert [test.folder for test in result.tests] == ["capitals"]
    assert "a.yaml:2:3: warning: $.bad: left out: " in left
    assert "outside its folder" in left
