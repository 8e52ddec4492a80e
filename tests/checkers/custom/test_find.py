"""Custom checkers: how they are found, trusted and run, and what happens when they crash."""

from __future__ import annotations

import hashlib
import shutil
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, spec_with

from lve.checkers.custom.find import shared_names
from lve.checkers.resolve import resolve
from lve.checkers.static import check_statically
from lve.errors import CheckerError, SpecError, TrustError
from lve.settings.trusted_file import TrustedFile
from lve.spec.spec import Spec

SHARED = Path(__file__).parents[3] / "checkers"

OLD_STYLE = """
    from lve.checkers.base import BaseChecker
    from lve.prompt import Role
    from lve.utils.importutils import ensure_installed

    class WordChecker(BaseChecker):
        def __init__(self, word):  # doesn't call super().__init__, as some in the wild
            ensure_installed("json")
            self.word = word

        def is_safe(self, prompt_out, param_values=None) -> bool:
            print("noise on stdout")
            assert prompt_out[-1].role == Role.assistant
            return self.word in self.extract_response_from_prompt(prompt_out)
"""
NEW_STYLE = """
    from lve.checkers.base import CheckContext, Verdict

    class LengthChecker:
        def __init__(self, limit: int = 3) -> None:
            self.limit = limit

        def check(self, context: CheckContext) -> Verdict:
            good = len(context.response) <= self.limit + len(context.parameters)
            return Verdict("passed" if good else "failed", f"{len(context.response)} characters")

        def postprocess_response(self, response: str) -> str:
            return response.replace("secret", "***")
"""


def _spec(folder: Path, code: str, *, file: str = "checker.py", **document: Any) -> Spec:
    place = folder / "checker" / file
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(textwrap.dedent(code), encoding="utf-8")
    return spec_with(folder, **document)


def test_old_style_checker_runs_when_trusted(tmp_path: Path, capsys: Any) -> None:
    spec = _spec(
        tmp_path,
        OLD_STYLE,
        parameters=["w"],
        checker_args={"checker_name": "WordChecker", "word": "{w}!"},
    )
    judge = resolve(spec, trusted=True)
    assert judge_answers(judge, "Hi Ana!", args={"w": "Ana"}).outcome == "passed"
    verdict = judge_answers(judge, "Hi Ben!", args={"w": "Ana"})
    assert (verdict.outcome, verdict.reason) == ("failed", "WordChecker says not safe")
    assert judge.postprocess("Hi") == "Hi"
    assert capsys.readouterr().out == ""


def test_new_style_checker_gives_verdicts_and_redacts(tmp_path: Path) -> None:
    spec = _spec(
        tmp_path,
        NEW_STYLE,
        file="checker_length.py",
        checker_args={"checker_name": "LengthChecker"},
    )
    judge = resolve(spec, trusted=True)
    assert judge_answers(judge, "abc").passed
    assert judge_answers(judge, "abcde").reason == "5 characters"
    assert judge.postprocess("my secret") == "my ***"


def test_untrusted_checker_does_not_run_and_the_refusal_names_the_command(tmp_path: Path) -> None:
    marker = tmp_path / "was_run"
    code = f"open({str(marker)!r}, 'w')\nclass Bad:\n    def check(self, context): ...\n"
    spec = _spec(tmp_path / "t", code, checker_args={"checker_name": "Bad"})
    assert check_statically(spec) == []
    with pytest.raises(TrustError, match="--trust"):
        resolve(spec)
    assert not marker.exists()


def test_file_listed_in_the_settings_runs_until_it_changes(tmp_path: Path) -> None:
    spec = _spec(tmp_path, NEW_STYLE, checker_args={"checker_name": "LengthChecker"})
    file = tmp_path / "checker" / "checker.py"
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    path = file.relative_to(spec.root).as_posix()
    assert judge_answers(resolve(spec, trust=[TrustedFile(path, digest)]), "abc").passed
    file.write_text(file.read_text() + "\n# changed\n")
    with pytest.raises(TrustError):
        resolve(spec, trust=[TrustedFile(path, digest)])


