"""What each key of a test document becomes in its `Spec`, alone and for one of its models."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from support.recorded_calls import Calls, changed, in_folder, record, said

from lve.spec.load import load_spec
from lve.spec.spec import Spec

NAMES = [field.name for field in dataclasses.fields(Spec)]
ABSENT = object()
PLAIN: dict[str, Any] = {
    "description": "d",
    "prompt": [{"content": "Hi."}],
    "check": {"contains": "x"},
}
RATE = {"pass_rate": ">=0.5", "confidence": 0.8, "max_repeats": 7}
TWO = [{"content": "Say {a}."}, {"role": "assistant"}, {"content": "Again."}]
KEYS: dict[str, dict[str, Any]] = {
    "model": {"model": "m"},
    "models": {
        "models": [
            "dummy",
            {
                "model": "m",
                "args": {"seed": 1, "top_p": 0.5},
                "repeats": 3,
                "expect": RATE,
                "timeout_s": 5,
            },
        ],
        "default_model_args": {"temperature": 0, "seed": 9},
        "repeats": 2,
        "timeout_s": 9,
    },
    "one of models": {"models": [{"model": "m", "timeout_s": 5}], "expect": "fail"},
    "default_model_args": {"default_model_args": {"seed": 1}, "expect": RATE},
    "null prompts": {"prompt_file": None, "multi_run_prompt": None},
    "prompt_file": {"prompt": None, "prompt_file": "a.prompt"},
    "prompts": {
        "prompt": None,
        "prompts": {"short": "Hi.", "long": {"prompt": TWO[:1]}},
        "prompt_parameters": ["a"],
    },
    "multi_run_prompt": {
        "prompt": None,
        "multi_run_prompt": [
            {"name": "n", "repetitions": 2, "prompt": TWO},
            {"prompt_file": "b.prompt", "prompt": None},
        ],
        "prompt_parameters": ["a"],
    },
    "one run": {
        "prompt": None,
        "multi_run_prompt": {"prompt_file": None, "prompt": PLAIN["prompt"]},
    },
    "braces": {
        "braces": "double",
        "prompt": [{"content": "{{a}} {b}"}],
        "prompt_parameters": ["a"],
    },
    "validator": {"prompt_parameters": ["a", "b"], "prompt_parameters_validator": ["int", "float"]},
    "checks": {"check": ABSENT, "checks": [{"contains": "x"}, {"max_words": 3, "on": "response"}]},
    "checker_args": {
        "check": ABSENT,
        "checker_args": {"checker_name": "RegexMatchChecker", "match": "a"},
    },
    "checkers": {
        "check": ABSENT,
        "checkers": [
            {"checker_name": "RegexMatchChecker", "match": "a"},
            {"checker_name": "LambdaChecker", "check_fn": "lambda r: r"},
        ],
        "pass_when": "any",
    },
    "author": {
        "author": "A",
        "skip": "why",
        "groups": [{"name": "g", "metric": "mean", "tests": {"a": "x"}}],
    },
    "tags": {"tags": [{"name": "severity", "value": "high"}], "by": ["severity"]},
    "null tags": {"tags": None, "by": None, "default_model_args": None},
    "expect": {"expect": RATE},
    "expect fail": {"expect": "fail"},
    "repeats": {"repeats": 4, "timeout_s": 2.5},
    "whole floats": {"repeats": 4.0},
    "roles": {"roles": ["grader"]},
    "judge": {"check": {"judge": "Is it polite?"}},
    "examples": {
        "examples": [
            {"response": "x", "verdict": "passed"},
            {"response": ["y"], "verdict": "failed", "args": {"a": 1}, "reference": "r"},
            {"response": {"response": "x"}, "verdict": "passed"},
            {"tool_calls": [{"name": "f", "arguments": {"a": 1}}], "verdict": "failed"},
        ]
    },
    "allow_changes": {"allow_changes": ["case"]},
    "dataset": {"dataset": {"path": "a.csv", "limit": 3}},
    "matrix": {"matrix": {"a": [1, 2]}, "prompt_parameters": ["a"]},
    "attacks": {"attacks": ["base64"], "benign": "b.jsonl"},
    "output_schema": {"output_schema": {"type": "object"}, "repair": True},
    "tools": {
        "tools": [{"name": "f", "description": "d", "parameters": {"type": "object"}}],
        "mocks": {"f": [{"result": "1"}]},
        "max_tool_turns": 3,
    },
    "simulated_user": {"simulated_user": {"instructions": "Ask.", "max_turns": 2}},
    "deprecated": {"param_values": {}, "test_path": "a"},
}

SUITES: dict[str, dict[str, Any]] = {
    "model": {"model": "m"},
    "models": {"models": ["m", "n"]},
    "default_model_args": {"default_model_args": {"seed": 1, "top_p": 0.5}},
    "check": {"check": {"max_words": 3}},
    "checks": {"checks": [{"max_words": 3}]},
    "repeats": {"repeats": 4},
    "braces": {"braces": "double"},
    "by": {"by": ["severity"]},
    "tags": {"tags": [{"name": "severity", "value": "low"}, {"name": "jailbreak", "value": "no"}]},
    "attacks": {"attacks": ["base64"]},
    "dataset": {"dataset": "@/t/a.csv"},
    "expect": {"expect": "fail"},
}
"""Defaults of a suite above the test."""
OWN: dict[str, Any] = {
    "model": "own",
    "default_model_args": {"seed": 2},
    "repeats": 1,
    "braces": "single",
    "by": ["jailbreak"],
    "tags": [{"name": "severity", "value": "high"}],
    "attacks": ["rot13"],
    "matrix": {"a": [1]},
    "prompt_parameters": ["a"],
}


def fields(data: dict[str, Any], suite: dict[str, Any] | None = None) -> dict[str, str]:
    """Return each field of a document's test, and what differs for each of its models."""
    files = {
        "lve.yaml": "",
        "suite.yaml": json.dumps(suite or {}),
        "t/a.prompt": "A",
        "t/b.prompt": "B",
        "t/a.csv": "a\n1\n",
    }

    def load(folder: Path) -> dict[str, str]:
        spec = load_spec(folder / "t", folder)
        rows = {name: short(getattr(spec, name), folder) for name in NAMES}
        for model in (*spec.models, "other"):
            own = spec.for_model(model)
            rows[f"args for {model}"] = said(spec.args_for(model))
            rows |= {
                f"{name} for {model}": short(getattr(own, name), folder)
                for name in NAMES
                if getattr(own, name) != getattr(spec, name)
            }
        return rows

    rows = in_folder({**files, "t/test.json": json.dumps(data)}, load)
    return rows if isinstance(rows, dict) else {"error": str(rows)}


def short(value: object, folder: Path) -> str:
    """Return a value in words, the places in the document without its name."""
    text = said(value).replace(str(folder), "FOLDER")
    return text.replace("DocumentPosition(document=PosixPath('FOLDER/t/test.json'), keys=", "at(")


def all_calls() -> Calls:
    plain = fields(PLAIN)
    calls = {f"plain: {name}": text for name, text in plain.items()}
    for key, more in KEYS.items():
        data = {name: value for name, value in {**PLAIN, **more}.items() if value is not ABSENT}
        for name, text in fields(data).items():
            if plain.get(name) != text:
                calls[f"{key}: {name}"] = text
    for key, suite in SUITES.items():
        data = {name: value for name, value in PLAIN.items() if name not in suite}
        for which, document in (("alone", data), ("beside its own", {**OWN, **PLAIN})):
            without = fields(document)
            for name, text in fields(document, suite).items():
                if without.get(name) != text:
                    calls[f"suite's {key} {which}: {name}"] = text
    return calls


def test_each_key_becomes_what_is_recorded() -> None:
    assert changed("spec_fields", all_calls()) == {}


if __name__ == "__main__":
    record("spec_fields", all_calls())
