"""Logs of Inspect: read in bounds, whatever is in the archive."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from lve.errors import MissingExtraError, UsageError
from lve.extensions.importing.inspect_logs import log as module
from lve.extensions.importing.inspect_logs.log import Log

HEADER = json.dumps({"eval": {"task": "t", "model": "m"}, "status": "success"})


def archive(path: Path, entries: dict[str, str]) -> Path:
    """Write a log."""
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        for name, text in entries.items():
            file.writestr(name, text)
    return path


def test_samples_are_read_from_both_formats(tmp_path: Path) -> None:
    entries = {"header.json": HEADER, "samples/a_epoch_1.json": '{"id": "a"}', "other.json": "{"}
    assert [*Log(archive(tmp_path / "l.eval", entries)).samples()] == [{"id": "a"}]
    (tmp_path / "l.json").write_text(json.dumps({**json.loads(HEADER), "samples": [{"id": 1}, 2]}))
    assert [*Log(tmp_path / "l.json").samples()] == [{"id": 1}]


def said_of(path: Path) -> str:
    """Return why a log is refused."""
    with pytest.raises(UsageError) as caught:
        [*Log(path).samples()]
    return str(caught.value)


def test_pipes_and_devices_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    for path in (tmp_path / "pipe.json", Path("/dev/zero"), tmp_path):
        assert said_of(path).endswith("is no file")


@pytest.mark.parametrize(
    ("sample", "why"),
    [
        ("[" * 100_000, "levels deep|can't be read"),
        ('{"a": ' + "[" * 300 + "]" * 300 + "}", "levels"),
        ('{"a": NaN}', "can't be read"),
        ('{"a": 1, "a": 2}', "can't be read"),
        ('{"a": ' + "9" * 5_000 + "}", "can't be read"),
        ("[1]", "no JSON object"),
        ("\ud83d"[:0] + "{", "can't be read"),
        ('{"a": [' + "1," * 2_100_000 + "1]}", "values"),
    ],
)
def test_a_sample_that_is_no_bounded_object_is_refused(
    tmp_path: Path, sample: str, why: str
) -> None:
    path = archive(tmp_path / "l.eval", {"header.json": HEADER, "samples/a.json": sample})
    said = said_of(path)
    assert any(part in said for part in why.split("|")), said


def test_a_bomb_is_stopped_while_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = '{"a": "' + "0" * 100_000_000 + '"}'
    path = archive(tmp_path / "l.eval", {"header.json": HEADER, "samples/a.json": bomb})
    assert "too large an entry" in said_of(path)
    many = {f"samples/{n}.json": '{"a": "' + "0" * 1_000 + '"}' for n in range(50)}
    path = archive(tmp_path / "m.eval", {"header.json": HEADER, **many})
    monkeypatch.setattr(module, "MAX_BYTES", 20_000)
    assert "too much in all" in said_of(path)
    monkeypatch.setattr(module, "MAX_SAMPLES", 40)
    assert "more than 40 samples" in said_of(path)


def test_archives_that_lie_or_are_damaged_are_refused(tmp_path: Path) -> None:
    path = archive(tmp_path / "l.eval", {"header.json": HEADER, "samples/a.json": '{"id": 1}'})
    whole = path.read_bytes()
    for number, content in enumerate((b"", b"PK", whole[:60], whole[:-30], b"x" * 1000)):
        (tmp_path / f"{number}.eval").write_bytes(content)
        assert "can't be read" in said_of(tmp_path / f"{number}.eval")
    data = bytearray(whole)
    at = data.find(zlib.compress(b'{"id": 1}')[2:5])
    data[at : at + 4] = b"\xff\xff\xff\xff"
    (tmp_path / "spoiled.eval").write_bytes(data)
    assert "l.eval" not in said_of(tmp_path / "spoiled.eval")
    assert "it has no `eval`" in said_of(archive(tmp_path / "n.eval", {"samples/a.json": "{}"}))


def test_names_lead_nowhere(tmp_path: Path) -> None:
    names = ("samples/../../../evil.json", "samples//etc/passwd.json", "../x.json", "samples/.json")
    entries = {"header.json": HEADER, **dict.fromkeys(names, '{"id": 1}')}
    home = tmp_path / "home"
    home.mkdir()
    before = {*tmp_path.rglob("*")}
    read = [*Log(archive(home / "l.eval", entries)).samples()]
    assert len(read) == 1  # data, whatever its name
    assert {*tmp_path.rglob("*")} - before == {home / "l.eval"}


def test_zstandard_needs_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = archive(tmp_path / "l.eval", {"header.json": HEADER})
    data = path.read_bytes().replace(b"\x08\x00", b"\x5d\x00")  # the method, in both headers
    path.write_bytes(data)
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'lve\[inspect\]'"):
        Log(path)
    info = ZipInfo("x")
    info.compress_type = 12
    with pytest.raises(NotImplementedError, match="method 12"):
        module._unpacked(ZipFile(archive(tmp_path / "z.eval", {"a": "b"})), info, 10)


def test_zstandard_is_unpacked_in_bounds(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard", reason="pip install zstandard")
    recorded = Path(__file__).parents[3] / "cases" / "importers" / "inspect.eval"
    assert len([*Log(recorded).samples()]) == 4
    bomb = zstandard.ZstdCompressor().compress(b"0" * 100_000_000)
    path = archive(tmp_path / "l.eval", {"a": "b" * len(bomb)})
    with ZipFile(path) as file:
        entry = file.infolist()[0]
        content = bytearray(path.read_bytes())
        start = entry.header_offset + 30 + 1
        content[start : start + len(bomb)] = bomb
        path.write_bytes(content)
        entry.compress_type, entry.compress_size = module.ZSTANDARD, len(bomb)
        assert len(module._unpacked(file, entry, 1_000)) == 1_000
