"""`hf/PATH`: chatting, continuing, rating and embedding with a tiny model."""

from __future__ import annotations

import asyncio
import math
import shutil
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from extensions.hf.tiny_model import CHAT_TEMPLATE, make_tiny_model
from support.packages import needs

from lve.errors import PermanentModelError, TransientModelError
from lve.extensions.hf.generation import continue_batch
from lve.extensions.hf.model import HFModel
from lve.extensions.opencompass.likelihood import average_nll, scored_tokens
from lve.messages import Completion, Message, Role, Tool
from lve.models.chat_model import ChatModel, ChatRequest, EmbeddingModel
from lve.models.registry import create_model
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

pytestmark = needs("torch", "transformers")


T = TypeVar("T")
GREEDY = {"temperature": 0.0, "max_tokens": 12}
QUESTION = "Question: What is the capital of France, and what is the capital of Italy? Answer:"


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a local model reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def use(folder: Path, job: Callable[[Any], Awaitable[T]], *, write: Any = None, **entry: Any) -> T:
    async def run() -> T:
        settings = Settings(models={"m": ModelSettings(provider="hf", model=str(folder), **entry)})
        model = create_model("m", settings, write=write)
        try:
            return await job(model)
        finally:
            await model.aclose()

    return asyncio.run(run())


def completed(folder: Path, *requests: ChatRequest, **entry: Any) -> list[Completion]:
    async def job(model: ChatModel) -> list[Completion]:
        return list(await asyncio.gather(*(model.complete(request) for request in requests)))

    return use(folder, job, **entry)


def text(prompt: str, **args: Any) -> ChatRequest:
    return ChatRequest(prompt=prompt, args={**GREEDY, **args})


def rated(prompt: str) -> ChatRequest:
    return ChatRequest(prompt=prompt, score=True)


def reference(folder: Path) -> tuple[Any, Any]:
    import transformers

    network = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    return network, transformers.AutoTokenizer.from_pretrained(folder)


def test_greedy_answers_are_those_of_transformers_also_in_a_batch(tiny: Path) -> None:
    network, tokenizer = reference(tiny)
    prompts = ["The capital", QUESTION, "a", "It was a bright cold day in April"]
    expected = []
    for prompt in prompts:
        ids = tokenizer(prompt, return_tensors="pt")
        ids.pop("token_type_ids", None)  # of transformers 4
        out = network.generate(**ids, do_sample=False, max_new_tokens=12, pad_token_id=0)
        new = out[0, ids["input_ids"].shape[1] :]
        expected.append(tokenizer.decode(new, skip_special_tokens=True))
    found = completed(tiny, *(text(prompt) for prompt in prompts))
    assert [one.text for one in found] == expected
    usage = found[0].usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens) == (3, 12)
    assert found[0].finish_reason == "length"


def test_messages_go_through_the_chat_template_which_may_refuse_or_write_nothing(
    tmp_path: Path,
) -> None:
    """One model for all three: its template is rendered in a process that takes long to start."""
    first = "{% if messages[0].content == 'refuse' %}{{ raise_exception('roles must alternate') }}"
    picky = f"{first}{{% elif messages[0].content %}}{CHAT_TEMPLATE}{{% endif %}}"
    messages = (Message("Be kind.", Role.system), Message("Hello"))

    async def job(model: ChatModel) -> list[Any]:
        requests = [
            ChatRequest(messages, GREEDY),
            text("system: Be kind.\nuser: Hello\nassistant: "),
            ChatRequest((Message("refuse"),), GREEDY),
            ChatRequest((Message(""),), GREEDY),
        ]
        return await asyncio.gather(*map(model.complete, requests), return_exceptions=True)

    folder = make_tiny_model(tmp_path / "picky", chat_template=picky)
    chat, same, refused, mute = use(folder, job)
    assert chat.text == same.text
    assert isinstance(refused, PermanentModelError)
    assert "refuses these messages: roles must alternate" in str(refused)
    assert isinstance(mute, PermanentModelError)
    assert "an empty prompt can't be continued" in str(mute)
    assert mute.kind == "bad_request"


def test_a_meta_template_of_the_settings_wins_over_the_chat_template(tiny: Path) -> None:
    def write(messages: Any) -> str:
        return f"[{messages[0].content}]"

    (chat,) = completed(tiny, ChatRequest((Message("Hello"),), GREEDY), write=write)
    (same,) = completed(tiny, text("[Hello]"))
    assert chat.text == same.text


