"""Golden runs: a test, a model's answers, commands, and all that people then read.

A case of tests/cases/golden_runs has the calculation of its numbers as a comment. The real command
line asks a server on loopback. Only session ids, times and the server's address are masked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from support.command_line import lve
from support.server import Answer, ModelServer, Received, model_server

CASES = Path(__file__).parents[1] / "cases" / "golden_runs"
_LATENCY = re.compile(
    r"^Latency\n+Seconds per result(?:.*\n)(?:\n|TIME\n|openai/m\n)+", re.MULTILINE
)
"""The picture of latencies: how many labels it has depends on them."""
MASKS = (
    (re.compile(r"\d{8}-\d{6}-\d{3}-\w{4}"), "SESSION"),
    (re.compile(r"http://127\.0\.0\.1:\d+"), "SERVER"),
    (re.compile(r"\d+ [A-Z][a-z]{2} \d{4}, \d\d:\d\d"), "MOMENT"),
    (re.compile(r"(<1|\b\d+) ms\b|\b\d+(\.\d+)? s\b"), "TIME"),
)


def case_names() -> list[str]:
    """Return the names of all cases."""
    return sorted(file.stem for file in CASES.glob("*.yaml"))


def read_case(name: str) -> dict[str, Any]:
    """Return a case."""
    found: dict[str, Any] = yaml.safe_load((CASES / f"{name}.yaml").read_text(encoding="utf-8"))
    return found


def masked(text: str) -> str:
    """Return a text without what differs in every run."""
    for pattern, word in MASKS:
        text = pattern.sub(word, text)
    text = "".join(f"{line.rstrip()}\n" for line in text.rstrip().splitlines())
    return _LATENCY.sub("", text)


def answered(answers: Mapping[str, Sequence[Answer]]) -> Any:
    """Return a model that gives a row's answers one after the other, and then the last one again.

    Args:
        answers: by the row's prompt. A number is the status of an error.
    """
    asked: Counter[str] = Counter()

    def answer(request: Received) -> Answer:
        listed = answers[request.prompt]
        asked[request.prompt] += 1
        return listed[min(asked[request.prompt], len(listed)) - 1]

    return answer


@contextmanager
def golden_run(case: Mapping[str, Any], root: Path) -> Iterator[list[tuple[int, str]]]:
    """Run the commands of a case in a workspace, and yield what each printed, with its exit code.

    Args:
        case: as in its file.
        root: the current folder, a workspace.
    """
    folder = root / "t"
    folder.mkdir()
    rows = "".join(f"{yaml_line(row)}\n" for row in case["rows"])
    (folder / "rows.jsonl").write_text(rows, encoding="utf-8")
    document = {
        "description": "says yes",
        "prompt": [{"role": "user", "content": "{row}"}],
        "prompt_parameters": sorted({name for row in case["rows"] for name in row} or {"row"}),
        "dataset": "rows.jsonl",
        "check": {"equals": "yes"},
        **case.get("test", {}),
    }
    (folder / "test.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    with model_server(answered(case["answers"])) as server:
        yield [printed(command, server) for command in case["commands"]]


def printed(command: str, server: ModelServer) -> tuple[int, str]:
    """Return the exit code of a command, and what it printed."""
    words = command.split()
    if words[0] == "run":
        at = ["--model", "openai/m"] if "--resume" not in words else []
        words += [*at, "--base-url", server.url, "--no-cache", "-j", "1"]
    result = lve(*words, code=None)
    return result.exit_code, masked(result.stdout)


def yaml_line(row: Mapping[str, Any]) -> str:
    """Return a row as a line of JSON, which is YAML, too."""
    text: str = yaml.safe_dump(row, default_flow_style=True, default_style='"', width=10_000)
    return text.strip()
