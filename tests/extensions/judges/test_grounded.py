"""Comparing an answer with a reference, a context, a question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.judges import Panel, ask, broken, text_of
from support.judging import judge_of

from lve.errors import SpecError


def related(relation: str) -> dict[str, str]:
    return {"reasoning": "r", "relation": relation}


def shares(what: str, wanted: str, *given: str) -> dict[str, Any]:
    items = [{"text": f"item {n}", "reasoning": "r", wanted: one} for n, one in enumerate(given)]
    return {what: items}


def claims(*given: str) -> dict[str, Any]:
    return shares("claims", "supported", *given)


def statements(*given: str) -> dict[str, Any]:
    return shares("statements", "relevant", *given)


@pytest.mark.parametrize(
    ("check", "says", "expected", "score"),
    [
        ({"factuality": "x"}, [related("same")], "passed", None),
        ({"factuality": "x"}, [related("subset")], "passed", None),
        ({"factuality": "x"}, [related("superset")], "passed", None),
        ({"factuality": "x"}, [related("immaterial")], "passed", None),
        ({"factuality": "x"}, [related("contradiction")], "failed", None),
        ({"factuality": "x", "accept": ["same"]}, [related("subset")], "failed", None),
        ({"factuality": "x", "votes": 3},
         [related("same"), related("contradiction"), related("contradiction")], "failed", None),
        ({"factuality": "x"}, ["?", related("unsure")], "error", None),
        ({"faithfulness": "x"}, [claims("yes", "yes")], "passed", 1.0),
        ({"faithfulness": "x"}, [claims("yes", "no")], "failed", 0.5),
        ({"faithfulness": "x", "threshold": 0.5}, [claims("yes", "no")], "passed", 0.5),
        ({"faithfulness": ["x", "y"]}, [claims()], "passed", 1.0),
        ({"faithfulness": "x"}, [broken()], "error", None),
        ({"answer_relevancy": True}, [statements("yes", "yes", "yes", "yes", "no")], "passed", 0.8),
        ({"answer_relevancy": True}, [statements("yes", "no")], "failed", 0.5),
        ({"answer_relevancy": "why?"}, [statements()], "failed", 0.0),
        ({"answer_relevancy": True, "votes": 3},
         [statements("no"), statements("yes"), statements("yes")], "passed", None),
    ],
)  # fmt: skip
def test_verdict(
    check: Any, says: list[Any], expected: str, score: float | None, tmp_path: Path
) -> None:
    verdict = ask(judge_of(check, tmp_path), Panel(says), "Hello!")
    assert verdict.outcome == expected, verdict.reason
    if score is not None:
        assert verdict.score == pytest.approx(score)


def test_the_first_claim_without_support_is_named(tmp_path: Path) -> None:
    verdict = ask(judge_of({"faithfulness": "x"}, tmp_path), Panel([claims("yes", "no")]), "Hi!")
    assert verdict.reason == "1 of 2 claims are supported (threshold 1); not 'item 1': r"


def test_all_that_is_compared_stands_in_the_fence(tmp_path: Path) -> None:
    cases = [
        ({"factuality": "REF-1"}, related("same"), ["REF-1", "Say it.", "Hello!"]),
        ({"faithfulness": ["CTX-1", "CTX-2"]}, claims(), ["CTX-1\n\nCTX-2", "Hello!"]),
        ({"answer_relevancy": "Q-1"}, statements(), ["Q-1", "Hello!"]),
        ({"answer_relevancy": True}, statements(), ["Say it.", "Hello!"]),
    ]
    for check, says, texts in cases:
        panel = Panel([says])
        ask(judge_of(check, tmp_path), panel, "Hello!")
        user = str(panel.asked[0].messages[1].content)
        start, end = user.index("<<<BEGIN"), user.rindex("<<<END")
        for text in texts:
            assert start < user.index(text) < end, (check, text)


def test_the_reference_of_the_data_set_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"q": "Capital of France?", "a": "Paris"}\n')
    judge = judge_of(
        {"factuality": "{reference}"},
        tmp_path,
        prompt=None,
        dataset="rows.jsonl",
        reader_cfg={"input_columns": ["q"], "output_column": "a"},
        infer_cfg={
            "prompt_template": {"type": "PromptTemplate", "template": "{q}"},
            "retriever": {"type": "ZeroRetriever"},
            "inferencer": {"type": "GenInferencer"},
        },
    )
    panel = Panel([related("same")])
    assert ask(judge, panel, "It is Paris.", reference="Paris").outcome == "passed"
    assert "<<<BEGIN REFERENCE" in text_of(panel.asked[0])
    assert "\nParis\n" in text_of(panel.asked[0])


@pytest.mark.parametrize(
    ("check", "problem"),
    [
        ({"factuality": "x", "accept": ["equal"]}, "'accept' has same, subset"),
        ({"factuality": "x", "accept": []}, "nothing can pass"),
        ({"factuality": "x", "votes": 2}, "may have no majority"),
        ({"faithfulness": []}, "nothing to compare with"),
        ({"faithfulness": "x", "threshold": 0}, "more than 0 and at most 1"),
        ({"faithfulness": "x", "votes": 4}, "may have no majority"),
        ({"answer_relevancy": False}, "is true or the question"),
        ({"answer_relevancy": True, "threshold": 80}, "more than 0 and at most 1"),
    ],
)
def test_wrong_arguments(check: Any, problem: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError) as error:
        judge_of(check, tmp_path)
    assert problem in str(error.value)
