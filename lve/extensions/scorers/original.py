"""Has OpenCompass or AISBench itself render rows and judge answers, for `lve import --prove`. Runs
in its environment.

This file is run by its path, in a sandbox: it imports nothing of lve. The first argument is the
number of the pipe that gets the lines. Each begins with the nonce of the request. The package's own
tasks of inference and evaluation run as they are: the rows are files that lve has written, and the
model says what the request has.
"""

from __future__ import annotations

import copy
import json
import os
import runpy
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

SINGLE_ROWS = 5
"""Rows whose answers are judged one by one."""
ABBR = "rows"
OWN = ("abbr", "type", "rows", "limit", "reader_cfg")
JUDGES = ("GenericLLMEvaluator", "CascadeEvaluator")
RAW = "RawPromptTemplate"
"""The template whose messages only models with an API get."""
CHATTING = ("MultiTurnGenInferencer", "BFCLV3FunctionCallInferencer")
"""Inferencers of AISBench that ask only such models."""
SUBJECTIVE = "LMEvaluator"
"""The evaluator that has a task of its own."""
ROUND = (
    {"role": "HUMAN", "api_role": "HUMAN"},
    {"role": "BOT", "api_role": "BOT", "generate": True},
)
CHAT = {"round": [*ROUND], "reserved_roles": [{"role": "SYSTEM", "api_role": "SYSTEM"}]}
"""As the configurations of OpenCompass have it for models with an API."""
JUDGE = {"round": [*ROUND]}
"""As OpenCompass has it for judges."""
Foreign = Any
"""An object of the package, which lve's types don't know."""
Write = Callable[[Mapping[str, object]], None]


def main() -> None:
    """Answer the request on stdin."""
    request = json.load(sys.stdin)
    host = runpy.run_path(request["host"])
    parts = runpy.run_path(str(Path(__file__).with_name("package.py")))
    runpy.run_path(str(Path(request["host"]).with_name("processes.py")))["install"]()
    signal.signal(signal.SIGALRM, _out_of_time)
    os.chdir(tempfile.mkdtemp())  # the package writes into the folder in which it runs
    with os.fdopen(int(sys.argv[1]), "wb") as pipe:

        def write(line: Mapping[str, object]) -> None:
            text = json.dumps(line, default=str)
            pipe.write(f"{request['nonce']} {text}\n".encode())
            pipe.flush()

        package = _package(request["package"], host, parts)
        write({"kind": "tool", "version": version(package.distribution)})
        for number, test in enumerate(request["tests"]):
            for part in (_rendered, _judged):
                signal.alarm(request["each_s"])
                try:
                    for line in part(Run(parts, package, test, request)):
                        write({"of": number, **line})
                except Exception as error:
                    traceback.print_exc()
                    why = f"{type(error).__name__}: {error}"[:300]
                    write({"kind": "failed", "of": number, "why": why})
                finally:
                    signal.alarm(0)
        write({"kind": "end"})


def _package(name: str, host: Mapping[str, Foreign], parts: Mapping[str, Foreign]) -> Foreign:
    if name == "opencompass":
        return parts["Package"](host)
    return runpy.run_path(str(Path(__file__).with_name("aisbench.py")))["Package"](host, parts)


def _out_of_time(number: int, frame: object) -> None:
    raise TimeoutError("it takes too long")


