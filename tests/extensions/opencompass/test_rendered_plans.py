"""Templates, inferencers and meta templates of every kind together, and with one place changed
each: what a row becomes at each stage, and the warnings (cases/recorded_calls/plans.json)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spec.test_spoiled_documents import changed as spoiled
from support.recorded_calls import Calls, changed, in_folder, record, values

from lve.data.instances import iter_instances
from lve.errors import LveError, Problem
from lve.extensions.opencompass.build import DIALECT
from lve.extensions.opencompass.data.template_rows import columns_of, inferencer_args
from lve.settings.model_settings import ModelSettings
from lve.spec.load import load_spec

VALUES = values("plans")
MODELS: Mapping[str, ModelSettings | None] = {
    "none": None,
    **{f"{number}": ModelSettings(**each) for number, each in enumerate(VALUES["models"])},
}


def rendered(document: Mapping[str, Any], settings: ModelSettings | None, *, trace: bool) -> str:
    """Return what the first row of a test becomes, or why it becomes nothing."""

    def work(folder: Path) -> object:
        (folder / "test.json").write_text(json.dumps(document), encoding="utf-8")
        try:
            spec = load_spec(folder, root=folder)
            plan = DIALECT.build_plan(spec, settings, trace=trace)
            instance = next(each for each in iter_instances(spec))
            if isinstance(instance, Problem):
                return str(instance)
            parts: list[object] = [*plan.lines(instance)] if trace else [plan.view(instance)]
            if not trace:
                parts += [inferencer_args(spec), columns_of(instance.args), instance.reference]
                parts += map(str, (*spec.warnings, *plan.warnings, *plan.row_warnings(instance)))
        except LveError as error:
            return str(error)
        return json.dumps(parts, ensure_ascii=False)

    return str(in_folder({}, work)).replace("FOLDER/", "")


def document_of(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return a test: the common parts of all, and those of a case."""
    base: dict[str, Any] = VALUES["base"][0]
    return {**base, **case}


def differences(before: str, now: str) -> str:
    """Return what is other than before, from the first other character on."""
    at = next((n for n, pair in enumerate(zip(before, now, strict=False)) if len({*pair}) > 1), -1)
    return "the same" if before == now else f"{at}: {now[max(0, at - 20) :][:400]}"


def all_calls() -> Calls:
    calls: Calls = {}
    for number, case in enumerate(VALUES["cases"]):
        document, whole = document_of(case), ""
        for name, settings in MODELS.items():
            now = rendered(document, settings, trace=False)
            calls[f"case {number} for model {name}"] = differences(whole, now) if whole else now
            whole = whole or now
        calls[f"case {number} traced"] = rendered(document, None, trace=True)
    for number, case in enumerate(VALUES["spoiled"]):
        document, whole = document_of(case), ""
        for label, other in spoiled({key: document[key] for key in case}):
            if ".type: " in label:
                continue  # each class has its own cases
            now = rendered({**document_of({}), **other}, None, trace=False)
            whole = whole or now
            calls[f"spoiled {number} {label}"] = differences(whole, now)
    for label, other in spoiled(VALUES["models"][-1]["meta_template"]):
        for kind in ("lm", "api"):
            model = ModelSettings(kind=kind, meta_template=other)  # type: ignore[arg-type]
            case = document_of(VALUES["cases"][0])
            calls[f"meta template for {kind} {label}"] = rendered(case, model, trace=False)[:600]
    return calls


def test_each_plan_is_rendered_as_recorded() -> None:
    assert changed("plans", all_calls()) == {}


if __name__ == "__main__":
    record("plans", all_calls())
