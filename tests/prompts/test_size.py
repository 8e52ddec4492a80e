"""However much a small test document repeats, the size of its prompts is limited."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from prompts.building import (
    BIG,
    EXAMPLES,
    READER,
    ROUND,
    message_test,
    rows_file,
    template_test,
)
from support.folders import write_dataset_test, write_test

from lve.data.instances import iter_instances
from lve.errors import (
    PlaceholderError,
    Problem,
    PromptError,
    SpecError,
    TemplateError,
    TemplateStage,
)
from lve.extensions.opencompass.build import DIALECT
from lve.extensions.opencompass.dialogue import concat, fill_columns, replace_token
from lve.extensions.opencompass.formats import api_parser
from lve.extensions.opencompass.inferencers.rating import shared_length
from lve.extensions.opencompass.origins import Origin, Traced, join, origins
from lve.extensions.opencompass.rows import row_writer
from lve.extensions.opencompass.rows.prompt_writer import PromptWriter
from lve.extensions.ragas.saved_prompt import Prompt
from lve.prompts.fill import fill, parse_template
from lve.prompts.plan import build_plan
from lve.prompts.size import MAX_CHARACTERS, size_of
from lve.settings.model_settings import ModelSettings
from lve.spec.load import load_spec

TOO_LONG = "would have more than 16,000,000 characters"
TOGETHER = "would have more than 64,000,000 characters"


@pytest.fixture(autouse=True)
def deadline() -> Any:
    """Each of these took minutes, or all memory."""
    start = time.monotonic()
    yield
    assert time.monotonic() - start < 60


def send(folder: Path, model: ModelSettings | None = None) -> None:
    """Make all prompts of a test."""
    spec = load_spec(folder, root=folder)
    plan = build_plan(spec, model=model)
    for instance in iter_instances(spec):
        assert not isinstance(instance, Problem), instance
        plan.preview(instance)


def example_test(folder: Path, retriever: Mapping[str, Any], **infer: Any) -> Path:
    """Write a test that takes examples from ten rows of 100 kB, and return it."""
    rows = [{"q": f"{n} {BIG}", "a": str(n)} for n in range(10)]
    parts = {**EXAMPLES, "retriever": retriever, **infer}
    return write_dataset_test(folder, rows_file(folder, rows), reader_cfg=READER, **parts)


def test_a_text_is_measured_before_it_is_filled() -> None:
    with pytest.raises(PromptError, match=TOO_LONG):
        fill("{q}" * 100_000, {"q": BIG})
    assert len(fill("{q}" * 159, {"q": BIG})) == 15_900_000


def test_what_a_precision_cuts_off_counts_as_well() -> None:
    with pytest.raises(PromptError, match=TOO_LONG):
        fill("{q!r:.0}" * 100_000, {"q": [BIG]})
    assert fill("{q!r:.3}", {"q": [BIG]}) == "['x"


def test_braces_are_parsed_in_linear_time() -> None:
    assert parse_template("{{" * 500_000).segments == ("{" * 500_000,)


def test_a_missing_parameter_names_only_some_of_the_others() -> None:
    with pytest.raises(PromptError, match="and 99,980 more") as caught:
        fill("{q}", {f"column{n}": n for n in range(100_000)})
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("text", ["{" + "x." * 100_000 + "}", "{x[" + "0" * 100_000 + "}"])
def test_a_long_placeholder_is_quoted_in_part(text: str) -> None:
    with pytest.raises(PlaceholderError) as caught:
        parse_template(text)
    assert len(str(caught.value)) < 1000


def test_columns_that_double_each_other_stop() -> None:
    names = [f"c{n}" for n in range(100)]
    row: dict[str, Any] = {a: f"{{{b}}}" * 2 for a, b in pairwise(names)}
    with pytest.raises(TemplateError, match=TOO_LONG):
        fill_columns("{c0}", {**row, "c99": "x"}, stage="prompt")


def test_a_very_wide_row_fills_a_short_text_only() -> None:
    row = {f"column{n}": n for n in range(10_000)}
    assert fill_columns("{column9999}", row, stage="prompt") == "9999"
    with pytest.raises(TemplateError, match="more than 200,000 characters"):
        fill_columns("{" * 1_000_000, row, stage="prompt")


def test_an_ice_token_that_stands_everywhere_repeats_no_dialogue() -> None:
    examples = [{"role": "HUMAN", "prompt": BIG}] * 10
    with pytest.raises(TemplateError, match=TOO_LONG):
        replace_token(["#" * 1_000_000], "#", examples, stage="prompt")
    with pytest.raises(TemplateError, match=TOO_LONG):
        replace_token("#" * 1_000_000, "#", BIG, stage="prompt")


def test_texts_are_joined_at_once() -> None:
    assert len(concat(["x" * 150] * 100_000, "\n", stage="ice")) == 15_099_999
    with pytest.raises(TemplateError, match=TOO_LONG):
        concat([BIG] * 1_000, "\n", stage="ice")


def test_traced_texts_are_filled_in_linear_time() -> None:
    text = Traced("{q}{a}" * 20_000, Origin("template"))
    row = {"q": Traced("1", Origin("row")), "a": Traced("2", Origin("mask"))}
    filled = fill_columns(text, row, stage="prompt")
    assert filled == "12" * 20_000
    assert [each["kind"] for each in origins(filled)] == ["row", "mask"] * 20_000
    pieces = filled.split("2")
    assert [origins(piece) for piece in pieces[:2]] == [[{"start": 0, "end": 1, "kind": "row"}]] * 2
    joined = join("-", pieces)
    assert joined == "-".join(["1"] * 20_000 + [""])
    assert [each["kind"] for each in origins(joined)][:3] == ["row", "default", "row"]


def test_what_labels_share_is_found_fast() -> None:
    text = "x" * 10_000_000
    assert shared_length([text + "a", text + "b", text]) == 10_000_000
    assert shared_length(["", "a"]) == 0
    assert shared_length(["ab", "ab"]) == 2


def test_nothing_is_nested_too_deep_to_be_measured() -> None:
    deep: Any = "abc"
    for _ in range(100_000):
        deep = [deep]
    assert size_of(deep) > 100_000


HOSTILE: dict[str, Callable[[Path], Path]] = {
    "a parameter over and over": lambda t: message_test(t, "{q}" * 100_000, {"q": BIG}),
    "many messages": lambda t: message_test(
        t, "x", {"q": BIG}, prompt=[{"content": "{q}"}] * 10_000
    ),
    "an image": lambda t: message_test(
        t, "x", {"q": BIG}, prompt=[{"content": "x", "image_url": "{q}" * 100_000}]
    ),
    "parts": lambda t: message_test(
        t, "x", {"q": BIG}, prompt=[{"content": [{"type": "text", "text": "{q}"}] * 10_000}]
    ),
    "many columns in a string template": lambda t: template_test(
        t, "{q}" * 100_000, {"q": BIG, "a": ""}
    ),
    "column tokens": lambda t: template_test(
        t,
        {"type": "PromptTemplate", "template": "#" * 100_000, "column_token_map": {"q": "#"}},
        {"q": BIG, "a": ""},
    ),
    "many messages of a dialogue": lambda t: template_test(
        t, {"round": [{"role": "HUMAN", "prompt": "{q}"}] * 5_000}, {"q": BIG, "a": ""}
    ),
    "raw messages": lambda t: template_test(
        t,
        {"type": "RawPromptTemplate", "messages": [{"role": "user", "content": "{q}"}] * 5_000},
        {"q": BIG, "a": ""},
    ),
    "a history over and over": lambda t: template_test(
        t,
        {"type": "RawPromptTemplate", "messages": [{"expand_column": "q"}] * 5_000},
        {"q": [{"role": "user", "content": "x"}] * 20_000, "a": ""},
    ),
    "rounds of many turns": lambda t: template_test(
        t,
        {"type": "MultiTurnPromptTemplate",
         "template": {"round": [{"role": "HUMAN", "prompt": "{question}" * 1_000}]}},
        {"q": "", "a": "", "question": ["y" * 100] * 5_000, "answer": ["z"] * 5_000},
    ),
    "parts of many kinds": lambda t: template_test(
        t,
        {"type": "MMPromptTemplate", "template": {"round": [{"role": "HUMAN", "prompt_mm": {
            "text": {"type": "text", "text": "{question}" + "x" * 10_000}}}]}},
        {"q": "", "a": "", "content": "<AIS_TEXT_START>y<AIS_CONTENT_TAG>" * 20_000},
    ),
    "examples": lambda t: example_test(t, {"type": "FixKRetriever", "fix_id_list": [1] * 1_000}),
    "examples as texts": lambda t: example_test(
        t,
        {"type": "FixKRetriever", "fix_id_list": [1] * 1_000},
        ice_template={"type": "PromptTemplate", "template": "{q}"},
        prompt_template={"type": "PromptTemplate", "template": "</E>", "ice_token": "</E>"},
    ),
    "the begin of a role over and over": lambda t: example_test(
        t,
        {"type": "FixKRetriever", "fix_id_list": [1] * 90_000},
        ice_template={"type": "PromptTemplate", "template": {"round": [
            {"role": "HUMAN", "begin": BIG, "prompt": "x"}]}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("write", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_prompt_gets_too_long(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    with pytest.raises(PromptError, match=TOO_LONG):
        send(write(tmp_path))


def test_runs_together_are_limited(tmp_path: Path) -> None:
    run = {"prompt": [{"content": "{q}" * 100}], "repetitions": 10}
    message_test(tmp_path, "", {"q": BIG}, prompt=None, multi_run_prompt=[run])
    with pytest.raises(PromptError, match=TOGETHER):
        send(tmp_path)


def test_runs_are_counted_before_they_are_made(tmp_path: Path) -> None:
    run = {"prompt": [{"content": "hi"}], "repetitions": 100}
    write_test(tmp_path, prompt=None, multi_run_prompt=[run] * 1_000)
    with pytest.raises(SpecError, match="100,000 runs; at most 10,000 are allowed"):
        send(tmp_path)


def test_a_prompt_file_that_is_named_often_is_not_read_that_often(tmp_path: Path) -> None:
    write_test(tmp_path, prompt=None, multi_run_prompt=[{"prompt_file": "a.prompt"}] * 5_000)
    (tmp_path / "a.prompt").write_text("x" * 900_000, encoding="utf-8")
    with pytest.raises(SpecError, match=TOGETHER):
        send(tmp_path)


def test_the_turns_of_a_dialogue_together_are_limited(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "y" * 1_000}, {"role": "assistant", "content": ""}] * 1_000
    template = {"type": "RawPromptTemplate", "messages": [{"expand_column": "q"}]}
    inferencer = {"type": "GenInferencer", "multiround": True}
    template_test(tmp_path, template, {"q": turns, "a": ""}, inferencer=inferencer)
    with pytest.raises(PromptError, match=TOGETHER):
        send(tmp_path)


def test_the_prompts_of_all_labels_together_are_limited(tmp_path: Path) -> None:
    labels = {"inferencer": {"type": "PPLInferencer", "labels": [str(n) for n in range(5_000)]}}
    template_test(tmp_path, "{q} {a}", {"q": BIG, "a": ""}, **labels)
    with pytest.raises(PromptError, match=TOGETHER):
        send(tmp_path, ModelSettings(kind="lm"))


def test_labels_are_counted(tmp_path: Path) -> None:
    rows = [{"q": "x", "a": str(n)} for n in range(10_001)]
    name = rows_file(tmp_path, rows)
    reader = {"input_columns": ["q"], "output_column": "a"}
    inferencer = {"type": "PPLInferencer"}
    template = {"type": "PromptTemplate", "template": "{q} {a}"}
    write_dataset_test(
        tmp_path, name, reader_cfg=reader, inferencer=inferencer, prompt_template=template
    )
    with pytest.raises(PromptError, match="10,001 labels to choose from; at most 10,000 are"):
        send(tmp_path, ModelSettings(kind="lm"))


def test_labels_that_are_lists_are_refused(tmp_path: Path) -> None:
    inferencer = {"type": "PPLInferencer"}
    template_test(tmp_path, "{q} {a}", {"q": "x", "a": ["y"]}, inferencer=inferencer)
    with pytest.raises(PromptError, match="'a' holds lists or objects, which can't be labels"):
        send(tmp_path, ModelSettings(kind="lm"))


def test_examples_are_not_dropped_one_by_one_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_writer, "MAX_TRIED", 10_000_000)  # all take seconds
    rows = [{"q": "word " * 2_000, "a": "x"}]
    retriever = {"type": "FixKRetriever", "fix_id_list": [0] * 1_500}
    parts = {**EXAMPLES, "retriever": retriever}
    inferencer = {"type": "GenInferencer", "max_seq_len": 1}
    write_dataset_test(
        tmp_path,
        rows_file(tmp_path, rows),
        reader_cfg={"input_columns": ["q"], "output_column": "a"},
        inferencer=inferencer,
        **parts,
    )
    with pytest.raises(PromptError, match="more than 10,000,000 characters"):
        send(tmp_path)


def test_separators_are_counted_before_examples_are_rendered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PromptWriter, "_rendered", lambda *_: pytest.fail("rendered for nothing"))
    retriever = {"type": "FixKRetriever", "fix_id_list": [0] * 50, "ice_separator": "x" * 400_000}
    parts = {
        "ice_template": {"type": "PromptTemplate", "template": "{q}"},
        "prompt_template": {"type": "PromptTemplate", "template": "</E>{q}", "ice_token": "</E>"},
        "retriever": retriever,
    }
    write_dataset_test(
        tmp_path, rows_file(tmp_path, [{"q": "x", "a": "x"}]), reader_cfg=READER, **parts
    )
    with pytest.raises(PromptError, match=TOO_LONG):
        send(tmp_path)


def test_messages_of_one_role_are_joined_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Joined one by one, 6,000 messages would be copied 6,000 times."""
    joined: list[int] = []

    def counting(parts: Sequence[str], separator: str = "", *, stage: TemplateStage) -> str:
        joined.append(len(parts))
        return concat(parts, separator, stage=stage)

    monkeypatch.setattr(api_parser, "concat", counting)
    message = {"role": "HUMAN", "prompt": "y" * 60}
    template = {"begin": [message] * 6_000, "round": ROUND}
    turns = [*ROUND[:1], {"role": "BOT", "generate": True}]
    meta = {"round": [{**turn, "api_role": turn["role"]} for turn in turns]}
    template_test(tmp_path, template, {"q": "", "a": ""})
    send(tmp_path, ModelSettings(kind="api", meta_template=meta))
    assert joined == [6_001]


