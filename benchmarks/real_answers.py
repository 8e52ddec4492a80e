"""How right lve's checks are on public answers of models that nobody looked at when its rules
were made.

    git clone --bare https://github.com/yuchenlin/ZeroEval (and the others of REPOSITORIES) in GIT
    .venv/bin/python benchmarks/real_answers.py ROWS GIT
    /tmp/others/bin/python benchmarks/other_tools.py --measure ROWS UNPACKED

The models of each repository were split: rules were mended on answers of one half; the figures
are of the other, held one, at first sight. Right is what the repository recorded, except for the
rows of real_answers_judged.json: each row that lve judged otherwise was read, and these are where
lve was right, or the prose states no answer. Rows that only another tool judged otherwise were not
read. The figures go to other_tools.json.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from other_tools import FIGURES, Row, figures, lve_judges

REPOSITORIES = (
    "yuchenlin/ZeroEval",
    "lupantech/MathVista",
    "kojima-takeshi188/zero_shot_cot",
    "mathllm/MATH-V",
    "microsoft/ToRA",
    "suzgunmirac/BIG-Bench-Hard",
)
JUDGED = Path(__file__).with_name("real_answers_judged.json")
HELD_SETS = ("singleeq", "svamp", "object_count")
"""The data sets of the repositories with a single model that are held."""
PER_MODEL = {"zeroeval gsm": 80, "zeroeval math-l5": 80, "mathvista": 200, "math-v": 200}
FORMULAS_PER_MODEL = 25
FIRST_SAMPLE = 300


class Repository:
    """A bare git repository."""

    def __init__(self, git: Path, name: str) -> None:
        self._command = ["git", "-C", str(git / f"{name.split('/')[1]}.git")]

    def files(self, folder: str) -> list[str]:
        """Return the paths of a folder's files that are there, in order."""
        listed = self._run("ls-tree", "-r", "-l", "HEAD", folder).splitlines()
        parts = [line.split("\t") for line in listed]
        return [path.strip('"') for about, path in parts if "BAD" not in about.split()]

    def text(self, path: str) -> str:
        """Return the text of a file."""
        return self._run("show", f"HEAD:{path}")

    def _run(self, *arguments: str) -> str:
        ran = subprocess.run([*self._command, *arguments], capture_output=True, text=True)
        return ran.stdout


def of_zeroeval(repository: Repository, kind: str) -> Iterator[Row]:
    """Yield answers in JSON with their reasoning."""
    for file in repository.files(f"result_dirs/{kind}/"):
        for row in json.loads(repository.text(file)):
            text = row["output"][0]
            keys = re.findall(r'"answer"\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,}]+)', text)
            reasoning = re.search(r'"reasoning"\s*:\s*"((?:[^"\\]|\\.)*)"', text, re.DOTALL)
            yield {
                "source": f"zeroeval {kind}", "model": Path(file).stem, "id": row["id"],
                "wanted": str(row["answer"]).lstrip("# ").replace(",", ""), "whole": text,
                "said": keys[-1].strip('"').replace("\\\\", "\\") if keys else "",
                "prose": _unescaped(reasoning[1]) if reasoning else "",
            }  # fmt: skip


def _unescaped(text: str) -> str:
    try:
        return str(json.loads('"' + text.replace("\n", "\\n") + '"'))
    except ValueError:
        return text.replace("\\n", "\n").replace('\\"', '"')


def of_mathvista(repository: Repository) -> Iterator[Row]:
    """Yield free answers to questions about pictures."""
    for file in repository.files("results/"):
        name = Path(file).stem
        left_out = "template" in name or "random" in file or "_code" in name
        if not name.startswith("output_") or left_out or not file.endswith(".json"):
            continue
        for key, row in json.loads(repository.text(file)).items():
            if row.get("question_type") == "free_form" and row.get("response"):
                yield {
                    "source": "mathvista", "model": name[7:], "id": key, "wanted": row["answer"],
                    "whole": row["response"], "said": str(row.get("extraction", "")),
                    "label": row.get("true_false"), "is_left_out": row["answer_type"] != "integer",
                }  # fmt: skip


def of_logs(repository: Repository) -> Iterator[Row]:
    """Yield GPT-3's answers, with what it was asked to end them with."""
    for file in repository.files("log/"):
        name = Path(file).stem
        data = name.split("_zero")[0]
        if data not in ("addsub", "gsm8k", "multiarith", "singleeq", "svamp"):
            continue
        for place, part in enumerate(repository.text(file).split("_th_sampling\n")[1:]):
            row = re.match(
                r"Q: .*?\nA:(.*?)\npred_before : .*?\npred_after : (.*?)\npred_list"
                r".*?\nGT : (.*?)\n",
                part, re.DOTALL,
            )  # fmt: skip
            if row is None:
                continue
            text = re.sub(r"^Let's think step by step\.", "", row[1].strip()).strip()
            parts = re.split(r"\nTherefore, the answer[^\n]* is", text)
            prose = parts[0].strip() if "cot" in name and len(parts) == 2 else ""
            yield {
                "source": "zero_shot_cot", "model": data, "id": f"{name} {place}",
                "wanted": row[3].strip(), "whole": text, "said": row[2].strip(),
                "prose": prose if re.search(r"[.!)\d]$", prose) else "",
            }  # fmt: skip


