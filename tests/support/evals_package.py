"""A small stand-in for OpenAI's `evals`, which the proof of its importer can run."""

from __future__ import annotations

from pathlib import Path

import pytest
from extensions.scorers.scored import install_upstream

REGISTRY = """
import importlib, json
from functools import partial
from pathlib import Path
from types import SimpleNamespace

class Registry:
    def __init__(self, paths):
        self.folder = Path(paths[0])

    def read(self, kind):
        files = (self.folder / kind).glob("*.yaml")
        return {k: v for file in files for k, v in json.loads(file.read_text()).items()}

    def get_eval(self, name):
        entry = self.read("evals")[name]
        return SimpleNamespace(cls=entry["class"], args=entry["args"], registry_path=self.folder)

    def get_class(self, spec):
        module, _, name = spec.cls.partition(":")
        return partial(getattr(importlib.import_module(module), name), **spec.args)
"""
RECORD = """
from contextlib import contextmanager
current = []

class RecorderBase:
    def __init__(self, run_spec):
        pass

    @contextmanager
    def as_default_recorder(self, sample_id):
        current.append(self)
        yield
        current.pop()
"""
PROMPT = """
class ChatCompletionPrompt:
    def __init__(self, prompt):
        self.prompt = prompt

    def to_formatted_prompt(self):
        is_text = isinstance(self.prompt, str)
        return [{"role": "system", "content": self.prompt}] if is_text else self.prompt
"""
CLASSES = """
import json, string
from evals.record import current

class Eval:
    def __init__(self, completion_fns, eval_registry_path, name, registry, **args):
        self.models, self.folder, self.registry = completion_fns, eval_registry_path, registry
        self.args = args

    def lines(self, name):
        return [json.loads(line) for line in (self.folder / "data" / name).read_text().splitlines()]

    def get_samples(self):
        return self.lines(self.args["samples_jsonl"])

    def ask(self, prompt, number=0, **options):
        return self.models[number](prompt, **options).get_completions()[0]

class Match(Eval):
    options = {"temperature": 0.0}

    def eval_sample(self, sample, rng):
        prompt, ideals = sample["input"], sample["ideal"]
        if self.args.get("num_few_shot"):
            examples = self.lines(self.args["few_shot_jsonl"])[:self.args["num_few_shot"]]
            prompt = prompt[:-1] + [m for each in examples for m in each["sample"]] + prompt[-1:]
        answer = self.ask(prompt, **self.options)
        correct = any(self.has(answer, i) for i in (ideals if type(ideals) is list else [ideals]))
        current[-1].record_event("match", {"correct": correct})

    def has(self, answer, ideal):
        return answer.startswith(ideal)

class Includes(Match):
    options = {}

    def has(self, answer, ideal):
        return ideal.lower() in answer.lower()

class ModelBasedClassify(Eval):
    def eval_sample(self, sample, rng):
        answer = self.ask(sample["input"], max_tokens=1024, temperature=0)
        spec = self.registry.read("modelgraded")[self.args["modelgraded_spec"]]
        [message] = sample["input"]
        scrubbed = message["content"].replace("{", "{{").replace("}", "}}")
        values = {**sample, **self.args["modelgraded_spec_args"], "input": scrubbed}
        text = spec["prompt"].format(**{"completion": answer, **values})
        reply = self.ask([{"role": "user", "content": text}], 1)
        scores = spec.get("choice_scores")
        choice = next(self.choices(reply, spec["choice_strings"]), "__invalid__")
        score = scores and scores.get(choice, min(scores.values()))
        current[-1].record_event("metrics", {"choice": choice, "score": score})

    def choices(self, reply, words):
        for line in reversed(reply.strip().split("\\n")):
            bare = "".join(c for c in line.strip() if c not in string.punctuation)
            yield from (w for w in words if bare.startswith(w) or bare.endswith(w))
"""
MODULES = {
    "registry.py": REGISTRY,
    "record.py": RECORD,
    "prompt/base.py": PROMPT,
    "elsuite/basic/match.py": CLASSES,
    "elsuite/basic/includes.py": CLASSES,
    "elsuite/modelgraded/classify.py": CLASSES,
}


def install_evals(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an environment below a folder that has the stand-in, and return its package."""
    package = install_upstream(folder, monkeypatch, "openai-evals", "evals")
    for name, source in MODULES.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(source)
    about = package.with_name("evals-9.1.dist-info")
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: evals\nVersion: 9.1\n")
    return package
