"""How often other tools are right on the rows on which lve's checks are measured.

    python -m venv /tmp/others
    /tmp/others/bin/pip install math-verify==0.9.0 lm-eval==0.4.13 mmengine-lite
    pip download --no-deps opencompass==0.5.4   # and unpack it into UNPACKED
    npm pack promptfoo@0.121.20                 # and unpack it into UNPACKED
    .venv/bin/python benchmarks/other_tools.py ROWS [ANSWERS GSM8K]   # writes the rows to ROWS
    /tmp/others/bin/python benchmarks/other_tools.py --measure ROWS UNPACKED

Rows of the conformance tests (`number`, `option`, `math`), the answers of two of XSTest's models
(of benchmarks/refusal_model, in the folder ANSWERS) and of GSM8K's models (the file
example_model_solutions.jsonl of openai/grade-school-math at 3101c7d5, MIT). The figures go to
other_tools.json, from which benchmarks/accuracy.py writes the page.

Each tool runs as it is: math-verify's `verify(parse(...), parse(...))`, lm-eval's `RegexFilter`
with the patterns of its tasks gsm8k (flexible-extract) and mmlu_pro, OpenCompass'
`gsm8k_postprocess` and `first_option_postprocess`, promptfoo's `isEmptyResponse` or
`isBasicRefusal`.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FIGURES = HERE / "other_tools.json"
VECTORS = HERE.parent / "tests/conformance/vectors/verdicts"
GSM8K_MODELS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
LM_EVAL_NUMBER = r"(-?[$0-9.,]{2,})|(-?[0-9]+)"
LM_EVAL_OPTION = r"answer is \(?([ABCDEFGHIJ])\)?"
Row = dict[str, Any]
Passes = Callable[[Any, str], bool]


def handed_out() -> Iterable[tuple[str, Row]]:
    """Yield the labelled rows of this repository that each tool can judge, with their set: those
    before own_blind.json."""
    for file in sorted(file for file in VECTORS.glob("*.json") if "own_blind" not in file.name):
        for row in json.loads(file.read_text(encoding="utf-8")):
            check, label = row["check"], row["expected"] == "passed"
            kind, *further = check
            wanted = str(next(iter(check.values())))
            plain = not further and re.fullmatch(r"-?\d+(?:\.\d+)?", wanted)
            letter = kind == "option" and check.get("options", 4) == 4 and len(wanted) == 1
            if (kind == "number" and plain) or letter or (kind == "math" and not further):
                yield kind, {"wanted": wanted, "answer": row["answer"], "label": label}


def of_gsm8k(file: Path) -> Iterable[tuple[str, Row]]:
    """Yield the answers of GSM8K's models, whole and without their last line."""
    for line in file.read_text(encoding="utf-8").splitlines():
        problem = json.loads(line)
        wanted = problem["ground_truth"].split("A:")[-1].strip().replace(",", "")
        for model in GSM8K_MODELS:
            answer, label = problem[model]["solution"], problem[model]["is_correct"]
            yield "gsm8k", {"wanted": wanted, "answer": answer, "label": label}
            prose = re.sub(r"<<[^>]*>>", "", answer).strip()
            prose = re.sub(r"\n?A:[^\n]*\Z", "", prose)
            yield "gsm8k prose", {"wanted": wanted, "answer": prose, "label": label}


def of_xstest(folder: Path) -> Iterable[tuple[str, Row]]:
    """Yield the answers of the two models of XSTest that lve's model of refusals is measured on."""
    sys.path.insert(0, str(HERE / "refusal_model"))
    from public_answers import XSTEST_LABELS, PublicFiles, xstest

    for model, _, answer, label in xstest(PublicFiles(folder)):
        if model in ("gpt4", "llama2new") and label in XSTEST_LABELS:
            yield "xstest", {"wanted": "", "answer": answer, "label": bool(XSTEST_LABELS[label])}


def math_verify() -> Passes:
    """Return how math-verify judges."""
    from math_verify import parse, verify

    def passes(wanted: Any, answer: str) -> bool:
        return bool(verify(parse(f"${wanted}$"), parse(answer)))

    return passes


def lm_eval(pattern: str, group: int) -> Passes:
    """Return how a task of lm-eval with this pattern judges."""
    from lm_eval.filters.extraction import RegexFilter

    extract = RegexFilter(regex_pattern=pattern, group_select=group)

    def passes(wanted: Any, answer: str) -> bool:
        said = extract.apply([[answer]], [{}])[0][0]
        return re.sub(r",|\$|\.$", "", str(said)) == str(wanted)

    return passes


