"""A test with everything that running its instances against one model needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from lve.checkers.asking import Answering
from lve.checkers.judge import Judge
from lve.execution.attachments import Attachments
from lve.execution.stop import StopSignal
from lve.models.chat_model import Complete
from lve.prompts.conversation import Ask
from lve.prompts.plan import Plan
from lve.redaction import Redactor
from lve.run_options import RunOptions
from lve.settings.model_settings import Price
from lve.spec.spec import Instance, Spec

if TYPE_CHECKING:
    from lve.execution.conversations.simulated_user import Say
    from lve.execution.tools.live_tools import LiveTools
    from lve.pipeline.bound_answers import BoundAnswers


class PreparedTest(NamedTuple):
    """A test that is ready to run against one model, made by `Preparation.prepare`."""

    spec: Spec
    plan: Plan
    judge: Judge
    model: str
    price: Price | None
    complete: Complete
    stop_signal: StopSignal
    """The session's stop signal."""
    timeout_s: float | None
    """Seconds for one attempt."""
    args_of: Callable[[Instance], Mapping[str, object]]
    """Returns an instance's model args."""
    options: RunOptions
    by_default: frozenset[str] = frozenset()
    """Names of model args that have lve's default value; an instance may still set them."""
    redact: Redactor = Redactor()
    """Removes secrets from what is written."""
    judged_by: Callable[[], str] = str
    """Returns the hash of the test's checkers."""
    is_replay: bool = False
    """Whether the model is `replay`, which repeats recorded answers."""
    ask: Ask | None = None
    """Asks models to choose few-shot examples; None: nothing may be sent for that."""
    asks: Answering | None = None
    """Asks models on behalf of checkers; None: no checker asks any."""
    attachments: Attachments = Attachments()
    """Sends files of the test folder; shared by the whole session."""
    warn_of_row: Callable[[Instance], None] | None = None
    """Called with each rendered instance; warns if some of its data isn't in the prompt."""
    warn_of_call: Callable[[str], None] | None = None
    """Called with a description of each tool call that the test's mocks don't answer."""
    live_tools: LiveTools | None = None
    """The test's tools that servers or its own code answer."""
    bound_answers: BoundAnswers | None = None
    """What recorded answers belong to; None: answers are neither replayed nor recorded."""
    plays_user: Answering | None = None
    """Asks the model that plays the user; None: no model does, or its messages are replayed."""
    say: Callable[[int], Say] | None = None
    """Returns, for the number of a conversation, what asks the model that plays its user. Set for
    each run of an instance by `lve.pipeline.playing_user`."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings about its prompts."""
        return tuple(problem.message_with_code for problem in self.plan.warnings)
