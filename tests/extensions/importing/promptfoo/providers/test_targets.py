"""Providers that are no model of lve's get a name, and what the settings must say is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from extensions.importing.promptfoo.sources import source_in

from lve.extensions.importing.promptfoo.providers.targets import Targets


@pytest.mark.parametrize(
    ("provider", "config", "name", "entry"),
    [
        ("echo", {}, "app/echo", 'exec, options: {command: [printf, "%s", "{prompt}"]}'),
        ("file://src/answers.py:ask", {}, "app/src-answers.py-ask", "python, options: {function"),
        ("file://own.js", {}, "app/own.js", "exec, options: {command: [...]}"),
        ("exec: python x.py", {}, "app/exec-python-x.py", 'command: [python, x.py, "{prompt}"]'),
        ("exec:", {}, "app/exec", 'command: [PROGRAM, "{prompt}"]'),
        (
            "https://example.org/chat?key=hidden",
            {"transformResponse": "json.choices[0].message"},
            "app/example.org-chat",
            'http, options: {url: ..., body: ..., answer: "$.choices[0].message"}',
        ),
        (
            "http",
            {"url": "http://localhost:1/chat", "transformResponse": "json.a + 1"},
            "app/localhost-1-chat",
            "http, options: {url: ..., body: ...}",
        ),
        ("sagemaker:jumpstart:mine", {}, "app/sagemaker-jumpstart-mine", "exec, options"),
        ("://", {}, "app/target", "exec, options"),
        ("x" * 200, {}, f"app/{'x' * 60}", "exec, options"),
    ],
)
def test_names_and_entries(
    tmp_path: Path, provider: str, config: dict[str, Any], name: str, entry: str
) -> None:
    source, _ = source_in(tmp_path)
    assert Targets(source).name(provider, config) == name
    [told] = source.told
    assert told.startswith(f"lve.yaml says how {name} is asked: ")
    assert entry in told


def test_names_differ(tmp_path: Path) -> None:
    source, _ = source_in(tmp_path)
    targets = Targets(source)
    names = [targets.name("file://a.js", {"n": n}) for n in range(3)]
    assert names == ["app/a.js", "app/a.js-2", "app/a.js-3"]


def test_values_of_settings_are_not_told(tmp_path: Path) -> None:
    """Headers and bodies may have keys."""
    source, _ = source_in(tmp_path)
    Targets(source).name("http", {"url": "http://x/y", "headers": {"Authorization": "hidden"}})
    assert "with its config (headers, url)" in source.told[0]
    assert "hidden" not in source.told[0]
