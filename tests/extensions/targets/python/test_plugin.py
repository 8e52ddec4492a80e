"""Functions of the workspace as models, in processes of their own."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from extensions.targets.targets import asked, conversation, target

from lve.errors import (
    ModelError,
    PermanentModelError,
    SettingsError,
    TrustError,
)
from lve.extensions.targets.python.plugin import takes_of
from lve.extensions.targets.request import NAMES
from lve.messages import Message, Role, ToolCall, Usage
from lve.models.chat_model import ChatModel, ChatRequest
from lve.models.registry import create_model
from lve.settings.settings import Settings


def function(root: Path, source: str, name: str = "answer", **options: Any) -> ChatModel:
    (root / "app").mkdir(exist_ok=True)
    (root / "app" / "answers.py").write_text(source, encoding="utf-8")
    fields = {key: options.pop(key) for key in ("timeout_s",) if key in options}
    return target(root, "python", {"function": f"app.answers:{name}", **options}, **fields)


@pytest.mark.parametrize(
    "source",
    [
        "def answer(prompt): return 'said ' + prompt",
        "def answer(question, k=3): return 'said ' + question",
        "async def answer(prompt): return 'said ' + prompt",
        "def answer(messages): return 'said ' + messages[-1]['content']",
        "def answer(prompt, /, *, session): return 'said ' + prompt if session else 1",
        "class A:\n  def __call__(self, q): return {'text': 'said ' + q}\nanswer = A()",
        "import lve\ndef answer(prompt): return lve.Completion('said ' + prompt)",
        "print('noise')\ndef answer(prompt):\n  print('more'); return 'said ' + prompt",
        "import os\ndef answer(prompt):\n  os.write(1, b'raw'); return 'said ' + prompt",
        "import os\ndef answer(prompt):\n  os.fork(); return 'said ' + prompt",
    ],
)
def test_any_function_answers(tmp_path: Path, source: str) -> None:
    first, second = asked(function(tmp_path, source, workers=1), "a", "b")
    assert (first.text, second.text) == ("said a", "said b")


def test_a_function_returns_more_than_a_text(tmp_path: Path) -> None:
    source = (
        "import lve\n"
        "def answer(prompt):\n"
        "  return lve.Completion('t', usage=lve.Usage(3, 2), contexts=('c',), cost=0.5,\n"
        "    tool_calls=(lve.ToolCall('1', 'f', '{}'),), metadata={'a': [1]})"
    )
    [completion] = asked(function(tmp_path, source), "hi")
    assert completion.usage == Usage(3, 2)
    assert completion.tool_calls == (ToolCall("1", "f", "{}"),)
    assert (completion.contexts, completion.cost) == (("c",), 0.5)
    assert completion.metadata == {"a": [1]}


@pytest.mark.parametrize(
    ("source", "error", "why"),
    [
        ("def answer(p):\n  raise ValueError('odd')", PermanentModelError, r"odd \(app/.*:2\)"),
        ("def answer(p):\n  import os; os._exit(3)", PermanentModelError, "exit code 3"),
        ("def answer(p):\n  raise SystemExit(4)", PermanentModelError, "SystemExit: 4"),
        (
            "def answer(p):\n  while True: pass",
            PermanentModelError,
            "within 2 s .*isn't asked again",
        ),
        ("def answer(p): return 7", PermanentModelError, "it returned a int: return a text"),
        ("def answer(p): pass", PermanentModelError, "it returned None"),
        ("def answer(p): return {'text': object()}", PermanentModelError, "no JSON"),
        ("def answer(p, db): return p", PermanentModelError, "`db` needs a value"),
        ("def answer(): return 'x'", PermanentModelError, "takes neither the prompt"),
        ("def other(p): return p", PermanentModelError, "no function `answer`"),
        ("import no_such_module", PermanentModelError, "No module named 'no_such_module'"),
        ("def answer(p):\n  return p * 9_000_000", PermanentModelError, "more than 8,388,608"),
    ],
)
def test_a_function_that_fails_says_so(
    tmp_path: Path, source: str, error: type[ModelError], why: str
) -> None:
    with pytest.raises(error, match=why):
        asked(function(tmp_path, source, timeout_s=2), "hi")


def test_a_crash_is_not_the_end(tmp_path: Path) -> None:
    source = "import os\ndef answer(p):\n  if p == 'die': os._exit(1)\n  return p"
    model = function(tmp_path, source, workers=1)

    async def ask() -> list[str]:
        texts = []
        for text in ("die", "a", "die", "die", "die", "die", "b"):
            try:
                texts.append((await model.complete(ChatRequest((Message(text),)))).text)
            except PermanentModelError as error:
                texts.append(error.kind)
        await model.aclose()
        return texts

    assert asyncio.run(ask()) == ["application", "a", *["application"] * 4, "b"]


def test_a_conversation_goes_on(tmp_path: Path) -> None:
    source = "def answer(messages): return '+'.join(m['content'] for m in messages)"
    model = function(tmp_path, source)
    assert conversation(model, ["a", "b"], system="s") == ["s+a", "s+a+s+a+b"]


def test_a_file_is_a_function_too(tmp_path: Path) -> None:
    (tmp_path / "my-app").mkdir()
    (tmp_path / "my-app" / "main.py").write_text(
        "from helper import h\ndef run(q): return h + q", encoding="utf-8"
    )
    (tmp_path / "my-app" / "helper.py").write_text("h = 'helped '", encoding="utf-8")
    model = target(tmp_path, "python", {"function": "my-app/main.py:run"})
    assert asked(model, "a")[0].text == "helped a"


def test_another_python_needs_no_lve(tmp_path: Path) -> None:
    import venv

    venv.create(tmp_path / "own", with_pip=False)
    source = "import sys\ndef answer(p): return sys.prefix"
    model = function(tmp_path, source, python="own/bin/python")
    assert asked(model, "a")[0].text == str(tmp_path / "own")


def test_only_the_named_variables_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_SETTING", "a")
    monkeypatch.setenv("OTHER_SETTING", "b")
    source = "import os\ndef answer(p): return str([os.environ.get(n) for n in p.split()])"
    model = function(tmp_path, source, env=["APP_SETTING"])
    assert asked(model, "APP_SETTING OTHER_SETTING")[0].text == "['a', None]"


def test_it_starts_only_if_it_is_trusted(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("def f(p): return p", encoding="utf-8")
    with pytest.raises(TrustError, match="its function app:f"):
        target(tmp_path, "python", {"function": "app:f"}, trusted=False)


def test_the_version_of_its_file_is_in_the_session(tmp_path: Path) -> None:
    model = function(tmp_path, "def answer(p): return p")
    before = model.sent_differently  # type: ignore[attr-defined]
    assert model.identity is None
    assert before["version"]
    again = function(tmp_path, "def answer(p): return p + '!'")
    assert again.sent_differently != before  # type: ignore[attr-defined]


def test_a_test_can_not_define_a_function() -> None:
    with pytest.raises(SettingsError, match=r"is named in lve\.yaml as module:function"):
        create_model("python/os:system", Settings(), from_test=True, trusted=True)
    assert sys.modules  # nothing was imported for it


def test_64_conversations_at_once_stay_with_the_process_that_remembers_them(
    tmp_path: Path,
) -> None:
    source = (
        "import os\nsaid = {}\n"
        "def answer(prompt, session):\n"
        "  turns = said.setdefault(session, [])\n  turns.append(prompt)\n"
        "  return {'text': ' '.join(turns), 'metadata': {'process': os.getpid()}}"
    )
    model = function(tmp_path, source, workers=3)

    async def hold(number: int) -> tuple[str, int]:
        messages: list[Message] = []
        for turn in range(3):
            messages.append(Message(f"{number}.{turn}"))
            completion = await model.complete(ChatRequest(tuple(messages)))
            state = completion.provider_state
            messages.append(Message(completion.text, Role.assistant, provider_state=state))
        assert completion.metadata is not None
        return completion.text, completion.metadata["process"]

    async def all_of_them() -> list[tuple[str, int]]:
        try:
            return await asyncio.gather(*map(hold, range(64)))
        finally:
            await model.aclose()

    held = asyncio.run(all_of_them())
    for number, (text, _) in enumerate(held):
        assert text == " ".join(f"{number}.{turn}" for turn in range(3))
    assert len({process for _, process in held}) == 3


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def answer(q): ...", {"prompt"}),
        ("async def answer(prompt, session=''): ...", {"prompt", "session"}),
        ("def answer(messages, k=3): ...", {"messages"}),
        ("def answer(q, messages, /, *, args): ...", {"messages", "args"}),
        ("@traced\ndef answer(q): ...", set(NAMES)),
        ("answer = make()", set(NAMES)),
        ("def answer(", set(NAMES)),
    ],
)
def test_a_signature_is_read_without_running_anything(
    tmp_path: Path, source: str, names: set[str]
) -> None:
    (tmp_path / "app.py").write_text(f"1 / 0\n{source}", encoding="utf-8")
    assert takes_of(tmp_path, "app.py", "app:answer").names == names
    assert takes_of(tmp_path, None, "app:answer").names == set(NAMES)


def test_nothing_of_a_conversation_is_lost_unnoticed(tmp_path: Path) -> None:
    model = function(tmp_path, "def answer(prompt): return prompt", version="1")
    assert model.identity is not None
    with pytest.raises(PermanentModelError, match="gets only the prompt, so the system message"):
        conversation(model, ["a"], system="s")
    remembering = function(tmp_path, "def answer(prompt, session): return prompt", version="1")
    assert remembering.identity is None  # what it says depends on what it remembers
    assert conversation(remembering, ["a", "b"]) == ["a", "b"]
