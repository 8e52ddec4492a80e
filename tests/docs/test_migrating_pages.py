"""docs/migrating-from-*.md: their tests run and judge as the pages say; what they name exists."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from support.command_line import call
from support.openai_answers import Answer
from support.server import model_server

import lve

DOCS = Path(__file__).parents[2] / "docs"
TOOLS = ("lm-eval", "inspect", "openai-evals", "promptfoo")
PAGES = {tool: (DOCS / f"migrating-from-{tool}.md").read_text("utf-8") for tool in TOOLS}
FILE = re.compile(r"```(?:yaml|text|python) (\S+)\n(.*?)```", re.DOTALL)
ROW = re.compile(r"^\| (.*) \| (.*) \|$", re.MULTILINE)
CHECKS = set(re.findall(r"^### (\w+)$", (DOCS / "checks.md").read_text("utf-8"), re.MULTILINE))
OPTIONS = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", (DOCS / "cli.md").read_text("utf-8")))
each_tool = pytest.mark.parametrize("tool", TOOLS)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(tool: str) -> None:
    """Write the files of a page into the current folder."""
    for name, text in FILE.findall(PAGES[tool]):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")


def judged(folder: str, answers: Mapping[str, Answer]) -> list[tuple[str, str]]:
    """Run a test with a model that says `answers[the last message]`; return each answer with its
    verdict."""
    with model_server(answers) as server:
        done = lve.run(folder, base_url=server.url)
    return [(str(one.responses[0]), one.verdict) for one in done.results]


@pytest.mark.parametrize(
    ("nails", "verdict"),
    [("2 boxes of 500 are **1,000**.", "passed"), ("There are 500 nails in each.", "failed")],
)
def test_lm_eval(nails: str, verdict: str) -> None:
    write("lm-eval")
    ask = "{} Answer with a number."
    results = judged(
        "sums",
        {
            ask.format("Ann has 3 apples and buys 4. How many has she?"): "3 + 4 = 7",
            ask.format("A train of 12 wagons loses 5. How many are left?"): "7.",
            ask.format("Two boxes hold 500 nails each. How many nails?"): nails,
        },
    )
    assert {found for answer, found in results if answer == nails} == {verdict}
    assert {found for answer, found in results if answer != nails} == {"passed"}


def test_old_answers_of_lm_eval_are_judged_again() -> None:
    write("lm-eval")
    docs = [json.loads(line) for line in Path("sums/rows.jsonl").read_text("utf-8").splitlines()]
    answers = [("3 + 4 = 7", 1.0), ("7.", 0.0), ("2 boxes of 500 are **1,000**.", 0.0)]
    samples = [
        json.dumps({"doc": doc, "resps": [[answer]], "filter": name, "exact_match": score})
        for doc, (answer, score) in zip(docs, answers, strict=True)
        for name in ("number", "strict")
    ]
    done = subprocess.run(
        [sys.executable, "keep.py"],
        input="\n".join(samples).encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    Path("sums/instances").mkdir()
    Path("sums/instances/old.jsonl").write_bytes(done.stdout)
    status, output, _ = call("run", "sums", "--model", "replay")
    [report] = re.findall(r"```text\n(recorded .*?)```", PAGES["lm-eval"], re.DOTALL)
    assert status == 0
    assert "3 rows: 3 passed" in output  # the rows themselves aren't run as well
    assert report in output


def test_inspect() -> None:
    write("inspect")
    results = judged(
        "capitals",
        {
            "What is the capital of Kenya?": "nairobi",
            "What is the capital of Australia?": "Sydney",
        },
    )
    assert [verdict for _, verdict in results] == ["passed", "failed"]


def test_openai_evals() -> None:
    write("openai-evals")
    done = subprocess.run(
        [sys.executable, "flatten.py"],
        input=Path("samples.jsonl").read_bytes(),
        stdout=subprocess.PIPE,
        check=True,
    )
    Path("capitals/rows.jsonl").write_bytes(done.stdout)
    results = judged(
        "capitals",
        {
            "What is the capital of Kenya?": "Mombasa",
            "What is the capital of Bolivia?": "It is sucre.",
        },
    )
    assert [verdict for _, verdict in results] == ["failed", "passed"]


def test_promptfoo() -> None:
    write("promptfoo")
    shown = yaml.safe_load(Path("tests/test.yaml").read_text("utf-8"))
    Path("tests/test.yaml").unlink()
    assert call("import", "promptfoo", "promptfooconfig.yaml", "-o", "tests")[0] == 0
    [written] = Path("tests").rglob("test.json")
    made = json.loads(written.read_text("utf-8"))
    assert made.pop("source")["file"] == "promptfooconfig.yaml"
    assert made.pop("prompt_parameters") == ["language", "text", "expected"]
    assert made == shown
    results = judged(
        "tests",
        {
            "Translate into French: Good morning": "Bonjour !",
            "Translate into German: Good evening": "As an AI, I say: guten Abend.",
        },
    )
    assert [verdict for _, verdict in results] == ["passed", "failed"]


@each_tool
def test_options_that_a_page_names_are_options(tool: str) -> None:
    ours = [cell for _, cell in ROW.findall(PAGES[tool])]
    ours += re.findall(r"^lve .*?(?= #|$)", PAGES[tool], re.MULTILINE)
    named = {one for text in ours for one in re.findall(r"(?<![\w`-])--?[a-z][a-z-]*", text)}
    named |= {one for text in ours for one in re.findall(r"`(--?[a-z][a-z-]*)", text)}
    assert named <= OPTIONS
    assert named


@each_tool
def test_checks_that_a_page_names_are_checks(tool: str) -> None:
    named = set(re.findall(r"check: \{(\w+):", PAGES[tool]))
    for theirs, ours in ROW.findall(PAGES[tool]):
        if re.search(r"Match|Includes|\(\)`|_model|string_check|llm-rubric|metric_list", theirs):
            names = re.findall(r"`(\w+)(?=[`:])", ours)
            named |= {one for one in names if one not in {"threshold", "extract", "ignore_case"}}
    assert named - CHECKS <= {"repeats", "expect", "tools", "mocks", "prompt", "check"}
    assert len(named & CHECKS) >= 2
