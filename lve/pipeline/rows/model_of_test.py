"""The model that a test runs against, as the test talks to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lve.data_classes import dataclass
from lve.errors import LveError, ModelError
from lve.execution.attachments import Attachments
from lve.execution.budgets.cost import paid
from lve.execution.completions import with_returned
from lve.execution.conversations.conversation import ask_once, hold_conversation, recorded_answer
from lve.execution.stop import Stopped
from lve.messages import Answer, Transcript
from lve.models.chat_model import ChatRequest, Complete
from lve.prompts.plan import Conversation
from lve.settings.model_settings import Price
from lve.spec.recorded_row import RecordedTurn
from lve.spec.spec import Instance

if TYPE_CHECKING:
    from lve.execution.conversations.simulated_user import Say
    from lve.execution.tools.live_tools import LiveTools


@dataclass(slots=True, repr=False, eq=False)  # a named tuple takes longer to read
class ModelOfTest:
    """Holds the conversations of a test's instances with a model."""

    name: str
    complete: Complete
    args_of: Callable[[Instance], Mapping[str, object]]
    """Returns an instance's model args."""
    price: Price | None = None
    by_default: frozenset[str] = frozenset()
    """Names of model args that have lve's default value; an instance may still set them."""
    timeout_s: float | None = None
    """Seconds for one attempt."""
    stream: bool = False
    listen: Callable[[], Callable[[str], None]] | None = None
    """Receives streamed answers; as in `ChatRequest`."""
    is_replay: bool = False
    """Whether the model is `replay`, which repeats recorded answers."""
    folder: Path = Path()
    """The test's folder."""
    attachments: Attachments = Attachments()
    """Sends files of this folder; shared by the whole session."""
    warn_of_call: Callable[[str], None] | None = None
    """Called with a description of each tool call that the test's mocks don't answer."""
    live_tools: LiveTools | None = None
    """The test's tools that servers or its own code answer."""
    say: Callable[[int], Say] | None = None
    """Returns, for the number of a conversation, what asks the model that plays its user. Set for
    each run of an instance by `lve.pipeline.rows.playing_user`."""

    states_cost: bool = False
    """Whether answers may say what they cost."""

    def cost(self, transcripts: Iterable[Transcript]) -> float | None:
        """Return the cost of all completions that aren't from the cache, in US dollars; None
        without a price."""
        if self.price is None and not self.states_cost:
            return None
        return paid(transcripts, self.price)

    def hold(
        self, conversation: Conversation, instance: Instance, repeat: int
    ) -> Coroutine[object, None, Transcript]:
        """Hold the only conversation of an instance, and return its transcript.

        Raises:
            ModelError: the model gave no answer.
        """
        # Not `async`: every step of every request would pass through one more coroutine.
        recording = instance.recorded
        if recording is None:
            return self._hold(conversation, instance, repeat, None, ())
        recorded, turns = recording.responses, recording.turns if self.is_replay else ()
        held = self._hold(
            conversation,
            instance,
            repeat,
            recorded[0] if recorded else None,
            turns[0] if turns else (),
        )
        if not (recording.returned and self.is_replay):
            return held
        return _with_returned(held, recording.returned[0])

    async def hold_all(
        self, conversations: Sequence[Conversation], instance: Instance, repeat: int
    ) -> tuple[Transcript, ...]:
        """Hold the conversations of an instance, all at once, and return their transcripts.

        Raises:
            ModelError: one of them failed; the others have ended, too.
        """
        recording = instance.recorded
        none = (None for _ in conversations)
        recorded = [*(recording.responses if recording else ()), *none]
        turns = iter(recording.turns if recording and self.is_replay else ())
        indexes = _cache_repeats(conversations, repeat)
        runs = await asyncio.gather(
            *(
                self._hold(conversation, instance, index, answer, next(turns, ()))
                for conversation, index, answer in zip(
                    conversations, indexes, recorded, strict=False
                )
            ),
            # If one fails, let the others end all the same: they are paid for.
            return_exceptions=True,
        )
        transcripts = _all_or_raise(runs)
        if not (recording and recording.returned and self.is_replay):
            return transcripts
        return tuple(map(with_returned, transcripts, recording.returned))

    def _hold(
        self,
        conversation: Conversation,
        instance: Instance,
        index: int,
        recorded: Answer | None,
        replayed: Sequence[RecordedTurn],
    ) -> Coroutine[object, None, Transcript]:
        complete, by_default = self.complete, self.by_default
        if instance.model_args:
            by_default = by_default.difference(instance.model_args)
        args = self.args_of(instance)
        if conversation.asks_once:
            messages = conversation.messages
            answer = recorded_answer(recorded, messages[-1].variable or "0", is_last=True)
            # Positional, because this runs for nearly every request.
            request = ChatRequest(
                messages[:-1], args, index, self.stream, self.timeout_s, answer, (),
                conversation.prompt, conversation.score, by_default, (), self.listen,
            )  # fmt: skip
            return ask_once(conversation, complete, request)
        if conversation.has_files:
            complete = self.attachments.sending(complete, self.folder)
        return hold_conversation(
            conversation,
            complete,
            args=args,
            by_default=by_default,
            repeat=index,
            recorded=recorded,
            stream=self.stream,
            listen=self.listen,
            timeout_s=self.timeout_s,
            replayed=replayed,
            warn_of_call=self.warn_of_call,
            live_tools=self.live_tools,
            say=None if self.say is None else self.say(index),
        )


def _all_or_raise(runs: Sequence[Transcript | BaseException]) -> tuple[Transcript, ...]:
    """Return the transcripts, or raise the first error: one that ends the session goes before one
    that ends the instance.

    An instance that was stopped halfway has no result, even if one of its conversations failed.
    """
    problems = [run for run in runs if isinstance(run, BaseException)]
    for problem in sorted(problems, key=_ends_instance):
        raise problem
    return tuple(run for run in runs if isinstance(run, Transcript))


def _ends_instance(problem: BaseException) -> bool:
    """Whether the exception ends the instance, and not the whole session."""
    ends_session = isinstance(problem, LveError | Stopped) or not isinstance(problem, Exception)
    return isinstance(problem, ModelError) or not ends_session


def _cache_repeats(conversations: Sequence[Conversation], repeat: int) -> list[int]:
    """Return a repeat number per conversation, for the cache key: conversations with the same
    messages must not share an answer."""
    occurrences: dict[str, int] = {}
    indexes = []
    for conversation in conversations:
        content = repr(conversation.messages)
        occurrence = occurrences.get(content, 0)
        occurrences[content] = occurrence + 1
        indexes.append(repeat * len(conversations) + occurrence)
    return indexes


async def _with_returned(
    held: Coroutine[object, None, Transcript], returned: Sequence[Mapping[str, Any]]
) -> Transcript:
    """Return a replayed transcript with what an application returned beside its answers."""
    return with_returned(await held, returned)
