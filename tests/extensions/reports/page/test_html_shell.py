"""The HTML around a report, and its policy."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from lve.extensions.reports.page.html_file import asset, embedded, page_parts, policy


def sum_of(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def directives(text: str) -> dict[str, str]:
    return {one.split()[0]: one.partition(" ")[2] for one in text.split("; ")}


def test_the_policy_allows_one_program_and_nothing_else() -> None:
    assert directives(policy("run()", "body {}")) == {
        "default-src": "'none'",
        "script-src": sum_of("run()"),
        "style-src": sum_of("body {}"),
        "worker-src": "blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "lve-worker",
    }


def test_only_a_live_page_may_ask_and_only_its_own_server() -> None:
    assert directives(policy("", "", asks=True))["connect-src"] == "'self'"
    assert "connect-src" not in directives(policy("", ""))


def test_the_sums_are_those_of_what_stands_in_the_page() -> None:
    text = "".join(page_parts("t", {}, []))
    [allowed] = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    [style] = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert directives(allowed)["script-src"] == sum_of(script)
    assert directives(allowed)["style-src"] == sum_of(style)


@pytest.mark.parametrize("name", ["report.js", "report.css"])
def test_what_is_built_ends_no_element(name: str) -> None:
    text = asset(name).lower()
    assert "</script" not in text
    assert "</style" not in text
    assert "<!--" not in text


def test_titles_and_data_end_no_element() -> None:
    text = "".join(page_parts("</title><b>", {"a": "</script><b>"}, []))
    assert "<b>" not in text
    assert "\\u003c/script>" in embedded("</script>")
