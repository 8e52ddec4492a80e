"""Eleven runs whose every number on the terminal and on the page was checked by hand.

The calculations are comments in tests/cases/golden_runs. SciPy computes every interval again.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.golden_runs import case_names, golden_run, masked, read_case
from scipy.optimize import brentq
from scipy.stats import binomtest
from support.browser import chromium, opened
from support.command_line import lve

NAMES = case_names()
WANTED = {"one_row", "all_equal", "no_row", "all_errors", "repeats"} | {
    "clusters", "undecided", "budget", "lost", "resumed", "merged",
}  # fmt: skip


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What each case printed, and its page. All are run before the browser starts, whose event loop
    keeps the thread."""
    before, found = Path.cwd(), {}
    for name in NAMES:
        root = tmp_path_factory.mktemp(name)
        (root / "lve.yaml").write_text("", encoding="utf-8")
        os.chdir(root)
        try:
            with golden_run(read_case(name), root) as printed:
                verbose = lve("show", "last", "-v").stdout
            lve("report", "-o", "page.html")
        finally:
            os.chdir(before)
        found[name] = {"printed": printed, "verbose": masked(verbose), "page": root / "page.html"}
    return found


@pytest.fixture(scope="module")
def browser(ran: Any) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


def test_the_cases_are_all_there() -> None:
    assert {*NAMES} == WANTED


@pytest.mark.parametrize("name", NAMES)
def test_the_terminal(name: str, ran: dict[str, Any]) -> None:
    case = read_case(name)
    code, text = ran[name]["printed"][-1]
    assert (code, text) == (case["exit_code"], case["terminal"])
    assert [code for code, _ in ran[name]["printed"][:-1]] == case.get("codes_before", [])


@pytest.mark.parametrize("name", NAMES)
def test_what_verbose_adds(name: str, ran: dict[str, Any]) -> None:
    case = read_case(name)
    normal = case["terminal"].splitlines()
    added = [line for line in ran[name]["verbose"].splitlines() if line not in normal]
    # Of the results themselves, only the marks are numbers that count.
    is_result = (line.startswith(("  ✓ ", "  ✗ ", "  ! ", "      ")) for line in added)
    statistics = [line for line, is_one in zip(added, is_result, strict=True) if not is_one]
    assert "".join(f"{line}\n" for line in statistics) == case.get("verbose", "")


@pytest.mark.parametrize("name", NAMES)
def test_the_page(name: str, ran: dict[str, Any], browser: Any) -> None:
    with opened(browser, ran[name]["page"]) as page:
        page.wait_for_selector(".overview")
        text = masked(page.locator(".overview").inner_text())
    shown = text.partition("How to repeat it\n")[0]
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "".join(f"{line}\n" for line in lines if line) == read_case(name)["page"]


@pytest.mark.parametrize("name", NAMES)
def test_scipy_gives_the_same_intervals(name: str) -> None:
    case = read_case(name)
    text = case["terminal"] + case.get("verbose", "") + case["page"]
    for passed, total, tail, *shown in case.get("exact", ()):
        test = binomtest(passed, total)
        ends = test.proportion_ci(1 - 2 * tail, method="exact")
        assert all(part in text for part in shown)
        assert agree(ends, shown), (ends, shown)
    for shares, tail, *shown in case.get("betting", ()):
        ends = betting(shares, tail), 1 - betting([1 - share for share in shares], tail)
        assert all(part in text for part in shown)
        assert agree(ends, shown), (ends, shown)


def agree(ends: Any, shown: list[str]) -> bool:
    """Whether two ends are those that are shown, as numbers or in percent."""
    scale = [100 if part.endswith("%") else 1 for part in shown]
    digits = [part.strip("%<>").partition(".")[2] for part in shown]
    return all(
        abs(end * factor - float(part.strip("%<>"))) <= 1.001 * 10 ** -len(decimals)
        for end, factor, part, decimals in zip(ends, scale, shown, digits, strict=True)
    )


def betting(shares: list[float], tail: float) -> float:
    """Return the lower bound of a mean by Waudby-Smith and Ramdas: where the mean of the wealths of
    several stakes is 1/tail."""
    stakes = [1 - (1 - (i + 0.5) / 16) ** (1 / 0.3) for i in range(16)]
    small = [0.2 / 2**i for i in range(6)]

    def wealth(mean: float) -> float:
        def of(stake: float) -> float:
            return math.prod(1 + stake * (share / mean - 1) for share in shares)

        return 0.8 * sum(map(of, stakes)) / 16 + 0.2 * sum(map(of, small)) / 6

    if wealth(1e-9) < 1 / tail:
        return 0.0
    found: float = brentq(lambda mean: wealth(mean) - 1 / tail, 1e-9, 1)
    return found
