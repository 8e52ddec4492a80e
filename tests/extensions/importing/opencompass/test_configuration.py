"""Configurations are read as data: what they say is computed, and nothing of them runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lve.extensions.importing.opencompass.configuration import Configuration
from lve.extensions.importing.opencompass.package import Package, open_package
from lve.extensions.importing.opencompass.reading_cost import ImportedName, NotDataError


def names_of(folder: Path, text: str, **files: str) -> dict[str, object]:
    """Return the names of a configuration, beside others."""
    for name, content in {**files, "own": text}.items():
        (folder / f"{name}.py").write_text(content)
    return Configuration(Package(folder), folder / "own.py").names()


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("dict(a=1, **{'b': [2, *(3, 4)]})", {"a": 1, "b": [2, 3, 4]}),
        ("[f'{n:02d}-{n!r}' for n in range(3) if n != 1]", ["00-0", "02-2"]),
        ("{k: v for k, v in zip('ab', (1, 2))}", {"a": 1, "b": 2}),
        ("sum([[1], [2]], [])", [1, 2]),
        ("'{q} %d' % 3 + 'x'.join(['a', 'b']).upper()", "{q} 3AXB"),
        ("'{}{name}'.format(1, name='b')", "1b"),
        ("sorted([3, 1])[0] if 'a' in {'a': 1} else 0", 1),
        ("list(enumerate(reversed(['x', 'y'])))", [(0, "y"), (1, "x")]),
        ("-2 ** 2 + 7 // 2 - 1.5 + round(2.5, 0)", -0.5),
        ("not (1 < 2 <= 2 and 3 is not None)", False),
        ("'abc'[1:] + [9, 8][-1:].__class__.__name__", None),
        ("os.path.join('a', 'b')", "a/b"),
        ("os.environ.get('HOME', 'none')", "none"),
    ],
)
def test_expressions(tmp_path: Path, expression: str, value: object) -> None:
    text = f"import os\nx = {expression}\n"
    if value is None:
        with pytest.raises(NotDataError, match="__class__"):
            names_of(tmp_path, text)
    else:
        assert names_of(tmp_path, text)["x"] == value


def test_statements(tmp_path: Path) -> None:
    text = """
from opencompass.datasets import GSM8KDataset as Loader, postprocess
import copy
a_datasets = []
def reader(columns, output='answer'):
    return dict(input_columns=columns, output_column=output)
for name in ['x', 'y', 'z']:
    if name == 'y':
        continue
    entry = dict(abbr=name, type=Loader, reader_cfg=reader([name]))
    a_datasets.append(copy.deepcopy(entry))
    a_datasets[-1]['n'] = len(a_datasets)
a_datasets += [{}]
del name, a_datasets[2]
globals()['b' + '_datasets'] = [d['abbr'] for d in a_datasets]
total = sum(d['n'] for d in a_datasets)
total += 1
"""
    names = names_of(tmp_path, text)
    loader = ImportedName("opencompass.datasets", "GSM8KDataset")
    reader = {"input_columns": ["z"], "output_column": "answer"}
    assert names["a_datasets"][1] == {"abbr": "z", "type": loader, "reader_cfg": reader, "n": 2}
    assert (names["b_datasets"], names["total"]) == (["x", "z"], 4)
    assert "name" not in names


@pytest.mark.parametrize(
    ("statement", "name", "imported"),
    [
        ("import a", "a", ("", "a")),
        ("import a.b.c", "a", ("", "a")),  # as in Python: only the first name is bound
        ("import a as x", "x", ("", "a")),
        ("import a.b.c as x", "x", ("", "a.b.c")),
        ("from a.b import c", "c", ("a.b", "c")),
        ("from a.b import c as x", "x", ("a.b", "c")),
    ],
)
def test_an_import_binds_the_name_that_python_binds(
    tmp_path: Path, statement: str, name: str, imported: tuple[str, str]
) -> None:
    assert names_of(tmp_path, statement)[name] == ImportedName(*imported)


@pytest.mark.parametrize(
    ("module", "value"),
    [
        (".near", "near"),
        (".below.deep", "deep"),
        ("..above", "above"),
        ("..other.far", "far"),
        (".package", "package"),
        ("..other", "other"),
    ],
)
def test_relative_imports_are_followed_from_the_file(
    tmp_path: Path, module: str, value: str
) -> None:
    files = ("own/near", "own/below/deep", "above", "other/far", "own/package/__init__")
    for file in (*files, "other/__init__"):
        path = tmp_path / f"{file}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"x = '{file.removesuffix('/__init__').rpartition('/')[2]}'\n")
    (tmp_path / "own/own.py").write_text(f"from {module} import x\n")
    assert Configuration(Package(tmp_path), tmp_path / "own/own.py").names()["x"] == value
    (tmp_path / "own/own.py").write_text("from ...above import x\n")
    with pytest.raises(NotDataError, match="is outside of"):
        Configuration(Package(tmp_path), tmp_path / "own/own.py").names()


def test_a_configuration_takes_in_others_and_text_files(tmp_path: Path) -> None:
    (tmp_path / "hint.txt").write_text("Think.")
    text = """
