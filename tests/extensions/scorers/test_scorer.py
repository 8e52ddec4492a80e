"""The check that judges with a class or a function, in the sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from extensions.scorers.scored import OVERLAP, install_upstream

from lve.checkers.arguments import ArgumentError, build
from lve.checkers.contract import CheckContext
from lve.errors import CheckerError
from lve.extensions.scorers import box, scorer
from lve.extensions.scorers.scorer import Scorer
from lve.messages import Completion, Message, Role, Transcript


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    yield
    while scorer._BOXES:
        scorer._BOXES.popitem()[1].end()


def judged(folder: Path, text: str = "a b", reference: object = "b c", **check: Any) -> Any:
    """Return the verdict on an answer."""
    made = build(Scorer, {"scorer": "scorer.py:Overlap", **check}).in_folder(folder)
    messages = (Message("?"), Message(text, Role.assistant))
    runs = (Transcript(messages, (Completion(text),), None, (1,)),)
    return made.check(CheckContext(runs, {"q": "?", "a": reference}, reference))


def why(folder: Path, code: str, **check: Any) -> str:
    """Return why a scorer gives no verdict."""
    (folder / "scorer.py").write_text(code)
    with pytest.raises(CheckerError) as error:
        judged(folder, **check)
    return str(error.value)


def test_details_or_a_threshold_say_whether_a_row_is_right(tmp_path: Path) -> None:
    (tmp_path / "scorer.py").write_text(OVERLAP)
    verdict = judged(tmp_path)
    assert (verdict.outcome, verdict.score) == ("passed", 100.0)
    assert judged(tmp_path, "x").outcome == "failed"
    strict = judged(tmp_path, threshold=101)
    assert (strict.outcome, strict.reason) == (
        "failed",
        "the scorer gives overlap 100, wanted at least 101",
    )
    assert judged(tmp_path, threshold=101, options={"bonus": 5}).passed
    assert judged(tmp_path, metric="columns", threshold=2).score == 2.0
    assert "gives no number 'f1': it gives overlap, columns" in why(tmp_path, OVERLAP, metric="f1")


def test_a_function_is_a_scorer(tmp_path: Path) -> None:
    (tmp_path / "scorer.py").write_text("def Overlap(predictions, references): return 0.25")
    assert judged(tmp_path, threshold=0.2).score == 0.25
    assert "add `threshold`" in why(tmp_path, "def Overlap(predictions): return 0.25")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("raise KeyError('x')", "KeyError: 'x'"),
        ("return {'error': 'they differ'}", "the scorer: they differ"),
        ("return {'score': float('nan')}", "doesn't say if the row is right"),
        ("return {'x': 1, 'details': [{'correct': 'False'}]}", "doesn't say if the row is right"),
        ("return {'x': 1, 'details': [{'correct': float('nan')}]}", "doesn't say if the row"),
        ("return {'x': 1, 'details': [{'correct': 0.3}]}", "doesn't say if the row is right"),
        ("return {'n' * 101: 1}", "names a score in 101 characters: 100 are allowed"),
        ("return {'s': 1, 'x' * 10**4: 2}", "a score in 10,000 characters: 100 are allowed"),
        ("return {'n' * 100: 1}", "doesn't say if the row is right"),
        ("import os; os._exit(3)", "the scorer has ended"),
        ("open(HOME)", "PermissionError"),
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "Error"),
        ("import os; os.write(int(__import__('sys').argv[1]), b'{}\\n{}\\n')", "no numbers"),
        ("import os; os.write(int(__import__('sys').argv[1]), b'x' * 2_000_000)", "too long"),
        ("import os; os.write(int(__import__('sys').argv[1]), b'[' * 9000 + b'\\n')", "scorer"),
        ("return bytearray(10**11)", "MemoryError"),
    ],
)
def test_what_fails_is_no_verdict(tmp_path: Path, body: str, reason: str) -> None:
    code = f"HOME = {str(Path(__file__))!r}\ndef Overlap(predictions, references):\n    {body}"
    assert reason in why(tmp_path, code)


@pytest.mark.parametrize("value", ["float('nan')", "float('inf')", "'50'", "None", "10**400"])
def test_a_threshold_is_about_the_first_score_even_if_that_is_no_number(
    tmp_path: Path, value: str
) -> None:
    code = f"def Overlap(predictions): return {{'acc': {value}, 'n': 100}}"
    assert "gives no number 'acc': it gives n" in why(tmp_path, code, threshold=50)
    code = "def Overlap(predictions): return {'details': [{'correct': True}]}"
    assert "gives no number '': it gives none" in why(tmp_path, code, threshold=50)


def test_the_row_after_one_whose_answer_is_too_long_gets_its_own_score(tmp_path: Path) -> None:
    (tmp_path / "scorer.py").write_text(
        "def Overlap(predictions):\n    return {'n': len(predictions[0]), predictions[0]: 0}\n"
    )
    for text in ("x" * 600_000, "y" * 600_000):
        with pytest.raises(CheckerError, match="too long") as error:
            judged(tmp_path, text, threshold=1)
        assert error.value.code == "checker_process"
    assert judged(tmp_path, "z", threshold=1).score == 1.0


def test_a_scorer_that_loops_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(box, "ROW_S", 1.0)
    assert "took longer than 1 s" in why(
        tmp_path, "def Overlap(predictions):\n    while True: pass"
    )
    (tmp_path / "scorer.py").write_text(OVERLAP)
    assert judged(tmp_path).passed  # with a new process


def test_what_it_prints_is_no_answer(tmp_path: Path) -> None:
    code = 'def Overlap(predictions):\n    print(\'{"scores": {"x": 1}}\')\n    return 0'
    (tmp_path / "scorer.py").write_text(code)
    assert judged(tmp_path, threshold=1).outcome == "failed"


@pytest.mark.parametrize(
    "name", ["../scorer.py:Overlap", "/etc/passwd.py:x", "scorer.py", "a b", "scorer.py:a.b", ""]
)
def test_only_files_of_the_folder_and_classes_are_scorers(tmp_path: Path, name: str) -> None:
    with pytest.raises(ArgumentError):
        build(Scorer, {"scorer": name}).in_folder(tmp_path / "t")


def test_processes_of_scorers_need_no_shared_memory(tmp_path: Path) -> None:
    (tmp_path / "scorer.py").write_text(
        "import multiprocessing\n"
        "from concurrent.futures import ProcessPoolExecutor, as_completed\n"
        "def double(x): return 2 * x\n"
        "def put(q, l): q.put(1); l.append(2)\n"
        "def broken(): raise KeyError('x')\n"
        "def Overlap(predictions):\n"
        "    queue, values = multiprocessing.Queue(), multiprocessing.Manager().list()\n"
        "    p = multiprocessing.Process(target=put, args=(queue, values)); p.start(); p.join()\n"
        "    with ProcessPoolExecutor(max_workers=2) as pool:\n"
        "        futures = [pool.submit(double, n) for n in (3, 4)]\n"
        "        total = sum(each.result() for each in as_completed(futures))\n"
        "        assert 'KeyError' in str(pool.submit(broken).exception())\n"
        "    with multiprocessing.Pool(2) as pool:\n"
        "        total += sum(pool.map(double, [5]))\n"
        "    return total + queue.get() + values[0] + len(values)\n"
    )
    assert judged(tmp_path, threshold=1).score == 14 + 10 + 1 + 2 + 1


def test_a_class_of_a_tool_is_a_scorer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = "opencompass.datasets.own.Own"
    check = build(Scorer, {"scorer": path, "threshold": 50})
    monkeypatch.setenv("LVE_TOOLS", str(tmp_path / "none"))
    with pytest.raises(CheckerError, match="--setup opencompass"):
        check.prepare()
    package = install_upstream(tmp_path, monkeypatch)
    (package / "datasets" / "own.py").write_text(
        "import torch\n"
        "from transformers.models import Auto\n"
        "from opencompass.registry import EVALUATORS\n"
        "@torch.no_grad\n"
        "def upper(text, more=''): return text.upper() + more\n"
        "class Own:\n"
        "    def evaluate(self, k, n, original_dataset, **values):\n"
        "        row = original_dataset[0]\n"
        "        assert (k, n, row['idx'], row['q']) == (1, 1, 0, '?')\n"
        "        return self.score(**values)\n"
        "    def score(self, predictions, references):\n"
        "        if references[0] == 'torch': torch.zeros(1)\n"
        "        is_right = predictions == references\n"
        "        return {'score': 100 * is_right, 'details': {'0': {'correct': [is_right]}}}\n"
        "EVALUATORS.module_dict['Own_by_name'] = lambda: Own()\n"
    )
    (package / "datasets" / "__init__.py").write_text("from . import own")
    steps = {"pred_postprocessor": {"type": "opencompass.datasets.own.upper", "more": "!"}}
    for name in (path, "opencompass.Own_by_name"):
        assert judged(tmp_path, "a", "A!", scorer=name, **steps).passed
        assert not judged(tmp_path, "b", "A!", scorer=name, **steps).passed
    with pytest.raises(CheckerError, match="of a package that isn't installed"):
        judged(tmp_path, "a", "torch", scorer=path)
    with pytest.raises(CheckerError, match="has no Other"):
        judged(tmp_path, scorer="opencompass.Other")
    with pytest.raises(CheckerError, match="no tool of lve has the package"):
        judged(tmp_path, scorer="numpy.linalg.norm")


def test_a_row_may_have_another_check(tmp_path: Path) -> None:
    row = {"opencompass_score": "AccEvaluator"}
    (tmp_path / "scorer.py").write_text("1 / 0")
    assert judged(tmp_path, "x", "x", row=row).passed  # without running it
    with pytest.raises(ArgumentError, match="the check of a row"):
        judged(tmp_path, row={"opencompass_score": "No"})
