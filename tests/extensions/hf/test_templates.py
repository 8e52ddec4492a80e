"""Chat templates: rendered as transformers does, with limits, because they are untrusted."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from extensions.hf.tiny_model import make_tiny_model
from support.packages import needs

from lve.child.helper import MAX_CRASHES
from lve.errors import PermanentModelError
from lve.extensions.hf import templates
from lve.extensions.hf.templates import TemplateRenderer
from lve.messages import Message
from lve.models.chat_model import ChatRequest
from lve.models.registry import create_model
from lve.settings.settings import Settings

pytestmark = needs("torch", "transformers")


MESSAGES = [
    {"role": "system", "content": "Be short.\n"},
    {"role": "user", "content": "<b>Grüße</b>, 世界 \ud83d {{ 1 }}"},
]
SPECIAL = {"bos_token": "<s>", "eos_token": "</s>", "additional_special_tokens": ["<x>"]}
HONEST = {
    "plain": (
        "{{ bos_token }}{% for m in messages %}{{ m['role'] ~ ': ' ~ m.content }}\n{% endfor %}"
    ),
    "chatml": (
        "{%- for message in messages %}\n"
        "    {{- '<|im_start|>' + message.role + '\\n' }}\n"
        "    {{- message.content | trim + '<|im_end|>\\n' }}\n"
        "{%- endfor %}\n"
        "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
    ),
    "tools": (
        "{% if tools %}{{ raise_exception('no') }}{% endif %}{% set ns = namespace(n=0) %}"
        "{% for m in messages %}{% if loop.first %}{% continue %}{% endif %}"
        "{% set ns.n = ns.n + 1 %}{{ m | tojson }}{% endfor %}{{ ns.n }}{{ strftime_now('%Z') }}"
    ),
    "generation": "{% generation %}{{ messages[-1]['content'] }}{% endgeneration %}{{ eos_token }}",
}
HOSTILE = {
    "loops": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "a text of gigabytes": "{{ 'x' * 10**10 }}",
    "a long list": "{% set x = [0] * 10**10 %}",
    "a large number": "{% set x = 7 ** (10 ** 9) %}",
    "doubling": "{% set n = namespace(x='x') %}"
    "{% for a in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
    "a wide text": "{{ 'x'.center(10**10) }}",
    "a wide format": "{{ '%10000000000d' % 1 }}",
    "much to print": "{% for a in range(99999) %}{{ 'x' * 99999 }}{% endfor %}",
    "renderer": "{{ lipsum(n=100000000) }}",
    "calls of itself": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "nested brackets": "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "not a template": "{% for %}",
    "a long template": "x" * 1_000_001,
    "a long text": "{% for i in range(3000) %}{{ 'abcd ' * 10000 }}{% endfor %}",
    "files": "{% include '/etc/passwd' %}",
    "other templates": "{% import '/etc/passwd' as x %}{{ x }}",
    "a wrong type": "{{ 1 + 'x' }}",
    "inside Python": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
}
SHORT_S = 1.0
LATEST_S = 60.0
"""Generous: without limits, these would run for years or take all memory."""


@pytest.fixture(scope="module")
def renderer() -> Iterator[TemplateRenderer]:
    pytest.importorskip("transformers")
    patch = pytest.MonkeyPatch()
    patch.setattr(templates, "RENDER_S", SHORT_S)
    patch.setenv("OPENAI_API_KEY", "sk-secret-of-mine")
    patch.setenv("HF_TOKEN", "hf-secret-of-mine")
    renderer = TemplateRenderer()
    yield renderer
    renderer.close()
    patch.undo()


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_template_is_filled_as_transformers_does(
    name: str, renderer: TemplateRenderer
) -> None:
    from transformers.utils.chat_template_utils import render_jinja_template

    expected, _ = render_jinja_template(
        conversations=[MESSAGES], chat_template=HONEST[name], add_generation_prompt=True, **SPECIAL
    )
    assert renderer.render(HONEST[name], MESSAGES, SPECIAL) == expected[0]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_template_is_an_error_and_the_next_one_is_filled(
    name: str, renderer: TemplateRenderer
) -> None:
    started = time.monotonic()
    with pytest.raises(PermanentModelError, match="chat template") as caught:
        renderer.render(HOSTILE[name], MESSAGES, SPECIAL)
    assert time.monotonic() - started < LATEST_S
    assert len(str(caught.value)) < 500
    assert renderer.render("{{ bos_token }}!", MESSAGES, SPECIAL) == "<s>!"


def test_a_template_that_hangs_every_time_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("transformers")
    monkeypatch.setattr(templates, "RENDER_S", 0.5)
    renderer = TemplateRenderer()
    for _ in range(MAX_CRASHES):
        with pytest.raises(PermanentModelError, match="took longer"):
            renderer.render(HOSTILE["loops"], MESSAGES, SPECIAL)
    with pytest.raises(PermanentModelError, match="process ended 3 times in a row"):
        renderer.render("x", MESSAGES, SPECIAL)
    renderer.close()


def test_the_process_has_no_keys(renderer: TemplateRenderer) -> None:
    renderer.render("x", MESSAGES, {})
    assert renderer._child is not None
    environment = Path(f"/proc/{renderer._child._process.pid}/environ")
    if not environment.exists():
        pytest.skip("needs /proc")
    assert "secret-of-mine" in os.environ["HF_TOKEN"]
    assert b"secret-of-mine" not in environment.read_bytes()


def test_a_model_with_a_hostile_template_is_an_error_of_the_instance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates, "RENDER_S", SHORT_S)
    folder = make_tiny_model(tmp_path / "model", chat_template=HOSTILE["loops"])

    async def run() -> None:
        model = create_model(f"hf/{folder}", Settings())
        try:
            with pytest.raises(PermanentModelError, match=r"took longer than 1 s and was stopped$"):
                await model.complete(ChatRequest((Message("Hi"),), {"max_tokens": 1}))
            answer = await model.complete(ChatRequest(prompt="Hi", args={"max_tokens": 1}))
            assert answer.finish_reason is not None
        finally:
            await model.aclose()

    asyncio.run(run())
