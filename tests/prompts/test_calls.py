"""Templates, messages and their changes, tools and their calls, one thing of a kind in each."""

from __future__ import annotations

from support.recorded_calls import Calls, changed, grid, record, texts

from lve.messages import Message, Role, Tool, ToolCall, file_name
from lve.prompts.fill import fill, placeholders
from lve.prompts.message_changes import changed_words, difference, later_difference, shown_message
from lve.prompts.messages.texts import with_single_braces
from lve.prompts.size import CharacterBudget, max_filled_characters, message_size, size_of
from lve.prompts.tools.calls import arguments_of, has_values, is_equal
from lve.prompts.tools.prompt_calls import call_problems, with_call_ids

TEXTS_OF = texts("prompts")
ROW: dict[str, object] = {
    "a": "A",
    "n": 3,
    "f": 2.5,
    "l": [1, "x"],
    "d": {"k": "v"},
    "none": None,
    "b": "{a}",
}
CALL, OTHER = ToolCall("", "f", '{"a": 1}'), ToolCall("c1", "g", "{}")
MESSAGES = (
    Message("hi"),
    Message("hi", Role.system),
    Message("there", Role.assistant, "response"),
    Message(None, Role.assistant),
    Message(None, Role.assistant, tool_calls=(CALL,)),
    Message("x", Role.assistant, tool_calls=(CALL, OTHER)),
    Message("x", Role.assistant, tool_calls=(OTHER, OTHER)),
    Message("x", Role.user, tool_calls=(OTHER,)),
    Message("result", Role.tool),
    Message("result", Role.tool, tool_call_id="c1"),
    Message("x", tool_call_id="c1"),
    Message(
        [
            {"type": "text", "text": "a \r\n b  \n"},
            {"type": "image", "image": "a.png", "sha256": "s"},
        ]
    ),
    Message(
        [{"type": "image", "image": "a.png"}, {"type": "x", "sha256": "s"}], image_url="http://a"
    ),
    Message("x", provider_state={"a": [1]}),
)
CONVERSATIONS = (
    (),
    MESSAGES[:1],
    MESSAGES[:3],
    (MESSAGES[4], MESSAGES[8]),
    (MESSAGES[5], MESSAGES[8], MESSAGES[9]),
    (MESSAGES[5], MESSAGES[9]),
    (MESSAGES[6], MESSAGES[9], MESSAGES[9]),
    (MESSAGES[7], MESSAGES[9]),
    (MESSAGES[8], MESSAGES[0]),
    (MESSAGES[10], MESSAGES[4], MESSAGES[4]),
    (
        Message(None, Role.assistant, tool_calls=(ToolCall("call_1", "f", ""), CALL, CALL)),
        *MESSAGES[8:9] * 3,
    ),
)
DOCUMENTS: tuple[dict[str, object], ...] = (
    {"user": "a"},
    {"system": "a", "variable": "v"},
    {"assistant": "a", "tool_calls": [{"name": "f"}]},
    {"role": "tool", "content": "r", "tool_call_id": "c"},
    {
        "content": None,
        "role": "assistant",
        "tool_calls": [{"id": "c", "name": "f", "arguments": "{"}],
    },
    {"content": "a", "image_url": "u"},
    {"content": [{"text": "t"}, {"image": "i.png"}, "s"]},
    {"role": "assistant"},
)
PARTS = (
    {"type": "image", "image": "a"},
    {"type": "audio", "audio": "a"},
    {"type": "text", "text": "a"},
    {"type": "file"},
    {"image": "a"},
    {"type": "image", "image": 1},
)
VALUES = (1, 1.0, True, "1", None, [1], (1,), [1, 2], {"a": 1}, {"a": 1, "b": 2}, {"a": True}, {})
CUT = (
    "",
    "a b c",
    "a x c",
    "one two three " * 9,
    "one two 3 " * 9,
    "a\n\nb",
    "w " * 60 + "x",
    "w " * 60 + "y",
)


def both_ways(document: dict[str, object]) -> object:
    message = Message.from_json(document)
    return message, message.to_json(), message.is_open, message.is_simulated


def filled(text: str) -> object:
    """Return a text that was filled three times: the later ones have a faster way."""
    return [fill(text, ROW) for _ in range(3)]


def counted(most: int, items: list[object]) -> object:
    return list(CharacterBudget(most).counted(items))  # type: ignore[type-var]


def single_braces(message: Message) -> object:
    return with_single_braces([message])


def all_calls() -> Calls:
    single = [[shown_message(message)] for message in MESSAGES[:9:2]]
    shown = [[shown_message(message) for message in messages] for messages in CONVERSATIONS[:6]]
    pairs = {
        **grid(difference, shown, shown),
        **grid(later_difference, single, [*single, [None]]),
    }
    return {
        **grid(filled, TEXTS_OF["templates"]),
        **grid(placeholders, TEXTS_OF["templates"]),
        **grid(shown_message, MESSAGES),
        **grid(message_size, MESSAGES),
        **grid(both_ways, DOCUMENTS),
        **grid(file_name, PARTS),
        **grid(single_braces, [Message(text) for text in TEXTS_OF["braces"]]),
        **pairs,
        **grid(changed_words, CUT[:1], CUT[1:3]),
        **grid(changed_words, CUT[1:2], CUT[2:3]),
        **grid(changed_words, CUT[3:4], CUT[4:]),
        **grid(changed_words, CUT[6:7], CUT[7:]),
        **grid(with_call_ids, CONVERSATIONS),
        **grid(call_problems, CONVERSATIONS, ((), (Tool("f"),), (Tool("gg"),))),
        **grid(arguments_of, TEXTS_OF["arguments"]),
        **grid(has_values, VALUES, VALUES),
        **grid(is_equal, VALUES, VALUES),
        **grid(size_of, (*VALUES, "abc", [["a"], {"b": "cd"}])),
        **grid(counted, (40, 200, 10_000), (["a" * 9, "b" * 9], [["a"] * 3])),
        **grid(max_filled_characters, [dict.fromkeys(range(n), "") for n in (1,)]),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("prompts", all_calls()) == {}


if __name__ == "__main__":
    record("prompts", all_calls())
