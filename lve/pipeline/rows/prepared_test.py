"""A test with everything that running its instances against one model needs."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING

from lve.checkers.judge import Judge
from lve.checkers.questions import Answering
from lve.data_classes import dataclass, field
from lve.execution.stop import StopSignal
from lve.messages import Transcript
from lve.options.run_options import RunOptions
from lve.pipeline.rows.model_of_test import ModelOfTest
from lve.prompts.conversation import Ask
from lve.prompts.plan import Plan
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Instance, Spec

if TYPE_CHECKING:
    from lve.pipeline.rows.bound_answers import BoundAnswers


Running = Coroutine[object, None, InstanceResult]
"""What is left to do for an instance; it returns the result."""
Waiting = Coroutine[object, None, InstanceResult | Transcript]
"""What is left to do for an instance; it returns the result, or an answer that is to be judged."""
Start = Callable[["PreparedTest", Instance, int], InstanceResult | Transcript | Waiting]
"""Runs an instance as far as it goes without waiting: to its result, or to an answer that is to be
judged."""


@dataclass(slots=True, repr=False, eq=False)  # a named tuple takes longer to read
class PreparedTest:
    """A test that is ready to run against one model, made by `Preparation.prepare`."""

    spec: Spec
    plan: Plan
    judge: Judge
    model: ModelOfTest
    stop_signal: StopSignal
    """The session's stop signal."""
    options: RunOptions
    judged_by: Callable[[], str] = str
    """Returns the hash of the test's checkers."""
    ask: Ask | None = None
    """Asks models to choose few-shot examples; None: nothing may be sent for that."""
    asks: Answering | None = None
    """Asks models on behalf of checkers; None: no checker asks any."""
    warn_of_row: Callable[[Instance], None] | None = None
    """Called with each rendered instance; warns if some of its data isn't in the prompt."""
    bound_answers: BoundAnswers | None = None
    """What recorded answers belong to; None: answers are neither replayed nor recorded."""
    plays_user: Answering | None = None
    """Asks the model that plays the user; None: no model does, or its messages are replayed."""
    start: Start | None = field(default=None, init=False)
    """How its instances run (`start_instance`), once one has."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings about its prompts."""
        return tuple(problem.message_with_code for problem in self.plan.warnings)
