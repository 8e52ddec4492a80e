from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples

from lve.data.instances import iter_instances
from lve.errors import SpecError
from lve.settings.settings import Caps
from lve.spec.load import load_spec
from lve.spec.spec import Spec

VALID = {
    "$schema": "https://example.com/test.schema.json",
    "description": "Adds.",
    "model": "dummy/dummy",
    "default_model_args": {"temperature": 0.5},
    "multi_run_prompt": [
        {"name": "x", "repetitions": 2, "prompt": [{"role": "user", "content": "What is {a}?"}]},
        {"prompt_file": "test.prompt"},
    ],
    "prompt_parameters": ["a"],
    "prompt_parameters_validator": ["int"],
    "checkers": [{"checker_name": "RegexChecker", "pattern": "[0-9]+"}],
    "pass_when": "any",
    "tags": [{"name": "severity", "value": "low"}],
    "expect": {"pass_rate": ">=0.9", "confidence": 0.9, "max_repeats": 5},
    "repeats": 2,
    "timeout_s": 1.5,
    "examples": [{"response": ["1", {"x": "2"}], "verdict": "passed", "args": {"a": 1}}],
    "dataset": "rows.csv",
}


def write_test(folder: Path, text: str | bytes, name: str = "test.json") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "test.prompt").write_text("Hello")
    (folder / "rows.csv").write_text("a\n1\n")
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return path


def load_all(path: Path) -> Spec:
    """Load a test and touch everything that is worked out late."""
    spec = load_spec(path, path.parent)
    assert all(source.position.line for source in spec.prompts)
    assert all(isinstance(str(found), str) for found in iter_instances(spec))
    return spec


def test_a_test_is_loaded_from_its_document_or_its_folder(tmp_path: Path) -> None:
    path = write_test(tmp_path / "repository" / "trust" / "x", json.dumps(VALID))
    spec = load_spec(path, tmp_path)
    assert load_spec(path.parent, tmp_path) == spec
    assert (spec.path, spec.category, spec.name) == ("repository/trust/x", "trust", "x")
    assert spec.file == path


def test_the_root_is_found_when_it_is_not_given(tmp_path: Path) -> None:
    (tmp_path / ".lverepo").touch()
    path = write_test(tmp_path / "repository" / "trust" / "x", json.dumps(VALID))
    assert load_spec(path).root == tmp_path


def test_both_spellings_load_to_the_same_test(tmp_path: Path) -> None:
    as_json = load_all(write_test(tmp_path / "a", json.dumps(VALID)))
    as_yaml = load_all(write_test(tmp_path / "b", yaml.safe_dump(VALID), "test.yaml"))
    for name in ("description", "models", "model_args", "parameters", "expect", "tags", "dataset"):
        assert getattr(as_json, name) == getattr(as_yaml, name)


PARTS = [{"type": "text", "text": "Hi"}]
SHORT = [
    ("Hello", [{"content": "Hello"}]),
    ([{"user": "Hello"}], [{"role": "user", "content": "Hello"}]),
    (
        [{"system": "Be kind."}, {"user": PARTS}, {"assistant": "Ho"}, {"user": "?"}],
        [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": PARTS},
            {"role": "assistant", "content": "Ho"},
            {"role": "user", "content": "?"},
        ],
    ),
    (
        [{"user": "Hi", "image": "a.png"}, {"assistant": None, "variable": "first"}, {"user": "?"}],
        [
            {"role": "user", "content": "Hi", "image": "a.png"},
            {"role": "assistant", "variable": "first"},
            {"role": "user", "content": "?"},
        ],
    ),
]


@pytest.mark.parametrize(("short", "long"), SHORT)
@pytest.mark.parametrize("wrap", [False, True], ids=["prompt", "multi_run_prompt"])
def test_short_forms_are_the_same_messages(
    tmp_path: Path, short: Any, long: Any, wrap: bool
) -> None:
    def messages(prompt: Any) -> Any:
        where = {"multi_run_prompt": {"prompt": prompt}} if wrap else {"prompt": prompt}
        data = {"description": "d", **where, "check": {"contains": "x"}}
        (tmp_path / "test.json").write_text(json.dumps(data), encoding="utf-8")
        (source,) = load_spec(tmp_path, tmp_path).prompts
        return source.messages

    assert messages(short) == messages(long)


def test_a_document_may_be_called_yml(tmp_path: Path) -> None:
    (tmp_path / "test.yml").write_text(
        "description: d\nprompt: Hello\ncheck: {contains: x}\n", encoding="utf-8"
    )
    assert load_spec(tmp_path, tmp_path).file.name == "test.yml"
    (tmp_path / "test.yaml").write_text("{}", encoding="utf-8")
    with pytest.raises(SpecError, match=r"there is a test\.yml beside it"):
        load_spec(tmp_path, tmp_path)


