"""Finds the answers of a session whose prompt is another one today."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from lve.errors import LveError
from lve.pipeline.rejudging.rejudging import instance_of
from lve.prompts.conversation import previewed
from lve.prompts.plan import build_plan
from lve.prompts.sent_prompts import SentPrompts
from lve.sessions.instance_result import InstanceResult
from lve.sessions.resume import changed_parts
from lve.sessions.session_info import SessionInfo
from lve.spec.recorded_row import Recorded
from lve.spec.spec import Spec

PROMPT_PARTS = frozenset({"prompts", "messages", "files", "prompt_object"})
"""Hashed parts of a test that decide what its rows' prompts say, beside the rows' own args."""

DIFFERS = "its prompt, a file, a tool, the output schema or the simulated user differs"


class StaleAnswers:
    """The tests of a session whose prompts may have changed since, and which of its answers are
    for another prompt.

    Messages are compared where they show all that was sent: of one question and its answer, in
    text. Answers with further turns, tools, files, a schema, templates of data sets or attacks are
    stale once a hash of what they were asked with differs.
    """

    def __init__(self, info: SessionInfo, specs: Iterable[Spec]) -> None:
        """Args:
        info: the content of `session.json`.
        specs: the tests as they are now.
        """
        tests = {spec.path: spec for spec in specs}
        changed = changed_parts(info, tests.values())
        self._changed = {
            path: tests[path] for path, parts in changed if _asks_otherwise(tests[path], parts)
        }
        self._prompts: dict[str, SentPrompts] = {}

    def change(self, result: InstanceResult) -> str | None:
        """Return what has changed in the prompt since a result was answered, in words; None if
        nothing has, or it has no answer."""
        spec = self._changed.get(result.test)
        if spec is None or not result.transcripts:
            return None
        if not _shows_all(result, spec):
            return DIFFERS
        messages = [[m.to_json() for m in run.messages] for run in result.transcripts]
        recorded = Recorded(result.responses, passed=None, prompt_out=messages)
        try:
            if spec.path not in self._prompts:
                self._prompts[spec.path] = SentPrompts(build_plan(spec))
            instance = replace(instance_of(result, spec), recorded=recorded)
            conversations = self._prompts[spec.path].conversations(instance)
            sizes = [len(previewed(conversation).messages) for conversation in conversations]
            if sizes != [len(run.messages) for run in result.transcripts]:
                return "it has other messages"
            return self._prompts[spec.path].change(instance, conversations)
        except LveError as error:
            return f"today's can't be made: {error}"


def _asks_otherwise(spec: Spec, parts: Sequence[str]) -> bool:
    """Whether a test with these changed parts may ask its rows something else."""
    if not PROMPT_PARTS.isdisjoint(parts):
        return True
    return _sends_more(spec) and "inputs" in parts


def _sends_more(spec: Spec) -> bool:
    """Whether a test sends more than its messages, or messages in a model's own words."""
    return bool(
        spec.tools or spec.simulated_user or spec.output_schema is not None or spec.infer_cfg
    )


def _shows_all(result: InstanceResult, spec: Spec) -> bool:
    """Whether the messages of a result show all that was sent for it."""
    if spec.attack or _sends_more(spec):
        return False
    messages = [message for run in result.transcripts for message in run.messages]
    answers = sum(message.variable is not None for message in messages)
    are_texts = all(isinstance(m.content, str) and m.image_url is None for m in messages)
    return are_texts and answers <= len(result.transcripts)