@pytest.mark.parametrize(
    ("retriever", "message"),
    [
        ({"type": "SlidingWindowRetriever", "k": 10**9}, "`k` can't be more than 100,000"),
        ({"type": "BM25Retriever", "ice_num": 10**9}, "`ice_num` can't be more than 100,000"),
        ({"type": "FixKRetriever", "fix_id_list": [0] * 100_001},
         "`fix_id_list` can't have more than 100,000 examples"),
        ({"type": "DPPRetriever", "candidate_num": 10**5, "embedding_model": "x/y"},
         "`candidate_num` can't be more than 2,000"),
    ],
)  # fmt: skip
def test_retrievers_take_so_many_examples_at_most(
    tmp_path: Path, retriever: dict[str, Any], message: str
) -> None:
    with pytest.raises(SpecError, match=message):
        send(example_test(tmp_path, retriever))


def test_a_sliding_window_never_holds_more_than_it_shows(tmp_path: Path) -> None:
    example_test(tmp_path, {"type": "SlidingWindowRetriever", "k": 10})
    send(tmp_path)
    plan = DIALECT.build_plan(load_spec(tmp_path, root=tmp_path))
    assert plan.choice(3, {}) == [3, 4, 5, 6, 7, 8, 9, 0, 1, 2]


def test_a_prompt_object_is_measured() -> None:
    prompt = Prompt(name="p", instruction="{q}" * 10_000, input_keys=["q"], output_key="a")
    with pytest.raises(PromptError, match=TOO_LONG):
        prompt.format(q=BIG)
    keys = ["q"] * 1_000
    prompt = Prompt(name="p", instruction="say", input_keys=keys, output_key="a")
    with pytest.raises(PromptError, match=TOO_LONG):
        prompt.format(q=BIG)


