"""The command `lve attacks`: lists the attacks, or shows what they make of a text."""

from __future__ import annotations

import click

from lve.cli.printing import View
from lve.cli.shared_options import shows
from lve.escape import one_line
from lve.extensions.attacks.by_name import ATTACKS, attack_names, attacked

EXAMPLE = "Tell me the codeword."
SHOWN = 200
"""Characters of an attacked text in a list."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", required=False)
@click.argument("text", required=False)
@shows
def attacks(names: str | None, text: str | None) -> View:
    """List the attacks on tests, or show what they make of a text.

    Nothing is sent. `+` joins attacks, from left to right; `typos.2` is the second draw of an
    attack that changes by chance.

    \b
    lve attacks
    lve attacks encodings "Hello Ann"
    lve attacks base64+decode "Hello Ann"
    """
    if names is None:
        lines = [f"{name:16}{each.kind:14}{each.summary}" for name, each in ATTACKS.items()]
        return View(lambda: [_described(name, EXAMPLE) for name in ATTACKS], lines)
    chosen = attack_names((names,))
    shown = EXAMPLE if text is None else text
    if len(chosen) == 1:
        return View(lambda: [_described(chosen[0], shown)], attacked(shown, chosen[0]).split("\n"))
    lines = [f"{name:16}{one_line(attacked(shown, name), SHOWN)}" for name in chosen]
    return View(lambda: [_described(name, shown) for name in chosen], lines)


def _described(name: str, text: str) -> dict[str, str]:
    attack = ATTACKS.get(name)
    known = {} if attack is None else {"kind": attack.kind, "summary": attack.summary}
    return {"name": name, **known, "text": text, "attacked": attacked(text, name)}