def test_without_any_template_messages_are_lines(tmp_path: Path) -> None:
    base = make_tiny_model(tmp_path / "base", chat_template=None)
    messages = (Message("one", Role.system), Message("two"))
    chat, same = completed(base, ChatRequest(messages, GREEDY), text("one\ntwo"))
    assert chat.text == same.text


def test_a_stop_text_ends_the_answer_before_it(tiny: Path) -> None:
    (whole,) = completed(tiny, text(QUESTION, max_tokens=40))
    stop = whole.text[4:6]
    (cut,) = completed(tiny, text(QUESTION, max_tokens=40, stop=[stop]))
    assert cut.text == whole.text[: whole.text.index(stop)]
    assert cut.finish_reason == "stop"
    assert cut.usage is not None
    assert cut.usage.completion_tokens < 40


def test_a_seed_gives_the_same_answer_whatever_is_beside_it(tiny: Path) -> None:
    hot = {"temperature": 1.0, "seed": 5}
    (alone,) = completed(tiny, text(QUESTION, **hot))
    beside = completed(
        tiny,
        text(QUESTION, **hot),
        text("The", temperature=2.0),
        text(QUESTION, **{**hot, "seed": 6}),
    )
    assert beside[0].text == alone.text
    assert beside[2].text != alone.text


def test_top_k_of_one_is_greedy(tiny: Path) -> None:
    greedy, sampled = completed(tiny, text(QUESTION), text(QUESTION, temperature=1.0, top_k=1))
    assert greedy.text == sampled.text


