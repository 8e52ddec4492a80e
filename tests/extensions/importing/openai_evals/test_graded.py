"""Model-graded evals: the judge's template and choices, and which have no counterpart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from extensions.importing.openai_evals.registry import CLASSIFY, TEMPLATE, imported


def test_a_judges_template_is_filled_with_what_is_the_same(registry: Path) -> None:
    samples = [{"input": "q", "ideal": "i"}]
    result, left = imported(
        registry, CLASSIFY, samples,
        modelgraded_spec="own", eval_type="cot_classify",
        modelgraded_spec_args={"criteria": "It is {so}."},
    )  # fmt: skip
    [test] = result.tests
    assert left == []
    assert test.document["check"] == {
        "model_graded": "Right? It is {{so}}.\n{input}\n{completion}\n{ideal}\n\n"
        'Think. Then "Yes" or "No".',
        "choices": {"Yes": 1.0, "No": 0.0},
    }
    assert test.document["default_model_args"] == {"temperature": 0.0, "max_tokens": 1024}


@pytest.mark.parametrize(
    ("args", "template", "why"),
    [
        ({"metaeval": True}, {}, "judges a judge"),
        ({"multicomp_n": 2}, {}, "compares several answers"),
        ({"modelgraded_spec": "gone"}, {}, "modelgraded/ has no 'gone'"),
        ({"eval_type": "odd"}, {}, "the sentence for eval_type odd is in"),
        ({"eval_type": None}, {}, "it has no eval_type"),
        ({"sample_kwargs": {"stop": "x"}}, {}, "its sample_kwargs have stop"),
        ({"other": 1}, {}, "its argument other has no counterpart"),
        ({}, {"input_outputs": {"input1": "completion1"}}, "compares several answers"),
        ({}, {"prompt": [{"role": "user", "content": "x"}]}, "gets a conversation"),
        ({}, {"prompt": "Funny?"}, "sees no answer"),
        ({}, {"choice_scores": None}, "no choice_scores"),
        ({}, {"choice_scores": {"Yes": 1}}, "no choice_scores"),
        ({}, {"choice_scores": "from_strings"}, "is no number"),
        ({}, {"choice_strings": "from_n"}, "compares several answers"),
        ({}, {"choice_strings": None}, "no choice_strings"),
    ],
)
def test_what_no_judge_of_ours_does_is_left_out(
    registry: Path, args: dict[str, Any], template: dict[str, Any], why: str
) -> None:
    (registry / "modelgraded" / "own.yaml").write_text(
        yaml.safe_dump({"own": {**TEMPLATE, **template}})
    )
    own = {"modelgraded_spec": "own", "eval_type": "cot_classify", **args}
    result, [left] = imported(registry, CLASSIFY, [{"input": "q", "ideal": "i"}], **own)
    assert [*result.tests] == []
    assert why in left
    assert "e.yaml:1:1" not in left


def test_the_template_fact_has_scores_that_are_told(registry: Path) -> None:
    spec = {**TEMPLATE, "choice_strings": "ABCDE", "choice_scores": None}
    (registry / "modelgraded" / "f.yaml").write_text(yaml.safe_dump({"fact": spec}))
    result, [left] = imported(
        registry, CLASSIFY, [{"input": "q"}], modelgraded_spec="fact", eval_type="cot_classify"
    )
    assert result.tests[0].document["check"]["choices"]["D"] == 0.0
    assert "D fails, and the others pass" in left
