"""Rules for test documents that a JSON Schema can't express.

Each rule takes the parsed document and yields problems. It also runs on a document that violates
the schema, so that all problems are reported together. So a rule must check types itself and ignore
values of the wrong type, which the schema reports. A rule runs only if one of its keys is in the
document: otherwise, rules that find nothing would take a tenth of the time of `lve check`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lve.documents.position_types import JsonPath
from lve.documents.read import Document
from lve.errors import Problem
from lve.escape import excerpt
from lve.extension_table import extension_part
from lve.file_names import DOCUMENT_NAMES
from lve.json_types import JsonValue
from lve.limits.problems import first_problems
from lve.settings.reserved import is_folder_elsewhere, refusal_of_key, refusal_of_model_arg
from lve.settings.settings import Caps
from lve.spec.check_names import CHECK_KEYS, ShortFormError, named_check
from lve.spec.location import PLACEHOLDER, files_exist, runs_of
from lve.spec.matrix import matrix_problems
from lve.spec.model_entries import ARGS, each_model_once, entries_in
from lve.spec.simulated_user import simulated_user_problems
from lve.spec.tools import tool_problems
from lve.suggest import did_you_mean

_RATES = ("at_least", "at_most", "pass_rate", "attack_success")
_KEYS_OF_RATE = {
    "pass_rate": ("confidence", "max_repeats", "claim", "cluster"),
    "attack_success": ("confidence", "max_repeats", "claim", "cluster"),
    "at_least": ("max_errors",),
    "at_most": ("max_errors",),
}
Rule = Callable[[Document, Caps], Iterator[Problem]]
Keys = tuple[str, ...]
"""The keys of a rule. Without keys, it runs on every document."""
ATTACK_KEYS = ("attacks", "benign")


def check_rules(document: Document, caps: Caps) -> list[Problem]:
    """Return the first problems of a test document, as `first_problems`."""
    if not isinstance(document.data, dict):
        return []
    present = document.data.keys()
    rules = (rule for rule, keys in RULES.items() if not (keys and present.isdisjoint(keys)))
    return first_problems(problem for rule in rules for problem in rule(document, caps))


def _nothing_left_to_fill_in(document: Document, _: Caps) -> Iterator[Problem]:
    if PLACEHOLDER not in document.text:
        return
    for path, text in texts_in(document.data, ()):
        if text.strip() == PLACEHOLDER:
            yield document.problem(
                "is not filled in yet", path, hint=f"replace `{PLACEHOLDER}`", code="not_filled_in"
            )


def texts_in(value: object, path: JsonPath) -> Iterator[tuple[JsonPath, str]]:
    """Yield each text below a path of a document."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from texts_in(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from texts_in(inner, (*path, index))


def _only_model_args(document: Document, _: Caps) -> Iterator[Problem]:
    for path, args in model_args_in(document.data):
        for name in args:
            refusal = refusal_of_model_arg(name)
            if refusal is not None:
                message, hint = refusal
                at = (*path, name)
                yield document.problem(message, at, hint=hint, key=True, code="reserved_name")


def model_args_in(data: dict[str, JsonValue]) -> Iterator[tuple[JsonPath, dict[str, JsonValue]]]:
    """Yield path and value of each object with model args: for all models, and for single ones."""
    own: tuple[JsonPath, JsonValue] = ("default_model_args",), data.get("default_model_args")
    others = [((*path, ARGS), entry.get(ARGS)) for path, entry in entries_in(data)]
    yield from ((path, args) for path, args in (own, *others) if isinstance(args, dict))


def _one_of_each(document: Document, _: Caps) -> Iterator[Problem]:
    for keys in (("model", "models"), ("checker_args", "checkers"), ("check", "checks")):
        yield from _at_most_one(document, keys)
    long, short = CHECK_KEYS[2:], CHECK_KEYS[:2]
    if any(key in document.data for key in long):
        for key in short:
            if key in document.data:
                other = next(key for key in long if key in document.data)
                message = f"`{other}` and `{key}` exclude each other"
                hint = f"put all into `{key}`, in the short form"
                yield document.problem(
                    message, (key,), hint=hint, key=True, code="conflicting_keys"
                )


def _at_most_one(document: Document, keys: tuple[str, str]) -> Iterator[Problem]:
    key, plural = keys
    if document.data.get(key) is not None and plural in document.data:
        message = f"`{key}` and `{plural}` exclude each other"
        hint = f"put all into `{plural}`"
        yield document.problem(message, (plural,), hint=hint, key=True, code="conflicting_keys")


