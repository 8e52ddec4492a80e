"""A session in which every text is an attack on who shows it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from support.recorded import session_folder

from lve.checkers.questions import Answer
from lve.messages import Completion, Message, Role, ToolCall, Transcript, Usage
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_tests import SessionTest

ATTACKS: list[str] = json.loads(
    (Path(__file__).parents[2] / "cases/hostile_text/attacks.json").read_text(encoding="utf-8")
)


def make_hostile_session(
    state: Path, verdicts: Sequence[str] = ("failed", "error", "passed")
) -> SessionFolder:
    """Make the folder of a session with a test for each attack, which stands in all its texts.

    Args:
        state: gets it.
        verdicts: of the repeats of each.
    """
    tests = [_test(number, attack) for number, attack in enumerate(ATTACKS)]
    tests += [SessionTest(f"s{attack}", skipped=attack) for attack in ATTACKS[:30]]
    tests += [SessionTest(f"p{attack}", problems=(attack,)) for attack in ATTACKS[:30] if attack]
    return session_folder(
        state,
        [
            _result(number, attack, repeat, verdict)
            for number, attack in enumerate(ATTACKS)
            for repeat, verdict in enumerate(verdicts)
        ],
        tests,
        options={"models": ATTACKS[:40], "parameters": {"x": ATTACKS[3]}},
        paths=ATTACKS,
        models=ATTACKS[:40],
        roles={"judge": ATTACKS[2]},
        versions={"lve": ATTACKS[0], "python": ATTACKS[1], "platform": ATTACKS[4]},
        git={"commit": ATTACKS[5]},
        tests={attack: {"document": attack} for attack in ATTACKS},
    )


def _model(number: int) -> str:
    return ATTACKS[number % 40]


def _test(number: int, attack: str) -> SessionTest:
    return SessionTest(
        test=attack,
        model=_model(number),
        document=attack,
        description=attack,
        author=attack,
        category=attack,
        tags=((attack, attack),),
        parameters=(attack or "empty",),
    )


def _result(number: int, attack: str, repeat: int, verdict: str) -> InstanceResult:
    said = Completion(attack, attack, Usage(3, 4), 0.25, model=attack)
    messages = (
        Message(attack, Role.system),
        Message([{"type": "text", "text": attack}, {"type": attack, attack: {"url": attack}}]),
        Message(attack, image_url=attack),
        Message(None, Role.assistant, tool_calls=(ToolCall(attack, attack, attack),)),
        Message(attack, Role.tool, tool_call_id=attack),
        Message(attack, Role.assistant, variable=attack),
    )
    return InstanceResult(
        test=attack,
        model=_model(number),
        source=attack,
        line=1,
        repeat=repeat,
        args={attack or "empty": attack, f"{attack} ": [attack]},
        verdict=verdict,  # type: ignore[arg-type]
        reason=attack,
        responses=(attack,),
        transcripts=(Transcript(messages, (said,), attack, (5,)),),
        usage=Usage(3, 4),
        latency_s=0.25,
        error_kind=attack if verdict == "error" else None,
        asked=(Answer(attack, attack, attack, said, 0.1),),
    )
