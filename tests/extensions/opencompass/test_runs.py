"""Data-set tests against a server on loopback: chat, turns, and labels by perplexity."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.folders import workspace
from support.server import ModelServer, model_server

from lve.data.instances import iter_instances
from lve.errors import BudgetError, SpecError
from lve.extensions.opencompass.likelihood import average_nll, scored_tokens
from lve.models.chat_model import ChatRequest
from lve.models.registry import create_model
from lve.options.run_options import RunOptions
from lve.pipeline.background import BackgroundSession
from lve.sessions.instance_result import InstanceResult
from lve.spec.load import load_spec
from lve.spec.recorded_row import Recorded
from lve.spec.settings_file import load_workspace
from lve.spec.spec import Instance

ROUND = [{"role": "HUMAN", "prompt": "{question}"}, {"role": "BOT", "prompt": "{answer}"}]
LABELS = {"type": "PromptTemplate", "template": {"tart": "{question} tart", "sweet": "{question} sweet"}}  # fmt: skip # noqa: E501
MODEL = "openai/m"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(lambda request: f"heard {request.prompt}") as running:
        yield running


def run(
    root: Path,
    server: ModelServer,
    infer_cfg: dict[str, Any],
    rows: Any,
    *,
    models: str = MODEL,
    options: Mapping[str, Any] | None = None,
    reader: Mapping[str, Any] | None = None,
    check: Mapping[str, Any] | None = None,
    **settings: Any,
) -> list[InstanceResult]:
    """Run a data-set test against the server; `settings` are the model's."""
    workspace(root, json.dumps({"models": {MODEL: settings}}))
    document = {
        "description": "a data set",
        "model": MODEL,
        "dataset": rows,
        "reader_cfg": {"input_columns": ["question"], "output_column": "answer", **(reader or {})},
        "infer_cfg": {"retriever": {"type": "ZeroRetriever"}, **infer_cfg},
        **({"check": check} if check else {}),
    }
    (root / "test.json").write_text(json.dumps(document), encoding="utf-8")
    spec = load_spec(root, root=root)
    instances = [found for found in iter_instances(spec) if isinstance(found, Instance)]
    if models == "replay":
        instances = [replace(one, recorded=Recorded(("tea",), passed=None)) for one in instances]
    chosen = RunOptions(base_url=server.url, **(options or {}))
    with BackgroundSession(load_workspace(root), chosen, warn=pytest.fail) as session:
        return list(session.submit(spec, models, instances).result(timeout=20))


def test_a_generation_is_compared_with_the_output_column(
    tmp_path: Path, server: ModelServer
) -> None:
    template = {"type": "PromptTemplate", "template": {"round": ROUND}}
    infer = {"prompt_template": template, "inferencer": {"type": "GenInferencer", "max_out_len": 9}}
    rows = [{"question": "tea?", "answer": "heard tea?"}, {"question": "ale?", "answer": "no"}]
    results = run(tmp_path, server, infer, rows)
    assert [(r.verdict, r.reason) for r in results] == [
        ("passed", "found 'heard tea?'"),
        ("failed", "expected 'no', found 'heard ale?'"),
    ]
    sent = server.requests[0].json
    assert sent["messages"] == [{"role": "user", "content": "tea?"}]
    assert sent["max_tokens"] == 9


def test_every_turn_hears_the_answers_before(tmp_path: Path, server: ModelServer) -> None:
    infer = {
        "prompt_template": {"type": "MultiTurnPromptTemplate", "template": {"round": ROUND}},
        "inferencer": {"type": "MultiTurnGenInferencer", "infer_mode": "every"},
    }
    rows = [{"question": ["a?", "b?"], "answer": ["heard a?", "heard b?"]}]
    [result] = run(tmp_path, server, infer, rows)
    assert (result.verdict, result.reason) == ("passed", "all 2 turns: found 'heard a?'")
    assert [m["content"] for m in server.requests[-1].json["messages"]] == [
        "a?",
        "heard a?",
        "b?",
    ]


