"""Messages that contain earlier answers of the model."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from prompts.messages.message_plans import instance, make_plan

from lve.errors import PromptError, SpecError
from lve.execution.conversations.conversation import hold_conversation
from lve.messages import Completion, Message, Role
from lve.models.chat_model import ChatRequest
from lve.prompts.attachments import with_files
from lve.prompts.conversation import Conversation
from lve.prompts.messages.answers import NamedAnswers
from lve.prompts.size import MAX_CHARACTERS


def asking(content: Any, **more: Any) -> list[dict[str, Any]]:
    """Return a prompt with a turn, a message that may repeat its answer, and a turn."""
    return [
        {"content": "Name a city in {land}."},
        {"role": "assistant", "variable": "city"},
        {"content": content, **more},
        {"role": "assistant", "variable": "last"},
    ]


def sent(conversation: Conversation, *answers: str) -> list[Any]:
    """Return what the model was sent last before each of its answers."""
    said, asked = iter(answers), []

    async def complete(request: ChatRequest) -> Completion:
        asked.append(request.messages[-1].content)
        return Completion(next(said))

    asyncio.run(hold_conversation(conversation, complete, args={}))
    return asked


def conversation(folder: Path, prompt: Any, *names: str, **values: Any) -> Conversation:
    declared = list(names or ("land",))
    plan = make_plan(folder, prompt=prompt, prompt_parameters=declared)
    (only,) = plan.preview(instance(**(values or {"land": "Peru"})))
    return only


@pytest.mark.parametrize(
    ("content", "answer", "received"),
    [
        ("Is {city} in {land}?", "Lima", "Is Lima in Peru?"),
        ("{city!r} {city[0]} {{city}} {city:>6}", "Lima", "'Lima' L {city}   Lima"),
        ("{city}", "{land} {city} {{x}} {last.a}", "{land} {city} {{x}} {last.a}"),
        ("{city}", "", ""),
        ("{city:.3}", "\x1b[31mred", "\x1b[3"),
        ([{"type": "text", "text": "So {city}?"}], "Lima", ({"type": "text", "text": "So Lima?"},)),
    ],
)
def test_an_answer_is_inserted_as_it_is(
    content: Any, answer: str, received: Any, tmp_path: Path
) -> None:
    whole = conversation(tmp_path, asking(content))
    assert sent(whole, answer, "end") == ["Name a city in Peru.", received]


def test_each_message_repeats_the_answers_so_far(tmp_path: Path) -> None:
    prompt = [
        *asking("{city}?"),
        {"role": "system", "content": "{last}, {city}"},
        {"content": "{land}!"},
        {"role": "assistant", "variable": "third"},
        {"content": "{third} {last} {city}"},
    ]
    whole = conversation(tmp_path, prompt)
    assert sent(whole, "a", "b", "c", "d") == ["Name a city in Peru.", "a?", "Peru!", "c b a"]


def test_the_transcript_has_what_was_sent(tmp_path: Path) -> None:
    async def complete(request: ChatRequest) -> Completion:
        return Completion(f"<{request.messages[-1].content}>")

    whole = conversation(tmp_path, asking("{city}?"))
    transcript = asyncio.run(hold_conversation(whole, complete, args={}))
    assert [message.content for message in transcript.messages] == [
        "Name a city in Peru.",
        "<Name a city in Peru.>",
        "<Name a city in Peru.>?",
        "<<Name a city in Peru.>?>",
    ]
    assert whole.messages[2].content == "{city}?"


def test_until_it_is_known_an_answer_has_its_name(tmp_path: Path) -> None:
    assert conversation(tmp_path, asking("Is {city:>8} in {land}?")).messages[2].content == (
        "Is {city} in Peru?"
    )


def test_runs_have_answers_of_their_own(tmp_path: Path) -> None:
    runs = [{"prompt": asking("{city}?"), "repetitions": 2}]
    plan = make_plan(tmp_path, multi_run_prompt=runs, prompt_parameters=["land"])
    first, second = plan.preview(instance(land="Peru"))
    assert sent(first, "a", "")[1] == "a?"
    assert sent(second, "b", "")[1] == "b?"


@pytest.mark.parametrize(
    ("content", "answer", "why"),
    [
        ("{city[9]}", "Lima", "the value has no item [9]"),
        ("{city}" * 17, "x" * 1_000_000, f"more than {MAX_CHARACTERS:,} characters"),
    ],
)
def test_an_answer_that_does_not_fit(content: str, answer: str, why: str, tmp_path: Path) -> None:
    whole = conversation(tmp_path, asking(content))
    with pytest.raises(PromptError) as caught:
        sent(whole, answer, "end")
    assert why in str(caught.value)


IMAGE = "https://x.example/{city}.png"


@pytest.mark.parametrize(
    ("prompt", "declared", "problem"),
    [
        (
            asking("{ctiy}?"),
            ["land"],
            "$.prompt[2].content: {ctiy} is not a declared parameter (did you mean `city`?)",
        ),
        (
            asking("{last}?"),
            ["land"],
            "$.prompt[2].content: {last} is an answer that comes later (only answers above can be",
        ),
        (
            asking("{city}?"),
            ["land", "city"],
            "$.prompt[2].content: {city} is both a parameter and an answer above (give the answer",
        ),
        (asking("{city:d}?"), ["land"], "{city} can't be formatted: Unknown format code 'd'"),
        (asking("{city[a]}?"), ["land"], "{city[...]}: an answer is a text"),
        (asking("{land:{city}}?"), ["land"], "{land:...}: an answer can't be part of a format"),
        (asking("{city:9999}?"), ["land"], "a width or precision can't be above 1000"),
        (asking("{city.upper}?"), ["land"], "can't look into values with a dot"),
        (
            asking("See.", image_url=IMAGE),
            ["land"],
            "$.prompt[2].image_url: {city} is an answer, which can't be part of an address",
        ),
        (
            asking([{"type": "image_url", "image_url": {"url": IMAGE}}]),
            ["land"],
            "be part of an address or a file's name (put it into the text)",
        ),
        (asking([{"type": "video_url", "video_url": "{city}"}]), ["land"], "part of an address"),
        (
            asking([{"type": "image", "image": "{city}.png"}, {"type": "text", "text": "See."}]),
            ["land"],
            "{city} is an answer, which can't be part of an address or a file's name",
        ),
    ],
)
def test_mistakes_are_reported_before_anything_is_sent(
    prompt: Any, declared: list[str], problem: str, tmp_path: Path
) -> None:
    with pytest.raises(SpecError) as caught:
        make_plan(tmp_path, prompt=prompt, prompt_parameters=declared)
    (message,) = map(str, caught.value.problems)
    assert problem in message
    assert "test.json:1:" in message


def test_a_name_that_no_message_repeats_may_be_both(tmp_path: Path) -> None:
    whole = conversation(tmp_path, asking("{land}?"), "land", "city", land="Peru", city="Lima")
    assert sent(whole, "Cusco", "") == ["Name a city in Peru.", "Peru?"]


def test_a_column_that_is_only_known_later_is_not_taken_for_an_answer(tmp_path: Path) -> None:
    plan = make_plan(tmp_path, prompt=asking("{city}?"), prompt_parameters=["land"])
    with pytest.raises(
        PromptError, match=r"\{city\} is both a parameter and an answer: rename one"
    ):
        plan.preview(instance(land="Peru", city="Lima"))


def test_a_fixed_answer_stays_as_it_is(tmp_path: Path) -> None:
    prompt = [*asking("Why?")[:3], {"role": "assistant", "content": "{city}"}, {"content": "So?"}]
    plan = make_plan(tmp_path, prompt=prompt, prompt_parameters=["land"])
    assert "{city} is sent as it stands" in str(plan.warnings[0])


def test_files_of_a_message_stay_with_it(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Lima is large.", encoding="utf-8")
    parts = [{"type": "file", "file": "notes.txt"}, {"type": "text", "text": "Is {city} in it?"}]
    (whole,) = with_files([conversation(tmp_path, asking(parts))], tmp_path / "test.json")
    file, text = sent(whole, "Lima", "")[1]
    assert (file["bytes"], text["text"]) == (14, "Is Lima in it?")


def test_the_answers_before_a_message_are_found_without_looking_at_all_again() -> None:
    turns = [Message(role=Role.assistant, variable=f"v{n}") for n in range(1000)]
    named = NamedAnswers([*turns, Message(role=Role.assistant, variable="more"), Message("x")])
    assert (named.before(0), named.before(2)) == ((), ("v0", "v1"))
    assert named.before(1001)[-1] == "v999"  # More aren't allowed, and another check reports them
