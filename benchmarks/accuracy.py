"""How often checks agree with people, and the page that says so, docs/accuracy.md.

    .venv/bin/python benchmarks/accuracy.py             # prints the tables
    .venv/bin/python benchmarks/accuracy.py --write     # writes them into the page
    .venv/bin/python benchmarks/accuracy.py --public FOLDER

Everything comes from files of the repository: the labelled answers of the tests are judged anew;
what was measured on public answers is in refusal_model/measured.json (by its train.py),
refusal_model/learned.json (by `--public`, whose FOLDER keeps the answers),
language_model/measured.json (by its measure.py) and other_tools.json (by other_tools.py). A test
holds the page current.
"""

from __future__ import annotations

import argparse
import json
import re
import runpy
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks/refusal_model"))

from public_answers import XSTEST_LABELS, PublicFiles, xstest  # noqa: E402

from lve.checkers.contract import CheckContext  # noqa: E402
from lve.extensions.refusals.refuse_checker import Refusal  # noqa: E402

PAGE = ROOT / "docs/accuracy.md"
VECTORS = ROOT / "tests/conformance/vectors/verdicts"
MEASURED = ROOT / "benchmarks/refusal_model/measured.json"
LEARNED = ROOT / "benchmarks/refusal_model/learned.json"
LANGUAGES = ROOT / "benchmarks/language_model/measured.json"
OTHERS = ROOT / "benchmarks/other_tools.json"
CASES = ROOT / "tests/cases/refusals"
SETS = {
    "gsm8k": "answers of GSM8K's models",
    "gsm8k prose": "the same without the last line `A: 18`",
    "number": "`number`: the rows below, before own_blind",
    "option": "`option`: the rows below, before own_blind",
    "math": "`math`: the rows below, before own_blind",
    "xstest": "XSTest: two models",
    "zeroeval gsm": "held: ZeroEval, GSM8K in JSON",
    "zeroeval gsm prose": "held: its reasoning alone",
    "zeroeval math-l5": "held: ZeroEval, MATH in JSON",
    "zeroeval math-l5 prose": "held: its reasoning alone, MATH",
    "zero_shot_cot": "held: zero_shot_cot's logs",
    "zero_shot_cot prose": "held: their reasoning alone",
    "mathvista": "held: MathVista, integers",
    "math-v": "held: MATH-V",
    "bbh": "held: BIG-Bench Hard, base model",
    "tora": "held: ToRA, programs",
}


class Measured(NamedTuple):
    """Rows of one source: how many there are, and how many are judged wrongly."""

    positive: int
    negative: int
    false_passes: int
    false_failures: int

    def columns(self) -> str:
        """Return the figures as columns of a table."""
        rows = self.positive + self.negative
        right = rows - self.false_passes - self.false_failures
        return (
            f"{rows:,} | {right / rows:.1%} | {self.false_passes:,} of"
            f" {self.negative:,} | {self.false_failures:,} of {self.positive:,}"
        )


def page(text: str) -> str:
    """Return the page with all of its tables as they are now."""
    tables = {
        "refusal": refusal_table(),
        "language": language_table(),
        "others": others_table(),
        "checks": checks_table(),
    }
    for name, lines in tables.items():
        table = "\n".join(lines)
        marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        place = marks.search(text)
        assert place is not None, f"{PAGE.name} has no table {name}"
        text = f"{text[: place.end(1)]}{table}\n{text[place.start(2) :]}"
    return text


def refusal_table() -> Iterator[str]:
    """Yield the lines of the table of the check `refusal`."""
    yield "| answers | rows | agreement | false passes | false failures |"
    yield "|---|---|---|---|---|"
    languages, blind = _by_language("by_language"), _by_language("blind")
    latest = _by_language("blind2")
    others = {name: rows for name, rows in latest.items() if name != "en"}
    sources = {
        "XSTest: two models, learned without them": _kept(MEASURED),
        "XSTest: five models, learned from": _kept(LEARNED),
        "of the conformance tests, learned from": refusals(_vectors()),
        "`tests/cases/refusals/held_out.json`": refusals(_cases("held_out")),
        "`typical.json` beside it": refusals(_cases("typical")),
        "`short.json` beside it": refusals(_cases("short")),
        "`service.json` beside it": refusals(_cases("service")),
        "`chats.json` beside it": refusals(_cases("chats")),
        "`long.json` beside it": refusals(_cases("long")),
        "`by_language.json` beside it": refusals(chain.from_iterable(languages.values())),
        "`blind.json` beside it": refusals(chain.from_iterable(blind.values())),
        "`blind2.json` beside it, English": refusals(latest["en"]),
        f"`blind2.json` beside it, {len(others)} other languages": refusals(
            chain.from_iterable(others.values())
        ),
        **{
            f"`{name}.json` beside it": refusals(chain.from_iterable(_by_language(name).values()))
            for name in ("blind3", "blind4")
        },
        **{
            f"of `by_language.json`, {name}": refusals(answers)
            for name, answers in languages.items()
        },
    }
    for source, measured in sources.items():
        yield f"| {source} | {measured.columns()} |"


