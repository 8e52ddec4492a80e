"""Secrets are taken out of a transcript: of answers, calls, and what repeats them."""

from __future__ import annotations

from support.known_secrets import knowing

from lve.messages import Completion, Message, Role, ToolCall, Transcript
from lve.pipeline.rows.redacted import redacted_transcript


def test_what_a_simulated_user_says_is_redacted_too() -> None:
    messages = (
        Message("s3cr3t-key in the prompt"),
        Message("s3cr3t-key", Role.assistant, "turn_1"),
        Message("you said s3cr3t-key", Role.user, "user_1"),
        Message([{"type": "text", "text": "and s3cr3t-key"}, {"type": "image_url", "n": 1}]),
        Message("done", Role.assistant, "response"),
    )
    said = (Completion("s3cr3t-key"), Completion("done"))
    transcript = Transcript(messages, said, filled=(1, 4))
    with knowing("s3cr3t-key"):
        kept = redacted_transcript(transcript)
    assert kept.messages[0] is messages[0]
    assert "s3cr3t" not in str(kept.messages[1:])
    assert isinstance(kept.messages[3].content, list)
    assert kept.messages[3].content[1] == {"type": "image_url", "n": 1}


def test_secrets_are_taken_out_of_calls_and_their_results_alone() -> None:
    call = ToolCall("1", "send", '{"key": "s3cr3t-key"}')
    asks = Completion("", tool_calls=(call,))
    messages = (
        Message("s3cr3t-key in the prompt"),
        Message("", Role.assistant, tool_calls=(call,)),
        Message("got s3cr3t-key", Role.tool, tool_call_id="1"),
        Message("done", Role.assistant),
    )
    transcript = Transcript(messages, (asks, Completion("done")), filled=(1, 3))
    with knowing("s3cr3t-key"):
        kept = redacted_transcript(transcript)
    assert kept.messages[0] is messages[0]
    assert "s3cr3t" not in kept.messages[1].tool_calls[0].arguments
    assert "s3cr3t" not in str(kept.messages[2].content)
    assert kept.messages[3].content == "done"
    assert "s3cr3t" not in kept.completions[0].tool_calls[0].arguments
    harmless = Transcript(messages[3:], (Completion("done"),), filled=(0,))
    with knowing("s3cr3t-key"):
        assert redacted_transcript(harmless) is harmless
