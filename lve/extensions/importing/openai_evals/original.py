"""Has OpenAI's evals itself ask and judge, for `lve import openai-evals --prove`. Runs in its
environment.

This file is run by its path, in a sandbox: it imports nothing of lve. The first argument is the
number of the pipe that gets the lines. Each begins with the nonce of the request. The package reads
the registry and its samples, and its own classes judge; models say what the request has.
"""

from __future__ import annotations

import copy
import json
import os
import random
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

Foreign = Any
"""An object of the package, which lve's types don't know."""


def main() -> None:
    """Answer the request on stdin."""
    request = json.load(sys.stdin)
    os.environ["OPENAI_API_KEY"] = "none"  # without any, the package can't be imported
    signal.signal(signal.SIGALRM, _out_of_time)
    with os.fdopen(int(sys.argv[1]), "wb") as pipe:

        def write(line: Mapping[str, object]) -> None:
            pipe.write(f"{request['nonce']} {json.dumps(line, default=str)}\n".encode())
            pipe.flush()

        from evals.registry import Registry

        write({"kind": "tool", "version": version("evals")})
        registry = Registry([request["registry"]])
        for number, test in enumerate(request["tests"]):
            signal.alarm(request["each_s"])
            try:
                for line in _lines(registry, test["eval"], test["rows"]):
                    write({"of": number, **line})
                write({"of": number, "kind": "done"})
            except Exception as error:
                why = f"{type(error).__name__}: {error}"
                write({"of": number, "kind": "failed", "why": why})
            finally:
                signal.alarm(0)


def _out_of_time(number: int, frame: object) -> None:
    raise TimeoutError("it takes too long")


class Model:
    """A completion function, which says what it is told, and keeps what it is asked."""

    def __init__(self) -> None:
        self.answer = ""
        self.asked: list[Foreign] = []
        self.options: dict[str, Foreign] = {}

    def __call__(self, prompt: Foreign, **options: Foreign) -> Model:
        from evals.prompt.base import ChatCompletionPrompt

        self.options = options
        self.asked.append(copy.deepcopy(ChatCompletionPrompt(prompt).to_formatted_prompt()))
        return self

    def get_completions(self) -> list[str]:
        """Return the only answer."""
        return [self.answer]


def _lines(registry: Foreign, name: str, rows: Sequence[Foreign]) -> Iterator[dict[str, object]]:
    """Yield what an eval asks for each row, and what it says of each answer to it."""
    from evals.record import RecorderBase

    events: dict[str, Foreign] = {}
    recorder = RecorderBase(None)
    recorder.record_event = lambda kind, data=None, sample_id=None: events.update({kind: data})
    model, judge = Model(), Model()
    spec = registry.get_eval(name)
    models = [model, judge] if "modelgraded_spec" in spec.args else [model]
    options = {"eval_registry_path": spec.registry_path, "name": name, "registry": registry}
    own = registry.get_class(spec)(completion_fns=models, **options)
    samples = own.get_samples()
    for row, (sample, pairs) in enumerate(rows):
        if sample not in samples:
            yield {"kind": "missing", "row": row}
            continue
        for number, (answer, reply) in enumerate(pairs):
            model.answer, judge.answer = answer, reply
            model.asked, judge.asked = [], []
            events.clear()
            with recorder.as_default_recorder(f"{name}.{row}"):
                own.eval_sample(copy.deepcopy(sample), random.Random(0))
            if not number:
                yield {"kind": "prompt", "row": row, "asked": model.asked, "args": model.options}
            score = {"row": row, "number": number, "asked": judge.asked, **_score(events)}
            yield {"kind": "score", **score}


def _score(events: Mapping[str, Foreign]) -> dict[str, object]:
    """Return the score that was recorded, and a judge's choice."""
    metrics = events.get("metrics") or {"accuracy": events.get("match", {}).get("correct")}
    return {"score": metrics.get("score", metrics.get("accuracy")), "choice": metrics.get("choice")}


if __name__ == "__main__":
    main()