import os
from mmengine.config import read_base
with read_base():
    from .base import base_cfg, base_datasets as other
    from .every import *
with open(os.path.join(os.path.dirname(__file__), 'hint.txt'), 'r') as f:
    hint = f.read()
own = sum([v for k, v in locals().items() if k.endswith('_datasets')], []) + other
"""
    names = names_of(
        tmp_path,
        text,
        base="base_cfg = dict(a=1)\nbase_datasets = [base_cfg]\n",
        every="from x import PromptTemplate\n_hidden = 1\nevery_datasets = [2]\n",
    )
    assert (names["own"], names["hint"]) == ([2, {"a": 1}], "Think.")
    assert names["PromptTemplate"] == ImportedName("x", "PromptTemplate")
    assert "_hidden" not in names


def test_two_may_take_in_the_same_third(tmp_path: Path) -> None:
    head = "from mmengine.config import read_base\nwith read_base():\n"
    names = names_of(
        tmp_path,
        f"{head}    from .one import x\n    from .two import y\nown = [x, y]\n",
        one=f"{head}    from .base import z\nx = z + 1\n",
        two=f"{head}    from .base import z\ny = z + 2\n",
        base="z = 1\n",
    )
    assert names["own"] == [2, 3]


def test_data_of_the_packages_own_code_is_read(tmp_path: Path) -> None:
    configs = tmp_path / "opencompass" / "configs" / "datasets"
    code = tmp_path / "opencompass" / "datasets"
    for folder in (configs, code):
        folder.mkdir(parents=True)
    (code / "mmlu.py").write_text("import torch\nSETS = ['law', 'art']\ndef load(): pass\n")
    text = "from opencompass.datasets.mmlu import SETS, load\nx = [s for s in SETS]\n"
    (configs / "own.py").write_text(text)
    package = open_package(configs / "own.py")
    assert Configuration(package, configs / "own.py").names()["x"] == ["law", "art"]
    (configs / "own.py").write_text(text + "y = [s for s in load]\n")
    with pytest.raises(NotDataError, match=r"mmlu\.load is code"):
        Configuration(open_package(configs), configs / "own.py").names()


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("x = 1\ny = x.real\n", 2, "attribute real of a int"),
        ("class A: pass\n", 1, "ClassDef isn't supported"),
        ("\nwhile True: pass\n", 2, "While isn't supported"),
        ("x = lambda: 1\n", 1, "Lambda isn't supported"),
        ("x = {}['a']\n", 1, "KeyError: 'a'"),
        ("x = missing\n", 1, "the name missing isn't defined"),
        ("x = (\n", 1, "not Python"),
        ("from .gone import x\n", 1, "gone.py: can't be read"),
        ("raise ValueError('x')\n", 1, "it raises an error"),
        ("from torch import load\nx = load('a')\n", 2, "the call of torch.load would run code"),
        ("x = b'1'\n", 1, "a bytes isn't supported"),
        ("a, b = 1,\n", 1, "the number of names and values differs"),
        ("return 1\n", 0, "return, break or continue"),
    ],
)
def test_what_it_cannot_compute_has_its_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    with pytest.raises(NotDataError, match=message) as caught:
        names_of(tmp_path, text)
    assert caught.value.line == line
