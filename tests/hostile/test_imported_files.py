"""Hostile files of rows, samples of ragas and runs of HELM: they end with a sentence, and neither
keys nor other files' texts get into tests."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.folders import workspace

SOON_S = 20.0
KEY = "sk-proj-Zx9Qw7Er5Ty3Ui1Op2As4Df6Gh8"
ROW = {"question": "Where?", "answer": "Here"}
SAMPLE = {"user_input": "Where?", "response": "Here", "retrieved_contexts": ["c"]}
RIGHT = {"reference": "r"}
HELM = {
    "instance": {"references": [{"output": {"text": "Here"}, "tags": ["correct"]}]},
    "request": {"prompt": "Where?", "model": "m"},
    "result": {"completions": [{"text": "Here"}]},
}
METRICS = [{"class_name": "x", "args": {"names": ["exact_match"]}}]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret.txt").write_text("question,answer\nsecret text,x\n")
    monkeypatch.chdir(workspace(tmp_path / "w"))


def imported(tool: str, source: str, code: int | None) -> str:
    begun = time.monotonic()
    result = lve("import", tool, source, "-o", "made", code=code)
    assert time.monotonic() - begun < SOON_S
    assert "Traceback" not in result.output
    assert "\x1b[31m" not in result.output + result.stderr
    assert len(result.stderr) < 20_000
    return " ".join(result.stderr.split())


def write_run(*states: Any) -> None:
    Path("run").mkdir()
    Path("run/run_spec.json").write_text(json.dumps({"name": "../../r", "metric_specs": METRICS}))
    whole = {"adapter_spec": {"method": "generation"}, "request_states": states}
    Path("run/scenario_state.json").write_text(json.dumps(whole))


@pytest.mark.parametrize("tool", ["dataset", "ragas"])
@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("x.csv", bytes(range(256)) * 20, "x.csv"),
        ("x.csv", "Größe,groß\n1,2\n".encode("latin-1"), "x.csv:1: not UTF-8"),
        ("x.csv", b"a,a\n1,2\n", "a"),
        ("x.csv", b'a,b\n"' + b"x" * 17_000_000 + b'",y\n', "longer than 16 MB"),
        ("x.jsonl", b"[" * 100_000, "levels deep"),
        ("x.jsonl", b'{"question": NaN}\n', "is not a number"),
        ("x.jsonl", b'{"\x1b[31m": 1\n', "x.jsonl:1:"),
        ("x.parquet", b"PAR1" + b"\xff" * 500 + b"PAR1", "Parquet"),
        ("x.yaml", b"- &a [1]\n- !!python/object:os.system {}\n", "x.yaml"),
    ],
)
def test_a_file_without_a_row_that_can_be_read_says_why(
    tool: str, name: str, content: bytes, why: str
) -> None:
    Path(name).write_bytes(content)
    assert why in imported(tool, name, 2)
    assert not Path("made").exists()


@pytest.mark.parametrize("tool", ["dataset", "ragas", "helm"])
def test_a_link_to_outside_is_not_read(tool: str, tmp_path: Path) -> None:
    source = "run" if tool == "helm" else "x.csv"
    if tool == "helm":
        write_run(HELM)
        Path("run/scenario_state.json").unlink()
    place = Path("run/scenario_state.json" if tool == "helm" else "x.csv")
    place.symlink_to(tmp_path / "secret.txt")
    assert "outside its folder" in imported(tool, source, 2)
    assert not Path("made").exists()


@pytest.mark.parametrize(
    ("tool", "sound"), [("dataset", ROW), ("ragas", SAMPLE), ("helm", HELM)], ids=str
)
def test_keys_and_names_do_not_get_out(
    tool: str, sound: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    text = json.dumps(sound)
    rows = [
        json.loads(text.replace("Where?", f"{KEY}{sign}")) for sign in ("?", "\\u001b[31m", "é")
    ]
    rows += [json.loads(text.replace("Here", f"{{x}} {KEY[::-1]}"))]
    source = "..jsonl"
    if tool == "helm":
        source = "run"
        write_run(*rows)
    else:
        Path(source).write_text("".join(json.dumps({**row, f"a {KEY}": 1}) + "\n" for row in rows))
    said = imported(tool, source, 0)
    files = [path for path in Path("made").rglob("*") if path.is_file()]
    written = "".join(path.read_text() for path in files)
    for shown in (said, written, " ".join(map(str, files))):
        assert KEY not in shown
        assert KEY[::-1] not in shown
    assert "\x1b" not in written
    assert "has changed since" not in lve("check", "made").output


def mutants(value: Any) -> list[Any]:
    """Return a value with each of its parts replaced by something odd, once each."""
    odd: list[Any] = [None, 3, "", "x", [], {}, [None], {"a": [1]}, True]
    if isinstance(value, dict):
        parts = [{**value, key: new} for key in value for new in mutants(value[key])]
        return odd + parts + [{k: v for k, v in value.items() if k != key} for key in value]
    if isinstance(value, list):
        return odd + [[*value[:n], new] for n, part in enumerate(value) for new in mutants(part)]
    return odd


@pytest.mark.parametrize(
    ("tool", "sound"),
    [
        ("dataset", {**ROW, "choices": {"text": ["a", "b"], "label": ["A", "B"]}}),
        ("dataset", {**ROW, "passage": "p", "answer": ["Here"]}),
        ("ragas", SAMPLE),
        (
            "ragas",
            {"user_input": [{"type": kind, "content": "x"} for kind in ("human", "ai")], **RIGHT},
        ),
        ("helm", HELM),
    ],
    ids=str,
)
def test_odd_values_are_left_out_or_imported(tool: str, sound: dict[str, Any]) -> None:
    rows = [sound, *(row for row in mutants(sound) if isinstance(row, dict)), sound]
    source = "run" if tool == "helm" else "x.json"
    if tool == "helm":
        write_run(*rows)
    else:
        Path(source).write_text(json.dumps(rows))
    said = imported(tool, source, None)
    assert "warning:" in said
    if Path("made").exists():
        lve("check", "made")
