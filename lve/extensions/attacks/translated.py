"""Runs a row whose request another model translates first."""

from __future__ import annotations

from dataclasses import replace

from lve.check_names import ATTACKER
from lve.errors import ModelError, PromptError
from lve.extensions.attacks.attackers.attacker import AttackingPlayer
from lve.extensions.attacks.attackers.conversations import translating
from lve.extensions.attacks.plan import AttackedPlan
from lve.extensions.attacks.texts import attacked_text
from lve.pipeline.roles.asking import kept_answers
from lve.pipeline.rows.prepared_test import PreparedTest
from lve.pipeline.rows.run_instance import failed_result, run_instance
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.checker_answers import answers_of_recording
from lve.spec.spec import Instance


async def run_translated(
    test: PreparedTest, language: str, instance: Instance, repeat: int
) -> InstanceResult:
    """Run an instance whose request another model translates, unless its translation is recorded.

    Args:
        test, instance, repeat: as `run_instance`; errors also.
        language: the language's English name.
    """
    assert isinstance(test.plan, AttackedPlan)
    try:
        text = attacked_text(test.plan.plan.preview(instance)[0])
        is_translated = attacked_text(test.plan.preview(instance)[0]) != text
    except PromptError:
        return await run_instance(test, instance, repeat)  # which says it
    if is_translated or test.plays_user is None:
        result = await run_instance(test, instance, repeat)
        recorded = answers_of_recording(instance.recorded.asked if instance.recorded else ())
        kept = tuple(answer for answer in recorded if answer.role == ATTACKER)
        return replace(result, asked=(*kept, *result.asked))
    player = AttackingPlayer(test.plays_user, must_end=True)
    player.request = text
    try:
        translation = await player.say(0, translating(text, language))
    except ModelError as error:
        failed = failed_result(test, instance, repeat, kind=error.kind, reason=str(error))
        return replace(failed, asked=kept_answers(player.answers, test.judge), cause=error.cause)
    plan = AttackedPlan(test.plan.plan, translation)
    result = await run_instance(replace(test, plan=plan), instance, repeat)
    return replace(result, asked=(*kept_answers(player.answers, test.judge), *result.asked))