@pytest.mark.parametrize(
    ("mode", "answers", "verdict"),
    [
        ("every", ["heard b?", "heard b?"], "failed"),
        ("every_with_gt", ["heard a?", "heard c?"], "failed"),
        ("last", ["anything", "heard b?"], "passed"),
        ("last", ["heard b?", "anything"], "failed"),
    ],
)
def test_each_turn_that_is_asked_is_compared_with_its_own_reference(
    tmp_path: Path, server: ModelServer, mode: str, answers: list[str], verdict: str
) -> None:
    infer = {
        "prompt_template": {"type": "MultiTurnPromptTemplate", "template": {"round": ROUND}},
        "inferencer": {"type": "MultiTurnGenInferencer", "infer_mode": mode},
    }
    [result] = run(tmp_path, server, infer, [{"question": ["a?", "b?"], "answer": answers}])
    assert result.verdict == verdict, result.reason


def test_a_language_model_holds_a_dialogue_in_texts(tmp_path: Path, server: ModelServer) -> None:
    infer = {
        "prompt_template": {"type": "MultiTurnPromptTemplate", "template": {"round": ROUND}},
        "inferencer": {"type": "MultiTurnGenInferencer", "infer_mode": "every"},
    }
    rows = [{"question": ["a?", "b?"], "answer": ["A", "b"]}]
    [result] = run(tmp_path, server, infer, rows, kind="lm", meta_template="chatml")
    sent = [request.json["prompt"] for request in server.requests]
    user, end = "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"
    [transcript] = result.transcripts
    first, last = transcript.completions
    assert sent == [f"{user}a?{end}", f"{user}a?{end}{first.text}<|im_end|>\n{user}b?{end}"]
    assert transcript.variables == {"turn_1": first.text, "response": last.text}
    assert [m.content for m in transcript.messages if m.role == "user"] == [
        sent[0],
        f"<|im_end|>\n{user}b?{end}",
    ]


def test_an_answer_that_makes_the_next_turn_too_long_is_an_error_of_its_instance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lve.extensions.opencompass.dialogue.MAX_CHARACTERS", 100)
    infer = {
        "prompt_template": {"type": "MultiTurnPromptTemplate", "template": {"round": ROUND}},
        "inferencer": {"type": "MultiTurnGenInferencer", "infer_mode": "every"},
    }
    rows = [{"question": ["a?", "b?"], "answer": ["A", "b"]}]
    with model_server(lambda request: "x" * 200) as server:
        [result] = run(tmp_path, server, infer, rows, kind="lm")
    assert (result.verdict, result.error_kind) == ("error", "prompt")
    assert "more than 100 characters" in (result.reason or "")


def test_the_label_with_the_lowest_perplexity_is_chosen(
    tmp_path: Path, server: ModelServer
) -> None:
    infer = {"prompt_template": LABELS, "inferencer": {"type": "PPLInferencer"}}
    rows = [{"question": "plum", "answer": "tart"}, {"question": "lime", "answer": "tart"}]
    results = run(tmp_path, server, infer, rows, kind="lm")
    asked = [request.json["prompt"] for request in server.requests]
    assert sorted(asked) == ["lime sweet", "lime tart", "plum sweet", "plum tart"]
    for row, result in zip(rows, results, strict=True):
        rated = {label: rate(server, f"{row['question']} {label}") for label in ("tart", "sweet")}
        chosen = min(rated, key=lambda label: rated[label])
        assert result.reason.startswith(f"chose {chosen!r}")
        assert (result.verdict == "passed") is (chosen == "tart")


def test_each_row_has_its_own_choices_rated(tmp_path: Path, server: ModelServer) -> None:
    infer = {
        "prompt_template": {"type": "PromptTemplate", "template": "{question}"},
        "inferencer": {"type": "ChoicesInferencer", "delimiter": " "},
    }
    rows: list[dict[str, Any]] = [
        {"question": "plum", "choices": ["tart", "sweet"], "answer": 0},
        {"question": "lime", "choices": ["sour", "mild", "hot"], "answer": 2},
    ]
    check = {"rated_choice": "character", "delimiter": " "}
    results = run(tmp_path, server, infer, rows, kind="lm", check=check)
    asked = {request.json["prompt"] for request in server.requests}
    assert asked == {f"{row['question']} {text}" for row in rows for text in row["choices"]}
    for row, result in zip(rows, results, strict=True):
        assert result.labels is not None
        assert result.labels[0] == str(row["answer"]) or result.verdict == "failed"
        assert (result.verdict == "passed") is (result.labels[1] == str(row["answer"]))
        assert result.score is not None
        assert 0 < result.score < 1


