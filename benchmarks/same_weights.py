"""Runs tasks of lm-evaluation-harness and OpenCompass in lve and in the original, with one model.

    .venv/bin/lve import --setup lm-eval
    .venv/bin/lve import --setup opencompass
    .venv/bin/python benchmarks/same_weights.py [--rows 20] GGUF

llama.cpp (the tests' server) serves the file, behind a server of ours that counts and keeps what
passes. Each test is imported from the tool's own task and run; then the tool runs the task. Scores
and likelihoods are compared row by row, to the last digit. A difference gets its cause from what
both have asked and received; the exit code is 1 if one has none. Rows are of our making.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from pipeline.llama_server import llama_server  # noqa: E402
from same_weights_recorder import Recorder, Row, reply, with_generated  # noqa: E402
from same_weights_rows import ADDS, CAPS, capitals, questions, sentences, sums  # noqa: E402

from lve.extension_table import extension_part  # noqa: E402
from lve.extensions.importing.boxes.box import TOOLS  # noqa: E402
from lve.extensions.importing.opencompass.data_sets import open_source  # noqa: E402
from lve.extensions.importing.opencompass.rows import split_names  # noqa: E402
from lve.extensions.opencompass.likelihood import average_nll, log_likelihood  # noqa: E402
from lve.models.token_scores import ScoredToken  # noqa: E402

TOKENS = 16
"""The most tokens of an answer: what the server takes from lm-eval, which doesn't say."""
GEN, PPL = "ARC_e/ARC_e_gen_1e0de5.py", "winogrande/winogrande_ppl_9307fd.py"


@dataclass
class Task:
    """A task of a tool, and its rows."""

    tool: str
    name: str
    source: str
    is_rated: bool
    rows: Sequence[Row]

    def imported(self, scratch: Path) -> Path:
        """Import the task; returns the folder of its tests."""
        home = scratch / self.name
        home.mkdir()
        lines = "".join(f"{json.dumps(row)}\n" for row in self.rows)
        if self.tool == "lm-eval":
            text = self.source.replace("FOLDER", str(home)).replace("TOKENS", str(TOKENS))
            (home / f"{self.name}.yaml").write_text(text, encoding="utf-8")
            (home / f"{self.name}.jsonl").write_text(lines, encoding="utf-8")
            source: list[str] = [str(home)]
        else:
            data_set = self._data_set()
            (home / data_set.abbr).mkdir()
            for split in split_names(data_set).values():
                (home / data_set.abbr / f"{split}.jsonl").write_text(lines, encoding="utf-8")
            source = [str(self._config()), "--data", str(home)]
        command = [sys.executable, "-m", "lve", "import", self.tool, *source]
        subprocess.run([*command, "-o", str(home / "tests")], check=True, cwd=scratch)
        return home / "tests"

    def _config(self) -> Path:
        packages = next(TOOLS["opencompass"].folder.glob("lib/*/site-packages"))
        return packages / "opencompass/configs/datasets" / self.source

    def _data_set(self) -> Any:
        return next(iter(open_source(self._config()).data_sets()))

    def in_lve(self, tests: Path, url: str) -> list[Row]:
        """Run the imported tests, one after the other and one call at a time."""
        home = tests.parent
        kind = "lm" if self.is_rated or self.tool == "lm-eval" else "api"
        settings = {"models": {"openai/m": {"base_url": url, "kind": kind}}}
        (home / "lve.yaml").write_text(json.dumps(settings), encoding="utf-8")
        limits = {"opencompass": ["--model-arg", f"max_tokens={TOKENS}"]}.get(self.tool, [])
        options = ["--model", "openai/m", "-j", "1", "--session-dir", str(home / "lve"), "-q"]
        for document in sorted(tests.rglob("test.json")):
            command = [sys.executable, "-m", "lve", "run", str(document), *options]
            subprocess.run(
                [*command, *([] if self.is_rated else limits)],
                cwd=home, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        files = sorted(home.glob("lve/runs/*/results.jsonl"))
        lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
        results = [json.loads(line) for line in lines]
        results.sort(key=lambda result: int(result["line"]))
        each = len(results) // len(self.rows)
        return [self._row(results[n : n + each]) for n in range(0, len(results), each)]

    def _row(self, results: Sequence[Row]) -> Row:
        runs = results[0]["transcripts"]
        prompts = [run["messages"][0]["content"] for run in runs]
        values = [self._rating(run, results[0]["args"]) for run in runs] if self.is_rated else []
        scores = [float(result["verdict"] == "passed") for result in results]
        return {"prompts": prompts, "values": values, "scores": scores}

    def _rating(self, run: Row, args: Row) -> float:
        tokens = [ScoredToken(*token) for token in run["completions"][0]["logprobs"]]
        if self.tool == "lm-eval":
            return log_likelihood(tokens, start=len(args["prompt"]))
        return average_nll(tokens)

    def in_original(self, tests: Path, url: str) -> list[Row]:
        """Run the task in the tool."""
        home = tests.parent
        request: dict[str, Any] = {"tool": self.tool, "task": self.name, "folder": str(home)}
        if self.tool == "opencompass":
            data_set = self._data_set()
            host = extension_part("program of loaders").with_name("host.py")
            request |= {"config": data_set.config, "rows": self.rows, "host": str(host)}
            request |= {"splits": list(split_names(data_set).values()), "tokens": TOKENS}
        to = home / "original.json"
        request |= {"url": url, "is_rated": self.is_rated, "scratch": str(home), "to": str(to)}
        program = Path(__file__).with_name("same_weights_originals.py")
        offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": str(home / "cache")}
        done = subprocess.run(
            [str(TOOLS[self.tool].python), str(program)], cwd=home, check=False,
            input=json.dumps(request).encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, **offline},
        )  # fmt: skip
        if done.returncode:
            sys.exit(done.stdout.decode("utf-8", "replace")[-3000:])
        return list(json.loads(to.read_text(encoding="utf-8")))