def _checks_name_checkers(document: Document, _: Caps) -> Iterator[Problem]:
    listed = document.data.get("checks")
    places: list[tuple[JsonPath, JsonValue]] = [(("check",), document.data.get("check"))]
    places += [
        (("checks", i), check_data)
        for i, check_data in enumerate(listed if isinstance(listed, list) else ())
    ]
    for path, check in places:
        if isinstance(check, dict) and check:
            try:
                named_check(check)
            except ShortFormError as error:
                yield document.problem(str(error), path, hint=error.hint, code="check_text")


def _no_reserved_arguments(document: Document, _: Caps) -> Iterator[Problem]:
    """An inferencer accepts any key, as upstream, except those that only the maintainer may set."""
    config = document.data.get("infer_cfg")
    inferencer = config.get("inferencer") if isinstance(config, dict) else None
    for name in inferencer if isinstance(inferencer, dict) else ():
        refusal = refusal_of_key(name) if isinstance(name, str) else None
        if refusal is not None:
            path = ("infer_cfg", "inferencer", name)
            yield document.problem(
                refusal[0], path, hint=refusal[1], key=True, code="reserved_name"
            )


def _no_models_elsewhere(document: Document, _: Caps) -> Iterator[Problem]:
    for path, name in _named_models(document.data):
        if is_folder_elsewhere(name):
            message = f"`{excerpt(name)}` is a folder elsewhere on this machine"
            hint = "write hf/OWNER/NAME, or give the folder with --model or in lve.yaml"
            yield document.problem(message, path, hint=hint, code="model_entry")


def _named_models(data: dict[str, JsonValue]) -> Iterator[tuple[JsonPath, str]]:
    """Yield path and name of every model in the document."""
    places: list[tuple[JsonPath, JsonValue]] = [(("model",), data.get("model"))]
    models, config = data.get("models"), data.get("infer_cfg")
    if isinstance(models, list):
        places += [(("models", number), name) for number, name in enumerate(models)]
        places += [((*path, "model"), entry.get("model")) for path, entry in entries_in(data)]
    retriever = config.get("retriever") if isinstance(config, dict) else None
    if isinstance(retriever, dict):
        keys = ("embedding_model", "scoring_model")
        places += [(("infer_cfg", "retriever", key), retriever.get(key)) for key in keys]
    yield from ((path, name) for path, name in places if isinstance(name, str))


def _within_caps(document: Document, caps: Caps) -> Iterator[Problem]:
    for path, holder, name, keys in _capped(document.data):
        cap = getattr(caps, name)
        for key in keys if cap is not None and isinstance(holder, dict) else ():
            value = holder.get(key)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if is_number and value > cap:
                message = f"{excerpt(value)} is more than the {cap} allowed"
                hint = f"the settings' `caps: {{{name}: {cap}}}`; a test can't raise it"
                yield document.problem(message, (*path, key), hint=hint, code="cap")


def _capped(data: dict[str, Any]) -> Iterator[tuple[JsonPath, Any, str, Keys]]:
    """Yield each object with capped numbers: its path and value, the cap, the numbers' keys."""
    places: list[tuple[JsonPath, Mapping[str, Any]]] = [((), data), *entries_in(data)]
    for path, settings in places:
        yield path, settings, "repeats", ("repeats",)
        yield (*path, "expect"), settings.get("expect"), "repeats", ("max_repeats",)
    for path, args in model_args_in(data):
        yield path, args, "max_tokens", ("max_tokens", "max_completion_tokens", "max_new_tokens")
    for path, run in runs_of(data):
        yield path, run, "repeats", ("repetitions", "repetition")
    yield (), data, "tool_turns", ("max_tool_turns",)
    yield ("simulated_user",), data.get("simulated_user"), "user_turns", ("max_turns",)


def _validators_match(document: Document, _: Caps) -> Iterator[Problem]:
    types = document.data.get("prompt_parameters_validator")
    names = document.data.get("prompt_parameters")
    if isinstance(types, list) and isinstance(names, list) and len(types) != len(names):
        message = f"must have one type per name: {len(names)}, not {len(types)}"
        hint = "one per name in `prompt_parameters`, in the same order"
        yield document.problem(
            message, ("prompt_parameters_validator",), hint=hint, code="wrong_value"
        )


def _one_spelling_of_repetitions(document: Document, _: Caps) -> Iterator[Problem]:
    for path, run in runs_of(document.data):
        if "repetitions" in run and "repetition" in run:
            message = "`repetition` and `repetitions` are the same"
            at, hint = (*path, "repetition"), "keep the second"
            yield document.problem(message, at, hint=hint, key=True, code="duplicate_key")


