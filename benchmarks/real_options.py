"""How right `option` and `choice` are on public answers of models that nobody here wrote.

    .venv/bin/python benchmarks/real_options.py SOURCE=FOLDER ... [--half held] [--differing FILE]

Each source is a clone (bare or not) of a public repository that keeps answers of models, the right
option and what its own pattern or model took for the answer:

    mmlu-pro        TIGER-AI-Lab/MMLU-Pro at f418b116            29 models, up to ten options
    gaokao          OpenLMLab/GAOKAO-Bench at 6dbb24f8           GPT-4, in Chinese
    mmmu-pro        MMMU-Benchmark/MMMU at bb0b95a9              GPT-4o
    mathvista       lupantech/MathVista at 53d52587              10 models, with the options' texts
    zero-shot-cot   kojima-takeshi188/zero_shot_cot at 5ef330fc  text-davinci-002, yes/no, too
    big-bench-hard  suzgunmirac/BIG-Bench-Hard at 9ee07bd4       code-davinci-002, words, too

The half `dev` of the models (or subjects, where there is one model) was looked at when lve was
mended, the half `held` afterwards. Where lve and the recorded verdict differed, somebody read the
answer: real_options.json says what it says (`passed`, `failed`; by a hash of source, question and
answer). Where both agree they are taken to be right. Rows that differ and have no entry are left
out; `--differing` writes them.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import io
import json
import random
import re
import string
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
JUDGED = HERE / "real_options.json"
PAGE = HERE.parent / "docs/accuracy.md"
PER_MODEL = 300
SHORT = 30
"""Characters of an answer that is hardly more than a letter: a twentieth of the rows."""
CHAT = re.compile(r"(?i)instruct|chat|gemini|command|jamba|coder|mathstral")


class Row(NamedTuple):
    """A model's answer to a question."""

    model: str
    check: dict[str, Any]
    question: str
    answer: str
    taken: str | None
    """What the repository took for the answer."""

    @property
    def right(self) -> str:
        return str(next(iter(self.check.values())))


class Repository:
    """The files of a repository at its newest commit."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def _git(self, *arguments: str) -> bytes:
        command = ["git", "-C", self.folder, *arguments]
        return subprocess.run(command, capture_output=True, check=True).stdout

    def names(self, pattern: str) -> list[str]:
        """Return the names of the files that are here and fit a pattern."""
        lines = self._git("ls-tree", "-r", "-z", "-l", "HEAD").decode().split("\0")
        present = [line.split("\t", 1) for line in lines if line]
        return sorted(
            name
            for facts, name in present
            if facts.split()[-1].isdigit() and re.fullmatch(pattern, name)
        )

    def read(self, name: str) -> bytes:
        return self._git("show", f"HEAD:{name}")


def sample(rows: Iterable[Row], count: int, seed: str) -> list[Row]:
    """Return some of the answers, few of which are short."""
    all_rows = [row for row in rows if row.answer.strip()]
    long = [row for row in all_rows if len(row.answer.strip()) > SHORT]
    short = [row for row in all_rows if len(row.answer.strip()) <= SHORT]
    rng = random.Random(seed)
    rng.shuffle(long)
    rng.shuffle(short)
    if len(long) < count:
        return (long + short)[:count]
    return long[: count - count // 20] + short[: count // 20]


def _letters(count: int) -> str:
    return string.ascii_uppercase[:count]


def mmlu_pro(files: Repository) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield half, kind and rows of each model."""
    archives = files.names(r"eval_results/.*\.zip")
    for kind in ("chat", "base"):
        group = [name for name in archives if bool(CHAT.search(name)) is (kind == "chat")]
        random.Random(f"37{kind}").shuffle(group)
        for index, name in enumerate(group):
            model = re.sub(r"^model_outputs_|_\dshots.*$", "", Path(name).stem)
            archive = zipfile.ZipFile(io.BytesIO(files.read(name)))
            records = []
            for member in archive.namelist():
                if member.endswith(".json") and not member.startswith("__"):
                    document = json.loads(archive.read(member))
                    records += document if isinstance(document, list) else []
            rows = [
                Row(
                    model,
                    {"option": r["answer"], "options": len(r["options"])},
                    r["question"],
                    str(r.get("generated_text") or r.get("model_outputs")),
                    r.get("pred"),
                )
                for r in records
                if isinstance(r, dict)
                and isinstance(r.get("generated_text") or r.get("model_outputs"), str)
            ]
            yield ("held" if index % 2 else "dev"), kind, sample(rows, PER_MODEL, model)