def test_two_tests_with_the_same_file_and_class_name_do_not_meet(tmp_path: Path) -> None:
    judges = []
    for name, value in (("a", "True"), ("b", "False")):
        code = f"""
            from lve.checkers.base import BaseChecker
            class Same(BaseChecker):
                def is_safe(self, prompt_out, param_values=None):
                    return {value}
        """
        spec = _spec(tmp_path / name, code, checker_args={"checker_name": "Same"})
        judges.append(resolve(spec, trusted=True))
    assert [judge_answers(judge, "x").outcome for judge in judges] == ["passed", "failed"]
    assert "checker" not in sys.modules
    assert not list(tmp_path.rglob("__pycache__"))


def test_multi_run_checker_sees_all_runs_and_others_each(tmp_path: Path) -> None:
    code = """
        from lve.checkers.base import MultiRunBaseChecker, BaseChecker
        class Agree(MultiRunBaseChecker):
            def is_safe(self, prompts_out, param_values):
                return len({self.extract_response_from_prompt(p) for p in prompts_out}) == 1
        class Short(BaseChecker):
            def is_safe(self, prompt_out, param_values=None):
                return len(self.extract_response_from_prompt(prompt_out)) < 3
    """
    agree = resolve(
        _spec(tmp_path / "a", code, checker_args={"checker_name": "Agree"}), trusted=True
    )
    assert judge_answers(agree, "x", "x").passed
    assert judge_answers(agree, "x", "y").outcome == "failed"
    short = resolve(
        _spec(tmp_path / "b", code, checker_args={"checker_name": "Short"}), trusted=True
    )
    assert judge_answers(short, "x", "y").passed
    assert judge_answers(short, "x", "yyyy").outcome == "failed"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("raise KeyError('k')", "checker.py:4: KeyError: 'k'"),
        ("import sys; sys.exit(3)", "checker.py:4: SystemExit: 3"),
        ("return None", "Crash gave NoneType, not True, False or a Verdict"),
        ("return 'yes'", "Crash gave str, not"),
        ("return self.extract_response_from_prompt(context, 1, 2)", "checker.py:4: AttributeError"),
    ],
)
def test_crash_is_an_error_with_its_line(body: str, reason: str, tmp_path: Path) -> None:
    code = f"class Crash:\n    extract = None\n    def check(self, context):\n        {body}\n"
    spec = _spec(tmp_path, code, checker_args={"checker_name": "Crash"})
    verdict = judge_answers(resolve(spec, trusted=True), "x")
    assert verdict.outcome == "error"
    assert reason in verdict.reason


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("class C:\n    pass", "C is no checker"),
        ("class C:\n    def __init__(self, n): ...\n    def check(self, c): ...", "missing.*'n'"),
        (
            "class C:\n    def __init__(self):\n        1/0\n    def check(self, c): ...",
            "py:3: Zero",
        ),
    ],
)
def test_checker_that_cannot_be_made_is_a_problem_of_the_test(
    code: str, message: str, tmp_path: Path
) -> None:
    spec = _spec(tmp_path, code, checker_args={"checker_name": "C"})
    assert check_statically(spec) == []
    with pytest.raises(SpecError, match=message):
        resolve(spec, trusted=True)


def test_file_that_is_not_python_is_a_problem(tmp_path: Path) -> None:
    spec = _spec(tmp_path, "class (", checker_args={"checker_name": "C"})
    (problem,) = check_statically(spec)
    assert "checker.py:1: not Python" in str(problem)


def test_redaction_that_crashes_keeps_the_answer_from_being_written(tmp_path: Path) -> None:
    code = """
        class C:
            def check(self, context): return True
            def postprocess_response(self, response): raise ValueError("no")
    """
    judge = resolve(_spec(tmp_path, code, checker_args={"checker_name": "C"}), trusted=True)
    with pytest.raises(CheckerError, match="ValueError: no"):
        judge.postprocess("secret")


def test_extract_of_the_base_class_knows_signs_and_decimals(tmp_path: Path) -> None:
    code = """
        from lve.checkers.base import BaseChecker
        class C(BaseChecker):
            def __init__(self): super().__init__("float_last")
            def is_safe(self, prompt_out, param_values):
                variables = self.extract_variables_from_prompt(prompt_out)
                assert isinstance(self.extract_response_from_prompt(prompt_out, full=True), str)
                return variables == {"response": -1.5}
    """
    judge = resolve(_spec(tmp_path, code, checker_args={"checker_name": "C"}), trusted=True)
    assert judge_answers(judge, "between 3 and -1.5").passed


