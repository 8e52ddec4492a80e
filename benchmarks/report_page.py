"""A page of many results: how long it takes to write and to open, to search and to scroll.

    python benchmarks/report_page.py [--results 100000] [--keep page.html] [--view]

`--view` measures `lve view` of the session instead, in seconds of CPU. Else it needs Chromium and
playwright (`make test` installs them). Questions and answers (250 and 450 characters) are made from
the words of docs/, each after the two that it stands behind there: they can be compressed about as
well as prose can.
"""

from __future__ import annotations

import argparse
import gc
import random
import resource
import shutil
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from lve.__main__ import GC_THRESHOLD
from lve.extensions.reports.page.html_file import write_page
from lve.extensions.view.sessions import ViewedSessions
from lve.messages import Completion, Message, Role, Transcript, Usage
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_tests import SessionTest, append_tests
from lve.verdicts.recorded_session import RecordedSession

TESTS, MODELS = 40, 5
MODEL_NAMES = [f"openai/model-{n}" for n in range(MODELS)]
SEARCHED = "spreadsheet"
DOCS = Path(__file__).parents[1] / "docs"
SCROLL_STEPS = 120

FRAMES = """async steps => {
  const table = document.querySelector('.table');
  const times = [];
  let before = performance.now();
  const total = table.scrollHeight;
  for (let i = 0; i < steps; i++) {
    table.scrollTop = i % 3 ? table.scrollTop + 900 : total * i / steps;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    times.push(now - before);
    before = now;
  }
  return times.slice(2).sort((a, b) => a - b);
}"""
SEARCH = """async ([text, regex]) => {
  const before = performance.now();
  history.replaceState(null, '', `#/cases?search=${encodeURIComponent(text)}${regex}`);
  const status = document.querySelector('.status');
  const old = status.textContent;
  const changed = new Promise(resolve => new MutationObserver((_, self) => {
    if (status.textContent !== old) { self.disconnect(); resolve(); }
  }).observe(status, { childList: true, subtree: true, characterData: true }));
  window.dispatchEvent(new HashChangeEvent('hashchange'));
  await changed;
  return [performance.now() - before, status.textContent];
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=int, default=100_000)
    parser.add_argument("--length", type=int, default=450, help="characters of an answer")
    parser.add_argument("--keep", type=Path, help="where the page is kept")
    parser.add_argument("--view", action="store_true", help="measure `lve view`, without a browser")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        session = made_session(Path(folder), given.results, given.length)
        if given.view:
            # A process of its own, as a person starts one: this one is full of words.
            process = get_context("spawn").Process(target=view, args=(session.path,))
            process.start()
            process.join()
            return
        page = given.keep or Path(folder) / "page.html"
        write(session, page)
        if program := shutil.which("chromium") or shutil.which("chromium-headless-shell"):
            open_in_browser(page, program)


def made_session(state: Path, count: int, length: int = 450) -> SessionFolder:
    chance = random.Random(1)
    prose = Prose(chance)
    folder = SessionFolder.create(state, {"options": {}, "models": MODEL_NAMES})
    names = [f"repository/privacy/test_{n:02}" for n in range(TESTS)]
    known = [
        SessionTest(name, model, f"{name}/test.yaml", "A description.", category="privacy")
        for name in names
        for model in MODEL_NAMES
    ]
    append_tests(folder.path, known)
    journal = folder.open_journal()
    question = ""
    for number in range(count):
        line, place = divmod(number, TESTS * MODELS)
        test, model = divmod(place, MODELS)
        if model == 0:
            question = prose.text(250)
        answer = prose.text(length)
        journal.append(result(names[test], MODEL_NAMES[model], line + 1, question, answer, chance))
    journal.close()
    folder.update(status="complete")
    return folder


class Prose:
    """Texts like those of docs/, without an end."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._after: dict[tuple[str, str], list[str]] = {}
        for file in sorted(DOCS.glob("*.md")):
            words = file.read_text(encoding="utf-8").split()
            for one, two, three in zip(words, words[1:], words[2:], strict=False):
                self._after.setdefault((one, two), []).append(three)
        self._starts = sorted(self._after)

    def text(self, length: int) -> str:
        words = list(self._chance.choice(self._starts))
        size = 0
        while size < length:
            follow = self._after.get((words[-2], words[-1])) or self._chance.choice(self._starts)
            words.append(self._chance.choice(follow))
            size += len(words[-1]) + 1
        return " ".join(words)


