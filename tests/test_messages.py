"""Messages and completions are equal by value, small, and copied with `replace`."""

from __future__ import annotations

from dataclasses import replace

from lve.messages import Completion, Message, Role, Usage


def test_messages_with_the_same_content_are_equal() -> None:
    assert Message("hi") == Message("hi", Role.user)
    assert Message("hi") != Message("hi", Role.system)


def test_another_one_is_made_with_replace() -> None:
    made = replace(Completion("a", usage=Usage(1, 2)), text="b")
    assert made == Completion("b", usage=Usage(1, 2))


def test_there_is_no_room_for_other_attributes() -> None:
    assert not hasattr(Message("hi"), "__dict__")
