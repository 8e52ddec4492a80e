"""Rows that OpenCompass' own classes load, in the sandbox."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from extensions.scorers.scored import install_upstream
from support.command_line import call, lve

from lve.errors import UsageError
from lve.extensions.importing.opencompass import loaded

CONFIG = """
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever, FixKRetriever
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_evaluator import AccEvaluator
from opencompass.datasets import Sums
sums_datasets = [dict(abbr='sums', type=Sums, path='./data/sums.txt',
    reader_cfg=dict(input_columns=['question'], output_column='answer'),
    infer_cfg=dict(
        ice_template=dict(type=PromptTemplate, template='{question} {answer}'),
        prompt_template=dict(type=PromptTemplate, template='</E>{question}', ice_token='</E>'),
        retriever=dict(type=FixKRetriever, fix_id_list=[0]),
        inferencer=dict(type=GenInferencer)),
    eval_cfg=dict(evaluator=dict(type=AccEvaluator)))]
"""
LOADER = """
import os, sys
from types import SimpleNamespace
import torch
class Sums:
    def __init__(self, path, abbr, reader_cfg):
        LINE
        rows = [dict(question=q, answer=a, idx=0, subdivision='x')
                for q, a in map(str.split, open(path))]
        self.reader = SimpleNamespace(dataset={'test': rows[1:], 'train': rows[:1]})
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a package with a loader, beside a configuration and its data."""
    monkeypatch.chdir(tmp_path)
    Path("sums_gen.py").write_text(CONFIG)
    Path("data").mkdir()
    Path("data/sums.txt").write_text("1+1? 2\n2+2? 4\n3+3? 6\n")
    package = install_upstream(tmp_path, monkeypatch)
    write_loader(package, "pass")
    return package


def write_loader(package: Path, line: str) -> None:
    """Have the loader do something first."""
    (package / "datasets" / "__init__.py").write_text(LOADER.replace("LINE", line))


def imported(*more: str) -> tuple[int, str]:
    """Import the configuration; return the exit code, and what is told."""
    result = lve(
        "import", "opencompass", "sums_gen.py", "--loaders", "-o", "made", *more, code=None
    )
    return result.exit_code, result.stdout + result.stderr


def test_the_rows_are_those_of_the_loader(package: Path) -> None:
    code, told = imported("--data", "data", "--limit", "1")
    assert code == 0, told
    assert json.loads(Path("made/sums/rows.jsonl").read_text()) == {
        "question": "2+2?",
        "answer": "4",
    }
    assert json.loads(Path("made/sums/examples.jsonl").read_text())["question"] == "1+1?"
    certificate = json.loads(Path("made/sums/import.json").read_text())
    assert certificate["rows"] == 1
    assert certificate["source"]["file"] == "sums_gen.py"
    Path("made/sums/rows.jsonl").write_text('{"question": "?", "answer": "5"}\n')
    assert "rows.jsonl has changed since it was imported" in " ".join(
        lve("check", "made").stdout.split()
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("raise KeyError('x')", "KeyError: 'x'"),
        ("open(HOME)", "PermissionError"),
        ("open('data/more.txt', 'w')", "PermissionError"),
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "Error"),
        ("while True: pass", "it takes too long"),
        ("self.__init__(path, abbr, reader_cfg)", "RecursionError"),
        ("os._exit(3)", "exit code 3"),
        ('os.write(int(sys.argv[1]), b\'{"kind": "row", "of": 0}\\\\n\')', "isn't its own"),
        ("os.write(int(sys.argv[1]), b'x' * 10_000_000)", "OpenCompass"),
        ("torch.zeros(1)\n        rows = torch.x", "Error"),
        ("path = os.devnull", "its loader gives no rows"),
    ],
)
def test_a_hostile_loader_harms_nothing_and_is_told(
    package: Path, monkeypatch: pytest.MonkeyPatch, line: str, why: str
) -> None:
    monkeypatch.setattr(loaded, "EACH_S", 2)
    write_loader(package, line.replace("HOME", repr(str(Path(__file__)))))
    _, told = imported("--data", "data")
    assert why in " ".join(told.split())
    assert not Path("data/more.txt").exists()
    assert not Path("made/sums/rows.jsonl").exists()


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("os._exit(3)", "exit code 3"),
        ("dict(question='\\ud800', answer='x')", "a row has half of a character"),
    ],
)
def test_a_part_of_the_rows_is_no_data_set(package: Path, row: str, why: str) -> None:
    loader = LOADER.replace("LINE", "pass").replace("rows[1:],", f"Rows([rows[1], lambda: {row}]),")
    later = """
class Rows(list):
    def __iter__(self):
        first, last = list.__iter__(self)
        yield from [first] * 5_000  # more than a pipe's buffer
        yield last()