def cause(own: Row, other: Row, lve: Recorder, tool: Recorder) -> str:
    """Return why a row differs; empty if nothing says why."""
    if own["prompts"] != other["prompts"]:
        return "the prompts differ"
    pairs = [(reply(lve, prompt), reply(tool, prompt)) for prompt in own["prompts"]]
    if any(first != second for first, second in pairs):
        return "the server has answered the same request otherwise"
    ends = [logprobs[-1] for _, (_, logprobs) in pairs if logprobs]
    without = [value + end for value, end in zip(other["values"], ends, strict=False)]
    if without and all(abs(a - b) < 1e-9 for a, b in zip(own["values"], without, strict=True)):
        return "lm-eval leaves out the last token, which it takes for the generated one"
    return ""


def compared(own: Sequence[Row], other: Sequence[Row], lve: Recorder, tool: Recorder) -> bool:
    """Print how many rows are equal, and why others aren't; returns whether each has a cause."""
    parts = ("prompts", "values", "scores")
    equal = {p: sum(a[p] == b[p] for a, b in zip(own, other, strict=True)) for p in parts}
    shared = lve.kept.keys() & tool.kept.keys()
    replies = [reply(lve, prompt) == reply(tool, prompt) for prompt in shared]
    print(f"  {len(own)} rows; equal", ", ".join(f"{name} {n}" for name, n in equal.items()))
    print(f"  {sum(replies)} of {len(lve.kept)} replies equal")
    asked, sent = (next(iter(each.kept.values()))[0] for each in (lve, tool))
    names = {**asked, **sent}.keys() - {"prompt", "messages"}
    unlike = [name for name in sorted(names) if asked.get(name, 0) != sent.get(name, 0)]
    shown = [f"{name} ({asked.get(name)}, {sent.get(name)})" for name in unlike]
    print("  requests differ in", ", ".join(shown) or "nothing")
    causes: dict[str, list[int]] = {}
    for number, (first, second) in enumerate(zip(own, other, strict=True), 1):
        if any(first[part] != second[part] for part in parts):
            why = cause(first, second, lve, tool)
            causes.setdefault(why, []).append(number)
            if not why:
                print(f"  row {number} differs:", first, second, sep="\n    ")
    for why, numbers in causes.items():
        print(f"  {why or 'NO CAUSE'}: rows {', '.join(map(str, numbers))}")
    return "" not in causes


def over_all_tokens(rows: Sequence[Row], kept: Mapping[str, tuple[Row, Row]]) -> int:
    """Return in how many rows another label has the lowest perplexity if sums are divided by the
    number of all tokens, the first one too, as OpenCompass' models of Hugging Face do."""
    count = 0
    for row in rows:
        lengths = [len(kept[p][1]["choices"][0]["logprobs"]["tokens"]) for p in row["prompts"]]
        others = [v * (n - 1) / n for v, n in zip(row["values"], lengths, strict=True)]
        count += row["values"].index(min(row["values"])) != others.index(min(others))
    return count


def tasks(count: int) -> Iterator[Task]:
    """Yield the tasks, each with rows of our making."""
    yield Task("lm-eval", "adds", ADDS, False, sums(count))
    yield Task("lm-eval", "caps", CAPS, True, capitals(count))
    yield Task("opencompass", "gen", GEN, False, questions(count))
    yield Task("opencompass", "ppl", PPL, True, sentences(count))


def timed(run: Callable[[Path, str], list[Row]], tests: Path, recorder: Recorder) -> list[Row]:
    """Return what a run says of its rows; print its calls, wall time and own CPU time."""
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    with recorder.serving() as url:
        rows = run(tests, url)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    wall, name = time.monotonic() - start, run.__name__.removeprefix("in_")
    print(f"  {name}: {recorder.calls} calls, {wall:.1f} s wall, {cpu:.1f} s CPU", flush=True)
    return rows


def main() -> int:
    """Compare all tasks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gguf", type=Path)
    parser.add_argument("--rows", type=int, default=20, help="3 to 30")
    options = parser.parse_args()
    for tool in ("lm-eval", "opencompass"):
        TOOLS[tool].check()
    is_explained = True
    with tempfile.TemporaryDirectory() as folder, llama_server(options.gguf, context=1024) as url:
        for task in tasks(options.rows):
            print(f"{task.tool} {task.name}", flush=True)
            tests = task.imported(Path(folder))
            lve, original = Recorder(url), Recorder(url)
            own = timed(task.in_lve, tests, lve)
            other = timed(task.in_original, tests, original)
            is_explained &= compared(own, other, lve, original)
            if task.name == "caps":
                print("  the same replies, with the generated token in the echo:")
                replies = {prompt: with_generated(kept[1]) for prompt, kept in lve.kept.items()}
                again = Recorder(url, replies=replies)
                is_explained &= compared(own, timed(task.in_original, tests, again), lve, again)
            if task.name == "ppl":
                count = over_all_tokens(own, lve.kept)
                print(f"  divided by the number of all tokens: {count} rows choose otherwise")
    return 0 if is_explained else 1


if __name__ == "__main__":
    sys.exit(main())
