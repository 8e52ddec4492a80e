"""Tests go to workers with all that running needs, and nothing that only this machine has."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from support.folders import workspace, write_test
from support.trust import trusted

from lve.extensions.ray import files as module
from lve.extensions.ray.files import Files, files_of, moved, sent, unpack
from lve.spec.load import load_spec
from lve.spec.spec import Spec

CHECKER = "class C:\n    def check(self, context):\n        return True\n"


def _spec(root: Path) -> Spec:
    workspace(root)
    folder = write_test(root / "tests" / "own", checker_args={"checker_name": "C"}, instances=[{}])
    (folder / "checker").mkdir()
    (folder / "checker" / "checker.py").write_text(CHECKER, encoding="utf-8")
    return load_spec(folder / "test.json", root)


def test_a_test_is_unpacked_with_its_files_in_another_place(tmp_path: Path) -> None:
    spec = _spec(tmp_path / "here")
    files = files_of(spec, ())
    assert files is not None
    there = tmp_path / "there"
    unpack(files.packed()[1], there)
    found = moved(pickle.loads(pickle.dumps(sent(spec))), there)
    assert found.file == there / "tests" / "own" / "test.json"
    assert found.folder / "checker" / "checker.py" in found.folder.rglob("*.py")
    assert (found.path, found.checkers) == (spec.path, spec.checkers)
    assert str(tmp_path / "here") not in {str(found.root), *(str(p.file) for p in found.prompts)}


def test_files_of_prompts_move_too(tmp_path: Path) -> None:
    workspace(tmp_path / "here")
    folder = write_test(tmp_path / "here" / "t")
    (folder / "hello.prompt").write_text("Say hello.", encoding="utf-8")
    said = {"description": "d", "prompt_file": "hello.prompt", "check": {"contains": "Hello"}}
    (folder / "test.json").write_text(json.dumps(said), encoding="utf-8")
    spec = load_spec(folder / "test.json", tmp_path / "here")
    found = moved(spec, tmp_path / "there")
    assert [one.file for one in found.prompts] == [tmp_path / "there" / "t" / "hello.prompt"]


def test_checkers_that_tests_share_go_along(tmp_path: Path) -> None:
    spec = _spec(tmp_path)
    shared = tmp_path / "checkers" / "mine"
    shared.mkdir(parents=True)
    (shared / "checker.py").write_text(CHECKER, encoding="utf-8")
    files = files_of(spec, ())
    assert files is not None
    assert "checkers/mine/checker.py" in dict(files.contents)


def test_equal_content_has_one_sum(tmp_path: Path) -> None:
    def sum_of(spec: Spec) -> str:
        files = files_of(spec, ())
        assert isinstance(files, Files)
        return files.packed()[0]

    spec = _spec(tmp_path)
    first = sum_of(spec)
    assert sum_of(spec) == first
    (spec.folder / "checker" / "checker.py").write_text(CHECKER + "\n", encoding="utf-8")
    assert sum_of(spec) != first


@pytest.mark.parametrize("right", [{"env": ("TOKEN",)}, {"read": ("~",)}, {"network": True}])
def test_what_may_use_this_machine_runs_on_it(tmp_path: Path, right: dict[str, object]) -> None:
    spec = _spec(tmp_path)
    file = spec.folder / "checker" / "checker.py"
    assert files_of(spec, (trusted(tmp_path, file),)) is not None
    assert files_of(spec, (trusted(tmp_path, file, **right),)) is None


def test_large_files_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = _spec(tmp_path)
    monkeypatch.setattr(module, "MAX_BYTES", 100)
    assert files_of(spec, ()) is None


def test_a_link_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    spec = _spec(tmp_path / "here")
    (tmp_path / "secret.txt").write_text("s", encoding="utf-8")
    (spec.folder / "more.txt").symlink_to(tmp_path / "secret.txt")
    assert files_of(spec, ()) is None


def test_what_other_code_may_do_keeps_no_test_here(tmp_path: Path) -> None:
    spec = _spec(tmp_path)
    other = tmp_path / "tests" / "other.py"
    other.write_text(CHECKER, encoding="utf-8")
    assert files_of(spec, (trusted(tmp_path, other, network=True),)) is not None


def test_files_count_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = _spec(tmp_path)
    files = [file for file in spec.folder.rglob("*") if file.is_file()]
    monkeypatch.setattr(module, "MAX_BYTES", sum(file.stat().st_size for file in files) - 1)
    assert files_of(spec, ()) is None
