"""pytest on recorded answers whose prompt has changed."""

from __future__ import annotations

import pytest
from support.folders import write_test


@pytest.mark.parametrize(("said", "outcomes"), [("hello", {"passed": 1}), ("bye", {"errors": 1})])
def test_an_answer_to_another_prompt_is_an_error(
    pytester: pytest.Pytester, said: str, outcomes: dict[str, int]
) -> None:
    sent = [{"role": "user", "content": f"Say {said}."}, {"role": "assistant", "content": "Hello"}]
    recorded = {"args": {}, "response": "Hello", "passed": True, "prompt_out": sent}
    write_test(pytester.path / "repository" / "t", instances=[recorded])
    result = pytester.runpytest("repository", "--lve-model", "replay")
    result.assert_outcomes(**outcomes)
    assert ("[-bye-]{+hello+}" in str(result.stdout)) == (said == "bye")
