"""Modules that stand for others until these are used."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

from lve.late import UNCOMPILED

LATE = "import sys\nfrom lve.late import import_without, when_imported\n"


def said(code: str) -> list[str]:
    """Return the words that a fresh process prints."""
    command = [sys.executable, "-S", "-W", "error", "-c", LATE + code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_a_module_is_imported_without_another_until_it_uses_that() -> None:
    code = (
        "def quoted(*args):\n    import urllib.parse\n"
        "    return urllib.parse.quote_from_bytes(*args)\n"
        "import_without('pathlib', {'urllib.parse': {'quote_from_bytes': quoted}})\n"
        "print('urllib.parse' in sys.modules)\n"
        "from pathlib import Path\n"
        "print(Path('/a b').as_uri(), 'urllib.parse' in sys.modules)\n"
        "import urllib.parse\n"
        "print(urllib.parse.urlsplit('http://h/').netloc, type(urllib.parse).__name__)\n"
    )
    assert said(code) == ["False", "file:///a%20b", "True", "h", "module"]


def test_pathlib_has_addresses_all_the_same() -> None:
    code = (
        "from lve.late import import_pathlib\nimport_pathlib()\n"
        "from pathlib import Path\n"
        "print('urllib.parse' in sys.modules, Path('/a b').as_uri())\n"
    )
    assert said(code) == ["False", "file:///a%20b"]


@pytest.mark.parametrize("name", ["pathlib", "urllib.parse"])
def test_what_has_been_imported_stays(name: str) -> None:
    code = (
        f"import {name}\nbefore = sys.modules[{name!r}]\n"
        "import_without('pathlib', {'urllib.parse': {}})\n"
        f"print(sys.modules[{name!r}] is before)\n"
        "from pathlib import Path\nprint(Path('/a').as_uri())\n"
    )
    assert said(code) == ["True", "file:///a"]


def test_a_failed_import_leaves_nothing_behind() -> None:
    code = (
        "try:\n    import_without('no_such_module_', {'colorsys': {}})\n"
        "except ImportError:\n    print('colorsys' in sys.modules)\n"
    )
    assert said(code) == ["False"]


@pytest.mark.parametrize("before", ["", "import colorsys\n"])
def test_an_action_comes_once_when_a_module_is_there(before: str) -> None:
    code = before + (
        "when_imported('colorsys', lambda m: print(m.__name__, hasattr(m, 'ONE_SIXTH')))\n"
        "print('then')\n"
        "import colorsys, bisect\nimport colorsys\n"
        "print(len([finder for finder in sys.meta_path if 'lve' in type(finder).__module__]))\n"
    )
    action, then = ["colorsys", "True"], ["then"]
    assert said(code) == [*(action + then if before else then + action), "0"]


@pytest.mark.parametrize("base", ["@dataclass(slots=True)\nclass P:", "class P(NamedTuple):"])
def test_a_class_works_when_its_module_is_gone(base: str) -> None:
    """pytester and other reloaders remove modules whose classes live on."""
    head = "from lve.data_classes import dataclass\nfrom lve.named_tuples import NamedTuple\n"
    module = ModuleType("gone")
    sys.modules["gone"] = module
    exec(f"{head}{base}\n    x: int\n    y: int = 2\n", vars(module))
    del sys.modules["gone"]
    points = [module.P(n) for n in range(2 * UNCOMPILED)]
    assert [(p.x, p.y) for p in points] == [(n, 2) for n in range(2 * UNCOMPILED)]
