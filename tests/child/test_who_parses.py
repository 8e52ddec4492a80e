"""What a process sends is parsed in one module, `lve.child.answers`, after it was bounded.

Every other call of a parser in lve is listed here, with where its text comes from, and so is every
module that starts a process, with what it does with the output. A new one needs a reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

LVE = Path(__file__).parents[2] / "lve"
PARSERS = {
    ("json", "loads"),
    ("json", "load"),
    ("json", "JSONDecoder"),
    ("orjson", "loads"),
    ("pickle", "loads"),
    ("pickle", "load"),
    ("pickle", "Unpickler"),
    ("marshal", "loads"),
    ("marshal", "load"),
    ("ipc", "open_stream"),
    ("ipc", "open_file"),
    ("jsonrpc_message_adapter", "validate_json"),
}
STARTERS = {
    ("subprocess", "Popen"),
    ("subprocess", "run"),
    ("subprocess", "call"),
    ("subprocess", "check_call"),
    ("subprocess", "check_output"),
    ("os", "popen"),
    ("os", "posix_spawn"),
    ("asyncio", "create_subprocess_exec"),
    ("asyncio", "create_subprocess_shell"),
    ("anyio", "open_process"),
    ("anyio", "run_process"),
}
FILE = "a file, or a text of one"
ANSWER = "an answer of a model, whose length is limited"
OWN = "a text that lve itself has written just before"
SENT = "what lve sends to its own child process, where this runs"
OF_LVE = "a table of this package"
BOXED = "in the sandbox; what leaves it is read by `lve.child.answers`"
MAY_PARSE = {
    "data/problems.py": FILE,
    "extensions/exporting/promptfoo.py": OWN,
    "extensions/judges/promptfoo_replies.py": ANSWER,
    "extensions/promptfoo_scripts/script_check.py": ANSWER,
    "extensions/promptfoo_scripts/script_child.py": BOXED,
    "extensions/reports/page/counted_lines.py": FILE,
    "extensions/scorers/aisbench.py": BOXED,
    "extensions/scorers/host.py": BOXED,
    "extensions/scorers/loaders.py": BOXED,
    "extensions/scorers/original.py": BOXED,
    "extensions/scorers/relay.py": BOXED,
    "models/http/keys.py": OF_LVE,
    "sandbox/syscalls.py": OF_LVE,
    "extensions/calibration/record.py": OWN,
    "checkers/expression/functions.py": ANSWER,
    "extensions/formats/json_shape.py": ANSWER,
    "checkers/processes/wire.py": SENT,
    "child/answers.py": "what processes send, after it was bounded",
    "child/child_side.py": SENT,
    "extensions/authoring/verbs/schema.py": FILE,
    "documents/json_lines.py": FILE,
    "documents/json_scan.py": FILE,
    "documents/lenient_json.py": ANSWER,
    "documents/json_text.py": f"{FILE}; or what `lve.child.answers` has bounded",
    "documents/validation/schema.py": FILE,
    "extensions/breakdown/codes.py": "the tables of codes of this package",
    "extensions/importing/lm_eval/dump.py": SENT,
    "extensions/importing/openai_evals/evals.py": FILE,
    "extensions/importing/openai_evals/original.py": SENT,
    "extensions/importing/openai_evals/prove.py": "an ideal answer of a file that was read",
    "extensions/importing/openai_evals/registry.py": FILE,
    "extensions/importing/opencompass/rows.py": FILE,
    "extensions/importing/promptfoo/tables.py": FILE,
    "extensions/opencompass_score/evaluators.py": "a cell of a row, whose size is limited",
    "extensions/mcp/streams.py": "a server's message, after `check_structure`",
    "extensions/hf/model_files/model_rules.py": "the steps of a tokenizer that is loaded",
    "extensions/hf/model_files/checking.py": FILE,
    "models/http/json_body.py": "a server's answer, whose size and values are counted before",
    "extensions/ray/files.py": "what the run sends to its workers, where this runs",
    "pipeline/roles/role_models.py": OWN,
    "spec/many.py": OWN,
    "checkers/shape/passages.py": ANSWER,
    "extensions/openai_evals/matching.py": ANSWER,
    "extensions/reports/inspect_log.py": ANSWER,
    "extensions/judges/rag_inputs.py": "a cell of a row, whose size is limited",
    "prompts/answers/object_file.py": FILE,
    "prompts/messages/prompt_file.py": FILE,
    "extensions/ragas/fields.py": OWN,
    "extensions/ragas/saved_prompt.py": OWN,
    "extensions/ragas/translate.py": FILE,
    "extensions/recording/instance_writer.py": OWN,
    "extensions/targets/python/worker_script.py": "what lve sends to the script, where this runs",
    "extensions/view/server.py": "the body of a request with the user's token, of limited size",
}
MAY_START = {
    "extensions/promptfoo_scripts/script_child.py": BOXED,
    "extensions/scorers/relay.py": BOXED,
    "child/started_process.py": "read by `exchange` of `lve.child.answers`",
    "extensions/contributing/git.py": "git's own output, which is lines of text",
    "extensions/parquet/reading.py": "read by `answer_lines` of `lve.child.answers`",
    "extensions/importing/boxes/box_child.py": "handed on in blocks, which `exchange` reads",
    "extensions/importing/boxes/box.py": "pip's own output, at most 500 characters shown",
    "extensions/mcp/streams.py": "read by `BoundedLines` of `lve.child.answers`",
    "extensions/targets/process_child.py": "counted; its own output is read by `exchange`, too",
}
MAY_READ_OUTPUT = {
    "extensions/importing/boxes/box.py": "a line of node, of a program in the module",
    "extensions/promptfoo_scripts/script_child.py": BOXED,
    "child/child_process.py": "read by `exchange` of `lve.child.answers`",
    "extensions/contributing/git.py": MAY_START["extensions/contributing/git.py"],
    "extensions/parquet/reading.py": MAY_START["extensions/parquet/reading.py"],
    "extensions/mcp/streams.py": MAY_START["extensions/mcp/streams.py"],
    "extensions/targets/process_child.py": MAY_START["extensions/targets/process_child.py"],
}


@cache
def modules() -> list[tuple[str, ast.Module]]:
    """Return the modules of lve."""
    return [
        (file.relative_to(LVE).as_posix(), ast.parse(file.read_text(encoding="utf-8")))
        for file in sorted(LVE.rglob("*.py"))
    ]


def calls(names: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the modules that use one of these functions, with the function."""
    for module, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used = (node.value.id, node.attr)
                if used in names:
                    yield module, ".".join(used)
            if isinstance(node, ast.ImportFrom):
                for name in node.names:
                    if ((node.module or "").rpartition(".")[2], name.name) in names:
                        yield module, f"{node.module}.{name.name}"


def test_only_listed_modules_parse() -> None:
    found = {module for module, _ in calls(PARSERS)}
    assert found == MAY_PARSE.keys()


def test_only_listed_modules_start_processes() -> None:
    found = {module for module, _ in calls(STARTERS)}
    assert found == MAY_START.keys()


def test_only_listed_modules_read_what_a_process_prints() -> None:
    found = {
        module
        for module, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr == "stdout"
        and not (isinstance(node.value, ast.Name) and node.value.id == "sys")
    }
    assert found == MAY_READ_OUTPUT.keys()


def test_a_module_that_starts_processes_parses_nothing_itself() -> None:
    starting = (MAY_START.keys() | MAY_READ_OUTPUT.keys()) - {"extensions/mcp/streams.py"}
    starting -= {module for module, reason in MAY_PARSE.items() if reason == BOXED}
    assert not starting & MAY_PARSE.keys()