def of_mathv(repository: Repository) -> Iterator[Row]:
    """Yield free answers to questions of competitions about pictures."""
    questions = {
        row["id"]: row for row in map(json.loads, repository.text("data/test.jsonl").splitlines())
    }
    for file in repository.files("outputs/"):
        if not file.endswith(".jsonl") or "Random" in file:
            continue
        for row in map(json.loads, repository.text(file).splitlines()):
            question = questions.get(row["id"], row)
            if not question.get("options"):
                yield {
                    "source": "math-v", "model": Path(file).name[:-6], "id": row["id"],
                    "wanted": question["answer"], "whole": row.get("response") or "",
                    "said": str(row.get("model_answer", "")), "label": row.get("correct"),
                }  # fmt: skip


def of_tora(repository: Repository) -> Iterator[Row]:
    """Yield programs, their output and what follows from it."""
    for file in repository.files("src/outputs/"):
        if file.endswith("jsonl"):
            for row in map(json.loads, repository.text(file).splitlines()):
                yield {
                    "source": "tora", "model": file.split("/")[3], "id": row["idx"],
                    "wanted": row["gt"], "whole": row["code"][0], "said": str(row["pred"][0]),
                }  # fmt: skip


def of_big_bench(repository: Repository) -> Iterator[Row]:
    """Yield answers of a base model."""
    for file in repository.files("code-davinci-002-outputs/"):
        if re.match("(multistep_arithmetic|object_counting).*000.json", Path(file).name):
            for place, row in enumerate(json.loads(repository.text(file))["outputs"]):
                said = re.search(r"answer is (-?[\d.,]+)", row["prediction"])
                yield {
                    "source": "bbh", "model": Path(file).name[:12], "id": place,
                    "wanted": row["target"], "whole": row["prediction"],
                    "said": said[1].rstrip(".") if said else row["prediction"],
                }  # fmt: skip


def held(rows: list[Row]) -> Iterator[Row]:
    """Yield a sample of the rows of the held models."""
    models: dict[str, list[str]] = {}
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["source"], row["model"]), []).append(row)
    for source, model in groups:
        models.setdefault(source, []).append(model)
    for source, names in models.items():
        if source in ("zero_shot_cot", "bbh"):
            kept = [row for row in rows if row["source"] == source and row["model"] in HELD_SETS]
            yield from random.Random(source).sample(kept, min(1_500, len(kept)))
            continue
        for model in sorted(names)[1::2]:
            key, group = (source, model), groups[source, model]
            group = random.Random(str(key)).sample(group, min(FIRST_SAMPLE, len(group)))
            size = min(PER_MODEL.get(source, FIRST_SAMPLE), len(group))
            group = random.Random(f"{key}2").sample(group, size)
            if source == "zeroeval math-l5":
                group = random.Random(model).sample(group, FORMULAS_PER_MODEL)
            yield from group


def _number(text: str) -> float | None:
    plain = re.sub(r"[$,%\s]", "", text).rstrip(".")
    return float(plain) if re.fullmatch(r"-?\d*\.?\d+", plain) else None


def recorded(row: Row) -> bool:
    """Return whether a row's answer is right according to its repository."""
    from lve.extensions.mathematics.notation import same_math

    if row.get("label") is not None:
        return bool(row["label"])
    said, wanted = _number(str(row["said"])), _number(str(row["wanted"]))
    if said is None or wanted is None:
        return same_math(str(row["said"]), str(row["wanted"]))
    return abs(said - wanted) < 1e-6


def sets(rows: list[Row]) -> dict[str, list[Row]]:
    """Return set -> rows as `other_tools.py` measures them."""
    turned = {tuple(key) for key in json.loads(JUDGED.read_text(encoding="utf-8"))}
    result: dict[str, list[Row]] = {}
    for row in rows:
        is_formula = row["source"] == "zeroeval math-l5"
        if row.get("is_left_out") or not row["said"]:
            continue
        if not is_formula and _number(str(row["wanted"])) is None:
            continue
        for part in ("whole", "prose"):
            if not row.get(part):
                continue
            name = row["source"] + (" prose" if part == "prose" else "")
            key = (name, row["model"], str(row["id"]))
            label = recorded(row) != (key in turned)
            wanted = str(row["wanted"]).replace(",", "") if not is_formula else row["wanted"]
            result.setdefault(name, []).append(
                {"wanted": wanted, "answer": row[part], "label": label}
            )
    return result


def main(target: Path, git: Path) -> None:
    """Write the rows, and lve's figures."""
    repositories = [Repository(git, name) for name in REPOSITORIES]
    zeroeval, mathvista, logs, mathv, tora, big_bench = repositories
    rows = [
        *of_zeroeval(zeroeval, "gsm"), *of_zeroeval(zeroeval, "math-l5"), *of_mathvista(mathvista),
        *of_logs(logs), *of_mathv(mathv), *of_big_bench(big_bench), *of_tora(tora),
    ]  # fmt: skip
    result = sets(list(held(rows)))
    target.write_text(json.dumps(result), encoding="utf-8")
    known = json.loads(FIGURES.read_text(encoding="utf-8"))
    for name, group in result.items():
        kind = "math" if "math-l5" in name else "number"
        known[name] = {**known.get(name, {}), "lve": figures(group, lve_judges(kind, group))}
    FIGURES.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main(Path(sys.argv[1]), Path(sys.argv[2]))
