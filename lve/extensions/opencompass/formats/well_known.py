"""Meta templates of well-known models, by name.

Sources: the chat template in each model's tokenizer configuration. `lm` templates leave out the
leading `<s>`/`<bos>` token, which servers add to a text themselves.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from lve.errors import TemplateError


def _turns(human: tuple[str, str], bot: tuple[str, str], system: tuple[str, str] | None = None,
           begin: str = "") -> dict[str, object]:  # fmt: skip
    roles = [
        {"role": "HUMAN", "begin": human[0], "end": human[1]},
        {"role": "BOT", "begin": bot[0], "end": bot[1], "generate": True},
    ]
    template: dict[str, object] = {"round": roles}
    if system:
        template["reserved_roles"] = [{"role": "SYSTEM", "begin": system[0], "end": system[1]}]
    if begin:
        template["begin"] = begin
    return template


def _headers(header: str, end: str) -> dict[str, object]:
    human, bot, system = (header.format(role) for role in ("user", "assistant", "system"))
    return _turns((human, end), (bot, end), (system, end))


_BOT = {"role": "BOT", "api_role": "BOT", "generate": True}
API: Mapping[str, Any] = {
    "round": [
        {"role": "SYSTEM", "api_role": "SYSTEM"},
        {"role": "HUMAN", "api_role": "HUMAN"},
        _BOT,
    ],
    "only_spoken": True,
}
"""For chat servers: messages are sent unchanged."""
HF_CHAT: Mapping[str, Any] = {
    "round": [
        {"role": "HUMAN", "api_role": "HUMAN"},
        {"role": "SYSTEM", "api_role": "HUMAN"},
        _BOT,
    ],
    "drop_empty": True,
}
"""The default of OpenCompass' models with a chat template."""
AISBENCH_HF_CHAT: Mapping[str, Any] = {
    "round": [{"role": "HUMAN", "api_role": "HUMAN"}, _BOT],
    "reserved_roles": [{"role": "SYSTEM", "api_role": "SYSTEM"}],
    "drop_empty": True,
}
"""The same default in AISBench."""
CHAT_FORMATS = ("api", "hf-chat")
"""Names of the meta templates for chat messages; the others write texts."""

_LLAMA3 = "<|start_header_id|>{}<|end_header_id|>\n\n"

META_TEMPLATES: Mapping[str, Mapping[str, Any]] = {
    "api": API,
    "hf-chat": HF_CHAT,
    "chatml": _headers("<|im_start|>{}\n", "<|im_end|>\n"),
    "deepseek": _turns(("<｜User｜>", ""), ("<｜Assistant｜>", "<｜end▁of▁sentence｜>"), ("", "")),
    "gemma": _turns(
        ("<start_of_turn>user\n", "<end_of_turn>\n"), ("<start_of_turn>model\n", "<end_of_turn>\n")
    ),
    "llama2": _turns(("[INST] ", " [/INST]"), (" ", " </s><s>"), ("<<SYS>>\n", "\n<</SYS>>\n\n")),
    "llama3": _headers(_LLAMA3, "<|eot_id|>"),
    "mistral": _turns(("[INST] ", " [/INST]"), (" ", "</s>")),
    "phi3": _headers("<|{}|>\n", "<|end|>\n"),
    "qwen": _headers("<|im_start|>{}\n", "<|im_end|>\n"),
    "vicuna": _turns(("USER: ", " "), ("ASSISTANT: ", "</s>"), ("", " ")),
    "zephyr": _headers("<|{}|>\n", "</s>\n"),
}


def resolve_meta_template(meta_template: object, kind: str, dialect: str = "opencompass") -> object:
    """Return a copy of the meta template with a name; one that isn't a name is returned unchanged.

    Raises:
        TemplateError: there is no such name, or it is for the other kind of model; stage `model`.
    """
    if not isinstance(meta_template, str):
        return meta_template
    if meta_template not in META_TEMPLATES:
        raise TemplateError(
            f"there is no meta template {meta_template!r}; there are {', '.join(META_TEMPLATES)}",
            stage="model",
        )
    if kind == "lm" and meta_template in CHAT_FORMATS:
        message = f"the meta template {meta_template!r} is for chat messages: use `kind: api`"
        raise TemplateError(message, stage="model")
    if kind == "api" and meta_template not in CHAT_FORMATS:
        # A chat server applies its model's template itself.
        return copy.deepcopy(API)
    if meta_template == "hf-chat" and dialect == "aisbench":
        return copy.deepcopy(AISBENCH_HF_CHAT)
    return copy.deepcopy(META_TEMPLATES[meta_template])
