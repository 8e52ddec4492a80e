"""Binds recorded answers to the prompt that they answer, and finds those whose prompt has changed.

An instance is bound by `sent`, hashes of what was sent with the sums of its parts, or else by
`prompt_out` or `prompt`, the messages themselves. An answer without any of them is unbound.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from lve.documents.json_lines import canonical_json
from lve.escape import excerpt
from lve.messages import Message
from lve.prompts.attachments import with_files
from lve.prompts.conversation import Conversation, Plan, previewed
from lve.prompts.message_changes import (
    ShownMessage,
    before_answer,
    difference,
    later_difference,
    part_content,
    recorded_messages,
    recorded_runs,
    shown_message,
    with_line_feeds,
)
from lve.prompts.plan import build_plan
from lve.prompts.recorded_calls import accepted_results, changed_result
from lve.prompts.sent_parts import changed_parts, whole_of, with_parts, with_results
from lve.secrets.redaction import lasting_redactor, redact
from lve.settings.model_settings import ModelSettings
from lve.spec.recorded_row import Recorded
from lve.spec.spec import Instance, Spec
from lve.workspace import display_path

STALE = "was recorded for another prompt"


def is_bound(recorded: Recorded, spec: Spec) -> bool:
    """Whether a recorded answer says which prompt it is for."""
    return bool(recorded.sent) or recorded_runs(recorded, spec) is not None


def how_to_renew(spec: Spec, recorded: Recorded | None) -> str:
    """Return what to do about a stale answer of a test: a model is asked again for its own answers
    alone, and one that no model gave needs a person."""
    record = f"lve record {display_path(spec.folder)}"
    model = recorded.model if recorded is not None else None
    if model is None:
        return f"no model is recorded for this answer: read it, and `{record} --accept` keeps it"
    from shlex import quote  # late: only stale answers need it

    model_option = "" if model in spec.models else f" --model {quote(excerpt(model))}"
    return (
        f"`{record} --stale{model_option}` asks again; `--accept` keeps answers that you have read"
    )


def stale_text(spec: Spec, recorded: Recorded | None, change: str) -> str:
    """Return that a recorded answer is for another prompt, and what to do.

    Args:
        spec: the test.
        recorded: the answer.
        change: what `SentPrompts.change` returned.
    """
    return f"{STALE}: {change} ({how_to_renew(spec, recorded)})"


class SentPrompts:
    """What a test sends for its instances: in the words of the test, without the meta template of a
    model, and without examples that only a model can choose."""

    def __init__(self, plan: Plan, *, model: ModelSettings | None = None) -> None:
        """Args:
        plan: of the test.
        model: the settings of the model that `plan` was built for.

        Raises:
            SpecError: as `build_plan`.
        """
        has_template = plan.spec.infer_cfg is not None and model is not None
        self._plan = build_plan(plan.spec) if has_template else plan
        lasting_redactor()  # answers were recorded without the secrets that are there now

    def conversations(
        self, instance: Instance, sent: Sequence[Conversation] | None = None
    ) -> Sequence[Conversation]:
        """Return the conversations of an instance, with the sums of their files.

        Args:
            instance: fills the prompts.
            sent: its conversations in a run, if there are any; saves rendering them again.

        Raises:
            PromptError: as `Plan.preview`, or a file can't be sent.
        """
        spec = self._plan.spec
        if sent is not None and spec.infer_cfg is None:
            return sent
        return with_files(self._plan.preview(instance), spec.file)

    def hashes(
        self, instance: Instance, sent: Sequence[Conversation] | None = None
    ) -> tuple[str, ...]:
        """Return the hash of each run of an instance; arguments and errors as `conversations`."""
        return _hashes(self.conversations(instance, sent))

    def accepted_hashes(self, instance: Instance) -> tuple[str, ...]:
        """Return the hash of each run, also of what mocks answer today to the calls of its recorded
        answer; arguments and errors as `conversations`."""
        conversations, recorded = self.conversations(instance), instance.recorded
        hashes = _hashes(conversations)
        if recorded is None:
            return hashes
        toolboxes = [conversation.toolbox for conversation in conversations]
        results = accepted_results(recorded, toolboxes)
        return tuple(map(with_results, hashes, results))

    def change(self, instance: Instance, sent: Sequence[Conversation] | None = None) -> str | None:
        """Return what has changed in the prompt since an instance was recorded; None if nothing
        has, or if its answer is unbound. Arguments and errors as `conversations`."""
        recorded = instance.recorded
        if recorded is None or not is_bound(recorded, self._plan.spec):
            return None
        runs = recorded_runs(recorded, self._plan.spec)
        conversations = self.conversations(instance, sent)
        toolboxes = [conversation.toolbox for conversation in conversations]
        if not recorded.sent:
            change = None if runs is None else self._change(runs, conversations)
            return change or changed_result(recorded, toolboxes)
        hashes = _hashes(conversations)
        if [*map(whole_of, recorded.sent)] == [*map(whole_of, hashes)]:
            return changed_result(recorded, toolboxes)
        if len(recorded.sent) != len(conversations):
            return _other_number(len(recorded.sent), len(conversations))
        change = None if runs is None else self._change(runs, conversations)
        if change is None:
            change = self._later_change(recorded, hashes, conversations)
        if change is not None:
            return change
        if runs is None:
            return "what was sent isn't kept, only its hash, which differs"
        return "a tool, the output schema, the simulated user or a later message differs"

    def _later_change(
        self, recorded: Recorded, hashes: Sequence[str], conversations: Sequence[Conversation]
    ) -> str | None:
        """Return what differs in the first run whose hash does: a message after an answer, in
        words if it is kept, a tool, the output schema, ...; None if that isn't known."""
        runs = recorded_messages(recorded)
        for number, (old, new) in enumerate(zip(recorded.sent, hashes, strict=True)):
            if whole_of(old) == whole_of(new):
                continue
            message = None
            if len(runs) == len(hashes):
                message = _changed_message(runs[number], conversations[number])
            parts = changed_parts(old, new, is_message_known=message is not None)
            where = f"run {number + 1}, " if len(hashes) > 1 else ""
            texts = [*filter(None, (message, parts))]
            return f"{where}{'; '.join(texts)}" if texts else None
        return None

    def _change(
        self, runs: Sequence[Sequence[ShownMessage]], conversations: Sequence[Conversation]
    ) -> str | None:
        """Return the first difference between recorded and present messages before the answer."""
        if len(runs) != len(conversations):
            return _other_number(len(runs), len(conversations))
        compared = set[tuple[Sequence[ShownMessage], int]]()
        for number, (run, conversation) in enumerate(zip(runs, conversations, strict=True), 1):
            key = (run, id(conversation))
            if key in compared:
                continue  # a repetition
            compared.add(key)
            now = before_answer(previewed(conversation).messages)
            change = difference(run, [ShownMessage(m.role, redact(m.text)) for m in now])
            if change is not None:
                where = f"run {number}, " if len(runs) > 1 else ""
                return f"{where}{change}"
        return None


