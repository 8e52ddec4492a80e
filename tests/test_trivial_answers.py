"""No test of repository/ is passed by an answer that nobody thought about: each of these strategies
fails each test in some row or benign row, so that a pass means something."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

import lve
from lve.messages import Message, Role, ToolCall
from lve.models.chat_model import ChatRequest
from lve.models.scripted import Answer, ScriptedAnswer, ScriptedModel

ROOT = Path(__file__).parents[1]
CATEGORIES = ("privacy", "reliability", "responsibility", "security", "trust")
RAMBLE = "That is a good question, and there is much to say. One should consider all sides. "
WORDS = "yes no true false none 0 1 2 3 4 5 6 7 8 9 10 A B C D positive negative OK unknown [] {}"
Strategy = Callable[[ChatRequest], Answer]


def last_user(request: ChatRequest) -> str:
    users = (each for each in reversed(request.messages) if each.role is Role.user)
    return str(next(users).content)


def echo(request: ChatRequest) -> str:
    return last_user(request)


def everything_before(request: ChatRequest) -> str:
    return "\n".join(str(message.content) for message in request.messages)


def first_tool(request: ChatRequest) -> Answer:
    """Call the first tool with what its schema allows, and say that it is done."""
    if not request.tools or any(message.tool_calls for message in request.messages):
        return "Done."
    tool = request.tools[0]
    properties = tool.parameters.get("properties", {})
    arguments = {name: _value(schema) for name, schema in properties.items()}
    return ScriptedAnswer(tool_calls=(ToolCall("1", tool.name, json.dumps(arguments)),))


def _value(schema: Mapping[str, object]) -> object:
    values = {"integer": 1, "number": 1, "array": ["x"], "boolean": True}
    return values.get(str(schema.get("type")), "x")


def says(text: str) -> Strategy:
    return lambda request: text


STRATEGIES: dict[str, Strategy] = {
    "empty": says(""),
    "I don't know": says("I don't know."),
    "refuses": says("I'm sorry, but I can't help with that."),
    "yes": says("Yes."),
    "no": says("No."),
    "hello": says("Hello! How can I help you today?"),
    "rambles": says(RAMBLE * 10),
    "says everything": says(WORDS),
    "echo": echo,
    "everything before": everything_before,
    "first tool": first_tool,
}


def passed_by(strategy: Strategy) -> list[str]:
    """Return the tests of which a strategy passes all rows and all benign rows."""
    verdicts: dict[str, list[str]] = defaultdict(list)
    for result in _results(strategy):
        verdicts[result.test.split("@")[0]].append(result.verdict)
    assert len(verdicts) > 140
    return [test for test, each in verdicts.items() if set(each) == {"passed"}]


def _results(strategy: Strategy) -> Sequence[lve.InstanceResult]:
    return _results_of(ScriptedModel(strategy))


def _results_of(model: ScriptedModel | str) -> Sequence[lve.InstanceResult]:
    folders = [str(ROOT / "repository" / name) for name in CATEGORIES]
    return lve.run(folders, model=model, use_cache=False, keep=False).results


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_trivial_strategy_passes_no_test(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert passed_by(STRATEGIES[name]) == []


DENIALS = {
    "denied": "It is not {}",
    "called wrong": '"{}" is wrong.',
    "doubted": "{}? I doubt it.",
}
"""What takes back the right answer to a row that it has."""
WITHOUT_FACT = tuple(
    f"repository/{name}"
    for name in (
        "reliability/dialogue/rule_over_turns",
        "reliability/languages/names_keep_accents",
        "security/output_handling/active_links",
    )
)
"""Tests of how something is written, not of what is so: a greeting can't be denied."""
SHORT = 4
"""An answer with at most so many words is a fact, which can be denied. A poem can't."""


@pytest.mark.parametrize("name", DENIALS)
def test_the_right_answer_denied_passes_no_test(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    rights: dict[tuple[str, ...], str] = {}
    long: set[str] = set()
    for result in _results_of("replay"):
        for run in result.transcripts:
            right = str(run.messages[run.filled[-1]].content).strip(".! ")
            rights[_opening(run.messages)] = right
            if len(right.split()) > SHORT or right.startswith("{") or not right:
                long.add(result.test.split("@")[0])
    strategy: Strategy = lambda request: DENIALS[name].format(  # noqa: E731
        rights.get(_opening(request.messages), "x")
    )
    passed = [test for test in passed_by(strategy) if test not in long]
    assert len({*long}) < 100
    assert [test for test in passed if test not in WITHOUT_FACT] == []


def test_no_recorded_answer_passes_all_rows_of_its_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """The good answer to one row, given to each, isn't good enough."""
    monkeypatch.chdir(ROOT)
    tests = {
        _opening(transcript.messages): result.test.split("@")[0]
        for result in _results(says("x"))
        for transcript in result.transcripts
    }
    answers = {test: [*_recorded(ROOT / test)] for test in {*tests.values()}}
    for number in range(2):

        def constant(request: ChatRequest, number: int = number) -> str:
            own = answers[tests[_opening(request.messages)]]
            return own[number] if number < len(own) else "x"

        assert passed_by(constant) == []


def _opening(messages: Sequence[Message]) -> tuple[str, ...]:
    """Return what is sent before the first answer: it tells rows apart."""
    first = next(n for n, message in enumerate(messages) if message.role is Role.user)
    return tuple(str(message.content) for message in messages[: first + 1])


def _recorded(folder: Path) -> Iterator[str]:
    """Yield the texts of a test's answers by hand, the last one of a conversation."""
    for file in sorted((folder / "instances").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            response = json.loads(line)["response"]
            if isinstance(response, dict):
                response = [*response.values()]
            yield response if isinstance(response, str) else response[-1]
