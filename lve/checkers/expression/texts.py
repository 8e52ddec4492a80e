"""Makes text from values with `%`, formats and f-strings, and charges before it is made."""

from __future__ import annotations

import re
from typing import Any

from lve.checkers.expression.arithmetic import DIGITS_COST
from lve.checkers.expression.meter import Meter, widths_of

_FORMAT_COST = 2
_PERCENT = re.compile(r"%(?P<key>\([^()]*\))?(?P<spec>[^a-zA-Z%]*)")


def percent_format(meter: Meter, template: str, values: Any) -> str:
    """Return `template % values`.

    Raises:
        TypeError: the template has what could hide how long the text gets.
        LimitError: the text would be huge.
    """
    specs = list(_PERCENT.finditer(template))
    size = len(template)
    for found in specs:
        spec = found["spec"]
        if "(" in spec:
            raise TypeError("a key with brackets in a % format")
        if "*" in spec:
            raise TypeError("'*' in a % format; use an f-string")
        size += sum(widths_of(spec))
    meter.charge(len(specs) * (DIGITS_COST // 3))
    # A dict's values can be used many times, those of a tuple once.
    size += meter.size_shown(values) * (len(specs) if type(values) is dict else 1)
    meter.text_size(size)
    return str(meter.made(template % values))


def formatted(meter: Meter, value: Any, spec: str) -> str:
    """Return `format(value, spec)`.

    Raises:
        LimitError: the text would be huge.
    """
    meter.charge(_FORMAT_COST)
    if spec:
        meter.charge(_FORMAT_COST + (sum(widths_of(spec)) >> 6))
        if type(value) is float and not 1e-15 < abs(value) < 1e15:
            meter.charge(DIGITS_COST)
    return str(meter.made(format(meter.shown(value), spec)))
