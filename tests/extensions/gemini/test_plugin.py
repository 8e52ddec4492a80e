"""Google's Gemini API, against a server that takes only what its official types allow."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support.official_types import first_error, gemini_request, validator_of
from support.strict_server import Asked
from support.wire_cases import KEY, cases, judge, names, play, read_case

from lve.extensions.gemini.request_parts import args_body

CASES = cases("gemini")
PATH = re.compile(r"/v1beta/models/[a-z0-9.-]+:(generateContent|streamGenerateContent\?alt=sse)")


def wrong_with_request(asked: Asked) -> str | None:
    if not PATH.fullmatch(asked.path):
        return f"no such path: {asked.path}"
    if asked.headers.get("x-goog-api-key") != KEY or "authorization" in asked.headers:
        return "API key not valid"
    return first_error(gemini_request(), asked.body)


@pytest.mark.parametrize("path", CASES, ids=names(CASES))
def test_a_case(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_OF_A_TEST", KEY)
    case = read_case(path)
    server, got, told = play(case, "gemini", wrong_with_request, version="v1beta")
    judge(case, server, got)
    assert told == case.get("tells", [])
    if server.requests:
        assert ("stream" in server.requests[-1].path) == case.get("stream", False)


def test_reasoning_is_limited_as_the_family_wants_it_whatever_the_path() -> None:
    for model in ("gemini-2.5-flash", "models/gemini-2.5-flash"):
        config = args_body({"reasoning_effort": "low"}, model)["generationConfig"]
        assert config["thinkingConfig"] == {"thinkingBudget": 1024, "includeThoughts": True}
    config = args_body({"reasoning_effort": "low"}, "gemini-3.5-flash")["generationConfig"]
    assert config["thinkingConfig"]["thinkingLevel"] == "LOW"


def answers() -> list[Any]:
    return [one for path in CASES for one in read_case(path).get("answers", ())]


def test_the_answers_of_the_cases_are_what_the_official_types_say() -> None:
    types = pytest.importorskip("google.genai.types", reason="pip install google-genai")
    answer = validator_of(types.GenerateContentResponse)
    bodies = [one["body"] for one in answers() if one.get("status", 200) == 200 and "body" in one]
    bodies += [event for one in answers() for event in one.get("events", ())]
    known = [body for body in bodies if "error" not in body]
    assert len(known) > 15
    assert [first_error(answer, body) for body in known] == [None] * len(known)


def test_the_server_refuses_what_the_official_types_do_not_know() -> None:
    pytest.importorskip("google.genai", reason="pip install google-genai")
    body = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
    assert first_error(gemini_request(), body) is None
    assert first_error(gemini_request(), {**body, "generationConfig": {"stop": ["x"]}}) is not None
    assert first_error(gemini_request(), {"contents": [{"parts": [{"txt": "Hi"}]}]}) is not None
