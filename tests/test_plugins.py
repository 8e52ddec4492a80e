"""Finding and loading plugins, broken ones among them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import call, lve
from support.folders import workspace, write_test
from support.installed import Installed

from lve.documents.toml_text import parse_toml
from lve.errors import PluginError
from lve.extension_table import PLUGINS
from lve.plugins import GROUPS, all_plugins, find_plugin

ROOT = Path(__file__).parents[1]
MODEL = """
import lve
class Model:
    identity = None
    name = "x"
    async def complete(self, request): return lve.Completion("Hello")
    async def aclose(self): pass
def make(config): return Model()
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    monkeypatch.chdir(workspace(tmp_path / "w"))
    return Installed(tmp_path / "site", monkeypatch)


def test_lves_own_plugins_stand_in_its_metadata_too() -> None:
    project = parse_toml((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = {
        (kind, name): target
        for kind, group in GROUPS.items()
        for name, target in project["entry-points"].get(group, {}).items()
    }
    assert declared == dict(PLUGINS)


def test_lves_own_plugins_need_no_look_at_what_is_installed() -> None:
    code = (
        "import sys; from lve.plugins import find_plugin; "
        "plugin = find_plugin('model', 'hf'); "
        "assert 'importlib.metadata' not in sys.modules; "
        "assert plugin.is_own; print(plugin.load().__module__)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "lve.extensions.hf.plugin\n"


def test_a_plugin_is_found_with_its_package(installed: Installed) -> None:
    installed.add("lve-acme", {}, {"lve.models": {"acme": "nowhere:make"}}, "2.1")
    plugin = find_plugin("model", "acme")
    assert plugin is not None
    assert plugin.origin == "lve-acme 2.1"
    assert find_plugin("checker", "acme") is None
    assert find_plugin("model", "other") is None


def test_groups_and_names_that_mean_nothing_here_are_left_out(installed: Installed) -> None:
    entries = {"lve.others": {"a": "x:y"}, "lve.models": {"b c": "x:y", "d\x1b[2J": "x:y"}}
    installed.add("odd", {}, entries)
    assert "odd" not in {plugin.distribution for plugin in all_plugins()}


def test_broken_metadata_of_one_package_hides_no_other(installed: Installed) -> None:
    installed.add("fine", {}, {"lve.models": {"fine": "x:y"}})
    for name, text in (("broken", "[lve.models\nno equals sign\n= = =\n"), ("bytes", "\xff")):
        installed.add(name, {}, {})
        folder = installed.folder / f"{name}-1.0.dist-info"
        (folder / "entry_points.txt").write_bytes(text.encode("latin-1"))
    (installed.folder / "empty-1.0.dist-info").mkdir()
    assert "fine" in {plugin.distribution for plugin in all_plugins()}


def test_a_package_that_calls_itself_lve_brings_nothing(installed: Installed) -> None:
    installed.add("LVE", {}, {"lve.models": {"evil": "x:y", "hf": "x:y"}})
    assert find_plugin("model", "evil") is None
    found = find_plugin("model", "hf")
    assert found is not None
    assert found.target == "lve.extensions.hf.plugin:make_model"


def test_two_packages_with_one_name_are_an_error_that_names_both(installed: Installed) -> None:
    for name in ("one", "two"):
        installed.add(name, {}, {"lve.models": {"acme": "x:y"}})
    with pytest.raises(PluginError, match=r"^one 1\.0 and two 1\.0 both provide a model plugin"):
        find_plugin("model", "acme")


BROKEN = {
    "gone": ("import nothing_like_that", "ModuleNotFoundError: No module named"),
    "syntax": ("def", "SyntaxError: "),
    "exits": ("import sys; sys.exit(0)", "SystemExit: 0"),
    "lacking": ("x = 1", "AttributeError: "),
    "raising": ("raise RuntimeError('first\\nsecond \\x1b[2J')", "RuntimeError: first second"),
    "refusing": ("def make(config): raise ValueError('no')", "can't make a model: ValueError: no"),
    "leaving": ("def make(config): raise SystemExit(3)", "can't make a model: SystemExit: 3"),
    "other": ("def make(config): return 3", "made something else than a model: it has no name, id"),
    "hostile": (
        "class M:\n def __getattr__(self, name): raise KeyError(name)\n"
        "def make(config): return M()",
        "can't make a model: KeyError: 'name'",
    ),
}


@pytest.mark.parametrize(("source", "said"), BROKEN.values(), ids=BROKEN)
def test_a_broken_plugin_is_one_error_with_its_package_and_stops_no_other_run(
    installed: Installed, source: str, said: str
) -> None:
    points = {"lve.models": {"acme": "lve_broken:make"}}
    installed.add("lve-broken", {"lve_broken": source}, points)
    write_test(Path("t"))
    result = lve("run", "t", "--model", "acme/m", code=2)
    text = str(result.exception)
    assert isinstance(result.exception, PluginError)
    assert text.startswith("the model plugin 'acme' of lve-broken 1.0 ")
    assert said in text
    assert text.endswith("(pip uninstall lve-broken)")
    assert "\n" not in text
    assert "\x1b" not in text
    for arguments in (("run", "t"), ("plugins",), ("check", "t")):
        lve(*arguments)


@pytest.mark.parametrize("target", ["", "x", "x:", ":make", "a b:c", "..x:y", "x:y z", "x:y [e]"])
def test_a_wrong_entry_point_is_shown(installed: Installed, target: str) -> None:
    installed.add("lve-odd", {}, {"lve.models": {"acme": target}})
    write_test(Path("t"))
    result = lve("run", "t", "--model", "acme/m", code=2)
    assert isinstance(result.exception, PluginError)
    said = f"of lve-odd 1.0 has '{target}' for `module:attribute`; repair it"
    assert said in str(result.exception)


def test_what_a_plugin_prints_is_no_result(installed: Installed) -> None:
    source = "print('imported')\n" + MODEL.replace(
        "make(config): ", "make(config): print('made'); "
    )
    installed.add("lve-acme", {"lve_m": source}, {"lve.models": {"acme": "lve_m:make"}})
    write_test(Path("t"))
    code, out, err = call("run", "t", "--model", "acme/m", "--json")
    assert code == 0
    assert json.loads(out)["tests"]
    assert err.startswith("imported\nmade\n")


@pytest.mark.parametrize("error", ["ValueError('no')", "SystemExit(7)"])
@pytest.mark.parametrize(
    ("place", "expected", "said"),
    [
        ("def aclose(self): pass", 0, "warning: the model x crashed: {}; all results are there"),
        ("self, request): return lve.Completion('Hello')", 3, "the model x crashed: {}"),
    ],
)
def test_a_model_that_fails_or_leaves_later_ends_no_run(
    installed: Installed, place: str, expected: int, said: str, error: str
) -> None:
    source = MODEL.replace('"Hello"', "'Hello'")
    assert place in source
    broken = source.replace(place, place.rpartition(": ")[0] + f": raise {error}")
    installed.add("lve-acme", {"lve_m": broken}, {"lve.models": {"acme": "lve_m:make"}})
    write_test(Path("t"))
    code, out, err = call("run", "t", "--model", "acme/m")
    assert code == expected, out + err
    kind, _, what = error.rstrip(")").partition("(")
    assert said.format(f"{kind}: {what.strip(chr(39))}") in out + err
    assert "1 test: " in out


def test_a_model_whose_own_request_was_cancelled_has_crashed(installed: Installed) -> None:
    """It used to end a worker of the session, silently, and with it the other instances."""
    broken = "import asyncio\n" + MODEL.replace("return lve", "raise asyncio.CancelledError; lve")
    installed.add("lve-acme", {"lve_m": broken}, {"lve.models": {"acme": "lve_m:make"}})
    write_test(Path("t"), instances=[{"args": {}}] * 200)
    code, out, _ = call("run", "t", "--model", "acme/m")
    assert code == 3
    assert "200 rows: 200 errors" in out
    assert "the model x crashed: CancelledError" in out


def test_a_test_alone_loads_no_plugin_and_the_others_run(installed: Installed) -> None:
    source = "import os; open('loaded', 'w').close()\n" + MODEL
    installed.add("lve-acme", {"lve_m": source}, {"lve.models": {"acme": "lve_m:make"}})
    write_test(Path("a"), model="acme/m")
    write_test(Path("b"))
    lve("check", ".")
    result = lve("run", ".", code=2)
    why = "model 'acme/m' needs the model plugin 'acme' of lve-acme 1.0, and only the test asks"
    assert f"invalid: a\n    a/test.json: {why}" in result.output
    assert "b · dummy/dummy · 1/1 passed" in result.output
    assert not Path("loaded").exists()


@pytest.mark.parametrize("way", ["option", "settings list", "settings model", "settings default"])
def test_a_model_that_the_user_names_is_loaded(installed: Installed, way: str) -> None:
    installed.add("lve-acme", {"lve_m": MODEL}, {"lve.models": {"acme": "lve_m:make"}})
    write_test(Path("t"), model=None if way == "settings default" else "acme/m")
    settings = {
        "settings list": "plugins: [acme]",
        "settings model": "plugins: [acme]\nmodels: {acme/m: {provider: acme}}",
        "settings default": "model: acme/m",
    }
    Path("lve.yaml").write_text(settings.get(way, ""), "utf-8")
    lve("run", "t", *(["--model", "acme/m"] if way == "option" else []))


def test_the_settings_of_another_workspace_load_no_plugin(
    installed: Installed, tmp_path: Path
) -> None:
    installed.add("lve-acme", {"lve_m": MODEL}, {"lve.models": {"acme": "lve_m:make"}})
    theirs = workspace(tmp_path / "theirs", "plugins: [acme]\nmodels: {m: {provider: acme}}\n")
    write_test(theirs / "t", model="acme/m")
    write_test(theirs / "u", model="m")
    for test in ("t", "u"):
        result = lve("run", theirs / test, code=2)
        assert result.exit_code != 0
        assert "plugin 'acme' of lve-acme 1.0" in result.output + str(result.exception)
    result = lve("run", theirs / "u", "--model", "m", code=2)
    assert "you don't stand in its workspace" in result.output + str(result.exception)


def test_the_session_says_which_package_made_the_model(installed: Installed) -> None:
    installed.add("lve-acme", {"lve_m": MODEL}, {"lve.models": {"acme": "lve_m:make"}}, "7.1")
    installed.add("python", {}, {"lve.models": {"other": "x:y"}}, "0")
    write_test(Path("t"))
    lve("run", "t", "--model", "acme/m")
    [file] = Path(".lve/runs").glob("*/session.json")
    versions = json.loads(file.read_text("utf-8"))["versions"]
    assert versions["lve-acme"] == "7.1"
    assert versions["python"] != "0"


def test_lves_names_are_not_taken_over(installed: Installed) -> None:
    points = {
        "lve.models": {"dummy": "x:y", "ollama": "x:y"},
        "lve.checkers": {"RegexChecker": "x:y"},
        "lve.retrievers": {"ZeroRetriever": "x:y"},
        "lve.reporters": {"text": "x:y"},
    }
    installed.add("thief", {}, points)
    Path("lve.yaml").write_text("plugins: [dummy, RegexChecker, ZeroRetriever, text]\n", "utf-8")
    write_test(Path("t"))
    lve("run", "t")
    listed = lve("plugins").output
    assert listed.count("thief · 1.0 · not used: lve itself has this name\n") == 5
