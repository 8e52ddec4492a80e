"""Asks promptfoo, in its box, what it sends and says of scripted answers: runs `scripted.cjs`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from lve.documents.read import DocumentPosition
from lve.escape import excerpt, head
from lve.extensions.importing.boxes.box import BoxError, BoxOptions, run_in_box
from lve.extensions.importing.promptfoo.cases import Place, is_on_hub, placed_tests
from lve.extensions.importing.promptfoo.dumped import ADDED, ENTRY, PASSED, TOOL
from lve.extensions.importing.promptfoo.prompts import prompt_entries
from lve.extensions.importing.promptfoo.providers.model_names import provider_labels
from lve.extensions.importing.promptfoo.source import Source, UnsupportedError
from lve.json_types import JsonObject, JsonValue
from lve.named_tuples import NamedTuple

PROGRAM = Path(__file__).parent / "scripted.cjs"
KEPT = (*PASSED, "defaultTest", "prompts", "tests")
"""Keys of the configuration that promptfoo gets."""
LIVE = "live"
"""The form of answers that are always objects."""
UNREAD = ("providers", "targets", "redteam", "scenarios")
"""Keys to which no reference leads."""
LATENCY_S, COST, FINISHED = 0.25, 0.01, "stop"
"""What models need, and how they end."""
USAGE = {"latencyMs": 1000 * LATENCY_S, "cost": COST, "finishReason": FINISHED}

REPLIES = (
    *('{"pass": true, "score": 0.8, "reason": "good"}', '{"pass": false}', '{"score": 0.3}', "(A)"),
    *("```json\n{pass: yes, score: 1}\n```", '{"category": "D"}', "It does. Y", "N", "(D) no", "?"),
)
"""What judges say, in turn."""


class Original(NamedTuple):
    """A configuration as promptfoo reads it."""

    source: Source
    config: Mapping[str, JsonValue]
    position: DocumentPosition
    options: BoxOptions
    counts: Mapping[int, int]
    """Number of an entry of `tests` -> how many tests lve has read of it."""

    def request(self) -> JsonObject:
        """Return the configuration as promptfoo gets it, with our prompts between its own."""
        source, config, at, _, _ = self
        prompts = prompt_entries(source, config["prompts"], at.below(("prompts",)))
        between = [part for each in prompts for part in (f"{ENTRY} {each.number}", each.written)]
        written = [each.test for each in placed_tests(source, {**config}, at, as_written=True)]
        tests = [{"vars": {}} if is_on_hub(test) else test for test in written]
        whole = {key: value for key, value in config.items() if key not in UNREAD}
        providers = provider_labels(config.get("targets", config.get("providers")))
        own: JsonObject = {**whole, "prompts": [*between], "tests": [*tests]}  # type: ignore[list-item]  # of a document
        return {"config": own, "providers": [*providers]}


class Record:
    """What promptfoo says of a configuration."""

    def __init__(self) -> None:
        self.version = self.why = ""
        self.lines: dict[Place, list[JsonObject]] = {}
        """Place of a test -> the lines about it, each `of` the place of a prompt."""
        self.miscounted = set[int]()
        """Entries of `tests` that have other tests than lve has read."""
        self.replies: dict[str, str] = {}
        """What judges were asked -> what they replied."""

    def ask(
        self, original: Original, requests: Mapping[Place, JsonObject], types: Sequence[str]
    ) -> None:
        """Run promptfoo.

        Args:
            original: the configuration.
            requests: place of a test -> how promptfoo is asked about it.
            types: the assertions that judge.

        Raises:
            BoxError: promptfoo has ended too early.
            UnsupportedError: it refuses the configuration.
            UsageError: it isn't set up.
        """
        source, _, _, options, counts = original
        request = {
            **original.request(),
            "entry": ENTRY,
            "keys": KEPT,
            "modules": str(TOOL.folder / "node_modules"),
            "python": str(TOOL.python),
            "types": types,
            "replies": REPLIES,
            "cases": list(requests.values()),
            "counts": dict(counts),
            "added": ADDED,
            "form": LIVE if source.calls and source.calls.name == LIVE else source.answers,
            "usage": USAGE,
        }
        cases, places = list(requests), list[Place]()
        numbers = Counter[int]()
        is_complete = False
        for line in run_in_box(TOOL, PROGRAM, request, options, folder=source.folder):
            match line:
                case {"kind": "tool"}:
                    self.version = head(str(line.get("version")), 40)
                case {"kind": "prompt", "entry": int(entry)}:
                    places.append((entry, numbers[entry]))
                    numbers[entry] += 1
                case {"kind": "judge", "prompt": str(prompt), "reply": str(reply)}:
                    self.replies[prompt] = reply
                case {"kind": "miscounted", "entry": int(entry)}:
                    self.miscounted.add(entry)
                case {"kind": "row" | "score" | "failed", "number": int(n), "of": int(of)}:
                    if 0 <= n < len(cases) and 0 <= of < len(places):
                        own_line: JsonObject = {**line, "of": [*places[of]]}
                        self.lines.setdefault(cases[n], []).append(own_line)
                case {"kind": "refused"}:
                    why = excerpt(str(line.get("why")), 300)
                    raise UnsupportedError(f"promptfoo {self.version} refuses it: {why}")
                case {"kind": "end"}:
                    is_complete = True
        if not is_complete:
            raise BoxError("has ended without an end")
