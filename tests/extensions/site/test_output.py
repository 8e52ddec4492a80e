"""The folder of a site."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from lve.errors import UsageError
from lve.extensions.site.output import MANIFEST, SiteFolder, refuse_among_tests


def publish(place: Path, **files: str) -> None:
    with SiteFolder(place) as folder:
        for name, content in files.items():
            folder.write(f"{name}.html", content.encode())
        folder.publish()


def content(place: Path) -> dict[str, str]:
    return {
        file.relative_to(place).as_posix(): file.read_text()
        for file in sorted(place.rglob("*"))
        if file.is_file()
    }


def test_a_site_is_replaced_whole(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "site"
    publish(place, a="1", b="2")
    publish(place, b="3")
    assert content(place) == {MANIFEST: "lve site 1\nb.html\n", "b.html": "3"}
    assert [one.name for one in place.parent.iterdir()] == ["site"]


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    place = tmp_path / "site"
    place.mkdir()
    publish(place, a="1")
    assert "a.html" in content(place)


def test_what_fails_leaves_the_old_site(tmp_path: Path) -> None:
    place = tmp_path / "site"
    publish(place, a="old")
    folder = SiteFolder(place)
    with suppress(ZeroDivisionError), folder:
        folder.write("a.html", b"new")
        raise ZeroDivisionError
    assert content(place)["a.html"] == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["site"]


def test_the_old_site_comes_back_if_the_new_one_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "site"
    publish(place, a="old")
    rename = Path.rename

    def fail_for_drafts(self: Path, target: Path) -> Path:
        if self.name.startswith(".site-draft-"):
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_for_drafts)
    with pytest.raises(UsageError, match="can't be written: No space left"):
        publish(place, a="new")
    assert content(place)["a.html"] == "old"


def test_a_folder_that_lve_did_not_make_is_never_touched(tmp_path: Path) -> None:
    place = tmp_path / "site"
    place.mkdir()
    (place / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="isn't a site that lve made"):
        SiteFolder(place)
    assert content(place) == {"thesis.txt": "years of work"}


@pytest.mark.parametrize("name", ["CNAME", "tests/notes.txt", "empty/folder"])
def test_files_that_were_added_to_a_site_are_not_lost(tmp_path: Path, name: str) -> None:
    place = tmp_path / "site"
    publish(place, a="1")
    added = place / name
    added.parent.mkdir(parents=True, exist_ok=True)
    added.mkdir() if name == "empty/folder" else added.write_text("mine")
    with pytest.raises(UsageError, match=f"{name}, which lve didn't make and would be lost"):
        publish(place, a="2")
    assert added.exists()


def test_a_file_that_comes_while_the_site_is_built_is_not_lost(tmp_path: Path) -> None:
    place = tmp_path / "site"
    with SiteFolder(place) as folder:
        place.mkdir()
        (place / "mine").write_text("x")
        with pytest.raises(UsageError, match="isn't a site"):
            folder.publish()
    assert content(place) == {"mine": "x"}


def test_links_and_files_are_not_replaced(tmp_path: Path) -> None:
    publish(tmp_path / "real", a="1")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "file").write_text("x")
    for name in ("link", "file"):
        with pytest.raises(UsageError, match="is not a folder"):
            SiteFolder(tmp_path / name)
    (tmp_path / "real" / "out").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="out, which lve didn't make"):
        SiteFolder(tmp_path / "real")


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="site can't be written"):
        SiteFolder(tmp_path / "file" / "site")


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_others_may_read_a_site_as_the_umask_says(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        publish(tmp_path / "site", a="1")
    finally:
        os.umask(old)
    assert (tmp_path / "site").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("site", None),
        ("docs/site", None),
        ("../elsewhere", None),
        ("repository", "has tests in it"),
        (".", "has tests in it"),
        ("..", "has tests in it"),
        ("repository/a/x", "has tests in it"),
        ("repository/site", "where tests are"),
        ("repository/a/x/site", "where tests are"),
        ("repository/a/x/instances/site", "where tests are"),
        ("docs/../repository/a/site", "where tests are"),
    ],
)
def test_no_site_among_tests(tmp_path: Path, place: str, said: str | None) -> None:
    root = tmp_path / "root"
    test = root / "repository" / "a" / "x"
    test.mkdir(parents=True)
    (root / "docs").mkdir()
    (test / "test.json").write_text("{}")
    if said is None:
        refuse_among_tests(root / place, {test}, root)
    else:
        with pytest.raises(UsageError, match=said):
            refuse_among_tests(root / place, {test}, root)


def test_no_site_in_a_test_that_is_the_whole_workspace(tmp_path: Path) -> None:
    (tmp_path / "test.yaml").write_text("{}")
    with pytest.raises(UsageError, match="where tests are"):
        refuse_among_tests(tmp_path / "site", {tmp_path}, tmp_path)
