"""Statements of the pages that were once false: each is tried, and its words are on the page."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from support.command_line import call, lve
from support.folders import workspace

import lve as public
from lve.errors import TrustError

DOCS = Path(__file__).parents[2] / "docs"
LABELS = """\
description: d
dataset: [{question: "Is tea hot?", answer: "yes"}]
reader_cfg: {input_columns: [question], output_column: answer}
infer_cfg:
  prompt_template: {type: PromptTemplate, template: {"yes": "{question} Y", "no": "{question} N"}}
  retriever: {type: ZeroRetriever}
  inferencer: INFERENCER
"""
CHAT = "models: {my/chat: {kind: api, base_url: 'http://127.0.0.1:9/v1'}}\n"


def write(folder: Path, document: str) -> None:
    folder.mkdir(parents=True)
    (folder / "test.yaml").write_text(document, encoding="utf-8")


def chat_servers_are_refused_before_anything_is_sent(root: Path) -> None:
    (root / "lve.yaml").write_text(CHAT, encoding="utf-8")
    write(root / "t", LABELS.replace("INFERENCER", "{type: PPLInferencer}"))
    code, out, err = call("run", "t", "--model", "my/chat")
    assert code == 2
    assert "0 requests" in out
    assert "a chat server can't do" in out + err


def fallback_generate_is_accepted(root: Path) -> None:
    (root / "lve.yaml").write_text(CHAT, encoding="utf-8")
    write(root / "t", LABELS.replace("INFERENCER", "{type: PPLInferencer, fallback: generate}"))
    code, out, _ = call("run", "t", "--model", "my/chat", "--dry-run")
    assert code == 0
    assert "1 call," in out


def repeats_of_a_session_cannot_be_changed(root: Path) -> None:
    write(root / "t", "description: d\nprompt: hi\ncheck: {contains: Hello}\n")
    call("run", "t", "--model", "dummy/dummy", "--repeats", "2")
    result = lve("run", "--resume", "--repeats", "3", code=2)
    assert "--repeats can't change" in str(result.exception) + result.output


def a_skipped_test_does_not_fail(root: Path) -> None:
    write(root / "t", "description: d\nprompt: hi\ncheck: {contains: x}\nskip: later\n")
    code, out, _ = call("run", "t", "--model", "dummy/dummy")
    assert (code, "1 skipped" in out) == (0, True)


def an_untrusted_program_raises(root: Path) -> None:
    options = "options: {command: [sh, answer.sh]}"
    (root / "lve.yaml").write_text(f"models: {{app/x: {{provider: exec, {options}}}}}\n", "utf-8")
    (root / "answer.sh").write_text("echo hi\n", encoding="utf-8")
    write(root / "t", "description: d\nprompt: hi\ncheck: {contains: hi}\n")
    with pytest.raises(TrustError):
        public.run("t", model="app/x")


def data_classes_that_count_are_not_frozen(_: Path) -> None:
    from lve.verdicts.summary import Summary
    from lve.verdicts.tally import Tally

    for kind in (Tally, Summary, public.Message, public.Completion, public.InstanceResult):
        assert not kind.__dataclass_params__.frozen, kind
    assert dataclasses.is_dataclass(public.Spec)
    assert public.Spec.__dataclass_params__.frozen  # type: ignore[attr-defined]


def at_least_one_is_warned_of(root: Path) -> None:
    rows = "dataset: [{x: 1}, {x: 2}]\nexpect: {at_least: 1}\n"
    write(root / "t", f"description: d\nprompt: hi\ncheck: {{contains: x}}\n{rows}")
    _, out, err = call("check", "t")
    assert "at_least" in out + err


STATEMENTS: list[tuple[str, str, Callable[[Path], None]]] = [
    (
        "opencompass-format",
        "If the model's settings say `kind: api`, lve refuses the test before it sends anything.",
        chat_servers_are_refused_before_anything_is_sent,
    ),
    (
        "opencompass-format",
        "The inferencer says `fallback: generate`",
        fallback_generate_is_accepted,
    ),
    (
        "sessions",
        "`--repeats` | kept; can't be changed, because they decide the results |",
        repeats_of_a_session_cannot_be_changed,
    ),
    ("troubleshooting", "a skipped test doesn't fail.", a_skipped_test_does_not_fail),
    (
        "python-api",
        "| `lve.TrustError` | a model, or a tool server of the settings, is a program",
        an_untrusted_program_raises,
    ),
    (
        "contributing",
        "Data classes are frozen, except those that count or collect (`Tally`, `Summary`),",
        data_classes_that_count_are_not_frozen,
    ),
    (
        "expectations",
        "`at_least: 1` is one of them, `1.0` or `100%` is every one. `lve check` and",
        at_least_one_is_warned_of,
    ),
]


@pytest.mark.parametrize(
    ("page", "statement", "tried"), STATEMENTS, ids=[tried.__name__ for *_, tried in STATEMENTS]
)
def test_a_statement_is_on_its_page_and_true(
    page: str,
    statement: str,
    tried: Callable[[Path], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = " ".join((DOCS / f"{page}.md").read_text(encoding="utf-8").split())
    assert " ".join(statement.split()) in text
    monkeypatch.chdir(workspace(tmp_path))
    tried(tmp_path)


def test_no_page_says_both_of_an_option() -> None:
    rows = (DOCS / "sessions.md").read_text(encoding="utf-8").split("| options | from")[1]
    options = [line.split("|")[1] for line in rows.split("\n\n")[0].split("\n")[2:]]
    names = [name for row in options for name in row.split(", ")]
    assert len(names) == len({name.strip() for name in names})