def rate(server: ModelServer, text: str) -> float:
    """Ask the server itself how likely a text is."""

    async def ask() -> float:
        settings = load_workspace(Path("/nowhere")).settings
        model = create_model(MODEL, settings, base_url=server.url)
        completion = await model.complete(ChatRequest(prompt=text, score=True))
        await model.aclose()
        return average_nll(scored_tokens(completion, MODEL))

    return asyncio.run(ask())


def test_a_chat_model_is_refused_at_once(tmp_path: Path, server: ModelServer) -> None:
    infer = {"prompt_template": LABELS, "inferencer": {"type": "PPLInferencer"}}
    with pytest.raises(SpecError, match="fallback: generate"):
        run(tmp_path, server, infer, [{"question": "plum", "answer": "tart"}], kind="api")
    assert server.requests == []


def test_a_chat_model_answers_in_words_where_the_test_allows_it(tmp_path: Path) -> None:
    infer = {
        "prompt_template": LABELS,
        "inferencer": {"type": "PPLInferencer", "fallback": "generate"},
    }
    rows = [{"question": "plum", "answer": "tart"}]
    with model_server(lambda request: "I say tart.") as server:
        [result] = run(tmp_path, server, infer, rows)
        assert server.requests[0].json["messages"] == [{"role": "user", "content": "plum "}]
    assert result.verdict == "passed"
    assert result.reason == "chose 'tart' (answered in words: 'I say tart.')"


def test_a_language_model_continues_a_text(tmp_path: Path, server: ModelServer) -> None:
    template = {"type": "PromptTemplate", "template": {"round": ROUND}}
    infer = {"prompt_template": template, "inferencer": {"type": "GenInferencer"}}
    rows = [{"question": "tea?", "answer": "x"}]
    run(tmp_path, server, infer, rows, kind="lm", meta_template="vicuna")
    assert server.requests[0].json["prompt"] == "USER: tea? ASSISTANT: "


FEW_SHOT = {
    "ice_template": {"type": "PromptTemplate", "template": "{question}={answer}"},
    "prompt_template": {
        "type": "PromptTemplate",
        "template": "</E>{question}=",
        "ice_token": "</E>",
    },
    "retriever": {"type": "TopkRetriever", "ice_num": 1, "embedding_model": MODEL},
    "inferencer": {"type": "GenInferencer"},
}
DRINKS = [{"question": word, "answer": word[0]} for word in ("tea", "ale", "milk", "tea")]


def sent(server: ModelServer, path: str) -> list[Any]:
    return [request.json for request in server.requests if request.path.endswith(path)]


def test_examples_are_found_by_a_servers_vectors(tmp_path: Path, server: ModelServer) -> None:
    run(tmp_path, server, FEW_SHOT, DRINKS, base_url=server.url)
    # Examples and test rows are the same here, so each row finds itself, and no text is sent twice.
    assert [body["input"] for body in sent(server, "/embeddings")] == [["tea", "ale", "milk"]]
    asked = [body["messages"][0]["content"] for body in sent(server, "/chat/completions")]
    assert sorted(asked) == ["ale=a\nale=", "milk=m\nmilk=", "tea=t\ntea="]


def test_vectors_come_from_the_cache_and_count_for_the_budget(
    tmp_path: Path, server: ModelServer
) -> None:
    first = run(tmp_path, server, FEW_SHOT, DRINKS, base_url=server.url)
    before = len(server.requests)
    again = run(tmp_path, server, FEW_SHOT, DRINKS, base_url=server.url)
    assert len(server.requests) == before
    assert [r.responses for r in again] == [r.responses for r in first]
    with pytest.raises(BudgetError):
        run(
            tmp_path, server, FEW_SHOT, DRINKS, options={"max_requests": 1, "use_cache": False},
            base_url=server.url,
        )  # fmt: skip
    assert len(server.requests) == before + 1


