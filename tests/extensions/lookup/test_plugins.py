"""`lve plugins`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace
from support.installed import Installed

from lve.version import __version__


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    monkeypatch.chdir(workspace(tmp_path / "w", "plugins: [acme, twice]"))
    return Installed(tmp_path / "site", monkeypatch)


def test_it_lists_kind_name_package_version_and_what_is_not_used(installed: Installed) -> None:
    source = {"lve_p": "open('loaded', 'w').close()"}
    points = {"lve.models": {"acme": "lve_p:make", "openai": "lve_p:make", "twice": "lve_p:a"}}
    installed.add("lve-acme", source, points, "1.2")
    installed.add("other", {}, {"lve.models": {"twice": "x:y"}})
    code, out, _ = call("plugins", "--json")
    assert code == 0
    entries = [one for one in json.loads(out)["plugins"] if one["package"] != "lve"]
    assert [(e["name"], e["package"], e["for_tests"], e["unused"]) for e in entries] == [
        ("acme", "lve-acme", True, None),
        ("openai", "lve-acme", False, "not used: lve itself has this name"),
        ("twice", "lve-acme", False, "not used: several packages have this name"),
        ("twice", "other", False, "not used: several packages have this name"),
    ]
    assert entries[0]["kind"] == "model"
    assert (entries[0]["version"], entries[0]["entry_point"]) == ("1.2", "lve_p:make")
    assert not Path("loaded").exists()


def test_lves_own_come_first(installed: Installed) -> None:
    assert call("plugins")[1].splitlines()[0] == (
        f"model · exec · lve · {__version__} · tests may use it"
    )


def test_hostile_texts_of_a_package_do_not_reach_the_terminal(installed: Installed) -> None:
    installed.add("bad\x1b[2Jname", {}, {"lve.models": {"bad": "x:y"}})
    out = call("plugins")[1]
    assert "bad" in out
    assert "\x1b" not in out