def language_table() -> Iterator[str]:
    """Yield the lines of the table of the check `language`."""
    yield "| texts | rows | share |"
    yield "|---|---|---|"
    for name, counts in json.loads(LANGUAGES.read_text(encoding="utf-8")).items():
        yield f"| {name} | {counts['rows']:,} | {counts['right'] / counts['rows']:.1%} |"


def others_table() -> Iterator[str]:
    """Yield the lines of the comparison with other tools."""
    yield "| answers | judged by | rows | agreement | false passes | false failures |"
    yield "|---|---|---|---|---|---|"
    figures = json.loads(OTHERS.read_text(encoding="utf-8"))
    for name, answers in SETS.items():
        tools = {"lve": _kept(MEASURED)._asdict()} if name == "xstest" else {}
        for tool, counts in {**tools, **figures[name]}.items():
            yield f"| {answers} | {tool} | {Measured(**counts).columns()} |"


def checks_table() -> Iterator[str]:
    """Yield a line per check and file of the conformance tests."""
    actual = runpy.run_path(str(ROOT / "tests/conformance/verdicts.py"))["actual"]
    pairs = defaultdict[tuple[str, str], list[tuple[str, str]]](list)
    with tempfile.TemporaryDirectory() as folder:
        for file in sorted(VECTORS.glob("*.json")):
            for row in json.loads(file.read_text(encoding="utf-8")):
                verdict = actual(row, Path(folder))
                pairs[next(iter(row["check"])), file.stem].append((verdict, row["expected"]))
    yield "| check | rows of | rows | agreement | false passes | false failures |"
    yield "|---|---|---|---|---|---|"
    for (check, source), verdicts in sorted(pairs.items()):
        right = sum(verdict == label for verdict, label in verdicts) / len(verdicts)
        false_passes = sum(pair == ("passed", "failed") for pair in verdicts)
        false_failures = sum(v != "passed" and label == "passed" for v, label in verdicts)
        counts = f"{len(verdicts)} | {right:.1%} | {false_passes} | {false_failures}"
        yield f"| `{check}` | {source} | {counts} |"


def _kept(file: Path) -> Measured:
    return Measured(**json.loads(file.read_text(encoding="utf-8")))


def _cases(name: str) -> Iterator[tuple[str, bool]]:
    return _texts(json.loads((CASES / f"{name}.json").read_text(encoding="utf-8")))


def _by_language(name: str) -> dict[str, list[tuple[str, bool]]]:
    groups = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    return {language: list(_texts(group)) for language, group in groups.items()}


def _texts(group: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, bool]]:
    yield from ((text, True) for text in group["refuses"])
    yield from ((text, False) for text in group["complies"])


def _vectors() -> Iterator[tuple[str, bool]]:
    for file in sorted(VECTORS.glob("*.json")):
        for row in json.loads(file.read_text(encoding="utf-8")):
            if row["check"].keys() == {"refusal"}:
                yield row["answer"], (row["expected"] == "passed") is row["check"]["refusal"]


def refusals(rows: Iterable[tuple[str, bool]]) -> Measured:
    """Return how often `{refusal: true}` agrees with the labels."""
    check, nothing = Refusal(True), CheckContext(())
    pairs = [(check.check_response(answer, nothing).passed, label) for answer, label in rows]
    return Measured(
        sum(label for _, label in pairs),
        sum(not label for _, label in pairs),
        sum(passed and not label for passed, label in pairs),
        sum(label and not passed for passed, label in pairs),
    )


def measure_public(folder: Path) -> None:
    """Judge the answers of XSTest's models that the model of refusals learned from."""
    labelled = [
        (answer, bool(XSTEST_LABELS[label]))
        for _, _, answer, label in xstest(PublicFiles(folder))
        if label in XSTEST_LABELS
    ]
    counts = refusals(labelled)._asdict()
    LEARNED.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> None:
    """Print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--public", type=Path, metavar="FOLDER")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    if options.public:
        measure_public(options.public)
    text = page(PAGE.read_text(encoding="utf-8"))
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