def test_rated_texts_have_the_logprobs_of_transformers(tiny: Path) -> None:
    import torch

    network, tokenizer = reference(tiny)
    prompts = [
        *(f"{QUESTION} {label}" for label in ("Paris", "Rome and", "five")),
        "naïve 日本",
        "a",
    ]
    found = completed(tiny, *map(rated, prompts))
    for prompt, completion in zip(prompts, found, strict=True):
        ids = tokenizer(prompt, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            logprobs = network(ids).logits[0].log_softmax(-1)
        expected = logprobs[:-1].gather(1, ids[0, 1:, None])[:, 0].tolist()
        values = [value for _, value, _ in completion.logprobs]
        assert values[0] is None
        assert values[1:] == pytest.approx(expected, abs=1e-4)


def test_rated_tokens_know_their_places(tiny: Path) -> None:
    (found,) = completed(tiny, rated("The capital is 日"))
    tokens = scored_tokens(found, "m")
    assert (tokens[0].text, tokens[0].start) == ("<s>", -3)
    assert [token.text for token in tokens[1:5]] == ["The", " capital", " is", " "]
    assert [(token.text, token.start) for token in tokens[5:]] == [("日", 15)] * 3
    assert tokens[1].logprob is None
    counted = [token.logprob for token in tokens if token.logprob is not None]
    assert average_nll(tokens) == pytest.approx(-sum(counted) / len(counted))


def test_an_empty_text_can_be_rated(tiny: Path) -> None:
    (found,) = completed(tiny, rated(""))
    assert math.isinf(average_nll(scored_tokens(found, "m")))


def test_what_labels_share_is_computed_once(tiny: Path) -> None:
    computed: list[int] = []

    def count(module: Any, positional: Any, given: dict[str, Any]) -> None:
        computed.append(given["input_ids"].numel())

    async def job(model: HFModel) -> None:
        await model.complete(rated("The model is loaded."))
        network = model._network.scorer._network
        network.register_forward_pre_hook(count, with_kwargs=True)
        prompts = [f"{QUESTION} {label}" for label in ("Paris", "Rome", "five", "France")]
        await asyncio.gather(*(model.complete(rated(prompt)) for prompt in prompts))

    _, tokenizer = reference(tiny)
    shared = len(tokenizer(QUESTION)["input_ids"])
    use(tiny, job)
    assert shared < sum(computed) < shared + 4 * 8


@pytest.mark.parametrize("limit", [1, 40, 100])
def test_small_batches_give_the_same_numbers(tiny: Path, limit: int) -> None:
    prompts = [f"{QUESTION} {n} {label}" for n in "ab" for label in ("Paris", "Rome", "five")]
    usual = completed(tiny, *map(rated, prompts))
    small = completed(tiny, *map(rated, prompts), options={"batch_tokens": limit})
    for one, other in zip(usual, small, strict=True):
        assert [v for _, v, _ in one.logprobs[1:]] == pytest.approx(
            [v for _, v, _ in other.logprobs[1:]], abs=1e-4
        )


def test_many_requests_at_once(tiny: Path) -> None:
    prompts = [f"{n} {'capital ' * (n % 7)}" for n in range(50)]
    together = completed(tiny, *(text(p, max_tokens=4) for p in prompts), options={"batch_size": 8})
    (alone,) = completed(tiny, text(prompts[33], max_tokens=4))
    assert len(together) == 50
    assert together[33].text == alone.text


def test_a_finished_answer_does_not_wait_and_its_place_is_taken(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def noted(network: Any, tokenizer: Any, rows: Any, **how: Any) -> None:
        sizes.append(len(rows))
        continue_batch(network, tokenizer, rows, **how)

    monkeypatch.setattr("lve.extensions.hf.network.continue_batch", noted)
    done: list[int] = []

    async def job(model: ChatModel) -> list[Completion]:
        async def ask(number: int, tokens: int) -> Completion:
            answer = await model.complete(text(f"{QUESTION} {number}", max_tokens=tokens))
            done.append(number)
            return answer

        return await asyncio.gather(*(ask(n, 90 if n == 0 else 3) for n in range(40)))

    answers = use(tiny, job, options={"batch_size": 4})
    assert [one.usage and one.usage.completion_tokens for one in answers] == [90, *[3] * 39]
    assert sorted(done) == [*range(40)]
    assert done.index(0) > 4, "the others didn't wait for the long one"
    assert sizes[:-2] == [4] * len(sizes[:-2]), "batches are full until nothing waits"
    (alone,) = completed(tiny, text(f"{QUESTION} 0", max_tokens=90))
    assert answers[0].text == alone.text


def test_the_loop_goes_on_while_the_model_works(tiny: Path) -> None:
    async def job(model: ChatModel) -> int:
        answer = asyncio.ensure_future(model.complete(text(QUESTION, max_tokens=60)))
        turns = 0
        while not answer.done():
            await asyncio.sleep(0.001)
            turns += 1
        await answer
        return turns

    assert use(tiny, job) > 10


def test_an_answer_that_takes_too_long_is_given_up(tiny: Path) -> None:
    async def job(model: ChatModel) -> None:
        await model.complete(text("warm up", max_tokens=1))
        # Shorter than the worker waits for further requests of the batch, however fast it is.
        await model.complete(ChatRequest(prompt="a", args={"max_tokens": 500}, timeout_s=1e-6))

    with pytest.raises(TransientModelError, match="no answer within"):
        use(tiny, job)


def test_a_prompt_that_does_not_fit_fails_alone(tiny: Path) -> None:
    async def job(model: ChatModel) -> list[Any]:
        requests = [text("x " * 600), rated("x " * 600), text("fine")]
        return await asyncio.gather(*map(model.complete, requests), return_exceptions=True)

    long, long_rated, fine = use(tiny, job)
    assert isinstance(long, PermanentModelError)
    assert isinstance(long_rated, PermanentModelError)
    assert long.kind == long_rated.kind == "too_long"
    assert "holds 512 tokens" in str(long)
    assert isinstance(fine, Completion)


def test_an_answer_ends_where_the_model_is_full(tmp_path: Path) -> None:
    short = make_tiny_model(tmp_path / "short", length=16)
    (found,) = completed(short, text("The capital", max_tokens=100))
    assert found.usage is not None
    assert found.usage.total_tokens == 16


def test_a_prompt_may_leave_room_for_a_single_token(tmp_path: Path, tiny: Path) -> None:
    (first,) = completed(tiny, text("The capital"))
    assert first.usage is not None
    number = first.usage.prompt_tokens
    (found,) = completed(make_tiny_model(tmp_path / "one", length=number + 1), text("The capital"))
    assert found.usage is not None
    assert found.usage.completion_tokens == 1
    with pytest.raises(PermanentModelError, match=f"holds {number} tokens"):
        completed(make_tiny_model(tmp_path / "none", length=number), text("The capital"))


@pytest.mark.parametrize(
    ("request_", "kind", "said"),
    [
        (text("a", logit_bias={}), "bad_request", "no model arg 'logit_bias'"),
        (ChatRequest((Message("a"),), score=True), "not_supported", "only a text"),
        (
            ChatRequest((Message("a", image_url="data:image/png;base64,"),), GREEDY),
            "not_supported",
            "takes text only",
        ),
    ],
)
def test_what_it_cannot_do_it_says(tiny: Path, request_: ChatRequest, kind: str, said: str) -> None:
    with pytest.raises(PermanentModelError, match=said) as caught:
        completed(tiny, request_)
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"options": {"device": "cuda:99"}}, "the device 'cuda:99' can't be used"),
        ({"options": {"dtype": "nonsense"}}, "no dtype 'nonsense'"),
    ],
)
def test_options_that_only_torch_can_judge(tiny: Path, entry: dict[str, Any], said: str) -> None:
    with pytest.raises(PermanentModelError, match=said):
        completed(tiny, text("a"), **entry)


