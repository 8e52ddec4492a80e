"""Images and sounds of the test folder, in the messages of AISBench's templates."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_test
from support.server import ModelServer, model_server

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
WAV = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\0\0\0\0"
KINDS = {
    "text": {"type": "text", "text": "{question}"},
    "audio": {"type": "audio_url", "audio_url": {"url": "{audio}"}},
    "video": {"type": "video_url", "video_url": {"url": "file://{video}"}},
}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with model_server() as running:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("TEAM_KEY", "none")
        settings = {"base_url": running.url, "api_key_env": "TEAM_KEY"}
        workspace(tmp_path, json.dumps({"models": {"openai/m": settings}}))
        yield running


def asked(root: Path, *contents: str, image: str = "file://{image}", **more: Any) -> dict[str, Any]:
    """Run a test of rows with these contents; return the report."""
    kinds = {**KINDS, "image": {"type": "image_url", "image_url": {"url": image}}, **more}
    folder = write_test(
        root / "t",
        model="openai/m",
        prompt=None,
        checker_args=None,
        dataset=[{"content": content, "answer": "x"} for content in contents],
        reader_cfg={"input_columns": ["content"], "output_column": "answer"},
        infer_cfg={
            "prompt_template": {
                "type": "MMPromptTemplate",
                "template": {"round": [{"role": "HUMAN", "prompt_mm": kinds}]},
            },
            "retriever": {"type": "ZeroRetriever"},
            "inferencer": {"type": "GenInferencer"},
        },
    )
    (folder / "pics").mkdir(exist_ok=True)
    (folder / "pics" / "cat.png").write_bytes(PNG)
    (folder / "mew.wav").write_bytes(WAV)
    _, out, _ = call("run", str(folder), "--json")
    report: dict[str, Any] = json.loads(out)
    return report


def piece(kind: str, value: str) -> str:
    return f"<AIS_{kind}_START>{value}<AIS_CONTENT_TAG>"


@pytest.mark.parametrize("name", ["pics/cat.png", "file://pics/cat.png"])
def test_a_path_is_a_file_of_the_test_folder(
    tmp_path: Path, server: ModelServer, name: str
) -> None:
    asked(tmp_path, piece("IMAGE", name) + piece("TEXT", "What?") + piece("AUDIO", "mew.wav"))
    [message] = server.requests[0].json["messages"]
    image, text, sound = message["content"]
    assert image["image_url"]["url"].partition(",")[2] == base64.b64encode(PNG).decode()
    assert text == {"type": "text", "text": "What?"}
    assert sound["input_audio"]["data"] == base64.b64encode(WAV).decode()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (piece("IMAGE", "/etc/passwd"), "outside its folder"),
        (piece("IMAGE", "../secret.png"), "outside its folder"),
        (piece("IMAGE", "pics/dog.png"), "No such file"),
        (piece("IMAGE", "test.json"), "is not a PNG"),
        (piece("VIDEO", "cat.mp4"), "of the test folder (no video: few servers take one)"),
    ],
)
def test_what_can_not_be_sent_is_an_error_of_its_row(
    tmp_path: Path, server: ModelServer, content: str, reason: str
) -> None:
    (tmp_path / "secret.png").write_bytes(PNG)
    report = asked(tmp_path, content, piece("TEXT", "Hi"))
    assert reason in json.dumps(report)
    assert report["summary"]["instances"]["error"] == 1
    assert len(server.requests) == 1


def test_the_content_of_a_video_is_sent_as_it_is(tmp_path: Path, server: ModelServer) -> None:
    video = "data:video/mp4;base64,AAAA"
    kinds = {"type": "video_url", "video_url": {"url": "{video}"}}
    asked(tmp_path, piece("VIDEO", video), video=kinds)
    [message] = server.requests[0].json["messages"]
    assert message["content"] == [{"type": "video_url", "video_url": {"url": video}}]


def test_an_address_stays_one(tmp_path: Path, server: ModelServer) -> None:
    asked(tmp_path, piece("IMAGE", "https://example.org/cat.png"), image="{image}")
    [message] = server.requests[0].json["messages"]
    assert message["content"][0]["image_url"]["url"] == "https://example.org/cat.png"
