"""`lve schema`: prints schemas, and has editors use them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from support.command_line import call, lve

from lve.documents.validation.schema import schema_names
from lve.errors import UsageError
from lve.extensions.authoring.editors import SNIPPETS as SNIPPETS_FILE

COPIES = ("test", "suite", "settings", "models")
VSCODE = ".vscode/settings.json"
JETBRAINS = ".idea/jsonSchemas.xml"


@pytest.fixture
def inner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace in which one stands, with a folder beside it."""
    root = tmp_path / "inner"
    (root / "repository").mkdir(parents=True)
    (root / "lve.yaml").write_text("", encoding="utf-8")
    (tmp_path / "outside").mkdir()
    monkeypatch.chdir(root / "repository")
    return root


def installed(editor: str, *more: str) -> tuple[int, str, str]:
    return call("schema", "install", "--editor", editor, *more)


def files(root: Path) -> set[str]:
    found = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    return found - {"lve.yaml"}


@pytest.mark.parametrize("name", schema_names())
def test_each_schema_is_printed_whole(name: str) -> None:
    code, out, err = call("schema", "print", name)
    assert (code, err) == (0, "")
    schema = json.loads(out)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"].endswith(f"/{name}.schema.json")
    assert name in call("schema", "print")[1].split()


def test_the_schema_of_suites_stands_alone() -> None:
    validator = Draft202012Validator(json.loads(call("schema", "print", "suite")[1]))
    assert validator.is_valid({"check": {"no_pii": True}, "repeats": 5})
    assert not validator.is_valid({"prompt": "Hi"})
    assert not validator.is_valid({"tags": [{"name": "severity", "value": "huge"}]})


def test_an_unknown_schema_is_suggested() -> None:
    with pytest.raises(UsageError, match="did you mean `settings`"):
        call("schema", "print", "setings")


@pytest.mark.parametrize(
    ("editor", "file"), [("vscode", VSCODE), ("jetbrains", JETBRAINS), ("neovim", None)]
)
def test_an_editor_is_told(inner: Path, editor: str, file: str | None) -> None:
    copies = {f"schemas/{name}.schema.json" for name in COPIES}
    wanted = copies if file is None else {*copies, file}
    wanted |= {SNIPPETS_FILE} if editor == "vscode" else set()
    code, out, _ = installed(editor, "--dry-run")
    assert (code, files(inner)) == (0, set())
    assert "nothing was written" in out
    assert installed(editor)[0] == 0
    assert files(inner) == wanted
    kept = installed(editor)[1]
    assert kept.count("kept ") == len(wanted)
    assert "made" not in kept
    assert file is not None or "# yaml-language-server: $schema=../../../schemas/test" in kept


def test_an_older_copy_is_replaced_and_another_file_is_not(inner: Path) -> None:
    installed("neovim")
    copy = inner / "schemas/test.schema.json"
    older = copy.read_text(encoding="utf-8").replace("/schemas/", "/schemas/old-")
    copy.write_text(older, encoding="utf-8")
    assert "changed  schemas/test.schema.json" in installed("neovim")[1]
    assert copy.read_text(encoding="utf-8") != older
    copy.write_text('{"type": "object"}', encoding="utf-8")
    with pytest.raises(UsageError, match=r"test\.schema\.json is no schema of lve"):
        installed("neovim")
    assert copy.read_text(encoding="utf-8") == '{"type": "object"}'


@pytest.mark.parametrize(
    ("editor", "file", "text"),
    [
        ("vscode", VSCODE, '// mine\n{"a": 1}'),
        ("jetbrains", JETBRAINS, '<project><entry key="mine" /></project>'),
    ],
)
def test_what_to_paste_is_printed(inner: Path, editor: str, file: str, text: str) -> None:
    (inner / file).parent.mkdir()
    (inner / file).write_text(text, encoding="utf-8")
    code, out, err = installed(editor)
    assert code == 1
    assert "schemas/test.schema.json" in out
    assert f"lve: {file} " in err
    assert "by hand" in err
    assert (inner / file).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("way", [".vscode", VSCODE, "schemas", "schemas/test.schema.json"])
def test_nothing_is_written_through_a_link(inner: Path, way: str) -> None:
    outside = inner.parent / "outside"
    (outside / "private").write_text("{}", encoding="utf-8")
    (inner / way).parent.mkdir(exist_ok=True)
    is_file = way.endswith(".json")
    (inner / way).symlink_to(outside / "private" if is_file else outside)
    with pytest.raises(UsageError, match="outside"):
        installed("vscode")
    assert files(outside) == {"private"}
    assert (outside / "private").read_text(encoding="utf-8") == "{}"
    assert (inner / way).is_symlink()


def test_a_file_that_is_no_text_is_told(inner: Path) -> None:
    (inner / ".vscode").mkdir()
    (inner / VSCODE).write_bytes(b"\xff\xfe{\x00")
    with pytest.raises(UsageError, match="UTF-8"):
        installed("vscode")


def test_an_editor_must_be_named() -> None:
    result = lve("schema", "install", code=2)
    assert "neovim" in result.stderr


@pytest.mark.parametrize("editor", ["vscode", "jetbrains"])
def test_nothing_is_written_if_the_editors_settings_cant_be_read(inner: Path, editor: str) -> None:
    file = inner / (VSCODE if editor == "vscode" else JETBRAINS)
    file.parent.mkdir()
    file.write_bytes(b"\xff\xfe{\x00")
    with pytest.raises(UsageError):
        installed(editor)
    assert not (inner / "schemas").exists()