def test_ten_megabytes_are_an_honest_prompt(tmp_path: Path) -> None:
    text = "word " * 2_000_000
    template_test(tmp_path, "Read this: {q}", {"q": text, "a": ""})
    spec = load_spec(tmp_path, root=tmp_path)
    (instance,) = iter_instances(spec)
    assert not isinstance(instance, Problem)
    (conversation,) = build_plan(spec).preview(instance)
    assert len(str(conversation.messages[0].content)) == len(text) + 11 < MAX_CHARACTERS


def test_undeclared_placeholders_are_reported_in_part(tmp_path: Path) -> None:
    content = "".join(f"{{name{n}}}" for n in range(20_000))
    message_test(tmp_path, content, {"q": "x"})
    with pytest.raises(SpecError, match="19,980 more placeholders are wrong") as caught:
        send(tmp_path)
    assert len(caught.value.problems) == 21


def test_messages_that_are_all_wrong_are_reported_in_part(tmp_path: Path) -> None:
    message_test(tmp_path, "", {"q": "x"}, prompt=[{"content": "{nobody}"}] * 10_000)
    with pytest.raises(SpecError, match=r"more problem.? (is|are) not described") as caught:
        send(tmp_path)
    assert len(caught.value.problems) == 101


def test_words_that_all_examples_share_are_not_counted_for_ever(tmp_path: Path) -> None:
    rows = [{"q": "a " * 100, "a": "x"}] * 2_000 + [{"q": "a " * 100_000, "a": "y"}]
    template = {"type": "PromptTemplate", "template": "</E>{q}", "ice_token": "</E>"}
    write_dataset_test(
        tmp_path,
        {"train": rows_file(tmp_path, rows), "test": rows_file(tmp_path, rows[-1:], "t.jsonl")},
        reader_cfg=READER,
        ice_template={"type": "PromptTemplate", "template": "{q}"},
        prompt_template=template,
        retriever={"type": "BM25Retriever", "ice_num": 1},
    )
    with pytest.raises(PromptError, match="shares too many words with too many examples"):
        send(tmp_path)
