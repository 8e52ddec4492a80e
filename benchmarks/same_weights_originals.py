"""Runs a task in lm-evaluation-harness or OpenCompass itself, for `same_weights.py`, in the
environment of the tool: it imports nothing of lve.

The request is JSON on stdin, the rows go to the file `to`: what was asked (`prompts`), how
the tool rated it (`values`), and its scores.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

BOT = {"role": "BOT", "api_role": "BOT"}
Foreign = Any
"""An object of a tool, which lve's types don't know."""


def main() -> None:
    """Answer the request on stdin."""
    request = json.load(sys.stdin)
    rows = lm_eval_rows(request) if request["tool"] == "lm-eval" else opencompass_rows(request)
    Path(request["to"]).write_text(json.dumps(rows), encoding="utf-8")


def lm_eval_rows(request: Foreign) -> Foreign:
    """Run a task as `lm_eval` does, with its model `gguf`, which is made for llama.cpp's server."""
    import lm_eval
    from lm_eval.models.gguf import GGUFLM
    from lm_eval.tasks import TaskManager

    model, name = GGUFLM(base_url=request["url"].removesuffix("/v1")), request["task"]
    manager = TaskManager(include_path=request["folder"], include_defaults=False)
    results = lm_eval.simple_evaluate(model, tasks=[name], task_manager=manager, bootstrap_iters=0)
    samples = sorted(results["samples"][name], key=lambda sample: sample["doc_id"])
    return [_sample(sample, is_rated=request["is_rated"]) for sample in samples]


def _sample(sample: Foreign, *, is_rated: bool) -> Foreign:
    if not is_rated:
        prompts = [str(each[0]) for each in sample["arguments"]]
        return {"prompts": prompts, "values": [], "scores": [sample["exact_match"]]}
    prompts = ["".join(each) for each in sample["arguments"]]
    values = [each[0] for each in sample["filtered_resps"]]
    return {"prompts": prompts, "values": values, "scores": [sample["acc"], sample["acc_norm"]]}


def opencompass_rows(request: Foreign) -> Foreign:
    """Run a data set through OpenCompass' own tasks of inference and evaluation: answers with its
    model `OpenAI`, perplexities with a model of ours, as it has none for a server that echoes."""
    host = runpy.run_path(request["host"])
    package = runpy.run_path(str(Path(request["host"]).with_name("package.py")))["Package"](host)
    package.load({**request["config"], "type": None})
    open_ai = importlib.import_module("opencompass.models.openai_api").OpenAI

    open_ai._init_tokenizer = lambda self: None  # it would be downloaded, to cut long prompts
    open_ai.get_token_len = lambda self, text: 1
    host["AnyName"].is_loading = False
    os.chdir(request["scratch"])  # the package writes into the folder in which it runs
    rows = request["rows"]
    data = {"type": package.rows, "rows": dict.fromkeys(request["splits"], rows)}
    data_set = {**request["config"], **data, "limit": len(rows), "abbr": "rows"}
    if request["is_rated"]:
        model: Foreign = {"type": _echo_class(package, request["url"]), "script": None}
    else:
        turns = [{"role": "HUMAN", "api_role": "HUMAN"}, {**BOT, "generate": True}]
        address = f"{request['url']}/chat/completions"
        own = {"openai_api_base": address, "temperature": 0, "key": "none", "max_workers": 1}
        limits = {"max_out_len": request["tokens"], "query_per_second": 1_000_000}
        model = {"type": "OpenAI", "path": "m", "meta_template": {"round": turns}, **own, **limits}
    models = [{**model, "abbr": "m", "batch_size": 1}]
    whole = package.config({"models": models, "datasets": [[data_set]], "work_dir": "."})
    whole["eval"] = {"runner": {"task": {"dump_details": True}}}
    package.tasks["infer"](whole).run()
    package.tasks["eval"](whole).run()
    lines = json.loads(Path("predictions/m/rows.json").read_text(encoding="utf-8"))
    judged = json.loads(Path("results/m/rows.json").read_text(encoding="utf-8"))
    numbers = [str(number) for number in range(len(rows))]
    said = [_prediction(lines[number], judged["details"][number]) for number in numbers]
    right = sum(row["scores"][0] for row in said)
    if judged["accuracy"] != right / len(rows) * 100:
        sys.exit(f"OpenCompass counts {judged['accuracy']} %, its details {right} of {len(rows)}")
    return said


def _prediction(line: Foreign, judged: Foreign) -> Foreign:
    rated = [each for name, each in line.items() if name.startswith("label: ")]
    prompts = [each["prompt"] for each in rated] or [line["origin_prompt"][0]["prompt"]]
    is_right = str(judged["predictions"]) == str(judged["references"])
    values = [each["PPL"] for each in rated]
    return {"prompts": prompts, "values": values, "scores": [float(is_right)]}


def _echo_class(package: Foreign, url: str) -> Foreign:
    """Return the class of a model that rates texts by the echo of a server, over all tokens but the
    first one, as OpenCompass' model of vLLM does."""
    import numpy
    import requests

    def perplexity(self: Foreign, inputs: Foreign, mask_length: Foreign = None) -> Foreign:
        values = []
        for text in inputs:
            body = {"model": "m", "prompt": text, "max_tokens": 1, "temperature": 0}
            options = {"echo": True, "logprobs": 1}
            reply = requests.post(f"{url}/completions", json={**body, **options}, timeout=600)
            logprobs = reply.json()["choices"][0]["logprobs"]["token_logprobs"][1:]
            values.append(-sum(logprobs) / len(logprobs))
        return numpy.array(values)

    return type("Echo", (package.models["text"],), {"get_ppl": perplexity})


if __name__ == "__main__":
    main()