def test_a_position_is_found_when_it_is_asked_for(tmp_path: Path) -> None:
    spec = load_spec(write_test(tmp_path, json.dumps(VALID, indent=1)), tmp_path)
    position = spec.prompts[0].message_positions[0]
    assert (position.line, position.column) == (13, 5)
    assert position.path == "$.multi_run_prompt[0].prompt[0]"


def test_a_position_in_a_file_that_is_gone_is_unknown(tmp_path: Path) -> None:
    path = write_test(tmp_path, json.dumps(VALID))
    spec = load_spec(path, tmp_path)
    path.unlink()
    assert spec.prompts[0].position.line is None


def test_caps_of_the_maintainer_hold(tmp_path: Path) -> None:
    document = {**VALID, "repeats": 20, "default_model_args": {"max_tokens": 500}}
    path = write_test(tmp_path, json.dumps(document))
    assert load_spec(path, tmp_path).repeats == 20
    with pytest.raises(SpecError) as caught:
        load_spec(path, tmp_path, caps=Caps(max_tokens=100, repeats=10))
    assert [problem.path for problem in caught.value.problems] == [
        "$.default_model_args.max_tokens",
        "$.repeats",
    ]


def test_a_link_out_of_the_test_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.prompt").write_text("secret")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "b.prompt").write_text("secret")
    folder = tmp_path / "t"
    document = {
        **VALID,
        "multi_run_prompt": [{"prompt_file": "a.prompt"}, {"prompt_file": "sub/b.prompt"}],
    }
    path = write_test(folder, json.dumps(document))
    (folder / "a.prompt").symlink_to(tmp_path / "secret.prompt")
    (folder / "sub").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    with pytest.raises(SpecError) as caught:
        load_spec(path, tmp_path)
    assert [problem.message for problem in caught.value.problems] == [
        "`a.prompt` is outside the test folder",
        "`sub/b.prompt` is outside the test folder",
    ]


def test_a_link_within_the_test_folder_is_followed(tmp_path: Path) -> None:
    document = {**VALID, "multi_run_prompt": {"prompt_file": "a.prompt"}}
    path = write_test(tmp_path, json.dumps(document))
    (tmp_path / "a.prompt").symlink_to("test.prompt")
    assert load_spec(path, tmp_path).prompts[0].file == tmp_path / "a.prompt"


SMALL_VALUES = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        1e308,
        "",
        "x",
        "../x",
        "\ud800",
        "{a",
        [],
        {},
        [None],
        {"a": {}},
        [[]],
        {"": 1},
    ]
).map(copy.deepcopy)


@st.composite
def mutated_documents(draw: Any) -> Any:
    document = copy.deepcopy(VALID)
    for _ in range(draw(st.integers(1, 4))):
        node: Any = document
        while isinstance(node, dict | list) and node:
            step = draw(st.sampled_from(list(node) if isinstance(node, dict) else range(len(node))))
            if not isinstance(node[step], dict | list) or draw(st.booleans()):
                break
            node = node[step]
        else:
            continue
        action = draw(st.sampled_from(["replace", "remove", "add"]))
        if action == "replace":
            node[step] = draw(SMALL_VALUES)
        elif action == "remove":
            del node[step]
        elif isinstance(node, dict):
            node[draw(st.text(max_size=5))] = draw(SMALL_VALUES)
        else:
            node.append(draw(SMALL_VALUES))
    return document


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(200))
@given(mutated_documents())
def test_a_mutated_document_never_crashes(tmp_path: Path, document: Any) -> None:
    check_for_crash(write_test(tmp_path / "json", json.dumps(document)))
    check_for_crash(write_test(tmp_path / "yaml", yaml.safe_dump(document), "test.yaml"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(200))
@given(st.integers(0, 1000), st.integers(0, 8), st.binary(max_size=4))
def test_mutated_bytes_never_crash(tmp_path: Path, at: int, length: int, put: bytes) -> None:
    for folder, name, text in (
        ("json", "test.json", json.dumps(VALID)),
        ("yaml", "test.yaml", yaml.safe_dump(VALID)),
    ):
        raw = text.encode()
        check_for_crash(write_test(tmp_path / folder, raw[:at] + put + raw[at + length :], name))


def check_for_crash(path: Path) -> None:
    problems = None
    try:
        load_all(path)
    except SpecError as err:
        problems = err.problems
    assert problems is None or (problems and all(problem.message for problem in problems))


def test_two_documents_in_a_folder_are_refused_by_a_code(tmp_path: Path) -> None:
    for name in ("test.json", "test.yaml"):
        write_test(tmp_path / "t", "{}", name)
    with pytest.raises(SpecError) as caught:
        load_spec(tmp_path / "t", tmp_path)
    assert [problem.code for problem in caught.value.problems] == ["several_documents"]
