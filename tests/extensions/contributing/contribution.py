"""A repository of tests with one test that may be contributed, as it is written by hand."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from support.folders import workspace

TABLE = "# Tests\n\n| category | about |\n|---|---|\n| [courtesy](courtesy) | manners |\n"
DOCUMENT = """\
# yaml-language-server: $schema=../../../schemas/test.schema.json
description: The model greets back.
model: openai/gpt-6-luna
prompt:
  - content: Hello, I am {name}.
prompt_parameters: [name]
checker_args: {checker_name: ExactMatchChecker, pattern: Hello, match_safe: true}
tags: [{name: severity, value: low}]
examples:
  - {verdict: passed, response: "Hello, Ana!"}
  - {verdict: failed, response: Go away.}
"""
README = "# Greetings\n\nA failure means bad manners.\n"


def recorded(name: str, response: str = "Hello!") -> str:
    """Return a line of an instance file, with a handwritten answer."""
    answer = {"args": {"name": name}, "response": response, "passed": True}
    return json.dumps({**answer, "run_info": {"source": "handwritten"}}) + "\n"


def write_repository(root: Path) -> Path:
    """Write a workspace with a table of categories and a schema; return it."""
    workspace(root)
    for file, text in (("repository/README.md", TABLE), ("schemas/test.schema.json", "{}")):
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text, encoding="utf-8")
    return root


def write_contribution(root: Path, name: str = "greeting") -> Path:
    """Write a test that lacks nothing; return its folder."""
    folder = root / "repository" / "courtesy" / name
    (folder / "instances").mkdir(parents=True)
    (folder / "test.yaml").write_text(DOCUMENT, encoding="utf-8")
    (folder / "README.md").write_text(README, encoding="utf-8")
    lines = recorded("Ana") + recorded("Bea")
    (folder / "instances" / "main.jsonl").write_text(lines, encoding="utf-8")
    return folder


def git(*words: str) -> str:
    """Call git in the current folder, as somebody whom nobody has configured."""
    who = ("-c", "user.name=Ana", "-c", "user.email=ana@example.com")
    done = subprocess.run(["git", *who, *words], capture_output=True, text=True, check=True)
    return done.stdout


def write_clone(root: Path) -> Path:
    """Write a repository of tests and make it a clone, whose main branch has been fetched."""
    write_repository(root)
    git("init", "--quiet", "--bare", "--initial-branch", "main", ".git/up")
    git("init", "--quiet", "--initial-branch", "main", ".")
    for name, value in (("user.name", "Ana"), ("user.email", "ana@example.com")):
        git("config", name, value)
    git("remote", "add", "origin", str(root / ".git" / "up"))
    git("add", "--all")
    git("commit", "--quiet", "--message", "begin")
    git("push", "--quiet", "--set-upstream", "origin", "main")
    return root
