"""Snippets for VS Code: beginnings of tests, in the file that `lve schema install` writes.

In a body, `${1:text}` is a place where the cursor stops, with what stands there until then.
"""

from __future__ import annotations

import json

SNIPPETS_FILE = ".vscode/lve.code-snippets"
_TESTS: dict[str, tuple[str, str]] = {
    "lve test": (
        "A test of one prompt",
        """\
description: ${1:The model knows capitals.}
prompt: ${2:What is the capital of France? Answer with its name.}
check: {${3:contains}: ${4:Paris}}
""",
    ),
    "lve rows": (
        "A test of rows: each fills the prompt",
        """\
description: ${1:The model knows capitals.}
prompt: ${2:What is the capital of} {${3:country}}?
check: {contains: "{${4:capital}}"}
dataset:
  - {${3:country}: ${5:France}, ${4:capital}: ${6:Paris}}
""",
    ),
    "lve chat": (
        "A test of a conversation",
        """\
description: ${1:The model keeps to its instructions.}
prompt:
  - system: ${2:Answer in one word.}
  - user: ${3:What is the capital of France?}
check: {max_words: ${4:1}}
""",
    ),
    "lve judge": (
        "A test whose answer another model judges",
        """\
description: ${1:The model answers politely.}
prompt: ${2:Your product broke on the first day!}
check: {judge: ${3:The answer apologizes and offers help.}}
""",
    ),
    "lve tools": (
        "A test of a tool that the model should call",
        """\
description: ${1:The model looks the weather up.}
prompt: ${2:What is the weather in Paris?}
tools:
  - name: ${3:weather}
    description: ${4:The weather of a city.}
    parameters: {type: object, properties: {city: {type: string}}, required: [city]}
check: {called: ${3:weather}}
""",
    ),
    "lve json": (
        "A test of an answer in JSON",
        """\
description: ${1:The model answers in JSON.}
prompt: ${2:Give the capital of France as JSON with the key city.}
output_schema: {type: object, properties: {city: {type: string}}, required: [city]}
check: {expression: 'lambda r, parsed: parsed["city"] == "${3:Paris}"'}
""",
    ),
}
"""What is typed -> what it is, and the text."""


def snippets_text() -> str:
    """Return the content of the file of snippets, which VS Code offers in YAML files."""
    content = {
        f"lve: {what}": {
            "scope": "yaml",
            "prefix": typed.replace(" ", "-"),
            "description": what,
            "body": body.splitlines(),
        }
        for typed, (what, body) in _TESTS.items()
    }
    return json.dumps(content, indent=2) + "\n"