@pytest.mark.parametrize("folder", sorted(p.parent.name for p in SHARED.glob("*/checker.py")))
def test_examples_of_a_shared_checker(folder: str, tmp_path: Path) -> None:
    import json

    shutil.copytree(SHARED / folder, tmp_path / "checkers" / folder)
    document = json.loads((SHARED / folder / "examples.json").read_text(encoding="utf-8"))
    spec = spec_with(tmp_path / "repository" / "t", checker_args=document["checker_args"])
    spec = _with_root(spec, tmp_path)
    judge = resolve(spec, trusted=True)
    assert {example["verdict"] for example in document["examples"]} == {"passed", "failed"}
    for example in document["examples"]:
        assert judge_answers(judge, example["response"]).outcome == example["verdict"]


def _with_root(spec: Spec, root: Path) -> Spec:
    from dataclasses import replace

    return replace(spec, root=root)


def _parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets the name of each checker file that is parsed."""
    import lve.checkers.custom.find as module

    names: list[str] = []
    original = module.statements

    def statements(file: Path, source: bytes) -> Any:
        names.append(file.name)
        return original(file, source)

    monkeypatch.setattr(module, "statements", statements)
    return names


def test_too_many_checker_files_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = _spec(tmp_path, "class C: pass", checker_args={"checker_name": "C"})
    for number in range(150):
        (tmp_path / "checker" / f"checker{number}.py").write_text(f"class C{number}: pass")
    parsed = _parsed(monkeypatch)
    (problem,) = check_statically(spec)
    assert "has 151 checker files, and at most 100 are read: put the code into one" in str(problem)
    assert parsed == []


def test_too_much_code_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = _spec(tmp_path, "class C: pass", checker_args={"checker_name": "C"})
    for number in range(5):
        (tmp_path / "checker" / f"checker{number}.py").write_text(f"# C\n{'#' * 900_000}")
    parsed = _parsed(monkeypatch)
    (problem,) = check_statically(spec)
    assert "have more than 4 MB together: make them smaller" in str(problem)
    assert parsed == []


def test_each_file_is_parsed_once_for_all_checkers_of_a_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "".join(f"class C{number}: pass\n" for number in range(9))
    names = [{"checker_name": f"C{number}"} for number in range(9)]
    spec = _spec(tmp_path, code, checkers=names, checker_args=None)
    parsed = _parsed(monkeypatch)
    assert check_statically(spec) == []
    assert parsed == ["checker.py"]


def test_much_shared_code_hides_no_built_in_checker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A workspace may have more shared code than is parsed for one name."""
    monkeypatch.setattr("lve.checkers.custom.find.MAX_CODE_BYTES", 1_000)
    spec = spec_with(tmp_path)
    for number in range(9):
        file = spec.root / "checkers" / f"n{number}" / "checker.py"
        file.parent.mkdir(parents=True)
        file.write_text(f"class Shared{number}:\n    pass\n{'#' * 300}")
    assert check_statically(spec) == []
    (problem,) = check_statically(_with_checker(spec, "Shared9"))
    assert "there is no checker 'Shared9'" in str(problem)
    assert check_statically(_with_checker(spec, "Shared8")) == []


def _with_checker(spec: Spec, name: str) -> Spec:
    return replace(spec, checkers=(spec.checkers[0]._replace(name=name, args={}),))


def test_the_shared_checkers_of_a_workspace_and_their_files(tmp_path: Path) -> None:
    classes = {
        "a": "class A(BaseChecker): ...\nclass B(A): ...\n",
        "broken": "class C(",
        "empty": "",
        "z": "class Z(BaseChecker): ...\n",
    }
    for name, code in classes.items():
        (tmp_path / "checkers" / name).mkdir(parents=True)
        (tmp_path / "checkers" / name / "checker.py").write_text(code)
    (tmp_path / "checkers" / "none").mkdir()
    assert [*shared_names(tmp_path)] == [
        ("A", tmp_path / "checkers" / "a" / "checker.py"),
        ("B", tmp_path / "checkers" / "a" / "checker.py"),
        ("Z", tmp_path / "checkers" / "z" / "checker.py"),
    ]
    assert [*shared_names(tmp_path / "checkers")] == []
