"""Tests with `infer_cfg`, from the document to the conversations."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from extensions.opencompass.asked import ScriptedAsk

from lve.data.instances import iter_instances
from lve.errors import Problem, PromptError, SpecError
from lve.extensions.opencompass.build import DIALECT, DatasetPlan, position_of
from lve.extensions.opencompass.origins import origins
from lve.extensions.opencompass.retrievers.retriever import ModelChoice
from lve.extensions.opencompass.warnings import row_warnings
from lve.settings.model_settings import ModelSettings
from lve.spec.load import load_spec
from lve.spec.spec import Instance

ROUND = [{"role": "HUMAN", "prompt": "{question}"}, {"role": "BOT", "prompt": "{answer}"}]
TRAIN = [{"question": "2+2=?", "answer": "4"}, {"question": "3+3=?", "answer": "6"}]
ROW = {"question": "1+1=?", "answer": "2"}
READER = {"input_columns": ["question"], "output_column": "answer"}
LM = ModelSettings(kind="lm", meta_template="chatml")


def document(**changes: Any) -> dict[str, Any]:
    """Return a test document; `changes` replace parts of `infer_cfg`, or top keys."""
    infer = {
        "ice_template": {"type": "PromptTemplate", "template": {"round": ROUND}},
        "prompt_template": {
            "type": "PromptTemplate",
            "ice_token": "</E>",
            "template": {"begin": ["</E>"], "round": ROUND},
        },
        "retriever": {"type": "FixKRetriever", "fix_id_list": [0]},
        "inferencer": {"type": "GenInferencer"},
    }
    result: dict[str, Any] = {
        "description": "sums",
        "model": "dummy",
        "dataset": {"train": TRAIN, "test": [ROW]},
        "reader_cfg": {"input_columns": ["question"], "output_column": "answer"},
        "infer_cfg": infer,
    }
    for key, value in changes.items():
        target = result if key in ("dataset", "reader_cfg", "dialect", "output_schema") else infer
        target[key] = value
    return result


def loaded(
    folder: Path, *, model: ModelSettings | None = None, trace: bool = False, **changes: Any
) -> tuple[DatasetPlan, list[Instance]]:
    (folder / "test.json").write_text(json.dumps(document(**changes)), "utf-8")
    spec = load_spec(folder, root=folder)
    plan = DIALECT.build_plan(spec, model, trace=trace)
    found = [i for i in iter_instances(spec) if not isinstance(i, Problem)]
    return plan, found


def said(plan: DatasetPlan, instance: Instance) -> list[list[tuple[str, Any]]]:
    return [
        [(m.role.value, m.content) for m in conversation.messages]
        for conversation in plan.preview(instance)
    ]


def test_examples_and_question_become_chat_messages(tmp_path: Path) -> None:
    plan, [instance] = loaded(tmp_path)
    assert said(plan, instance) == [
        [("user", "2+2=?"), ("assistant", "4"), ("user", "1+1=?"), ("assistant", None)]
    ]
    assert instance.reference == "2"


def test_a_language_model_gets_one_text_in_its_own_format(tmp_path: Path) -> None:
    plan, [instance] = loaded(tmp_path, model=LM)
    [[(role, text), _]] = said(plan, instance)
    assert role == "user"
    assert text == (
        "<|im_start|>user\n2+2=?<|im_end|>\n<|im_start|>assistant\n4<|im_end|>\n"
        "<|im_start|>user\n1+1=?<|im_end|>\n<|im_start|>assistant\n"
    )


MULTI = {
    "dataset": [{"question": ["a?", "b?"], "answer": ["A", "B"]}],
    "ice_template": None,
    "prompt_template": {"type": "MultiTurnPromptTemplate", "template": {"round": ROUND}},
    "retriever": {"type": "ZeroRetriever"},
}


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("every", [["a?", None, "b?", None]]),
        ("every_with_gt", [["a?", None], ["a?", "A", "b?", None]]),
        ("last", [["a?", "A", "b?", None]]),
    ],
)
def test_turns_of_a_dialogue(tmp_path: Path, mode: str, expected: list[list[Any]]) -> None:
    inferencer = {"type": "MultiTurnGenInferencer", "infer_mode": mode}
    plan, [instance] = loaded(tmp_path, **MULTI, inferencer=inferencer)
    assert [[text for _, text in run] for run in said(plan, instance)] == expected
    assert plan.writer.data.dialect == "aisbench"


def test_a_dialogue_that_weaves_answers_into_one_text_is_written_from_them(tmp_path: Path) -> None:
    inferencer = {"type": "MultiTurnGenInferencer", "infer_mode": "every"}
    plan, [instance] = loaded(tmp_path, model=LM, **MULTI, inferencer=inferencer)
    [dialogue] = plan.preview(instance)
    [sent] = asyncio.run(plan.conversations(instance, None))
    user, end = "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"
    assert [message.content for message in dialogue.messages] == [
        f"{user}a?{end}",
        None,
        f"<|im_end|>\n{user}b?{end}",
        None,
    ]
    assert sent.turns is not None
    first, second = sent.turns.request([]), sent.turns.request(["so"])
    assert first.prompt == f"{user}a?{end}"
    assert second.prompt == f"{user}a?{end}so<|im_end|>\n{user}b?{end}"
    assert [message.content for message in second.new_messages(first, "so")] == [
        f"<|im_end|>\n{user}b?{end}"
    ]


def test_a_prompt_per_label_asks_for_its_log_probabilities(tmp_path: Path) -> None:
    plan, [instance] = loaded(
        tmp_path,
        model=LM,
        ice_template=None,
        prompt_template={
            "type": "PromptTemplate",
            "template": {"2": "{question} 2", "3": "{question} 3"},
        },
        retriever={"type": "ZeroRetriever"},
        inferencer={"type": "PPLInferencer"},
    )
    conversations = plan.preview(instance)
    assert [(c.name, c.messages[0].content) for c in conversations] == [
        ("2", "1+1=? 2"),
        ("3", "1+1=? 3"),
    ]
    assert conversations[0].score
    assert conversations[0].prompt == "1+1=? 2"


def test_examples_that_a_model_chooses_are_asked_for_or_refused_or_left_out(
    tmp_path: Path,
) -> None:
    retriever = {"type": "TopkRetriever", "ice_num": 1, "embedding_model": "test/vectors"}
    plan, [instance] = loaded(tmp_path, retriever=retriever)
    assert plan.asks_for == "vectors of test/vectors"
    ask = ScriptedAsk(lambda text: [float("3" in text or "1" in text), 1.0])
    [chosen] = asyncio.run(plan.conversations(instance, ask))
    assert [message.content for message in chosen.messages] == ["3+3=?", "6", "1+1=?", None]
    [preview] = plan.preview(instance)
    assert [message.content for message in preview.messages] == ["1+1=?", None]
    with pytest.raises(PromptError, match="choosing the examples takes vectors of test/vectors"):
        asyncio.run(plan.conversations(instance, None))


def test_a_model_that_chooses_examples_gets_the_position_of_the_row(tmp_path: Path) -> None:
    seen: list[tuple[int, Any]] = []

    async def choose(position: int, row: Any, ask: Any) -> list[int]:
        seen.append((position, row["question"]))
        return [position]

    rows = [ROW, {"question": "5+5=?", "answer": "10"}]
    plan, instances = loaded(tmp_path, dataset={"train": TRAIN, "test": rows})
    chosen = replace(plan, choice=ModelChoice("vectors", choose))
    for instance, example in zip(instances, TRAIN, strict=True):
        [found] = asyncio.run(chosen.conversations(instance, ScriptedAsk(lambda text: [])))
        assert found.messages[0].content == example["question"]
    assert seen == [(0, "1+1=?"), (1, "5+5=?")]


def test_rows_from_a_file_keep_their_lines_and_bad_ones_are_reported(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(
        '{"question": "1?", "answer": "1"}\n\nno\n{"question": "2?"}\n'
    )
    spec_folder = tmp_path
    loaded(spec_folder, dataset={"train": TRAIN, "test": "rows.jsonl"})
    found = list(iter_instances(load_spec(spec_folder, root=tmp_path)))
    assert [(type(i).__name__, i.line) for i in found] == [
        ("Instance", 1),
        ("Problem", 3),
        ("Instance", 4),
    ]
    last = found[-1]
    assert isinstance(last, Instance)
    assert (last.position, last.parameters["answer"]) == (1, None)


def test_ranges_choose_rows_and_are_never_evaluated(tmp_path: Path) -> None:
    rows = [{"question": str(n), "answer": "x"} for n in range(5)]
    reader = {"input_columns": ["question"], "output_column": "answer", "test_range": "[1:3]"}
    _, found = loaded(tmp_path, dataset={"train": TRAIN, "test": rows}, reader_cfg=reader)
    assert [i.parameters["question"] for i in found] == ["1", "2"]
    reader["test_range"] = "[__import__('os').getpid()]"
    with pytest.raises(SpecError, match="can't read the range"):
        loaded(tmp_path, reader_cfg=reader)


def test_data_that_looks_like_a_field_is_filled_as_upstream_and_told(tmp_path: Path) -> None:
    row = {"question": "is {answer} right?", "answer": "2"}
    plan, [instance] = loaded(tmp_path, dataset={"train": TRAIN, "test": [row]})
    assert said(plan, instance)[0][-2] == ("user", "is  right?")
    [warning] = row_warnings(plan.writer, instance)
    assert "column 'question' contains the text {answer}" in str(warning)


def test_what_a_template_loses_is_reported(tmp_path: Path) -> None:
    lost = {
        "type": "PromptTemplate",
        "ice_token": "</E>",
        "template": {"begin": ["Solve."], "round": ROUND},
    }
    plan, _ = loaded(tmp_path, prompt_template=lost)
    assert [w.message for w in plan.warnings] == [
        "ice_token '</E>' is nowhere in the template: examples are lost",
        "the text 'Solve.' has no role: a chat model doesn't get it",
    ]


SYSTEM_IN_ROUND = {
    "type": "PromptTemplate",
    "template": {
        "round": [{"role": "SYSTEM", "fallback_role": "HUMAN", "prompt": "Solve."}, *ROUND]
    },
}
ZERO: dict[str, Any] = {"ice_template": None, "retriever": {"type": "ZeroRetriever"}}
OPENCOMPASS_API = {
    "round": [
        {"role": "HUMAN", "api_role": "HUMAN"},
        {"role": "BOT", "api_role": "BOT", "generate": True},
    ],
    "reserved_roles": [{"role": "SYSTEM", "api_role": "SYSTEM"}],
}


def sent(plan: DatasetPlan, instance: Instance) -> list[tuple[str, Any]]:
    [conversation] = plan.preview(instance)
    return [(message.role.value, message.content) for message in conversation.messages[:-1]]


def test_a_reserved_role_inside_a_round_is_reported(tmp_path: Path) -> None:
    model = ModelSettings(kind="api", meta_template=OPENCOMPASS_API)
    plan, _ = loaded(tmp_path, model=model, prompt_template=SYSTEM_IN_ROUND, **ZERO)
    [warning] = plan.warnings
    assert warning.message.startswith("a message of SYSTEM inside `round` is not sent")


def test_a_system_message_inside_a_round_is_sent_unless_a_meta_template_loses_it(
    tmp_path: Path,
) -> None:
    plan, [instance] = loaded(tmp_path, prompt_template=SYSTEM_IN_ROUND, **ZERO)
    assert not plan.warnings
    assert sent(plan, instance) == [("system", "Solve."), ("user", "1+1=?")]


def test_the_format_of_upstreams_chat_models_has_a_name(tmp_path: Path) -> None:
    model = ModelSettings(meta_template="hf-chat")
    plan, [instance] = loaded(tmp_path, model=model, prompt_template=SYSTEM_IN_ROUND, **ZERO)
    assert sent(plan, instance) == [("user", "\nSolve.\n1+1=?\n")]
    empty = [{"role": "HUMAN", "prompt": "a"}, {"role": "BOT", "prompt": ""}, *ROUND]
    template = {"type": "PromptTemplate", "template": {"round": empty}}
    plan, [instance] = loaded(tmp_path, model=model, prompt_template=template, **ZERO)
    assert sent(plan, instance) == [("user", "a\n\n1+1=?\n")]


def test_aisbenchs_chat_models_have_another_default(tmp_path: Path) -> None:
    model = ModelSettings(meta_template="hf-chat")
    begin = {"begin": [{"role": "SYSTEM", "prompt": "Solve."}], "round": ROUND}
    template = {"type": "PromptTemplate", "template": begin}
    plan, [instance] = loaded(
        tmp_path, model=model, prompt_template=template, dialect="aisbench", **ZERO
    )
    assert sent(plan, instance) == [("system", "Solve."), ("user", "1+1=?")]


@pytest.mark.parametrize(
    ("kind", "template", "message"),
    [
        ("lm", "hf-chat", "is for chat messages"),
        ("api", {"round": [{"role": "HUMAN", "api_role": "user"}]}, "is none of HUMAN"),
    ],
)
def test_a_format_that_no_request_could_have_is_refused_at_once(
    tmp_path: Path, kind: Any, template: Any, message: str
) -> None:
    with pytest.raises(SpecError, match=message):
        loaded(tmp_path, model=ModelSettings(kind=kind, meta_template=template))


def test_what_a_row_lacks_is_reported(tmp_path: Path) -> None:
    rows = [{"question": "a", "C": "x", "answer": "y"}, {"question": "b", "answer": "y"}]
    template = {"type": "PromptTemplate", "template": "{question} {C} {answer}"}
    plan, [first, second] = loaded(tmp_path, dataset=rows, prompt_template=template, **ZERO)
    assert not row_warnings(plan.writer, first)
    [warning] = row_warnings(plan.writer, second)
    assert warning.message == "row 2: column 'C' has no value: the prompt says None"


def test_a_column_that_holds_no_messages_is_reported_and_an_empty_request_refused(
    tmp_path: Path,
) -> None:
    row = {"question": "a", "history": "hi", "answer": "y"}
    messages = [{"expand_column": "history"}, {"expand_column": "histroy"}]
    template = {"type": "RawPromptTemplate", "messages": messages}
    plan, [instance] = loaded(tmp_path, dataset=[row], prompt_template=template, **ZERO)
    warned = [warning.message for warning in row_warnings(plan.writer, instance)]
    assert warned == [
        "row 1: column 'history' is text, no list of messages: `expand_column` sends nothing",
        "row 1: column 'histroy' is not there, no list of messages: `expand_column` sends nothing",
    ]
    with pytest.raises(PromptError, match="no message is left to send"):
        plan.preview(instance)


def test_every_character_has_an_origin(tmp_path: Path) -> None:
    plan, [instance] = loaded(tmp_path, model=LM, trace=True)
    plain, _ = loaded(tmp_path, model=LM)
    [text] = plan.render(instance).inputs
    assert text == plain.render(instance).inputs[0]
    spans = origins(text)
    assert [span["start"] for span in spans[1:]] == [span["end"] for span in spans[:-1]]
    assert spans[-1]["end"] == len(text)
    kinds = {(s["kind"], s.get("column")): text[s["start"] : s["end"]] for s in spans}
    assert kinds["example", "answer"] == "4"
    assert kinds["row", "question"] == "1+1=?"
    assert all(span["kind"] != "default" for span in spans)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"retriever": {"type": "FixKRetriever", "fix_id_list": [9]}}, "example 9"),
        ({"retriever": {"type": "MagicRetriever"}}, "MagicRetriever"),
        ({"inferencer": {"type": "GenInferencer", "base_url": "http://x"}}, "can't be set here"),
        ({"reader_cfg": {**READER, "test_split": "dev"}}, "no split"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(tmp_path: Path, changes: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        loaded(tmp_path, **changes)
    assert len(caught.value.problems) == 1
    assert caught.value.problems[0].path


def test_keys_that_upstream_swallows_are_warnings(tmp_path: Path) -> None:
    swallowed = {"max_out_length": 3, "temperature": 0, "adv_key": "x", "metric_key": "y"}
    inferencer = {"type": "GenInferencer", "batch_size": 4, **swallowed}
    plan, _ = loaded(tmp_path, inferencer=inferencer, max_out_len=5)
    warned = {str(problem.path).rpartition(".")[2]: problem.hint for problem in plan.warnings}
    assert warned.keys() == {*swallowed, "max_out_len"}
    assert warned["max_out_length"] == "did you mean `max_out_len`?"
    assert warned["temperature"] == "a model argument goes into `default_model_args`"


@pytest.mark.parametrize("module", ["opencompass.openicl.icl_prompt_template", "ais_bench.openicl"])
def test_types_may_be_written_as_upstreams_dumps_write_them(tmp_path: Path, module: str) -> None:
    template = {"type": f"{module}.PromptTemplate", "template": "{question}"}
    retriever, inferencer = {"type": f"{module}.ZeroRetriever"}, {"type": f"{module}.GenInferencer"}
    plan, [instance] = loaded(
        tmp_path,
        ice_template=None,
        prompt_template=template,
        retriever=retriever,
        inferencer=inferencer,
    )
    assert plan.render(instance).inputs == ["1+1=?"]
    assert plan.writer.data.dialect == ("aisbench" if "ais" in module else "opencompass")


def test_without_a_meta_template_every_message_is_a_line_whatever_the_row_ends_with(
    tmp_path: Path,
) -> None:
    rows = [{"question": "tea?", "answer": ""}, {"question": "tea? ", "answer": ""}]
    turns = [{"role": "HUMAN", "prompt": "{question}"}, {"role": "BOT", "prompt": "A:"}]
    plan, instances = loaded(
        tmp_path,
        model=ModelSettings(kind="lm"),
        dataset=rows,
        ice_template=None,
        prompt_template={"type": "PromptTemplate", "template": {"round": turns}},
        retriever={"type": "ZeroRetriever"},
    )
    assert [plan.render(each).inputs[0] for each in instances] == ["tea?\nA:", "tea? \nA:"]


def test_a_row_of_the_command_line_gets_the_examples_of_the_first() -> None:
    assert position_of(Instance({}, {}, {}, "command line", 1)) == 0
    assert position_of(Instance({}, {}, {}, "rows.jsonl", 8, position=7)) == 7


def test_examples_that_take_long_to_choose_are_chosen_in_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lve.extensions.opencompass.retrievers.slow_select.QUICK_PRODUCTS", 0)
    plan, [instance] = loaded(tmp_path, retriever={"type": "BM25Retriever", "ice_num": 1})
    ask = ScriptedAsk(lambda text: [])
    [asked] = asyncio.run(plan.conversations(instance, ask))
    assert ask.computed
    [here] = asyncio.run(plan.conversations(instance, None))
    assert asked.messages == here.messages


def test_templates_take_no_schema(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="has no effect beside `infer_cfg`"):
        loaded(tmp_path, output_schema={"type": "object"})
