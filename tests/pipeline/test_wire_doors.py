"""What a server sends is one answer for all doors: a run, the cache, `lve score` and a replay."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pipeline.stream_grammar import PLANS, Plan, calls_of, stream_of, text_of
from support.command_line import call
from support.examples import examples
from support.folders import workspace, write_test
from support.server import Raw, Received, model_server
from support.wire_streams import APIS, cases, said

ROW = re.compile(rb"row (\d+)\.")
ROWS = 20


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KEY_OF_A_TEST", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "key-of-this-test")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")


def is_streamed(request: Received) -> bool:
    """Return whether a request wants a stream."""
    return "tream" in request.path.rpartition("/")[2] or b'"stream":true' in request.body


class Server:
    """Answers each row of a test once; asked again within one run, it refuses for good."""

    def __init__(self, api: str, answer: Callable[[int, bool], Raw]) -> None:
        self.api = api
        self.asked: Counter[int] = Counter()
        self._answer = answer

    def __call__(self, request: Received) -> Raw:
        match = ROW.search(request.body)
        assert match
        row = int(match[1])
        self.asked[row] += 1
        if self.asked[row] > 1:
            body = b'{"error": {"message": "again"}, "message": "again"}'
            return Raw(b"HTTP/1.1 400 no\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        return self._answer(row, is_streamed(request))


def results(root: Path) -> list[Mapping[str, Any]]:
    session = sorted((root / ".lve" / "runs").iterdir())[-1]
    lines = (session / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return sorted((json.loads(line) for line in lines), key=lambda result: int(result["line"]))


def seen(root: Path) -> list[Any]:
    """Return what the last session says of each row."""
    return [(result["verdict"], *_answer(result)) for result in results(root)]


def _answer(result: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the texts and the tool calls of a result that isn't an error."""
    if result["verdict"] == "error":
        return None, None
    messages = [m for transcript in result["transcripts"] for m in transcript["messages"]]
    calls = [call for message in messages for call in message.get("tool_calls") or ()]
    return result["responses"], [(call["name"], call["arguments"]) for call in calls]


def write(root: Path, api: str, port: int, texts: list[str | None]) -> None:
    """Write a test whose rows pass if they are answered with these texts."""
    name, version, more = APIS[api]
    entry: dict[str, Any] = {"provider": name.partition("/")[0], "model": "m", **more}
    if api != "bedrock":
        where = {"base_url": f"http://127.0.0.1:{port}{version}", "api_key_env": "KEY_OF_A_TEST"}
        entry |= where
    workspace(root, json.dumps({"models": {"m": entry}}))
    write_test(
        root / "t",
        model="m",
        prompt=[{"role": "user", "content": "row {row}."}],
        prompt_parameters=["row", "text"],
        checker_args={"checker_name": "LambdaChecker", "func": "lambda r, text: r == text"},
        instances=[{"args": {"row": row, "text": text or ""}} for row, text in enumerate(texts)],
    )


def agree(
    root: Path,
    api: str,
    texts: list[str | None],
    answer: Callable[[int, bool], Raw],
    monkeypatch: pytest.MonkeyPatch,
    *,
    stream: bool,
    calls: list[Any] | None = None,
) -> None:
    """Send rows through all doors, and compare what each says of them.

    Args:
        root: an empty folder.
        api: the API of the server.
        texts: the answer of each row, None if it is an error.
        answer: returns what the server sends for a row, streamed or not.
        monkeypatch: of the test.
        stream: whether the run asks for streams.
        calls: the tool calls of each row, None for those of an error; None: not compared.
    """
    monkeypatch.chdir(root)
    server = Server(api, answer)
    run = ("run", "t", "-q", "--timeout", "20", *(["--stream"] if stream else []))
    with model_server(serve=server) as behind:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", f"http://127.0.0.1:{behind.port}")
        write(root, api, behind.port, texts)
        call(*run)
        live = seen(root)
        wanted = [("error", None) if text is None else ("passed", [text]) for text in texts]
        assert [row[:2] for row in live] == wanted, "the run"
        if calls is not None:
            assert [row[2] for row in live] == calls, "the run"
        assert call("score", "last")[0] in (0, 1, 3)
        assert seen(root) == live, "lve score"
        server.asked.clear()
        call(*run)
        assert seen(root) == live, "the cache"
        # Five errors in a row, and a model isn't asked any more: cached rows don't interrupt them.
        unasked = {n for n, r in enumerate(results(root)) if r["reason"].startswith("not asked")}
        assert {*server.asked} | unasked == {
            row for row, text in enumerate(texts) if text is None
        }, "only what isn't cached is asked again, and no error is cached"
    if all(text is not None for text in texts):
        instances = [
            json.dumps({"args": {"row": row, "text": text}, "response": text})
            for row, text in enumerate(texts)
        ]
        (root / "t" / "instances" / "main.jsonl").write_text("\n".join(instances) + "\n")
        call("run", "t", "-q", "--model", "replay")
        assert [row[:2] for row in seen(root)] == [row[:2] for row in live], "a replay"


def judged(case: Mapping[str, Any]) -> str | None:
    return None if "error" in case else str(case["completion"]["text"])


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("api", APIS)
def test_each_case_is_the_same_at_each_door(
    api: str, stream: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if api == "bedrock":
        pytest.importorskip("boto3", reason="pip install boto3")
    needed = {"stream"} if stream else {"body", "body_text"}
    chosen = [case for case in cases(api).values() if needed & case.keys()]
    agree(
        tmp_path,
        api,
        [*map(judged, chosen)],
        lambda row, streamed: said(api, chosen[row], stream=streamed),
        monkeypatch,
        stream=stream,
    )


@pytest.mark.hypothesis  # so that `make fuzz` tries more of them
@pytest.mark.parametrize("api", APIS)
def test_random_streams_are_the_same_at_each_door(
    api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if api == "bedrock":
        pytest.importorskip("boto3", reason="pip install boto3")

    @settings(
        # With ROWS rows each: 2,040 streams of all APIs in `make fuzz`. boto3 takes its time.
        max_examples=examples(24) // (4 if api == "bedrock" else 1),
        suppress_health_check=[*HealthCheck],
        deadline=None,
    )
    @given(st.lists(PLANS, min_size=ROWS, max_size=ROWS))
    def tried(plans: list[Plan]) -> None:
        def answer(row: int, streamed: bool) -> Raw:
            data, is_closed = stream_of(api, plans[row])
            return Raw(data, close=is_closed)

        with TemporaryDirectory() as folder, monkeypatch.context() as patched:
            texts = [*map(text_of, plans)]
            calls = [calls_of(api, plan) for plan in plans]
            agree(Path(folder), api, texts, answer, patched, stream=True, calls=calls)

    tried()