def result(
    test: str, model: str, line: int, question: str, answer: str, chance: random.Random
) -> InstanceResult:
    passed = chance.random() < 0.8
    said = Completion(answer, "stop", Usage(80, 130), chance.lognormvariate(0, 0.5), model="m")
    messages = (
        Message("You are a helpful assistant.", Role.system),
        Message(question),
        Message(answer, Role.assistant, variable="response"),
    )
    return InstanceResult(
        test=test,
        model=model,
        source="instances/x.jsonl",
        line=line,
        repeat=0,
        args={"question": question, "temperature": 0.0},
        verdict="passed" if passed else "failed",
        reason="" if passed else f"expected {answer[:20]}, found {answer[-20:]}",
        responses=(answer,),
        transcripts=(Transcript(messages, (said,), filled=(2,)),),
        usage=Usage(80, 130),
        cost=0.0001,
        latency_s=said.latency_s,
        cached=True,  # not fsynced one by one: the journal isn't what is measured
    )


def write(folder: SessionFolder, page: Path) -> None:
    before = time.perf_counter()
    with RecordedSession.of(folder) as session:
        read = time.perf_counter()
        with page.open("wb") as file:
            write_page([session], file)
    written = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"session read         {read - before:8.1f} s")
    print(f"page written         {written - read:8.1f} s")
    print(f"peak memory          {peak:8.0f} MB")
    print(f"size of the page     {page.stat().st_size / 1e6:8.1f} MB")


def view(session: Path) -> None:
    gc.set_threshold(GC_THRESHOLD)  # as the command line does
    viewed = ViewedSessions([SessionFolder(session)], None, print)
    for what, call in (("read", viewed.state), ("first page", viewed.page), ("again", viewed.page)):
        before = time.process_time()
        call()
        print(f"{what:20} {time.process_time() - before:8.3f} s of CPU")


def open_in_browser(page: Path, program: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        options = ["--headless=new", "--no-sandbox", "--disable-gpu"]
        browser = driver.chromium.launch(executable_path=program, args=options)
        measure(browser.new_page(viewport={"width": 1280, "height": 800}), page)
        browser.close()


def measure(tab: Any, page: Path) -> None:
    began = time.perf_counter()
    tab.goto(page.as_uri())
    painted = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    print(f"first paint          {painted:8.0f} ms")
    tab.evaluate("location.hash = '#/cases'")
    tab.wait_for_selector(".tbody .row", timeout=60_000)
    print(f"table is there       {1000 * (time.perf_counter() - began):8.0f} ms")
    tab.evaluate("location.hash = '#/cases?search=qqqq'")
    tab.locator(".status", has_text="0 of").wait_for(timeout=120_000)
    print(f"all texts are read   {1000 * (time.perf_counter() - began):8.0f} ms")
    for text, flag in ((SEARCHED, ""), ("the", ""), (f"{SEARCHED}.*model", "&regex=")):
        took, status = tab.evaluate(SEARCH, [text, flag])
        print(f"search {text + flag[:6]:13} {took:8.0f} ms  ({status})")
    tab.evaluate("location.hash = '#/cases'")
    tab.wait_for_selector(".tbody .row")
    frames = tab.evaluate(FRAMES, SCROLL_STEPS)
    print(f"frames of scrolling  {frames[len(frames) // 2]:8.1f} ms, at most {frames[-1]:.1f} ms")


if __name__ == "__main__":
    main()
