"""Addresses of images in messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace, write_dataset_test, write_test
from support.run_command import at
from support.server import model_server

from lve.messages import Message
from lve.prompts.addresses import addresses, is_certainly_local, is_local

REFUSED = (
    "'red.png' is a path: the model's server can't open files of yours; "
    "give a URL (https:, data:), or send an image or a sound of the test folder (no video: few "
    "servers take one) with `image: NAME` in a `prompt`"
)


@pytest.mark.parametrize(
    "address", ["https://x.org/a.png", "HTTP://x", "data:image/png;base64,aGk=", "gs://x/a"]
)
def test_what_a_server_can_open_is_no_path(address: str) -> None:
    assert not is_local(address)


@pytest.mark.parametrize(
    "address", ["red.png", "/red.png", "../x", "C:\\x.png", "file:///x", "FILE:x", "~/x", "", "//x"]
)
def test_a_path_is_local(address: str) -> None:
    assert is_local(address)


@pytest.mark.parametrize(
    ("template", "certain"),
    [
        ("{url}", False),
        ("ht{rest}", False),
        ("https://x.org/{name}", False),
        ("images/{name}.png", True),
        ("file:{name}", True),
        ("red.png", True),
    ],
)
def test_a_template_is_local_if_no_parameter_could_make_it_a_url(
    template: str, certain: bool
) -> None:
    assert is_certainly_local(template) is certain


def test_all_kinds_of_parts_have_addresses() -> None:
    parts = (
        {"type": "text", "text": "x"},
        {"type": "image_url", "image_url": {"url": "a"}},
        {"type": "video_url", "video_url": "b"},
        {"type": "audio_url", "audio_url": {"url": "c"}},
    )
    assert [*addresses(Message(parts, image_url="d"))] == ["d", "a", "b", "c"]


def from_a_parameter(folder: Path) -> None:
    prompt = [{"content": "Which colour?", "image_url": "{image}"}]
    rows = [{"args": {"image": "red.png"}, "response": "", "run_info": {}}]
    write_test(folder, prompt=prompt, prompt_parameters=["image"], instances=rows)


def from_a_column(folder: Path) -> None:
    prompt = [{"content": [{"type": "image_url", "image_url": {"url": "{image}"}}]}]
    write_test(folder, prompt=prompt, dataset=[{"image": "red.png"}])


def from_a_template(folder: Path) -> None:
    parts = {"image": {"type": "image_url", "image_url": {"url": "{image}"}}}
    write_dataset_test(
        folder,
        [{"content": "<AIS_IMAGE_START>red.png", "a": "x"}],
        reader_cfg={"input_columns": ["content"], "output_column": "a"},
        prompt_template={
            "type": "MMPromptTemplate",
            "template": {"round": [{"role": "HUMAN", "prompt_mm": parts}]},
        },
    )


@pytest.mark.parametrize("write", [from_a_parameter, from_a_column])
def test_a_path_from_a_value_is_refused_at_every_door_and_nothing_is_sent(
    write: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    write(tmp_path / "t")
    for verb in ("check", "render"):
        code, out, err = call(verb, "t")
        assert code == 2
        assert REFUSED in out + err
    with model_server("red") as server:
        code, out, _ = call("run", "t", "--json", *at(server))
        assert not server.requests
    assert code == 3
    [instance] = json.loads(out)["tests"][0]["instances"]
    assert (instance["verdict"], instance["reason"]) == ("error", REFUSED)
    code, out, _ = call("run", "t", "--dry-run", "--json", *at(server))
    assert json.loads(out)["tests"][0]["calls"] == 0


def test_a_path_from_a_template_is_a_file_of_the_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    from_a_template(tmp_path / "t")
    with model_server("red") as server:
        code, out, _ = call("run", "t", "--json", *at(server))
        assert not server.requests
    assert code == 3
    [instance] = json.loads(out)["tests"][0]["instances"]
    assert "`image: red.png` can't be sent: No such file" in instance["reason"]


def test_paths_in_a_prompt_are_problems_of_the_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    parts = [
        {"type": "image_url", "image_url": {"url": "file:///etc/red.png"}},
        {"type": "video_url", "video_url": "C:\\red.mp4"},
    ]
    prompt = [
        {"content": "?", "image_url": "red.png"},
        {"content": "?", "image_url": "images/{name}.png"},
        {"content": parts},
        {"content": parts[:1], "role": "assistant"},
    ]
    write_test(tmp_path / "t", prompt=prompt, prompt_parameters=["name"])
    code, out, _ = call("check", "t")
    assert code == 2
    assert [line.split(": ")[1:3] for line in out.splitlines() if "is a path" in line] == [
        ["$.prompt[0].image_url", "'red.png' is a path"],
        ["$.prompt[1].image_url", "'images/{name}.png' is a path"],
        ["$.prompt[2].content", "'file:///etc/red.png' is a path"],
        ["$.prompt[2].content", "'C:\\\\red.mp4' is a path"],
        ["$.prompt[3].content", "'file:///etc/red.png' is a path"],
    ]