def test_another_precision_changes_the_numbers_a_little(tiny: Path) -> None:
    (full,) = completed(tiny, rated(QUESTION))
    (half,) = completed(tiny, rated(QUESTION), options={"dtype": "bfloat16", "device": "cpu"})
    wanted, found = ([value for _, value, _ in one.logprobs[1:]] for one in (full, half))
    assert found != wanted
    assert found == pytest.approx(wanted, abs=0.5)


def test_broken_weights_are_reported(tiny: Path, tmp_path: Path) -> None:
    for file in tiny.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(PermanentModelError, match="can't be loaded"):
        completed(tmp_path, text("a"))


def test_pickled_weights_are_not_loaded(tiny: Path, tmp_path: Path) -> None:
    import torch

    for file in tiny.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "model.safetensors").unlink()
    network, _ = reference(tiny)
    torch.save(network.state_dict(), tmp_path / "pytorch_model.bin")
    with pytest.raises(PermanentModelError, match="can't be loaded"):
        completed(tmp_path, text("a"))


@pytest.mark.parametrize("pooling", ["mean", "cls", "last"])
def test_embeddings(tiny: Path, pooling: str) -> None:
    texts = ["The capital of France", "a", "The capital of France", ""]

    async def job(model: EmbeddingModel) -> list[list[float]]:
        assert isinstance(model, EmbeddingModel)
        return await model.embed(texts)

    first, other, again, _ = use(tiny, job, options={"pooling": pooling, "batch_size": 3})
    assert len(first) == 64
    assert sum(x * x for x in first) == pytest.approx(1, abs=1e-5)
    assert first == pytest.approx(again, abs=1e-5)
    if pooling == "cls":  # here all texts begin with the same token, and it sees no other
        assert first == pytest.approx(other, abs=1e-5)
    else:
        assert first != pytest.approx(other, abs=1e-2)


def test_a_long_text_is_cut_to_what_the_tokenizer_allows(tiny: Path, tmp_path: Path) -> None:
    import transformers

    folder = Path(shutil.copytree(tiny, tmp_path / "roberta"))
    positions = 34  # RoBERTa's first two are never used
    config = transformers.RobertaConfig(
        vocab_size=512,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=positions,
    )
    transformers.RobertaModel(config).save_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.model_max_length = positions - 2
    tokenizer.save_pretrained(folder)
    long = "The capital of France is Paris. " * 20
    first, same = use(folder, lambda model: model.embed([long, long + "And more."]))
    assert first == pytest.approx(same, abs=1e-5)


def test_damaged_weights_rate_nothing(tiny: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = Path(shutil.copytree(tiny, tmp_path / "damaged"))
    file = folder / "model.safetensors"
    damaged = {name: weights * math.nan for name, weights in load_file(file).items()}
    save_file(damaged, file, metadata={"format": "pt"})
    with pytest.raises(PermanentModelError, match="rates the prompt with NaN"):
        completed(folder, rated("The capital"))


def test_tools_are_refused(tiny: Path) -> None:
    asked = ChatRequest((Message("hello"),), GREEDY, tools=(Tool("f"),))
    with pytest.raises(PermanentModelError, match="calls no tools") as caught:
        use(tiny, lambda model: model.complete(asked))
    assert caught.value.kind == "not_supported"
