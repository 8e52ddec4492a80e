"""Images and sounds of the test folder in the messages of templates.

AISBench's templates write them as addresses (`file://cat.png`), which a model's server can't open.
So they are sent as the files of a `prompt` are: from the test folder, within its limits.
"""

from __future__ import annotations

import re

from lve.messages import Part
from lve.prompts.addresses import address_of, is_local

FILE_KINDS = {"image_url": "image", "audio_url": "audio"}
"""Type of a part with an address -> the kind of the file that may stand there. There is none for
videos: no API of ours takes the content of one."""


def as_file(part: Part) -> Part:
    """Return a part that names a file of the test folder, if its address is the path of one."""
    kind = str(part.get("type"))
    address = address_of(part, kind) if kind in FILE_KINDS else None
    if address is None or not is_local(address):
        return part
    return {"type": FILE_KINDS[kind], FILE_KINDS[kind]: re.sub(r"(?i)^(file://)+", "", address)}
