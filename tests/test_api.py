"""Running tests from Python."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from support.folders import write_sums, write_test
from support.server import ModelServer, model_server

import lve
from lve.errors import SpecError, UsageError


def test_run_takes_a_path(root: Path) -> None:
    write_sums(root / "t", 3)
    result = lve.run("t", model="replay")
    assert (result.passed, result.exit_code(), result.status) == (True, 0, "complete")
    assert sorted(one.line for one in result.results) == [1, 2, 3]
    assert result.folder is not None
    assert len(list(result.folder.results())) == 3


def test_run_takes_a_loaded_test(root: Path) -> None:
    spec = lve.load(write_sums(root / "t", 3))
    result = lve.run(spec, model="replay")
    assert result.passed
    assert result.folder is not None
    assert result.folder.info()["paths"] == [str(spec.file)], "so that it can be resumed"


def test_a_warning_names_the_callers_line(root: Path) -> None:
    write_test(root / "t", default_model_args={"temprature": 1})
    with pytest.warns(UserWarning, match="temprature") as told:
        lve.run("t")
    assert {warning.filename for warning in told} == {__file__}


def test_run_takes_several_and_reports_invalid_ones(root: Path) -> None:
    write_test(root / "good")
    write_test(root / "bad", prompt=None)
    result = lve.run(["good", "bad"])
    assert [test.path for test in result.invalid] == ["bad"]
    assert [one.verdict for one in result.results] == ["passed"]
    assert result.exit_code() == 2


def test_one_invalid_test_is_an_exception(root: Path) -> None:
    write_test(root / "bad", prompt=None)
    with pytest.raises(SpecError, match="is missing"):
        lve.run("bad")


def test_options_are_those_of_the_command_line(root: Path) -> None:
    write_sums(root / "t", 2)
    with model_server() as server:
        result = lve.run(
            "t",
            model=["openai/m"],
            base_url=server.url,
            parameters={"a": "1", "b": "2"},
            model_args={"seed": 5},
            repeats=2,
            use_cache=False,
        )
    assert [one.responses for one in result.results] == [("3",), ("3",)]
    assert server.requests[0].json["seed"] == 5
    assert result.requests == 2


def test_an_unknown_option_is_named(root: Path) -> None:
    with pytest.raises(TypeError, match=r"^lve\.run: .*'modle'; did you mean `model`\?$"):
        lve.run("t", modle="x")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^lve\.run: missing .*'tests'$"):
        lve.run()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^lve\.arun: .*'modle'; did you mean `model`\?$"):
        asyncio.run(lve.arun("t", modle="x"))  # type: ignore[call-arg]


def test_run_within_a_loop_names_arun(root: Path) -> None:
    async def run() -> None:
        lve.run("t")

    with pytest.raises(UsageError, match=r"lve.run can't .* write `await lve\.arun\(\.\.\.\)`"):
        asyncio.run(run())


def test_a_scripted_model_answers(root: Path) -> None:
    write_sums(root / "t", 2)
    model = lve.ScriptedModel(lambda request: str(sum(numbers(request))), name="my/sums")
    result = lve.run("t", model=model)
    assert result.passed
    assert {one.model for one in result.results} == {"my/sums"}
    assert len(model.requests) == 2


class Closable:
    """The least that makes a model."""

    identity = None

    def __init__(self, name: str, *, is_free: bool = True) -> None:
        self.name = name
        self.is_free = is_free
        self.closed = False

    async def complete(self, request: lve.ChatRequest) -> lve.Completion:
        return lve.Completion(str(sum(numbers(request))))

    async def aclose(self) -> None:
        self.closed = True


def test_own_models_run_beside_named_ones_and_stay_open(root: Path) -> None:
    write_sums(root / "t", 1)
    model = Closable("mine")
    for _ in range(2):
        result = asyncio.run(lve.arun("t", model=["replay", model], max_cost=1.0))
        assert sorted(one.model for one in result.results) == ["mine", "replay"]
        assert result.passed
    assert not model.closed


def test_an_own_model_under_a_cap_on_cost_has_a_price_or_is_free(root: Path) -> None:
    write_sums(root / "t", 1)
    model = Closable("mine", is_free=False)
    with pytest.raises(UsageError, match=r"price of mine: .*, or give the model is_free = True"):
        lve.run("t", model=model, max_cost=1.0)
    (root / "lve.yaml").write_text("models: {mine: {price: {input: 1, output: 1}}}")
    assert lve.run("t", model=model, max_cost=1.0).passed


def test_the_settings_of_an_own_models_name_hold(root: Path) -> None:
    write_sums(root / "t", 1)
    (root / "lve.yaml").write_text("models: {mine: {args: {seed: 7}}}", encoding="utf-8")
    model = lve.ScriptedModel(["3"], name="mine")
    lve.run("t", model=model, keep=False)
    assert model.requests[0].args["seed"] == 7


def test_what_is_no_model_is_refused(root: Path) -> None:
    write_sums(root / "t", 1)
    with pytest.raises(UsageError, match=r"a name, a function or a lve.ChatModel, not int"):
        lve.run("t", model=3)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"not a class: make one, such as Closable\(\.\.\.\)"):
        lve.run("t", model=[Closable])  # type: ignore[list-item]
    with pytest.raises(UsageError, match="two models have the name 'm'"):
        lve.run("t", model=[Closable("m"), Closable("m")])


def numbers(request: lve.ChatRequest) -> list[int]:
    """Return the numbers of the last message."""
    return [int(digits) for digits in re.findall(r"\d+", str(request.messages[-1].content))]


def test_nothing_is_kept_when_asked(root: Path) -> None:
    write_test(root / "t")
    result = lve.run("t", keep=False)
    assert (result.passed, result.session, len(result.results)) == (True, None, 1)
    assert not (root / ".lve").exists()


def test_arun_works_within_a_loop(root: Path) -> None:
    write_test(root / "t")
    assert asyncio.run(lve.arun("t")).passed


def test_arun_can_be_cancelled(root: Path) -> None:
    write_sums(root / "t", 20)

    async def run(server: ModelServer) -> None:
        task = asyncio.create_task(lve.arun("t", model="openai/m", base_url=server.url))
        while not server.requests:  # noqa: ASYNC110 (another thread's list)
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with model_server(latency_s=30) as server:
        asyncio.run(run(server))


def test_discover_and_load(root: Path) -> None:
    write_test(root / "a")
    write_test(root / "b" / "c")
    assert [lve.load(path).path for path in lve.discover(root)] == ["a", "b/c"]


def test_assert_passed_shows_what_is_wrong(root: Path) -> None:
    write_test(root / "t", default_model_args={"response": "no \x1b[31m way"})
    lve.assert_passed(lve.run(write_test(root / "good")))
    with pytest.raises(AssertionError) as caught:
        lve.assert_passed(lve.run("t"))
    assert "no \\x1b[31m way" in str(caught.value)
    assert str(caught.value).startswith("1 test: 1 failed (exit code 1)\n")
    assert str(caught.value).count("1 test: 1 failed") == 1


def test_a_result_is_printed_as_a_line_of_numbers(root: Path) -> None:
    write_test(root / "t", default_model_args={"response": "no"})
    write_test(root / "u", skip="later")
    result = lve.run(".")
    assert str(result) == (
        "<RunResult: 2 tests: 1 failed, 1 skipped; 1 row: 1 failed; exit code 1; "
        f"session {result.session}>"
    )


def test_a_mistake_comes_without_the_error_of_another(root: Path) -> None:
    with pytest.raises(lve.UsageError) as refused:
        lve.run("nowhere")
    assert refused.value.__context__ is None


def test_params_have_the_paths_as_ids(root: Path) -> None:
    write_test(root / "a")
    write_test(root / "b")
    assert [param.id for param in lve.params(root)] == ["a", "b"]


def test_a_prompt_is_translated_through_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    prompt = lve.Prompt(
        name="river",
        instruction="Where does the river end?",
        examples=[{"river": "Danube", "answer": "Black Sea"}],
        input_keys=["river"],
        output_key="answer",
        output_type="str",
    )
    with model_server(["Donau", "Schwarzes Meer"], faults=["503", None, None]) as server:
        adapted = lve.adapt(
            prompt, "german", "openai/m", base_url=server.url, cache_dir=tmp_path / "prompts"
        )
        assert len(server.requests) == 3
    assert adapted.examples == [{"river": "Donau", "answer": "Schwarzes Meer"}]
    assert (tmp_path / "prompts/german/river.json").is_file()


@pytest.mark.filterwarnings("error")
def test_a_warning_that_is_an_error_is_told_as_one(root: Path) -> None:
    """And as no bug of lve."""
    write_test(root / "t", default_model_args={"temprature": 1})
    with pytest.raises(UsageError, match=r"`temprature` is sent.*make warnings errors"):
        lve.run("t", model="dummy/dummy")