def test_a_failed_request_for_vectors_is_tried_again(tmp_path: Path) -> None:
    faults = iter(["500", *[None] * 99])
    with model_server("x", faults=faults) as server:
        results = run(tmp_path, server, FEW_SHOT, DRINKS, base_url=server.url)
        assert len(sent(server, "/embeddings")) == 2
    assert {r.verdict for r in results} == {"failed"}


def test_examples_after_which_the_model_is_surest(tmp_path: Path, server: ModelServer) -> None:
    retriever = {"type": "MDLRetriever", "ice_num": 1, "candidate_num": 3, "select_time": 4,
                 "embedding_model": MODEL, "scoring_model": MODEL}  # fmt: skip
    text = "</E>{question}={answer}"
    template = {"prompt_template": {**FEW_SHOT["prompt_template"], "template": text}}  # type: ignore[dict-item]
    results = run(
        tmp_path,
        server,
        {**FEW_SHOT, **template, "retriever": retriever},
        DRINKS,
        base_url=server.url,
    )
    rated = [body["prompt"] for body in sent(server, "/v1/completions")]
    assert len(rated) == len(set(rated)) > 0
    assert {prompt.rpartition("=")[2] for prompt in rated} == {"t", "a", "m"}  # every label
    assert all(body["echo"] for body in sent(server, "/v1/completions"))
    assert {r.error_kind for r in results} == {None}


def test_replay_sends_nothing_for_examples_either(tmp_path: Path, server: ModelServer) -> None:
    [result, *_] = run(tmp_path, server, FEW_SHOT, DRINKS, models="replay", base_url=server.url)
    assert (result.verdict, result.error_kind) == ("error", "prompt")
    assert "replay sends no requests" in result.reason
    assert server.requests == []


@pytest.mark.parametrize(
    "command", [["check"], ["render", "-n", "1"], ["run", "--dry-run", "--model", MODEL]]
)
def test_what_promises_to_send_nothing_leaves_the_examples_out(
    tmp_path: Path, server: ModelServer, command: list[str]
) -> None:
    run(tmp_path, server, FEW_SHOT, DRINKS, models="replay", base_url=server.url)
    result = lve(*command, str(tmp_path))
    assert "examples are left out: choosing them takes vectors of openai/m" in result.output
    assert server.requests == []


def test_render_sends_texts_where_it_is_told_to(tmp_path: Path, server: ModelServer) -> None:
    run(tmp_path, server, FEW_SHOT, DRINKS, models="replay", base_url=server.url)
    result = lve("render", str(tmp_path), "--embed")
    assert "examples: 2" in result.output
    assert [request.path for request in server.requests] == ["/v1/embeddings"]


PLAIN = {
    "prompt_template": {"type": "PromptTemplate", "template": "{question}"},
    "inferencer": {"type": "GenInferencer"},
}


def test_results_are_broken_down_by_a_column(tmp_path: Path, server: ModelServer) -> None:
    rows = [
        {"question": "a", "answer": "heard a", "level": "easy"},
        {"question": "b", "answer": "no", "level": "easy"},
        {"question": "c", "answer": "heard c", "level": "hard"},
        {"question": "d", "answer": "no", "level": None},
    ]
    run(tmp_path, server, PLAIN, rows, reader={"category_column": "level"}, base_url=server.url)
    command = ["run", str(tmp_path), "--base-url", server.url]
    lines = [line.split() for line in lve(*command, code=1).output.splitlines()]
    assert ["easy", "50.0%", "1/2", "passed"] in lines
    assert ["hard", "100.0%", "1/1", "passed"] in lines
    assert ["(none)", "0.0%", "0/1", "passed"] in lines
    [test] = json.loads(lve(*command, "--json", code=1).stdout)["tests"]
    score = test["score"]
    alike = score.pop("population")
    assert score == {"metric": "accuracy", "mean": 0.5, "count": 4}
    assert 0 < alike["low"] < 0.5 < alike["high"] < 1
    easy = {"passed": 1, "judged": 2, "errors": 0, "rate": 0.5, "score": 0.5}
    assert test["categories"]["easy"] == easy


def test_a_category_that_is_no_column_is_refused(tmp_path: Path, server: ModelServer) -> None:
    run(tmp_path, server, PLAIN, DRINKS, reader={"category_column": "topic"})
    result = lve("check", str(tmp_path), code=2)
    assert "the rows have no column 'topic' (known are question, answer)" in result.output


