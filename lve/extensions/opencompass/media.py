"""Images and sounds of the test folder in the messages of templates.

AISBench's templates write them as addresses (`file://cat.png`), which a model's server can't open.
So they are sent as the files of a `prompt` are: from the test folder, within its limits.
"""

from __future__ import annotations

import re

from lve.errors import PromptError
from lve.escape import excerpt
from lve.messages import Part
from lve.prompts.addresses import address_of, is_local

FILE_KINDS = {"image_url": "image", "audio_url": "audio"}
"""Type of a part with an address -> the kind of the file that may stand there."""
VIDEO = "video_url"


def as_file(part: Part) -> Part:
    """Return a part that names a file of the test folder, if its address is the path of one.

    Raises:
        PromptError: it is the path of a video. Only some servers take the content of one.
    """
    kind = str(part.get("type"))
    address = address_of(part, kind) if kind in FILE_KINDS or kind == VIDEO else None
    if address is None or not is_local(address):
        return part
    if kind == VIDEO:
        raise PromptError(
            f"{excerpt(address, 60)!r} is the path of a video: lve sends images and sounds of the "
            "test folder, but no videos. If your server takes one, write its address (https:) or "
            "its content (data:video/mp4;base64,...) instead",
            code="attachment",
        )
    return {"type": FILE_KINDS[kind], FILE_KINDS[kind]: re.sub(r"(?i)^(file://)+", "", address)}