def _clusters_have_a_column(document: Document, _: Caps) -> Iterator[Problem]:
    parameters = document.data.get("prompt_parameters")
    if not isinstance(parameters, list):
        return
    names = [name for name in parameters if isinstance(name, str)]
    for path, settings in ((), document.data), *entries_in(document.data):
        expect = settings.get("expect")
        column = expect.get("cluster") if isinstance(expect, dict) else None
        if isinstance(column, str) and column not in names:
            message = f"`{excerpt(column)}` isn't one of the `prompt_parameters`"
            where = (*path, "expect", "cluster")
            yield document.problem(
                message, where, hint=did_you_mean(column, names), code="unknown_parameter"
            )


def _expectation_problems(document: Document, _: Caps) -> Iterator[Problem]:
    """Yield the problems of `expect`: what it counts, and keys that belong to something else."""
    for path, entry in ((), document.data), *entries_in(document.data):
        expect = entry.get("expect")
        if not isinstance(expect, dict):
            continue
        where, kinds = (*path, "expect"), [key for key in _RATES if key in expect]
        if len(kinds) != 1:
            message = f"needs one of {', '.join(f'`{key}`' for key in _RATES)}" + (
                f", not {' and '.join(f'`{key}`' for key in kinds)}" if kinds else ""
            )
            hint = "`at_least: 0.9` counts this run's results"
            yield document.problem(message, where, hint=hint, code="expectation")
            continue
        (kind,) = kinds
        for other in set(expect) - {kind, *_KEYS_OF_RATE[kind]}:
            if any(other in keys for keys in _KEYS_OF_RATE.values()):
                message = f"`{other}` says nothing beside `{kind}`"
                hint = f"beside it: {', '.join(f'`{key}`' for key in _KEYS_OF_RATE[kind])}"
                yield document.problem(
                    message, (*where, other), hint=hint, key=True, code="expectation"
                )
        if kind in ("at_least", "at_most") and isinstance(expect[kind], float) and expect[kind] > 1:
            message = "a share is from 0 to 1, and a number of results is a whole number"
            yield document.problem(message, (*where, kind), code="expectation")


def _variants_have_own_paths(document: Document, _: Caps) -> Iterator[Problem]:
    """A variant's results have the path `TEST@VARIANT`, which a folder beside the test may have."""
    folder, prompts = document.path.absolute().parent, document.data.get("prompts")
    for name in prompts if isinstance(prompts, dict) else ():
        other = folder.parent / f"{folder.name}@{name}"
        # A name with `/` is no name of a variant, as the schema says.
        if "/" not in name and any(os.path.isfile(other / file) for file in DOCUMENT_NAMES):  # noqa: PTH113 (False for a locked folder)
            message = f"the test {excerpt(other.name)} beside this one has the path of this variant"
            at, hint = ("prompts", name), "rename the variant, or that folder"
            yield document.problem(message, at, hint=hint, key=True, code="duplicate_name")


def _attack_problems(document: Document, _: Caps) -> Iterator[Problem]:
    yield from extension_part("problems of attacks")(document)


RULES: Mapping[Rule, Keys] = {
    _nothing_left_to_fill_in: (),
    _only_model_args: ("default_model_args", "models"),
    _one_of_each: ("models", "checkers", "check", "checks"),
    _checks_name_checkers: ("check", "checks"),
    _no_reserved_arguments: ("infer_cfg",),
    _no_models_elsewhere: ("model", "models", "infer_cfg"),
    _within_caps: (
        *("repeats", "expect", "models", "default_model_args", "multi_run_prompt"),
        *("max_tool_turns", "simulated_user"),
    ),
    files_exist: (
        *("prompt_file", "prompts", "multi_run_prompt"),
        *("prompt_object", "output_schema", "dataset"),
    ),
    _variants_have_own_paths: ("prompts",),
    _validators_match: ("prompt_parameters_validator",),
    _one_spelling_of_repetitions: ("multi_run_prompt",),
    _clusters_have_a_column: ("expect", "models"),
    _expectation_problems: ("expect", "models"),
    # Rules of other modules.
    matrix_problems: ("matrix",),
    tool_problems: ("tools", "tool_servers", "mocks", "max_tool_turns"),
    simulated_user_problems: ("simulated_user",),
    each_model_once: ("models",),
    _attack_problems: ATTACK_KEYS,
}
