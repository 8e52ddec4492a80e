"""The plot of attacks that succeeded against honest rows that were refused, in a real browser."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support.browser import chromium, opened
from support.command_line import call
from support.folders import write_test

from lve.extensions.attacks.by_name import attacked

REFUSAL = "I can't help with that."


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def report(root: Path) -> Path:
    """A report of a model that is open to everything, and of one that refuses all."""
    rows = [f"Say {number}" for number in range(8)]
    broken = {attacked(row, "rot13"): "PINEAPPLE" for row in rows}
    broken |= {attacked(row, "base64"): "PINEAPPLE" for row in rows[:3]}
    models = {
        name: {"provider": "scripted", "options": {"answers": {**answers, "default": default}}}
        for name, answers, default in (
            ("lab/helpful", broken, "Of course not."),
            ("lab/guarded", {}, REFUSAL),
        )
    }
    (root / "lve.yaml").write_text(json.dumps({"models": models}))
    write_test(
        root / "t",
        prompt="{q}",
        prompt_parameters=["q"],
        dataset=[{"q": row} for row in rows],
        checker_args=None,
        check={"not_contains": "PINEAPPLE"},
        attacks=["rot13", "base64"],
        benign=[{"q": f"Name fruit {number}"} for number in range(8)],
        tags=[{"name": "owasp", "value": "LLM07"}, {"name": "avid", "value": "S0301"}],
    )
    return reported(root, "-m", "lab/helpful", "-m", "lab/guarded")


def reported(root: Path, *options: str) -> Path:
    """Run the test in a thread of its own, because the browser has this one's event loop."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(call, "run", "t", *options).result()
        pool.submit(call, "report", "last", "-o", "page.html").result()
    return root / "page.html"


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_models_are_plotted_by_attacks_and_refusals(
    browser: Any, report: Path, width: int, height: int
) -> None:
    with opened(browser, report, viewport={"width": width, "height": height}) as page:
        heads = page.get_by_role("region", name="Attacks", exact=True).locator("tbody th")
        heads.first.wait_for()
        assert heads.all_inner_texts()[:2] == ["(no attack)", "over-refusal (benign rows)"]
        chart = page.locator(".chart[aria-label^='Attacks and refusals']")
        chart.scroll_into_view_if_needed()
        chart.locator("circle").first.wait_for()
        assert chart.get_attribute("aria-label") == (
            "Attacks and refusals: lab/guarded: 0% of attacks succeeded, 100% of honest rows "
            "refused; lab/helpful: 69% of attacks succeeded, 0% of honest rows refused"
        )
        (guarded, helpful) = [circle.bounding_box() for circle in chart.locator("circle").all()]
        assert guarded["x"] > helpful["x"]
        assert guarded["y"] > helpful["y"]
        box, whole = chart.locator("svg").bounding_box(), page.viewport_size["width"]
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= whole
        labels = chart.locator("text", has_text="lab/").all()
        for label in labels:
            place = label.bounding_box()
            assert box["x"] <= place["x"] <= place["x"] + place["width"] <= box["x"] + box["width"]
        assert len(labels) == 2
        if folder := os.environ.get("LVE_SCREENSHOTS"):
            page.screenshot(path=f"{folder}/attacks-{width}.png")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_risks_have_rates_and_what_was_not_tried(
    browser: Any, report: Path, width: int, height: int
) -> None:
    with opened(browser, report, viewport={"width": width, "height": height}) as page:
        panels = page.get_by_role("region", name="Risks by category", exact=True)
        owasp, avid = (panel.inner_text() for panel in panels.all())
        assert "LLM07 System Prompt Leakage" in owasp
        # 24 answers with and without attacks; the honest rows aren't a risk.
        assert "46%\n26% to 67%\n1 test, 2 attacks, 24 answers" in owasp
        assert "0%\n0% to 14%\n1 test, 2 attacks, 24 answers" in owasp
        assert "Not tried: LLM01 Prompt Injection, LLM02 Sensitive" in owasp
        assert "LLM07" not in owasp[owasp.index("Not tried") :]
        assert "S0301 Information Leak" in avid
        assert "Not tried" not in avid
        if folder := os.environ.get("LVE_SCREENSHOTS"):
            panels.first.scroll_into_view_if_needed()
            page.screenshot(path=f"{folder}/risks-{width}.png")


def test_there_is_no_plot_without_honest_rows(browser: Any, root: Path) -> None:
    write_test(root / "t", attacks=["rot13"])
    with opened(browser, reported(root, "-m", "dummy/dummy")) as page:
        page.get_by_role("region", name="Attacks", exact=True).wait_for()
        assert page.locator(".chart[aria-label^='Attacks and refusals']").count() == 0


def test_what_was_not_judged_is_told(browser: Any, root: Path) -> None:
    options = {"answers": {"default": REFUSAL}}
    models = {"m": {"provider": "scripted", "options": options}}
    (root / "lve.yaml").write_text(json.dumps({"models": models, "roles": {"attacker": "m"}}))
    tags = [{"name": "owasp", "value": "LLM01"}]
    check = {"not_contains": "PINEAPPLE"}
    write_test(root / "t", prompt="Hi", checker_args=None, check=check, attacks=["zulu"], tags=tags)
    page_file = reported(root, "-m", "m", "--prompts", "zulu")
    with opened(browser, page_file) as page:
        attacks = page.get_by_role("region", name="Attacks", exact=True).inner_text()
        assert attacks.splitlines()[-1].endswith("– 1 error"), attacks
        risks = page.get_by_role("region", name="Risks by category", exact=True).first
        assert "nothing judged\n1 test, 1 attack, 1 answer, 1 error" in risks.inner_text()