def gaokao(files: Repository) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield half, kind and rows of each subject: the prompts that ask one question."""
    for index, name in enumerate(files.names(r"Results/.*_obj/gpt.*\.json")):
        document = json.loads(files.read(name))
        rows = [
            Row(
                f"gpt-4-0314 {document['keyword']}",
                {"option": right, "options": 4},
                r["question"],
                r["model_output"],
                r["model_answer"][0] if len(r["model_answer"]) == 1 else None,
            )
            for r in document["example"]
            if len(r["standard_answer"]) == 1
            and (right := re.sub("[^A-G]", "", r["standard_answer"][0]))
        ]
        yield ("held" if index % 2 else "dev"), "chat", sample(rows, PER_MODEL // 2, name)


def mmmu_pro(files: Repository) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield half, kind and rows of each way of asking."""
    for name in files.names(r"mmmu-pro/output/.*\.jsonl"):
        rows = []
        for line in files.read(name).decode().splitlines():
            r = json.loads(line)
            count = len(ast.literal_eval(r["options"]))
            if isinstance(r["response"], str):
                check = {"option": r["answer"], "options": count}
                rows.append(
                    Row(Path(name).stem, check, r["id"], r["response"], r.get("pred_indexs"))
                )
        yield "held", "chat", sample(rows, PER_MODEL, name)


