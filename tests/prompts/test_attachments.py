"""Files of the test folder in messages: in every command, and which ones are refused."""

from __future__ import annotations

import base64
import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from prompts.files_to_send import MP3, PDF, TEXT, png, wav, write_files
from support.command_line import call
from support.folders import workspace, write_test
from support.forked import python
from support.run_command import at
from support.server import model_server

import lve
from lve.errors import PromptError
from lve.messages import Message
from lve.prompts.attachments import (
    MAX_FILE_BYTES,
    MAX_TOGETHER_BYTES,
    inspected_file,
    read_file,
    with_files,
    with_inspected_files,
)
from lve.prompts.conversation import Conversation


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(workspace(tmp_path))
    write_files(tmp_path / "t")
    return tmp_path / "t"


def data_url(media_type: str, content: bytes) -> str:
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}"


IMAGE = {"type": "image_url", "image_url": {"url": data_url("image/png", png())}}


def sent(folder: Path, prompt: list[dict[str, Any]], **document: Any) -> list[list[Any]]:
    """Run a test and return the messages of each request, in order."""
    write_test(folder, prompt=prompt, **document)
    with model_server("red") as server:
        call("run", "t", "--no-cache", *at(server))
        return [request.json["messages"] for request in server.requests]


def test_files_are_sent_in_the_shape_of_the_api_after_the_text(folder: Path) -> None:
    prompt = [
        {"content": "Look.", "image": "red.png", "audio": ["x.wav", "x.mp3"], "file": "a.pdf"},
        {"image": "red.png"},
        {"content": [{"file": "a.txt"}, {"type": "text", "text": "?"}, {"image": "red.png"}]},
    ]
    [messages] = sent(folder, prompt)
    sounds = [
        {"type": "input_audio", "input_audio": {"data": base64.b64encode(data).decode(), **form}}
        for data, form in ((wav(), {"format": "wav"}), (MP3, {"format": "mp3"}))
    ]
    document = {"filename": "a.pdf", "file_data": data_url("application/pdf", PDF)}
    assert [message["content"] for message in messages] == [
        [{"type": "text", "text": "Look."}, IMAGE, *sounds, {"type": "file", "file": document}],
        [IMAGE],
        [{"type": "text", "text": TEXT}, {"type": "text", "text": "?"}, IMAGE],
    ]


def test_a_prompt_file_names_files_too(folder: Path) -> None:
    (folder / "p.prompt").write_text('{"content": "?", "image": "red.png"}\n', "utf-8")
    write_test(folder, prompt=None, prompt_file="p.prompt")
    with model_server("red") as server:
        call("run", "t", *at(server))
    assert server.requests[0].json["messages"][0]["content"][1] == IMAGE
    (folder / "p.prompt").write_text('{"content": "?",\n "image": "blue.png"}\n', "utf-8")
    code, out, _ = call("check", "t")
    assert code == 2
    assert out.startswith("t/p.prompt:2:12: `image: blue.png` can't be sent")


def test_a_column_names_the_file_and_the_whole_conversation_is_sent_in_each_turn(
    folder: Path,
) -> None:
    (folder / "blue.png").write_bytes(png(red=0))
    prompt = [
        {"content": "Which colour?", "image": "{colour}.png"},
        {"role": "assistant", "variable": "first"},
        {"content": "Sure?"},
    ]
    requests = sent(folder, prompt, dataset=[{"colour": "red"}, {"colour": "blue"}])
    images = {
        name: {"type": "image_url", "image_url": {"url": data_url("image/png", png(red=value))}}
        for name, value in (("red", 255), ("blue", 0))
    }
    got = [(len(messages), messages[0]["content"][1]) for messages in requests]
    assert sorted(got, key=repr) == sorted(
        [(turn, images[name]) for turn in (1, 3) for name in images], key=repr
    )


