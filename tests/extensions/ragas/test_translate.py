"""Translating a prompt object with a model: scripted, and over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.server import Received, model_server

from lve.errors import AdaptError, MissingModelError, TransientModelError, UsageError
from lve.extensions.ragas.saved_prompt import Prompt
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.registry import create_model
from lve.settings.settings import Settings


class Answers:
    """Answers one after the other and keeps the questions."""

    def __init__(self, answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> Completion:
        self.requests.append(request)
        return Completion(self.answers.pop(0))


def nested() -> Prompt:
    return Prompt(
        name="weather",
        instruction="Describe the weather.",
        examples=[
            {
                "place": "a hill",
                "day": 3,
                "note": "kept",
                "report": {"sky": {"colour": "blue"}, "words": ["sun", "wind"], "degrees": 21.5},
            }
        ],
        input_keys=["place", "day"],
        output_key="report",
    )


GERMAN = {"sky": {"colour": "blau"}, "words": ["Sonne", "Wind"], "degrees": 21.5}


def test_nested_outputs_are_translated_saved_and_loaded(tmp_path: Path) -> None:
    model = Answers(['"ein Hügel"', f"Here it is:\n```json\n{json.dumps(GERMAN)}\n```"])
    prompt = nested()
    adapted = prompt.adapt("german", model, tmp_path)
    assert adapted is prompt
    assert adapted.language == "german"
    assert adapted.examples == [{"place": "ein Hügel", "day": 3, "note": "kept", "report": GERMAN}]
    assert Prompt.load("german", "weather", tmp_path) == adapted
    assert "a hill" in str(model.requests[0].messages[0].content)

    again = nested()
    loaded = again.adapt("german", None, tmp_path)
    assert loaded == adapted
    assert again == nested()


def test_a_bad_answer_is_asked_for_again(tmp_path: Path) -> None:
    wrong = {**GERMAN, "degrees": 22}
    model = Answers(["ein Hügel", "sorry?", json.dumps(wrong), json.dumps(GERMAN)])
    adapted = nested().adapt("german", model, tmp_path)
    assert adapted.examples[0]["report"] == GERMAN
    complaints = [str(request.messages[-1].content) for request in model.requests[2:]]
    assert "there is no JSON in the answer" in complaints[0]
    assert "$.degrees was a number" in complaints[1] or "$.degrees must stay 21.5" in complaints[1]
    assert model.requests[2].messages[1].content == "sorry?"


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("no idea", "there is no JSON in the answer"),
        ('{"himmel": {}}', "must have the keys"),
        (json.dumps({**GERMAN, "sky": {"farbe": "blau"}}), r"\$.sky must have the keys"),
        (json.dumps({**GERMAN, "words": ["Sonne"]}), r"\$.words must have 2 items, not 1"),
        (json.dumps({**GERMAN, "words": ["Sonne", 1]}), r"\$.words\[1\] was text and became"),
    ],
)
def test_a_model_that_keeps_answering_badly_is_refused(
    answer: str, problem: str, tmp_path: Path
) -> None:
    model = Answers(["ein Hügel", *[answer] * 3])
    prompt = nested()
    with pytest.raises(AdaptError, match=problem) as caught:
        prompt.adapt("german", model, tmp_path)
    assert repr(answer) in str(caught.value)
    assert "report of example 1 of the prompt 'weather'" in str(caught.value)
    assert model.answers == []
    assert prompt == nested()
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_is_a_json_text_stays_one(tmp_path: Path) -> None:
    prompt = Prompt(
        name="p",
        instruction="i",
        examples=[{"k": "7", "o": '{"unit": "litre"}'}],
        input_keys=["k"],
        output_key="o",
    )
    adapted = prompt.adapt("german", Answers(['{"unit": "Liter"}']), tmp_path)
    assert adapted.examples == [{"k": "7", "o": '{"unit": "Liter"}'}]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Ja", "Ja"),
        ('"Ja"', "Ja"),  # the examples have texts in quotes, so an answer may
        ('"Ja" or "Doch"', '"Ja" or "Doch"'),
        ('Er sagt "Ja"', 'Er sagt "Ja"'),
    ],
)
def test_an_answer_that_is_a_text_in_quotes_is_that_text(
    answer: str, text: str, tmp_path: Path
) -> None:
    prompt = Prompt(
        name="p",
        instruction="i",
        examples=[{"k": "yes", "o": "no"}],
        input_keys=["k"],
        output_key="o",
        output_type="str",
    )
    adapted = prompt.adapt("german", Answers([answer, "Nein"]), tmp_path)
    assert adapted.examples == [{"k": text, "o": "Nein"}]


def test_empty_answers_are_no_translation(tmp_path: Path) -> None:
    prompt = Prompt(
        name="p",
        instruction="i",
        examples=[{"k": "yes", "o": "no"}],
        input_keys=["k"],
        output_key="o",
        output_type="str",
    )
    with pytest.raises(AdaptError, match="the answer is empty"):
        prompt.adapt("german", Answers([" ", '""', "\n"]), tmp_path)


def test_without_a_model_nothing_is_translated(tmp_path: Path) -> None:
    with pytest.raises(MissingModelError, match="a model is needed"):
        nested().adapt("german", None, tmp_path)


def test_no_attempt_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="attempts must be at least 1"):
        nested().adapt("german", Answers([]), tmp_path, attempts=0)


def test_the_name_of_a_model_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"must have `async complete.*'openai/m' has not") as told:
        nested().adapt("german", "openai/m", tmp_path)  # type: ignore[arg-type]
    assert told.value.code == "python_argument"


def test_numbers_stay_what_they_are(tmp_path: Path) -> None:
    integer = {**GERMAN, "degrees": 21}
    model = Answers(["ein Hügel", *[json.dumps(integer)] * 3])
    with pytest.raises(AdaptError, match=r"\$\.degrees must stay 21\.5, not 21"):
        nested().adapt("german", model, tmp_path)


def test_a_number_that_is_none_stays_too(tmp_path: Path) -> None:
    prompt = nested()
    prompt.examples[0]["report"] = {"sky": "blue", "degrees": float("nan")}
    adapted = prompt.adapt(
        "german", Answers(["ein Hügel", '{"sky": "blau", "degrees": NaN}']), tmp_path
    )
    assert adapted.examples[0]["report"]["sky"] == "blau"


@pytest.mark.parametrize(
    "error", [asyncio.CancelledError(), TransientModelError("slow", kind="timeout")]
)
def test_an_end_halfway_changes_nothing(error: BaseException, tmp_path: Path) -> None:
    class Ends(Answers):
        async def complete(self, request: ChatRequest) -> Completion:
            if self.requests:
                raise error
            return await super().complete(request)

    prompt = nested()
    with pytest.raises(type(error)):
        prompt.adapt("german", Ends(["ein Hügel"]), tmp_path)
    assert prompt == nested()
    assert list(tmp_path.iterdir()) == []


def test_a_running_event_loop_is_reported_what_to_do(tmp_path: Path) -> None:
    async def inside() -> None:
        with pytest.raises(UsageError, match="aadapt"):
            nested().adapt("german", Answers([]), tmp_path)

    asyncio.run(inside())


def test_a_server_translates(tmp_path: Path) -> None:
    def answer(request: Received) -> str:
        return json.dumps(GERMAN) if '"sky"' in request.prompt else "ein Hügel"

    async def adapt(url: str) -> Prompt:
        model = create_model("openai/test", Settings(), base_url=url)
        try:
            return await nested().aadapt("german", model, tmp_path)
        finally:
            await model.aclose()

    with model_server(answer) as server:
        adapted = asyncio.run(adapt(server.url))
        assert len(server.requests) == 2
        assert server.requests[0].json["temperature"] == 0.0
    assert adapted.examples[0]["report"] == GERMAN