def mathvista(files: Repository) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield half, kind and rows of each way of asking; a GPT-4 took out the answers."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for name in files.names(r"results/[^/]+/output_.+\.json"):
        model, way = re.findall(r"results/([^/]+)/output_(.+)\.json", name)[0]
        if "random" not in name and "template" not in name:
            groups.setdefault(model, []).append((way, name))
    models = sorted(groups)
    random.Random(5).shuffle(models)
    for index, model in enumerate(models):
        for way, name in groups[model]:
            if "_code" in way:
                continue
            rows = []
            for r in json.loads(files.read(name)).values():
                texts = r.get("choices") or []
                if r["answer"] in texts and isinstance(r.get("response"), str):
                    letters = dict(zip(texts, _letters(len(texts)), strict=True))
                    options = texts if len(letters) == len(texts) else len(texts)
                    check = {"option": letters[r["answer"]], "options": options}
                    taken = letters.get(r.get("prediction"))
                    rows.append(Row(way, check, r["question"], r["response"], taken))
            half = "held" if index % 2 else "dev"
            yield half, "chat", sample(rows, PER_MODEL // 2, way)


def zero_shot_cot(files: Repository) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield half, kind and rows of each log."""
    held = ("strategyqa", "aqua")
    entry = (
        r"(?s)\nQ: (.*?)\nA:(.*?)\npred_before :.*?"
        r"\npred_after : ?(.*?)\npred_list.*?\nGT : (.*?)\n"
    )
    names = r"log/(strategyqa|commonsensqa|aqua|coin_flip|shuffled_objects)_zero_shot(_cot)?\.log"
    for name in files.names(names):
        rows = []
        for part in re.split(r"(?m)^\d+st data$", files.read(name).decode())[1:]:
            if (match := re.search(entry, part)) is None:
                continue
            question, answer, taken, right = map(str.strip, match.groups())
            count = len(re.findall(r"\([A-G]\)", question.split("Answer Choices")[-1]))
            is_word = right in ("yes", "no")
            labels = {"choice": right, "of": ["yes", "no"]}
            check = labels if is_word else {"option": right, "options": count}
            rows.append(Row(Path(name).stem, check, question, answer, taken or None))
        is_held = name.endswith("_cot.log") is not Path(name).stem.startswith(held)
        yield ("held" if is_held else "dev"), "base", sample(rows, PER_MODEL, Path(name).stem)


def big_bench_hard(files: Repository) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield half, kind and rows of each task whose answer is an option or one of two words."""
    for name in files.names(r"code-davinci-002-outputs/code-davinci-002-cot/.*\d\.json"):
        records = json.loads(files.read(name))["outputs"]
        records = ast.literal_eval(records) if isinstance(records, str) else records
        rows = []
        for r in records:
            question = r["input"].rsplit("\n\nQ: ", 1)[-1]
            target = r["target"].strip()
            words = next((w for w in BINARY if target.casefold() in w), None)
            if re.fullmatch(r"\([A-Z]\)", target):
                listed = re.findall(r"\(([A-Z])\)", question.rsplit("Options:", 1)[-1])
                count = max(len({*listed}), ord(target[1]) - ord("A") + 1)
                check: dict[str, Any] = {"option": target[1], "options": count}
            elif words:
                check = {"choice": target.casefold(), "of": list(words)}
            else:
                continue
            answer = r["prediction"]
            said = re.findall(r"the answer is (.*?)\.?\s*$", answer.strip())
            taken = said[-1].strip("() .") if said else None
            if "choice" in check and taken:
                taken = taken.casefold()
            rows.append(Row(Path(name).stem.split("_few")[0], check, question, answer, taken))
        yield "held", "base", sample(rows, PER_MODEL // 5, name)


BINARY = (("yes", "no"), ("true", "false"), ("valid", "invalid"))
TITLES = {
    ("mmlu-pro", "chat"): ("MMLU-Pro, 7 chat models", "its patterns"),
    ("mmlu-pro", "base"): ("MMLU-Pro, 7 base models", "its patterns"),
    ("gaokao", "chat"): ("GAOKAO, GPT-4, Chinese", "its patterns"),
    ("mmmu-pro", "chat"): ("MMMU-Pro, GPT-4o", "its patterns"),
    ("mathvista", "chat"): ("MathVista, 5 models", "GPT-4, nearest option"),
    ("zero-shot-cot", "base"): ("zero-shot-CoT, GPT-3", "its patterns"),
    ("big-bench-hard", "base"): ("BIG-Bench Hard, Codex", "its patterns"),
}
"""Source and kind of model -> its title in docs/accuracy.md (half `held`), and what took out the
answers that it records."""
SOURCES = {
    "mmlu-pro": mmlu_pro,
    "gaokao": gaokao,
    "mmmu-pro": mmmu_pro,
    "mathvista": mathvista,
    "zero-shot-cot": zero_shot_cot,
    "big-bench-hard": big_bench_hard,
}


def key(source: str, row: Row) -> str:
    """Return the hash by which real_options.json names a row."""
    text = "\0".join((source, row.question, row.answer, row.right))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def has_right_option(row: Row) -> bool:
    """Return whether the right option is one of a row's options: a few lists are broken."""
    options = row.check.get("options", 0)
    letters = _letters(options if isinstance(options, int) else len(options))
    return "choice" in row.check or {*row.right} <= {*letters}


def lve_passes(row: Row) -> bool:
    """Return lve's verdict."""
    from lve.checkers.contract import CheckContext
    from lve.checkers.library.choice import Choice, Option

    arguments: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in row.check.items()
    }
    check = Choice(**arguments) if "choice" in row.check else Option(**arguments)
    return check.check_response(row.answer, CheckContext(())).passed


def main() -> None:
    """Print the table, and write it to the page if all sources are given."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sources", nargs="+", metavar="SOURCE=FOLDER")
    parser.add_argument("--half", default="held", choices=["held", "dev"])
    parser.add_argument("--differing", type=Path)
    options = parser.parse_args()
    sys.path.insert(0, str(HERE.parent))
    judged = json.loads(JUDGED.read_text(encoding="utf-8")) if JUDGED.exists() else {}
    counts: dict[tuple[str, str], list[int]] = {}
    open_rows = []
    for source, folder in (each.split("=", 1) for each in options.sources):
        for half, kind, rows in SOURCES[source](Repository(folder)):
            for row in filter(has_right_option, rows) if half == options.half else ():
                lve, theirs = lve_passes(row), row.taken == row.right
                name = key(source, row)
                if lve != theirs and name not in judged:
                    open_rows.append({"key": name, "source": source, **row._asdict(), "lve": lve})
                    continue
                good = judged[name] == "passed" if name in judged else lve
                line = counts.setdefault((source, kind), [0] * 6)
                for place, true in enumerate(
                    (
                        True,
                        good,
                        lve and not good,
                        good and not lve,
                        theirs and not good,
                        good and not theirs,
                    )
                ):
                    line[place] += true
    lines = ["| answers | judged by | rows | agreement | false passes | false failures |"]
    lines.append("|---|---|---|---|---|---|")
    for group, (n, good, *wrong) in counts.items():
        answers, own = TITLES[group]
        for tool, (passes, failures) in (("lve", wrong[:2]), (own, wrong[2:])):
            share = 1 - (passes + failures) / n
            columns = f"{n:,} | {share:.1%} | {passes} of {n - good:,} | {failures} of {good:,}"
            lines.append(f"| {answers} | {tool} | {columns} |")
    table = "\n".join(lines)
    print(table)
    if options.half == "held" and len(counts) == len(TITLES):
        text = PAGE.read_text(encoding="utf-8")
        mark = r"(<!-- public -->\n).*?(\n<!-- end -->)"
        PAGE.write_text(re.sub(mark, rf"\1{table}\2", text, count=1, flags=re.DOTALL))
    if options.differing:
        options.differing.write_text(json.dumps(open_rows, ensure_ascii=False, indent=1))
    print(f"{len(open_rows)} rows differ and nobody read them", file=sys.stderr)


if __name__ == "__main__":
    main()