def test_the_journal_render_and_show_say_what_was_sent_without_its_content(folder: Path) -> None:
    write_test(
        folder,
        prompt=[{"content": "?", "image": "red.png"}],
        checker_args=None,
        check={"contains": "blue"},
    )
    digest = sha256(png()).hexdigest()
    part = {"type": "image", "image": "red.png", "media_type": "image/png"}
    part |= {"bytes": len(png()), "sha256": digest}
    words = f"image: red.png, image/png, {len(png())} bytes, sha256 {digest}"
    code, out, _ = call("render", "t")
    assert code == 0
    assert f"[{words}]" in out
    code, out, _ = call("render", "t", "--json")
    [run] = json.loads(out)["tests"][0]["instances"][0]["runs"]
    assert run["messages"][0]["content"][1] == part
    with model_server("red") as server:
        code, out, _ = call("run", "t", "-v", *at(server))
    assert code == 1
    assert f"({words})" in out
    [session] = (folder.parent / ".lve" / "runs").iterdir()
    journal = (session / "results.jsonl").read_text("utf-8")
    assert json.loads(journal)["transcripts"][0]["messages"][0]["content"][1] == part
    sums = json.loads((session / "session.json").read_text("utf-8"))["tests"]["t"]
    assert len(sums["files"]) == 64
    for file in session.rglob("*"):
        if file.is_file():
            assert base64.b64encode(png())[:24] not in file.read_bytes()


def test_another_content_is_another_request_for_the_cache(folder: Path) -> None:
    write_test(folder, prompt=[{"content": "?", "image": "red.png"}])
    with model_server("red") as server:
        for red in (1, 1, 2):
            (folder / "red.png").write_bytes(png(red))
            call("run", "t", *at(server))
        assert len(server.requests) == 2


def test_a_recording_keeps_names_and_sums_and_is_replayed_and_scored(folder: Path) -> None:
    prompt = [{"content": "?", "image": "{colour}.png"}]
    write_test(
        folder,
        prompt=prompt,
        prompt_parameters=["colour"],
        checker_args=None,
        check={"contains": "red"},
    )
    with model_server("red") as server:
        code, _, err = call("record", "t", "-p", "colour=red", "--with-prompt", *at(server))
        assert code == 0, err
    [file] = (folder / "instances").iterdir()
    line = json.loads(file.read_text("utf-8"))
    assert base64.b64encode(png()).decode()[:24] not in json.dumps(line)
    assert sha256(png()).hexdigest() in json.dumps(line["prompt_out"])
    assert call("run", "t", "--model", "replay")[0] == 0
    code, out, err = call("score", "last")
    assert code == 0, out + err


@pytest.mark.parametrize(
    ("kind", "name", "reason"),
    [
        ("image", "missing.png", "`image: missing.png` can't be sent: No such file or directory"),
        ("image", "../secret.png", "`image: ../secret.png` can't be sent: outside its folder"),
        ("image", "link.png", "`image: link.png` can't be sent: outside its folder"),
        ("image", "pipe.png", "`image: pipe.png` can't be sent: not a regular file"),
        ("image", "huge.png", "`image: huge.png` can't be sent: larger than 20 MB"),
        ("image", "empty.png", "`image: empty.png` can't be sent: the file is empty"),
        ("image", "a.txt", "`image: a.txt` is not a PNG, JPEG, GIF or WebP image"),
        ("image", "x.wav", "`image: x.wav` is not a PNG, JPEG, GIF or WebP image; "
         "write `audio: x.wav`"),
        ("audio", "a.pdf", "`audio: a.pdf` is not a WAV or MP3 sound; write `file: a.pdf`"),
        ("file", "red.png", "`file: red.png` is not a PDF or a text in UTF-8; "
         "write `image: red.png`"),
        ("file", "zip.bin", "`file: zip.bin` is not a PDF or a text in UTF-8"),
        ("file", "latin.txt", "`file: latin.txt` is not a PDF or a text in UTF-8"),
        ("image", "", "`image` has an empty name, so there is nothing to send"),
        ("file", ".", "`file: .` can't be sent: Is a directory"),
        ("file", "a\0b", "can't be sent: not a file name"),
    ],
)  # fmt: skip
def test_what_cannot_be_sent_is_refused(folder: Path, kind: str, name: str, reason: str) -> None:
    (folder.parent / "secret.png").write_bytes(png())
    (folder / "link.png").symlink_to(folder.parent / "secret.png")
    os.mkfifo(folder / "pipe.png")
    (folder / "huge.png").write_bytes(png())
    os.truncate(folder / "huge.png", 1_000_000_000)
    (folder / "empty.png").touch()
    (folder / "zip.bin").write_bytes(b"PK\x03\x04\0\0")
    (folder / "latin.txt").write_bytes(b"Gr\xf6\xdfe")
    for look in (inspected_file, read_file):
        with pytest.raises(PromptError) as error:
            look(folder, kind, name)
        assert reason in str(error.value)


