"""What checkers look at for one row: its answers, and what the row says of them."""

from __future__ import annotations

from lve.checkers.contract import CheckContext
from lve.checkers.questions import Answers
from lve.messages import Transcript
from lve.spec.spec import Instance


def context_of(
    instance: Instance,
    transcripts: tuple[Transcript, ...],
    cost: float | None,
    answers: Answers | None = None,
) -> CheckContext:
    """Return what checkers look at for an instance.

    Args:
        instance: the instance.
        transcripts: its conversations, with the model's answers.
        cost: US dollars for the answers; None without a price.
        answers: answers to the checkers' own questions to models, if there are any.
    """
    recorded = instance.recorded.responses if instance.recorded else ()
    parameters, reference = instance.parameters, instance.reference
    # By position: keyword arguments would take longer, and this runs for every instance.
    return CheckContext(
        transcripts, parameters, reference, instance.args, None, False, recorded, cost, answers
    )
