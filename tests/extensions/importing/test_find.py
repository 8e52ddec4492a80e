"""Importers of plugins, broken ones among them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.folders import workspace
from support.installed import Installed

from lve.errors import PluginError, UsageError
from lve.extensions.importing.verb import import_tests

READ = "from lve.importers import Imported, ImportedTest\ndef read(source): "


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    monkeypatch.chdir(workspace(tmp_path / "w"))
    return Installed(tmp_path / "site", monkeypatch)


def add(installed: Installed, source: str) -> None:
    installed.add("lve-i", {"lve_i": source}, {"lve.importers": {"own": "lve_i:read"}})


def test_it_gets_the_source(installed: Installed) -> None:
    add(installed, READ + "return Imported([ImportedTest(source.name, {})], [3])")
    imported = import_tests("own", Path("x"))
    assert [test.folder for test in imported.tests] == ["x"]
    assert imported.left_out == ("3",)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import gone", "can't be loaded: ModuleNotFoundError"),
        (READ + "raise KeyError('x')", "failed while it read the source: KeyError: 'x'"),
        (READ + "raise SystemExit(7)", "failed while it read the source: SystemExit: 7"),
        (READ + "return Imported(None)", "failed while it read the source: TypeError"),
        (READ + "return Imported([{}])", "returned a dict, not a lve.importers.Imported"),
        (READ + "return [1]", "returned a list, not a lve.importers.Imported"),
    ],
)
def test_a_broken_one_is_named(installed: Installed, source: str, said: str) -> None:
    add(installed, source)
    with pytest.raises(PluginError) as caught:
        import_tests("own", Path("x"))
    assert f"the importer plugin 'own' of lve-i 1.0 {said}" in str(caught.value)


def test_its_own_errors_pass(installed: Installed) -> None:
    add(installed, READ + "import lve; raise lve.UsageError('not mine')")
    with pytest.raises(UsageError, match="not mine"):
        import_tests("own", Path("x"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("promtfoo", "there is no importer 'promtfoo': did you mean `promptfoo`?"),
        (
            "xyz",
            "no importer 'xyz': there are aisbench, corpus, dataset, helm, lm-eval, openai-evals",
        ),
    ],
)
def test_an_unknown_format_is_told(installed: Installed, name: str, said: str) -> None:
    add(installed, READ)
    with pytest.raises(UsageError) as caught:
        import_tests(name, Path("x"))
    assert said in str(caught.value)