class Run:
    """Runs a test, as OpenCompass has it."""

    def __init__(self, parts: Foreign, package: Foreign, test: Foreign, request: Foreign) -> None:
        self.package, self.script = package, parts["Script"]
        home = Path(test["home"])
        files = {name: _lines(home / file) for name, file in test["files"].items()}
        host = package.host
        host["AnyName"].is_loading = True
        parts["load"](package, {**test["config"], "type": None})
        host["AnyName"].is_loading = False
        own = {"type": package.rows, "rows": files, "limit": len(test["answers"]), "abbr": ABBR}
        self.config: dict[str, Foreign] = {**test["config"], **own}
        self.answers: list[list[str]] = test["answers"]
        self.replies: list[str] = request["replies"]
        self.rated: list[list[float]] = request["rated"]
        self.inferencer = str(test["inferencer"])

    def of_row(self, row: int) -> Foreign:
        """Return the configuration with a single row to ask."""
        config = copy.copy(self.config)
        row_alone = [config["rows"][_test_split(config)][row]]
        return {**config, "rows": dict.fromkeys(config["rows"], row_alone), "limit": 1}

    def run(
        self,
        task: str,
        folder: str,
        model: str,
        script: Foreign,
        config: Foreign,
        judge: Foreign = None,
    ) -> None:
        """Run a task of the package; `judge` is who its own task for judges asks."""
        options: Foreign = {"meta_template": CHAT} if model == "chat" else {}
        kind = self.package.models[model]
        whole = {"type": kind, "script": script, "abbr": "m", "max_out_len": 8, "batch_size": 1}
        models = [{**whole, "query_per_second": 1_000_000, **options} if options else whole]
        config = {"models": models, "datasets": [[copy.deepcopy(config)]], "work_dir": folder}
        config |= {} if judge is None else {"judge_model": judge}
        whole_config = self.package.config(config)
        whole_config["eval"] = {"runner": {"task": {"dump_details": True}}}
        self.package.tasks[task](whole_config).run()

    def scores(self, predictions: Sequence[str], config: Foreign, script: Foreign) -> Foreign:
        """Return what the package reports of predictions."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "predictions", "m", f"{ABBR}.json")
            file.parent.mkdir(parents=True)
            rows = config["rows"][_test_split(config)]
            output = (config.get("reader_cfg") or {}).get("output_column")
            every = {
                str(n): {"prediction": each, "gold": rows[n].get(output)}
                for n, each in enumerate(predictions)
            }
            file.write_text(json.dumps(every), encoding="utf-8")
            return self._scored(folder, config, script)

    def _scored(self, folder: str, config: Foreign, script: Foreign) -> Foreign:
        judge = {
            "type": self.package.models["chat"],
            "script": script,
            "meta_template": JUDGE,
            "query_per_second": 1_000_000,
            "abbr": "judge",
        }
        config = copy.deepcopy(config)
        evaluator = config.get("eval_cfg", {}).get("evaluator")
        if _short(evaluator) == SUBJECTIVE:
            self.run("judge", folder, "text", self.script(), config, judge)
        else:
            for each in _judges(evaluator):
                each["judge_cfg"] = judge
                each["dataset_cfg"] = {k: config[k] for k in OWN}
            self.run("eval", folder, "text", self.script(), config)
        (file,) = Path(folder, "results").glob(f"*/{ABBR}.json")
        return self.package.host["answer"](json.loads(file.read_text(encoding="utf-8")))


def _test_split(config: Foreign) -> str:
    return str((config.get("reader_cfg") or {}).get("test_split") or "test")


def _judges(evaluator: Foreign) -> Iterator[Foreign]:
    if not isinstance(evaluator, Mapping):
        return
    own = evaluator.get("llm_evaluator") or evaluator
    if _short(own) in JUDGES:
        yield own


def _short(evaluator: Foreign) -> str:
    kind = evaluator.get("type") if isinstance(evaluator, Mapping) else evaluator
    return str(kind).rpartition(".")[2]


def _lines(file: Path) -> list[Foreign]:
    with file.open(encoding="utf-8") as stream:
        return [json.loads(line) for line in stream if line.strip()]


def _rendered(test: Run) -> Iterator[dict[str, object]]:
    """Yield what the package sends for each row; of choices, also what it makes of ratings."""
    count = len(test.answers)
    if test.inferencer in ("PPLInferencer", "LLInferencer"):
        for number, rated in enumerate(test.rated):
            script = test.script(rated=rated)
            script.rows = count
            with tempfile.TemporaryDirectory() as folder:
                test.run("infer", folder, "text", script, test.config)
                file = Path(folder, "predictions", "m", f"{ABBR}.json")
                chosen = json.loads(file.read_text(encoding="utf-8"))
                scores = test._scored(folder, test.config, test.script())
            for row in range(count):
                prompts = script.rated(row, count)
                if not number:
                    yield {"kind": "prompts", "row": row, "model": "text", "prompts": prompts}
                label = chosen[str(row)]["prediction"]
                yield {"kind": "chosen", "row": row, "number": number, "label": str(label)}
            yield {"kind": "whole", "number": number, **scores}
        return
    template = (test.config.get("infer_cfg") or {}).get("prompt_template")
    is_chat = _short(template) == RAW or test.inferencer in CHATTING
    for model in ("chat",) if is_chat else ("text", "chat"):
        script = test.script()
        with tempfile.TemporaryDirectory() as folder:
            test.run("infer", folder, model, script, test.config)
        each = len(script.prompts) // count
        for row in range(count):
            prompts = script.prompts[row * each : (row + 1) * each]
            yield {"kind": "prompts", "row": row, "model": model, "prompts": prompts}


def _judged(test: Run) -> Iterator[dict[str, object]]:
    """Yield what the package says of each answer to a row, and of those to all rows."""
    if test.inferencer in ("PPLInferencer", "LLInferencer"):
        return
    numbers = range(len(test.answers[0]))
    for number in numbers:
        reply = test.replies[number % len(test.replies)]
        for row in range(min(SINGLE_ROWS, len(test.answers))):
            script = test.script([reply])
            scores = test.scores([test.answers[row][number]], test.of_row(row), script)
            judged = {"asked": script.prompts} if script.prompts else {}
            yield {"kind": "score", "row": row, "number": number, **scores, **judged}
        script = test.script([reply])
        whole = test.scores([each[number] for each in test.answers], test.config, script)
        yield {"kind": "whole", "number": number, **whole}


if __name__ == "__main__":
    main()
