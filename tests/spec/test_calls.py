"""Expectations, names and places in test documents, each way to write one."""

from __future__ import annotations

from pathlib import Path

from support.recorded_calls import Calls, changed, grid, record

from lve.spec import location, model_entries
from lve.spec.expectation import expectation_of
from lve.spec.matrix import rows_of
from lve.spec.recorded_row import args_key, row_key
from lve.spec.spec import splits_in

EXPECTED: tuple[dict[str, object], ...] = (
    {},
    {"expect": "pass"},
    {"expect": "fail"},
    *(
        {"expect": {"pass_rate": rate}}
        for rate in (0.9, ">=0.9", ">0.5", "<= 0.1", " <0.2", "0.7", 1)
    ),
    {"expect": {"pass_rate": 0.9, "confidence": 0.8, "max_repeats": 7, "cluster": "c"}},
    {"expect": {"pass_rate": 0.9, "claim": "population"}, "default_model_args": {"temperature": 0}},
    {"expect": {"pass_rate": 0.9}, "default_model_args": {"seed": 1}},
    {"expect": {"pass_rate": 0.9}, "default_model_args": None},
    *({"expect": {"at_least": value}} for value in (7, 0.7, "70%", " 42.5 % ", 0, 1, 1.0)),
    {"expect": {"at_most": 3, "max_errors": 2}},
)
PATHS = ("a", "a/b", "", "../a", "a/../b", ".a", "a/.b", "a//b", "a\\b", "a:b", "a\0b", "a/", "/a")
FOLDERS = (
    *("repository/safety/a", "repository/safety/a/openai--gpt-4", "repository/safety/x/a/hf-m"),
    *("repository", "a", ".", "", "a/b/c", "a/b/m--n", "repository/a", "a/openai--x", "x/y/hf-m"),
)
ROWS = ({}, {"a": None}, {"a": "b"}, {"a": 1}, {"a": 1.0}, {"a": "1"}, {"b": "b", "a": 1})
RUNS: tuple[dict[str, object], ...] = (
    {},
    {"multi_run_prompt": {"prompt": "a"}},
    {"multi_run_prompt": [{"prompt": "a"}, "b", {"prompt_file": "c"}]},
    {"prompts": {"a": "text", "b": "file.md", "c": "two words.md", "d": {"prompt": "x"}, "e": []}},
    {"prompts": ["a"]},
)
MODELS: tuple[dict[str, object], ...] = (
    {},
    {"model": "m"},
    {"model": ""},
    {"models": ["a", {"model": "b"}], "model": "m"},
    {"models": []},
)
DATASETS = (
    None,
    "a.csv",
    {"path": "a"},
    {"train": {"path": "a"}, "test": "b", "limit": 3},
    {"hub": "x"},
)


def path_of(folder: str, root: str) -> str:
    return location.test_path(Path(folder), Path(root))


def same_rows(first: int, second: int) -> object:
    """Return whether two rows of args are the same one."""
    one, other = ROWS[first], ROWS[second]
    return args_key(one) == args_key(other), row_key(one) == row_key(other)


def entries(data: dict[str, object]) -> object:
    return model_entries.names_in(data), list(model_entries.entries_in(data))


def all_calls() -> Calls:
    return {
        **grid(expectation_of, EXPECTED),
        **grid(location.is_plain_path, PATHS),
        **grid(location.category_and_name, FOLDERS, ("folder",), ((), ("hf/m", "hf-m"))),
        **grid(location.model_folder, ("openai/gpt-3.5", "a b_c", "")),
        **grid(location.runs_of, RUNS),
        **grid(path_of, ("/r/a/b", "/r", "/rx", "/", "a"), ("/r", "/")),
        **grid(same_rows, range(len(ROWS)), range(len(ROWS))),
        **grid(args_key, ROWS),
        **grid(entries, MODELS),
        **grid(rows_of, ({"a": [1, 2], "b": ["x", "y"]}, {"a": []}, {})),
        **grid(splits_in, DATASETS),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("spec", all_calls()) == {}


if __name__ == "__main__":
    record("spec", all_calls())
