"""Templates, retrievers and inferencers by name."""

from __future__ import annotations

from typing import Any

import pytest

from lve.errors import TemplateError
from lve.extensions.opencompass.by_name import (
    make_inferencer,
    make_retriever,
    make_template,
)
from lve.extensions.opencompass.inferencers.generation import GenInferencer
from lve.extensions.opencompass.inferencers.inferencer import ignored_arguments
from lve.extensions.opencompass.inferencers.rating import PPLInferencer
from lve.extensions.opencompass.retrievers.offline import ZeroRetriever
from lve.extensions.opencompass.template import PromptTemplate


def test_a_type_is_named_as_upstream_does_and_the_usual_one_goes_without_saying() -> None:
    assert make_inferencer({"type": "opencompass.openicl.PPLInferencer"}) == PPLInferencer()
    assert make_inferencer({}) == GenInferencer()
    assert make_retriever({}) == ZeroRetriever()
    assert make_template({"template": "x"}) == PromptTemplate("x")
    assert make_template(None) is None


def test_arguments_that_say_how_upstream_stores_are_accepted() -> None:
    assert make_inferencer({"type": "GenInferencer", "batch_size": 8}) == GenInferencer()


@pytest.mark.parametrize(
    ("make", "config", "message", "stage"),
    [
        (make_template, "x", "`template` must be an object, not text", "template"),
        (make_template, {"type": "PromptTemplate"}, "PromptTemplate needs `template`", "template"),
        (make_template, {"template": "x", "ice": "y"}, "has no argument 'ice'", "template"),
        (
            make_template,
            {"type": "RawPromptTemplate", "messages": [{"role": "user"}]},
            r"messages\[0\] lacks `content`",
            "template",
        ),
        (
            make_template,
            {"type": "RawPromptTemplate", "messages": [{"role": "human", "content": "hi"}]},
            r"messages\[0\] has the role 'human'; use one of system, user, assistant",
            "template",
        ),
        (make_retriever, [], "`retriever` must be an object, not a list", "retriever"),
        (make_retriever, {"type": "Topk"}, "there is no retriever 'Topk'; there are", "retriever"),
        (make_retriever, {"ice_eos_token": 1}, "`ice_eos_token` must be a text", "retriever"),
        (make_inferencer, None, "`inferencer` must be an object", "infer"),
        (make_inferencer, {"type": 5}, "there is no inferencer 5; there are Gen", "infer"),
    ],
)
def test_what_is_wrong_with_a_configuration_is_said(
    make: Any, config: Any, message: str, stage: str
) -> None:
    with pytest.raises(TemplateError, match=message) as caught:
        make(config)
    assert caught.value.stage == stage


def test_arguments_that_no_inferencer_of_that_type_takes_have_no_effect() -> None:
    config = {"type": "opencompass.openicl.GenInferencer", "labels": ["a"], "temperature": 1}
    assert make_inferencer(config) == GenInferencer()
    assert ignored_arguments(GenInferencer, config) == ["labels", "temperature"]


def test_only_aisbench_gives_the_zero_retriever_a_separator() -> None:
    config = {"type": "ZeroRetriever", "ice_separator": " "}
    assert make_retriever(config, dialect="aisbench").ice_separator == " "
    with pytest.raises(TemplateError, match="has no argument 'ice_separator'"):
        make_retriever(config)