def test_an_absolute_name_and_a_link_inside(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(png())
    with pytest.raises(PromptError, match="outside its folder"):
        inspected_file(folder, "image", str(tmp_path / "secret.png"))
    (folder / "link.png").symlink_to("red.png")
    assert inspected_file(folder, "image", "link.png") == ("image/png", len(png()))


def test_the_name_of_a_file_is_one_line_for_people(folder: Path) -> None:
    name = "red]\nsystem:\n  obey.png"
    (folder / name).write_bytes(png())
    write_test(folder, prompt=[{"image": name}])
    for arguments in (("render", "t"), ("run", "t", "-v"), ("show", "last", "--failures")):
        _, out, _ = call(*arguments)
        assert "\nsystem:" not in out
    assert "image: red] system: obey.png, image/png" in call("render", "t")[1]


@pytest.mark.parametrize("kind", ["file", "image"])
def test_a_prompt_that_names_a_large_file_very_often_is_refused_at_once(
    folder: Path, kind: str
) -> None:
    """Reading it for each part would take minutes."""
    beginning = b"" if kind == "file" else png()
    (folder / "large").write_bytes(beginning + b"a" * (MAX_FILE_BYTES - 1000))
    write_test(folder, prompt=[{kind: "large"}] * 200 + [{"content": [{kind: "large"}] * 1_800}])
    for command in ("check", "run", "render"):
        code, out, err = call(command, "t")
        assert code == 2
        assert out.count("more than 50 MB together") + err.count("more than 50 MB together") >= 1
        assert len(out + err) < 2000


def test_the_largest_file_and_what_is_too_much_together(folder: Path) -> None:
    (folder / "big.png").write_bytes(png())
    os.truncate(folder / "big.png", MAX_FILE_BYTES)
    assert inspected_file(folder, "image", "big.png").size == MAX_FILE_BYTES
    many = MAX_TOGETHER_BYTES // MAX_FILE_BYTES + 1
    parts = [{"type": "image", "image": "big.png"}] * many
    conversation = Conversation((Message(parts), Message(role="assistant")))  # type: ignore[arg-type]
    for look in (with_files, with_inspected_files):
        with pytest.raises(PromptError, match="more than 50 MB together"):
            look([conversation], folder / "test.json")


def test_a_conversation_without_files_stays_the_same_object(folder: Path) -> None:
    parts = [{"type": "text", "text": "x"}, {"type": "file", "file": {"file_id": "f1"}}]
    given = [Conversation((Message(parts), Message()))]
    assert with_files(given, folder / "test.json") is given
    assert not given[0].has_files


CHECKED = [
    ({"content": "?", "image": "blue.png"}, "t/test.json:7:13: $.prompt[0].image: `image: blue"),
    (
        {"content": [{"type": "text", "text": "a"}, {"audio": "y.wav"}]},
        "t/test.json:12:15: $.prompt[0].content[1].audio: `audio: y.wav`",
    ),
    ({"content": "?", "image": "{color}.png"}, "t/test.json:7:13: $.prompt[0].image: {color} is"),
    (
        {"content": "?", "image": "{colour"},
        "t/test.json:7:13: $.prompt[0].image: ",
    ),
    (
        {"role": "assistant", "content": "x", "image": "red.png"},
        "t/test.json:8:13: $.prompt[0].image: an assistant message takes no files",
    ),
]


@pytest.mark.parametrize(("message", "expected"), CHECKED)
def test_problems_of_names_in_the_document_have_their_place(
    folder: Path, message: dict[str, Any], expected: str
) -> None:
    write_test(folder, prompt=[message], prompt_parameters=["colour"])
    code, out, _ = call("check", "t")
    assert code == 2
    assert out.startswith(expected)
    assert call("run", "t")[0] == 2


def test_check_finds_the_files_that_rows_name_and_the_run_goes_on_without_them(
    folder: Path,
) -> None:
    prompt = [{"content": "?", "image": "{colour}.png"}]
    rows = [{"args": {"colour": name}} for name in ("red", "blue", "../t/red", "../red")]
    write_test(folder, prompt=prompt, prompt_parameters=["colour"], instances=rows)
    code, out, _ = call("check", "t")
    assert code == 2
    assert [line.split(": ")[0] for line in out.splitlines()[:-1]] == [
        "t/instances/main.jsonl:2",
        "t/instances/main.jsonl:4",
    ]
    with model_server("Hello") as server:
        code, out, _ = call("run", "t", "--json", "--no-cache", *at(server))
        assert len(server.requests) == 2
    assert code == 3
    [test] = json.loads(out)["tests"]
    found = [(one["verdict"], one["error_kind"]) for one in test["instances"]]
    assert sorted(found, key=repr) == [("error", "prompt")] * 2 + [("passed", None)] * 2


def test_a_dry_run_counts_files_without_reading_all_of_them(folder: Path) -> None:
    write_test(folder, prompt=[{"content": "?", "file": "a.txt"}])
    (folder / "a.txt").write_text("word " * 10_000, "utf-8")
    _, out, _ = call("run", "t", "--dry-run", "--json")
    assert json.loads(out)["tests"][0]["prompt_tokens"] > 10_000


def test_python_sends_them_too(folder: Path) -> None:
    write_test(folder, prompt=[{"content": "?", "image": "red.png"}])
    asked: list[lve.ChatRequest] = []

    def answer(request: lve.ChatRequest) -> str:
        asked.append(request)
        return "Hello"

    assert lve.run(lve.load(folder), model=lve.ScriptedModel(answer)).exit_code() == 0
    assert list(asked[0].messages[0].content or ())[1] == IMAGE


def test_a_session_that_is_resumed_sends_the_files_that_are_missing(folder: Path) -> None:
    (folder / "blue.png").write_bytes(png(red=0))
    prompt = [{"content": "?", "image": "{colour}.png"}]
    write_test(folder, prompt=prompt, dataset=[{"colour": "red"}, {"colour": "blue"}])
    with model_server("Hello") as server:
        code, _, _ = call("run", "t", "--max-requests", "1", *at(server))
        assert code == 6
        code, _, err = call("run", "--resume", "--max-requests", "9", "--json", *at(server))
        assert code == 0, err
        sent = [request.json["messages"][0]["content"][1] for request in server.requests]
    assert len(sent) == 2
    assert sent[0] != sent[1]


def test_under_pytest_a_missing_file_is_an_error_of_its_item(
    folder: Path, pytester: pytest.Pytester
) -> None:
    write_files(pytester.path / "t")
    workspace(pytester.path)
    prompt = [{"content": "?", "image": "{colour}.png"}]
    write_test(pytester.path / "t", prompt=prompt, dataset=[{"colour": "red"}, {"colour": "blue"}])
    ran = pytester.run(*python(), "-m", "pytest", "t", "-p", "no:cacheprovider")
    ran.stdout.fnmatch_lines(["*`image: blue.png` can't be sent: No such file or directory*"])
    ran.assert_outcomes(passed=1, errors=1)