def sent_hash(conversation: Conversation) -> str:
    """Return the hash of what one run sends, and the sums of its parts: all messages by role and
    content, where answers are left out, files by their content, tools and output schema. Neither
    the names of files and variables nor model args are part of it, nor mocks: what they answer is
    sent only for a call (`changed_result`).

    Args:
        conversation: whose files have sums (`with_files`).
    """
    rendered = previewed(conversation)
    content: dict[str, object] = {"messages": [_message(message) for message in rendered.messages]}
    toolbox, user, answer = conversation.toolbox, conversation.user, conversation.answer
    if toolbox is not None:
        content["tools"] = [
            [tool.name, tool.description, tool.parameters] for tool in toolbox.tools
        ]
        content["servers"] = sorted(toolbox.servers)
    if user is not None:
        content["user"] = user.instructions
    if answer is not None:
        content["schema"] = answer.schema
    text = canonical_json(content)
    whole = f"sha256:{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
    return with_parts(whole, content)


def _changed_message(run: Sequence[Message], conversation: Conversation) -> str | None:
    """Return the first message of a dialogue that differs from the recorded one, in words; None if
    they can't be told from what the model, a tool or the simulated user said."""
    now = previewed(conversation)
    if conversation.toolbox or conversation.user or len(run) != len(now.messages):
        return None
    has_answers = now.with_answers
    written = frozenset(has_answers.between(0, len(run)) if has_answers is not None else ())
    expected = [
        None if message.is_open or index in written else shown_message(message)
        for index, message in enumerate(now.messages)
    ]
    return later_difference(
        [shown_message(message) for message in run],
        [
            counterpart and ShownMessage(counterpart.role, redact(counterpart.text))
            for counterpart in expected
        ],
    )


def _hashes(conversations: Sequence[Conversation]) -> tuple[str, ...]:
    hash_of = dict[int, str]()
    for conversation in conversations:
        if id(conversation) not in hash_of:  # repetitions are the same object
            hash_of[id(conversation)] = sent_hash(conversation)
    return tuple(hash_of[id(conversation)] for conversation in conversations)


def _message(message: Message) -> dict[str, object]:
    content = message.content
    if content is not None and not isinstance(content, str):
        content = [part_content(part) for part in content]
    fields: dict[str, object] = {
        "role": message.role.value,
        "content": with_line_feeds(content) if isinstance(content, str) else content,
    }
    if message.image_url is not None:
        fields["image_url"] = message.image_url
    if message.tool_calls:
        fields["tool_calls"] = [[call.name, call.arguments] for call in message.tool_calls]
    return fields


def _other_number(before: int, now: int) -> str:
    return f"the number of its runs was {before} and is {now}"