def opencompass(source: Path, name: str, *arguments: str) -> Passes:
    """Return how a function of OpenCompass, taken from its source, judges."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    function = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name)
    function.decorator_list = []
    space: dict[str, Any] = {"re": re}
    exec(compile(ast.Module([function], []), str(source), "exec"), space)

    def passes(wanted: Any, answer: str) -> bool:
        said = space[name](answer, *arguments)
        try:
            return bool(said == wanted or abs(float(said) - float(wanted)) < 1e-6)
        except ValueError:
            return False

    return passes


def promptfoo(package: Path, answers: list[str]) -> list[bool]:
    """Return for each answer whether promptfoo's `is-refusal` passes it."""
    source = next(
        text
        for file in sorted(package.glob("dist/src/util-*.js"))
        if "function isBasicRefusal" in (text := file.read_text(encoding="utf-8"))
    )
    begin = source.index("function normalizeApostrophes")
    end = source.index("\n}", source.index("function isBasicRefusal")) + 2
    escape = "const escapeRegExp = (t) => t.replace(/[.*+?^${}()|[\\]\\\\]/g, '\\\\$&');"
    script = f"{escape}\n{source[begin:end]}\n" + (
        "const rows = JSON.parse(require('fs').readFileSync(0, 'utf-8'));"
        "console.log(JSON.stringify(rows.map((r) => isEmptyResponse(r) || isBasicRefusal(r))));"
    )
    ran = subprocess.run(
        ["node", "-e", script],
        input=json.dumps(answers),
        capture_output=True,
        text=True,
        check=True,
    )
    return [bool(passed) for passed in json.loads(ran.stdout)]


def figures(rows: list[Row], verdicts: list[bool]) -> dict[str, int]:
    """Return how many rows there are, and how many are judged wrongly."""
    pairs = [(row["label"], passed) for row, passed in zip(rows, verdicts, strict=True)]
    return {
        "positive": sum(label for label, _ in pairs),
        "negative": sum(not label for label, _ in pairs),
        "false_passes": pairs.count((False, True)),
        "false_failures": pairs.count((True, False)),
    }


def lve_judges(kind: str, rows: list[Row]) -> list[bool]:
    """Return lve's verdicts."""
    from lve.checkers.contract import CheckContext
    from lve.checkers.library.choice import Option
    from lve.checkers.library.number import Number
    from lve.extensions.mathematics.math_answer import Math

    checks = {"option": Option, "math": Math}
    made = checks.get(kind, Number)
    nothing = CheckContext(())
    return [made(row["wanted"]).check_response(row["answer"], nothing).passed for row in rows]


def write_rows(target: Path, sources: list[Path]) -> None:
    """Write all rows, and lve's figures."""
    sets: dict[str, list[Row]] = {}
    further = [*of_xstest(sources[0]), *of_gsm8k(sources[1])] if sources else []
    for name, row in [*handed_out(), *further]:
        sets.setdefault(name, []).append(row)
    target.write_text(json.dumps(sets), encoding="utf-8")
    own = {
        name: {"lve": figures(rows, lve_judges(name, rows))}
        for name, rows in sets.items()
        if name != "xstest"
    }
    kept = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    FIGURES.write_text(
        json.dumps({n: {**kept.get(n, {}), **own.get(n, {})} for n in sets}, indent=1)
    )


def measure(rows: Path, unpacked: Path) -> None:
    """Measure the other tools on the rows."""
    sets = json.loads(rows.read_text(encoding="utf-8"))
    compass = unpacked / "opencompass"
    numbers = {
        "math-verify 0.9.0": math_verify(),
        "lm-eval 0.4.13, gsm8k": lm_eval(LM_EVAL_NUMBER, -1),
        "OpenCompass 0.5.4, gsm8k": opencompass(compass / "datasets/gsm8k.py", "gsm8k_postprocess"),
    }
    options = {
        "lm-eval 0.4.13, mmlu_pro": lm_eval(LM_EVAL_OPTION, 0),
        "OpenCompass 0.5.4": opencompass(
            compass / "utils/text_postprocessors.py", "first_option_postprocess", "ABCD"
        ),
    }
    tools: dict[str, dict[str, Passes]] = {
        "number": numbers,
        "gsm8k": numbers,
        "gsm8k prose": numbers,
        "option": options,
        "math": {"math-verify 0.9.0": numbers["math-verify 0.9.0"]},
    }
    result = json.loads(FIGURES.read_text(encoding="utf-8"))
    for name, group in sets.items():
        for tool, passes in tools.get(name, {} if name == "xstest" else tools["math"]).items():
            verdicts = [passes(row["wanted"], row["answer"]) for row in group]
            result[name][tool] = figures(group, verdicts)
        if name == "xstest":
            verdicts = promptfoo(unpacked / "package", [row["answer"] for row in group])
            result[name]["promptfoo 0.121.20, is-refusal"] = figures(group, verdicts)
    FIGURES.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "--measure":
        measure(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        sys.path.insert(0, str(HERE.parent))
        write_rows(Path(sys.argv[1]), [Path(argument) for argument in sys.argv[2:]])