"""
    (package / "datasets" / "__init__.py").write_text(later + loader)
    _, told = imported("--data", "data")
    assert why in " ".join(told.split())
    assert not Path("made/sums/rows.jsonl").exists()


def test_rows_without_the_columns_are_told(package: Path) -> None:
    Path("sums_gen.py").write_text(CONFIG.replace("output_column='answer'", "output_column='sum'"))
    assert "a row has no sum" in imported("--data", "data")[1]


def test_what_isnt_set_up_or_loads_nothing_is_told(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LVE_TOOLS", "none")
    with pytest.raises(UsageError, match="lve import --setup opencompass"):
        call("import", "opencompass", "sums_gen.py", "--loaders", "-o", "made")
    with pytest.raises(UsageError, match="--loaders: only opencompass"):
        call("import", "openai-evals", "sums_gen.py", "--loaders", "-o", "made")


CALLS = """
from ais_bench.benchmark.openicl.icl_prompt_template import PromptTemplate
from ais_bench.benchmark.openicl.icl_retriever import ZeroRetriever
from ais_bench.benchmark.openicl.icl_inferencer import BFCLV3FunctionCallInferencer
from ais_bench.benchmark.datasets import Calls, BFCLSingleTurnEvaluator
calls_datasets = [dict(abbr='calls', type=Calls, category='simple',
    reader_cfg=dict(input_columns=['id', 'question', 'function'], output_column='truth'),
    infer_cfg=dict(prompt_template=dict(type=PromptTemplate, template='{question}'),
        retriever=dict(type=ZeroRetriever),
        inferencer=dict(type=BFCLV3FunctionCallInferencer)),
    eval_cfg=dict(evaluator=dict(type=BFCLSingleTurnEvaluator, category='simple')))]
"""
CALLS_LOADER = """
import os
from types import SimpleNamespace
import bfcl_eval
class Calls:
    def __init__(self, abbr, category, reader_cfg):
        folder = os.environ['AIS_BENCH_DATASETS_CACHE']
        rows = [dict(id='simple_0', question='Now?', function='f', truth=folder)]
        self.reader = SimpleNamespace(dataset={'test': rows, 'train': []})
"""
WRITER = """
class BFCLV3PromptInferencer:
    def pre_query_processing(self, data):
        text = f"{data['function']} of {data['data_name']}"
        data['prompt'] = [[dict(role='system', content=text),
                           dict(role='user', content=data['prompt'])]]
"""


def test_aisbench_writes_its_functions_into_the_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("calls_gen.py").write_text(CALLS)
    package = install_upstream(tmp_path, monkeypatch, "aisbench", "ais_bench/benchmark")
    (package / "datasets" / "__init__.py").write_text(CALLS_LOADER)
    (package / "openicl" / "icl_inferencer").mkdir()
    (package / "openicl" / "icl_inferencer" / "icl_bfcl_v3_inferencer.py").write_text(WRITER)
    others = package.parents[1] / "bfcl_eval"  # it imports models' packages, as AISBench does
    others.mkdir()
    (others / "__init__.py").write_text("from anthropic_of_others import Client")
    result = lve("import", "aisbench", "calls_gen.py", "--loaders", "--data", ".", "-o", "made")
    assert result.exit_code == 0, result.stderr
    row = json.loads(Path("made/calls/rows.jsonl").read_text())
    assert row["prompt"] == [
        {"role": "system", "content": "f of simple_0"},
        {"role": "user", "content": "Now?"},
    ]
    assert row["truth"] == str(tmp_path)
    document = json.loads(Path("made/calls/test.json").read_text())
    assert document["source"]["tool"] == "aisbench"
    assert document["check"]["options"] == {"category": "simple", "is_fc_model": False}
    sent = lve("render", "made/calls", "--model", "dummy/x").stdout
    assert "f of simple_0" in sent


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("while True: pass", "it takes too long"),
        ("os._exit(3)", "AISBench ended with exit code 3"),
        ("open(os.path.expanduser('~/kept'), 'w').write('x'); open(SECRET)", "PermissionError"),
        ("self.__init__(abbr, category, reader_cfg)", "RecursionError"),
    ],
)
def test_a_hostile_loader_of_aisbench_harms_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(loaded, "EACH_S", 2)
    Path("calls_gen.py").write_text(CALLS.replace("BFCLV3FunctionCallInferencer", "GenInferencer"))
    Path("data").mkdir()
    package = install_upstream(tmp_path, monkeypatch, "aisbench", "ais_bench/benchmark")
    code = CALLS_LOADER.replace("import bfcl_eval\n", "").replace(
        "        folder =",
        f"        {line.replace('SECRET', repr(str(Path(__file__))))}\n        folder =",
    )
    (package / "datasets" / "__init__.py").write_text(code)
    made = ("--loaders", "--data", "data", "-o", "made")
    told = lve("import", "aisbench", "calls_gen.py", *made, code=None)
    assert why in " ".join((told.stdout + told.stderr).split())
    assert not Path("made/calls/rows.jsonl").exists()
    assert not Path("~/kept").expanduser().exists()


def test_a_package_that_isnt_set_up_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("calls_gen.py").write_text(CALLS)
    monkeypatch.setenv("LVE_TOOLS", "none")
    with pytest.raises(UsageError, match="lve import --setup aisbench"):
        call("import", "opencompass", "calls_gen.py", "--loaders", "-o", "made")
