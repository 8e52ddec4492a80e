"""Whether an attack that searches was carried out to its end: what a model withstood until then."""

from __future__ import annotations

from lve.checkers.contract import Verdict
from lve.extensions.attacks.by_name import ATTACKS
from lve.extensions.attacks.document_keys import attacks_of
from lve.sessions.instance_result import InstanceResult, Judged
from lve.spec.spec import Spec
from lve.verdicts.wording import amount


def carried_out(result: InstanceResult, spec: Spec) -> InstanceResult:
    """Return a result of a test; an error, if it passes and is of a search that ended early.

    A search ends where its check says that it succeeded, or can't judge. If the check has changed
    since, or the search may send more messages now, nobody knows what would have come of them.

    Args:
        result: the result, with the verdict of today.
        spec: its test.
    """
    attack = ATTACKS.get(spec.attack or "")
    if attack is None or attack.method is None or result.verdict != "passed":
        return result
    whole = attacks_of(spec).turns or attack.turns
    sent = sum(each.is_simulated for script in result.transcripts for each in script.messages)
    if sent >= whole:
        return result
    reason = f"the attack ended after {sent + 1} of {amount(whole + 1, 'message')}: ask again"
    judged = Judged(Verdict("error", reason), result.transcripts, "no_attack", result.judged_by)
    return result.judged_again(judged, recorded=result.recorded, advisory=result.advisory)
