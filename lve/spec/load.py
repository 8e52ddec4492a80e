"""Loads a test document: reads it, validates it, checks the rules and builds a `Spec`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from lve.documents.position_types import JsonPath
from lve.documents.read import Document, read_document
from lve.documents.validation.schema import in_file_order, validate
from lve.errors import SpecError
from lve.extension_table import extension_part
from lve.limits.problems import first_problems
from lve.messages import ToolCall
from lve.settings.settings import AppFiles, Caps
from lve.spec.check_names import CHECKS, USER, named_check, roles_of
from lve.spec.discover import document_file
from lve.spec.document_warnings import warnings_of
from lve.spec.expectation import expectation_of
from lve.spec.location import category_and_name, test_path
from lve.spec.matrix import rows_of
from lve.spec.model_entries import for_models, names_in
from lve.spec.prompt_sources import prompts_in
from lve.spec.rules import ATTACK_KEYS, check_rules
from lve.spec.simulated_user import simulated_user
from lve.spec.spec import CheckerConfig, Example, Spec, Tag
from lve.spec.suites import with_suites
from lve.spec.tools import tool_use
from lve.workspace import find_root

PROMPT_SOURCES = (
    *("prompt", "prompt_file", "prompts", "multi_run_prompt", "prompt_object", "infer_cfg"),
)
_CHECKER_NAME = "checker_name"
_CHOICE_BY = {
    "PPLInferencer": "perplexity",
    "LikelihoodInferencer": "likelihood",
    "LLInferencer": "continuation",
    "CLPInferencer": "first_token",
}
_NO_CAPS = Caps()


def load_spec(path: Path, root: Path | None = None, *, caps: Caps = _NO_CAPS) -> Spec:
    """Load a test.

    Only the test document, the suites above it and the input keys of a saved prompt object are
    read. Later stages read prompt files, instances and checkers.

    Args:
        path: `test.json` or `test.yaml`, or the folder that contains it.
        root: the workspace root; found from `path` by default.
        caps: the maintainer's limits, which no test may exceed.

    Raises:
        SpecError: the test is invalid; the error has all its problems in the order of the file.
    """
    document = read_test(path)
    return spec_of(document, find_root(document.path) if root is None else root, caps)


def spec_of(document: Document, root: Path, caps: Caps = _NO_CAPS) -> Spec:
    """Return what a parsed test document says; arguments and errors as for `load_spec`."""
    document.data = _without_null_sources(document.data)
    suites = with_suites(document, root, caps)
    problems = [*validate(document, "test"), *check_rules(document, caps)]
    if problems:
        raise SpecError(in_file_order(problems))
    return build_spec(document, root, suites, caps.files)


def read_test(path: Path) -> Document:
    """Parse a test document. It isn't validated.

    Args:
        path: as for `load_spec`.

    Raises:
        SpecError: there is no test document, or it can't be parsed.
    """
    document = read_document(document_file(path))
    document.data = _without_null_sources(document.data)
    return document


def _without_null_sources(data: object) -> object:
    """Return a document without the prompt sources that are null. In the original format, null
    means that the prompt is under another key."""
    if not isinstance(data, dict):
        return data
    present = {k: v for k, v in data.items() if v is not None or k not in PROMPT_SOURCES}
    runs = present.get("multi_run_prompt")
    if isinstance(runs, dict):
        present["multi_run_prompt"] = _without_null_sources(runs)
    elif isinstance(runs, list):
        present["multi_run_prompt"] = [_without_null_sources(run) for run in runs]
    return present


def build_spec(
    document: Document,
    root: Path,
    suites: Mapping[str, Path] | None = None,
    files: AppFiles | None = None,
) -> Spec:
    """Build the `Spec` of a valid test document.

    Args:
        document, root: the document, with the defaults of its suites; the workspace root.
        suites, files: see `Spec.suites` and `Spec.app_files`.
    """
    data: Mapping[str, Any] = document.data
    filled, file, root = _with_single_braces(data), document.path.absolute(), root.absolute()
    models, checkers, path = names_in(data), _checkers(document), test_path(file.parent, root)
    category, name = category_and_name(path, file.parent.name, models)
    return Spec(
        file=file,
        root=root,
        path=path,
        category=category,
        name=name,
        description=data["description"],
        models=models,
        for_models=for_models(document),
        model_args=data.get("default_model_args") or {},
        prompts=prompts_in(document, files),
        variants=tuple(data.get("prompts", ())),
        is_multi_run="multi_run_prompt" in data,
        parameters=_parameters(document),
        parameter_types=_parameter_types(data),
        checkers=checkers,
        pass_when=data.get("pass_when", "all"),
        author=data.get("author"),
        tags=tuple(Tag(tag["name"], tag["value"]) for tag in data.get("tags") or ()),
        by=tuple(data.get("by") or ()),
        groups=tuple(data.get("groups", ())),
        attacks={key: data[key] for key in ATTACK_KEYS if data.get(key) is not None},
        expect=expectation_of(data),
        expect_position=document.at(("expect",)) if "expect" in data else None,
        repeats=int(data.get("repeats", 1)),
        roles=_needed_roles(data, checkers),
        timeout_s=data.get("timeout_s"),
        examples=_examples(document),
        allow_changes=tuple(data.get("allow_changes", ())),
        skip=data.get("skip"),
        dataset=rows_of(data["matrix"]) if "matrix" in data else data.get("dataset"),
        dialect=data.get("dialect"),
        reader_cfg=data.get("reader_cfg"),
        infer_cfg=data.get("infer_cfg"),
        prompt_object=data.get("prompt_object"),
        braces=data.get("braces", "single"),
        app_files=files,
        output_schema=data.get("output_schema"),
        tools=tool_use(filled),
        simulated_user=simulated_user(filled),
        repair=data.get("repair", False),
        suites=suites or {},
        warnings=tuple(w.message_with_code for w in first_problems(warnings_of(document))),
    )


def _with_single_braces(data: Mapping[str, Any]) -> Mapping[str, Any]:
    if data.get("braces") != "double":
        return data
    changed: Mapping[str, Any] = extension_part("document with braces")(data)
    return changed


def _needed_roles(data: Mapping[str, Any], checkers: tuple[CheckerConfig, ...]) -> tuple[str, ...]:
    needed = [*(data.get("roles") or ())]
    needed += [role for check in checkers for role in roles_of(check.name, check.args)]
    return tuple(dict.fromkeys([*needed, USER] if "simulated_user" in data else needed))


def _parameters(document: Document) -> tuple[str, ...]:
    """Return the declared parameters, or else the input keys of the prompt object."""
    declared, prompt = document.data.get("prompt_parameters"), document.data.get("prompt_object")
    if declared is not None or prompt is None:
        return tuple(declared or ())
    if isinstance(prompt, str):
        folder = document.path.parent
        prompt = read_document(folder / prompt, folder).data
    keys = prompt.get("input_keys") if isinstance(prompt, dict) else None
    # The saved file isn't validated yet; `lve.prompts` does that.
    return tuple(str(key) for key in keys) if isinstance(keys, list) else ()


def _parameter_types(data: Mapping[str, Any]) -> dict[str, Literal["int", "float"]]:
    types = data.get("prompt_parameters_validator") or ()
    return dict(zip(data.get("prompt_parameters") or (), types, strict=False))


def _checkers(document: Document) -> tuple[CheckerConfig, ...]:
    data = document.data
    for key, make in (("check", _check), ("checker_args", _checker)):
        if key in data:
            return (make(document, (key,), data[key]),)
    if "checks" in data:
        return tuple(
            _check(document, ("checks", index), check) for index, check in enumerate(data["checks"])
        )
    if "checkers" not in data:
        return (_answer_checker(document),)
    return tuple(
        _checker(document, ("checkers", index), config)
        for index, config in enumerate(data["checkers"])
    )


def _answer_checker(document: Document) -> CheckerConfig:
    """Return the default checker of a test with `infer_cfg`: it compares the answer, or the chosen
    label, with the output column."""
    inferencer = document.data["infer_cfg"]["inferencer"]
    by = _CHOICE_BY.get(str(inferencer.get("type")).rpartition(".")[2])
    if by is None:
        return CheckerConfig("AnswerChecker", {}, document.at(("infer_cfg",)), ("infer_cfg",))
    template = (document.data["infer_cfg"].get("prompt_template") or {}).get("template")
    labels = inferencer.get("labels") or (template if isinstance(template, dict) else ())
    args = {"by": by, "labels": [str(label) for label in labels]}
    return CheckerConfig("ChoiceChecker", args, document.at(("infer_cfg",)), ("infer_cfg",))


def _checker(document: Document, path: JsonPath, config: Mapping[str, Any]) -> CheckerConfig:
    args = {name: value for name, value in config.items() if name != _CHECKER_NAME}
    return CheckerConfig(config[_CHECKER_NAME], args, document.at(path), path)


def _check(document: Document, path: JsonPath, check: Mapping[str, Any]) -> CheckerConfig:
    name, args = named_check(check)
    own_path = path if name in CHECKS else (*path, name)
    return CheckerConfig(name, args, document.at(path), own_path)


def _examples(document: Document) -> tuple[Example, ...]:
    return tuple(
        Example(
            verdict=example["verdict"],
            responses=_responses(example.get("response", "")),
            tool_calls=tuple(map(ToolCall.from_json, example.get("tool_calls", ()))),
            args=example.get("args", {}),
            position=document.at(("examples", index)),
            reference=example.get("reference"),
        )
        for index, example in enumerate(document.data.get("examples", ()))
    )


def _responses(response: Any) -> tuple[str | Mapping[str, str], ...]:
    """Return one response per run. A response that isn't a list is that of a single run."""
    return tuple(response) if isinstance(response, list) else (response,)