METRICS = {
    "em": None,
    "exact_match": None,
    "f1": None,
    "rouge1": None,
    "rouge2": None,
    "rougeL": None,
    "bleu": "sacrebleu",
    "chrf": "sacrebleu",
}
"""And the packages that they need."""


@pytest.mark.parametrize("metric", METRICS)
def test_the_report_has_the_mean_of_each_metric(
    tmp_path: Path, server: ModelServer, metric: str
) -> None:
    if package := METRICS[metric]:
        pytest.importorskip(package)
    run(tmp_path, server, PLAIN, [{"question": "q", "answer": "x"}], base_url=server.url)
    document = json.loads((tmp_path / "test.json").read_text(encoding="utf-8"))
    document["dataset"] = [
        {"question": "the cat sat on the mat", "answer": "heard the cat sat on the mat"},
        {"question": "the cat sat on the mat", "answer": "the cat sat on a rug"},
    ]
    document["checkers"] = [{"checker_name": "AnswerChecker", "metric": metric}]
    (tmp_path / "test.json").write_text(json.dumps(document), encoding="utf-8")
    command = ["run", str(tmp_path), "--base-url", server.url, "--json"]
    [test] = json.loads(lve(*command, code=None).stdout)["tests"]
    assert test["score"]["metric"] == metric
    assert test["score"]["count"] == 2
    first, second = (instance["score"] for instance in test["instances"])
    assert first == pytest.approx(1)
    assert second == 0 if metric in ("em", "exact_match") else 0 < second < 1
    assert test["score"]["mean"] == pytest.approx((first + second) / 2)


def test_rows_whose_data_is_taken_for_fields_are_told_with_file_and_line(
    tmp_path: Path, server: ModelServer
) -> None:
    run(tmp_path, server, PLAIN, DRINKS, base_url=server.url)
    document = json.loads((tmp_path / "test.json").read_text(encoding="utf-8"))
    document["dataset"] = {"train": "train.jsonl", "test": "rows.jsonl"}
    document["infer_cfg"] = {
        **FEW_SHOT,
        "retriever": {"type": "FixKRetriever", "fix_id_list": [1]},
    }
    (tmp_path / "test.json").write_text(json.dumps(document), encoding="utf-8")
    rows = [{"question": f"{n} is {{answer}}?", "answer": "x"} for n in range(8)]
    rows[3] = {"question": "plain", "answer": "{question}"}  # an earlier column isn't filled again
    examples = [{"question": "a", "answer": "b"}, {"question": "c", "answer": "{question}"}]
    for name, lines in (("rows", rows), ("train", examples)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    result = lve("run", str(tmp_path), "--base-url", server.url, "-j", "1", code=1)
    told = [line for line in result.stderr.splitlines() if "filled too" in line or "more" in line]
    assert len(told) == 6
    assert "rows.jsonl:1: warning: column 'question' contains the text {answer}" in told[0]
    example = "train.jsonl:2: warning: example 1: column 'answer' contains the text {question}"
    assert sum(example in line for line in told) == 1
    assert ".: 3 more warnings like these about its rows" in told[-1]


def test_a_chat_needs_no_template(tmp_path: Path, server: ModelServer) -> None:
    rows = [{"question": ["tea?", "ale?"], "answer": ["yes", "heard ale?"]}]
    [result] = run(tmp_path, server, {"inferencer": {"type": "ChatInferencer"}}, rows)
    assert result.verdict == "passed"
    assert [m["content"] for m in server.requests[0].json["messages"]] == ["tea?", "yes", "ale?"]


def test_other_inferencers_need_one(tmp_path: Path, server: ModelServer) -> None:
    missing = "`prompt_template` or `ice_template` is missing"
    with pytest.raises(SpecError, match=missing):
        run(tmp_path, server, {"inferencer": {"type": "GenInferencer"}}, [])
    columns = {"input_columns": ["question", "more"]}
    rows = [{"question": "tea?", "more": "ale?", "answer": "x"}]
    chat = {"inferencer": {"type": "ChatInferencer"}}
    [result] = run(tmp_path, server, chat, rows, reader=columns)
    assert "one input column, not 2: write a `prompt_template`" in str(result.reason)
