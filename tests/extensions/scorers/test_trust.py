"""Which tests with programs the settings trust."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from extensions.scorers.scored import write_scored
from support.command_line import lve

FILES = ("test.json", "rows.jsonl", "scorer.py")


def trust(root: Path, *names: str) -> None:
    """Write settings that trust these files of the test as they are."""
    entries = [
        {
            "path": f"t/{name}",
            "sha256": hashlib.sha256((root / "t" / name).read_bytes()).hexdigest(),
        }
        for name in names
    ]
    (root / "lve.yaml").write_text(json.dumps({"trust": entries}))


def test_a_scorer_runs_only_if_all_that_chooses_it_is_trusted(root: Path) -> None:
    write_scored(root / "t")
    refused = lve("run", "t", code=5)
    assert "its check 'scorer', with its data and files," in refused.stdout + refused.stderr
    trust(root, *FILES)
    assert "1/2 passed" in lve("run", "t", code=1).stdout
    for name in FILES:
        file = root / "t" / name
        before = file.read_text()
        file.write_text(before + "\n")
        said = lve("run", "t", code=5)
        assert f"read t/{name}" in said.stdout + said.stderr
        file.write_text(before)
    trust(root, *FILES[:2])
    lve("run", "t", code=5)


def test_programs_of_rows_are_trusted_the_same_way(root: Path) -> None:
    write_scored(root / "t")
    document = json.loads((root / "t" / "test.json").read_text())
    document["check"] = {"opencompass_program": "MBPPEvaluator"}
    (root / "t" / "test.json").write_text(json.dumps(document))
    row = {"q": "?", "a": "assert True == True"}
    (root / "t" / "rows.jsonl").write_text(json.dumps(row))
    (root / "t" / "scorer.py").unlink()
    lve("run", "t", code=5)
    trust(root, *FILES[:2])
    lve("run", "t", code=1)  # `Hello world` is no program


def test_data_of_the_application_is_not_covered(root: Path) -> None:
    write_scored(root / "t")
    document = json.loads((root / "t" / "test.json").read_text())
    (root / "data").mkdir()
    (root / "t" / "rows.jsonl").rename(root / "data" / "rows.jsonl")
    document["dataset"] = "@/data/rows.jsonl"
    (root / "t" / "test.json").write_text(json.dumps(document))
    trust(root, "test.json", "scorer.py")
    settings = json.loads((root / "lve.yaml").read_text())
    (root / "lve.yaml").write_text(json.dumps({**settings, "files": ["data"]}))
    refused = lve("run", "t", code=5)
    assert "is not trusted" in refused.stdout + refused.stderr
