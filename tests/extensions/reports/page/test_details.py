"""Whole results on a page."""

from __future__ import annotations

from pathlib import Path

from extensions.reports.page.page_files import page_parts, write_pages
from support.results import make_result

from lve.extensions.reports.page.details import MAX_TEXT, SNIPPET, Texts, detail_of, snippet
from lve.messages import Message, Role, ToolCall, Transcript
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_tests import SessionTest

TEST = SessionTest("repository/a", "openai/m", parameters=("name",))


def test_a_giant_answer_is_cut(tmp_path: Path) -> None:
    folder = SessionFolder.create(tmp_path / "state", {"options": {}})
    journal = folder.open_journal()
    journal.append(make_result(reason="x" * (MAX_TEXT + 5)))
    journal.close()
    _, _, [details] = page_parts(write_pages(tmp_path / "page.html", folder))
    reason = details["texts"][details["rows"][0]["reason"]]
    assert reason.endswith("… (5 more characters are not shown)")


def test_equal_texts_are_written_once() -> None:
    texts = Texts()
    one = detail_of(make_result(), TEST, texts)
    other = detail_of(make_result(line=2), TEST, texts)
    assert one == other
    assert sorted(texts.texts) == ["", "hello", "hi", '{"name":"Ann"}', '{"temperature":0.0}']
    assert texts.characters == sum(map(len, texts.texts))


def test_parameters_are_told_from_model_args() -> None:
    texts = Texts()
    detail = detail_of(make_result(), TEST, texts)
    known = [*texts.texts]
    assert known[detail["parameters"]] == '{"name":"Ann"}'
    assert known[detail["model_args"]] == '{"temperature":0.0}'


def test_calls_parts_and_names_are_kept() -> None:
    texts = Texts()
    messages = (
        Message([{"type": "text", "text": "look"}], image_url="https://example.com/x.png"),
        Message(None, Role.assistant, tool_calls=(ToolCall("1", "weather", "{}"),)),
        Message("warm", Role.tool, tool_call_id="1"),
        Message("It is warm", Role.assistant, variable="answer"),
    )
    run = Transcript(messages, name="first", filled=(1, 3))
    [transcript] = detail_of(make_result(transcripts=(run,)), TEST, texts)["transcripts"]
    known = [*texts.texts]
    asked, called, result, said = transcript["messages"]
    assert known[asked["parts"]] == '[{"type":"text","text":"look"}]'
    assert known[asked["image_url"]] == "https://example.com/x.png"
    assert called["tool_calls"] == [{"name": "weather", "arguments": known.index("{}")}]
    assert [called.get("is_answer"), result.get("is_answer"), said.get("is_answer")] == [
        True,
        None,
        True,
    ]
    assert (said["variable"], transcript["name"]) == ("answer", "first")


def test_a_long_text_begins_only() -> None:
    assert snippet("x" * 10_000) == "x" * SNIPPET + "…"
