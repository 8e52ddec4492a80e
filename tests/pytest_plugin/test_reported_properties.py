"""What the JUnit report says of an item holds no secret and no control character."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

Write = Callable[..., Path]
KEY = "of-the-user-0123456789"


def test_a_models_name_is_reported_without_secrets_and_control_characters(
    pytester: pytest.Pytester, write_test: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_THE_USER_TOKEN", KEY)
    write_test("x", model=f"dummy/{KEY}\u202e\x1b[31m")
    pytester.runpytest("repository", "--junitxml=out.xml", "--lve-no-cache")
    report = (pytester.path / "out.xml").read_text(encoding="utf-8")
    properties = [found.attrib for found in ElementTree.fromstring(report).iter("property")]
    told = {found["name"]: found["value"] for found in properties}
    assert told["model"] == "dummy/[redacted]\\u202e\\x1b[31m"
