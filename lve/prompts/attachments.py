"""Files of the test folder that are attached to messages (`image: red.png`).

In prompts, transcripts and the journal they are parts with name, type, size and SHA-256 sum.
`lve.execution.attachments` puts their content into requests. Their media type is that of their
first bytes: a name can't be trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lve.errors import PromptError
from lve.escape import excerpt, one_line
from lve.files.inside import FileTooLargeError, open_inside, read_inside, reason_of
from lve.messages import Message, Part, file_name, names_file
from lve.named_tuples import NamedTuple
from lve.prompts.addresses import check_addresses
from lve.prompts.conversation import Conversation

MAX_FILE_BYTES = 20_000_000
"""Size of the largest file that is sent; several providers accept no more in one request."""
MAX_TOGETHER_BYTES = 50_000_000
"""Size of all files of one conversation."""
TEXT = "text/plain"
_SHOWN = 80


class Kind(NamedTuple):
    """The files that are accepted under a key such as `image`."""

    types: tuple[str, ...]
    """Media types."""
    description: str


KINDS = {
    "image": Kind(
        ("image/png", "image/jpeg", "image/gif", "image/webp"), "a PNG, JPEG, GIF or WebP image"
    ),
    "audio": Kind(("audio/wav", "audio/mpeg"), "a WAV or MP3 sound"),
    "file": Kind(("application/pdf", TEXT), "a PDF or a text in UTF-8"),
}


class FileInfo(NamedTuple):
    """A file that can be sent."""

    media_type: str
    size: int
    """In bytes."""


class TotalFileSize:
    """Adds up the sizes of a conversation's files.

    Check it after each file, because a prompt may name one file a million times: files beyond the
    limit should not be read.
    """

    def __init__(self) -> None:
        self._bytes = 0

    @property
    def is_too_large(self) -> bool:
        """Whether the files are too large to be sent together."""
        return self._bytes > MAX_TOGETHER_BYTES

    def add(self, size: int) -> None:
        """Add the size of a file, in bytes.

        Raises:
            PromptError: the files are too large together.
        """
        self._bytes += size
        if self.is_too_large:
            most = MAX_TOGETHER_BYTES // 1_000_000
            raise PromptError(
                f"the files of the conversation have more than {most} MB together",
                code="attachment",
            )


def inspected_file(folder: Path, kind: str, name: str) -> FileInfo:
    """Return type and size of a file. Only a file that may be a text is read as a whole.

    Args:
        folder: the test folder; the file must be inside it.
        kind: `image`, `audio` or `file`.
        name: of the file, relative to `folder`.

    Raises:
        PromptError: there is no such file, or it can't be sent.
    """
    _check_name(kind, name)
    try:
        with open_inside(folder, name) as file:
            size = file.seek(0, 2)
            if size > MAX_FILE_BYTES:
                raise FileTooLargeError(MAX_FILE_BYTES, name)
            file.seek(0)
            head = file.read(HEAD_BYTES)
            detected = media_type(head)
            rest = file.read(MAX_FILE_BYTES) if detected is None and kind == "file" else b""
    except OSError as error:
        raise _unusable(kind, name, reason_of(error)) from None
    return FileInfo(_checked(kind, name, detected, head + rest), size)


def read_file(folder: Path, kind: str, name: str) -> tuple[str, bytes]:
    """Return type and content of a file; arguments and errors as in `inspected_file`."""
    _check_name(kind, name)
    try:
        content = read_inside(folder, name, MAX_FILE_BYTES)
    except OSError as error:
        raise _unusable(kind, name, reason_of(error)) from None
    return _checked(kind, name, media_type(content[:HEAD_BYTES]), content), content


def _check_name(kind: str, name: str) -> None:
    if not name:
        raise PromptError(
            f"`{kind}` has an empty name, so there is nothing to send", code="attachment"
        )


def with_files(conversations: Sequence[Conversation], document: Path) -> Sequence[Conversation]:
    """Check files and addresses of conversations, and describe each file: its part gets the type,
    size and SHA-256 sum that the file has now.

    Args:
        conversations: with filled messages.
        document: the test document, in whose folder the files are.

    Raises:
        PromptError: a file can't be sent, all files together are too large, or a message has a
            local address where only a URL is allowed.
    """
    return _with_descriptions(conversations, document, _described)


def with_inspected_files(
    conversations: Sequence[Conversation], document: Path
) -> Sequence[Conversation]:
    """Do the same as `with_files`, but without sums, so that large files needn't be read."""
    return _with_descriptions(conversations, document, _inspected)


Describe = Callable[[Path, str, str], dict[str, str | int]]
"""Folder, kind and name of a file -> the fields that its part gets."""


def _with_descriptions(
    conversations: Sequence[Conversation], document: Path, describe: Describe
) -> Sequence[Conversation]:
    if not check_addresses(conversations):
        return conversations
    folder = document.parent  # Only now: making a path takes longer than the check above.
    done: dict[int, Conversation] = {}  # Repetitions are the same object.
    for conversation in conversations:
        if id(conversation) not in done:
            done[id(conversation)] = _with_parts(conversation, folder, describe)
    return [done[id(conversation)] for conversation in conversations]


def _with_parts(conversation: Conversation, folder: Path, describe: Describe) -> Conversation:
    total = TotalFileSize()

    def described(part: Part) -> Part:
        name = file_name(part)
        if name is None:
            return part
        kind = str(part["type"])
        description = {"type": kind, kind: name, **describe(folder, kind, name)}
        total.add(int(description["bytes"]))
        return description

    messages = list[Message]()
    for message in conversation.messages:
        content = message.content
        if content is not None and not isinstance(content, str) and any(map(names_file, content)):
            message = replace(message, content=tuple(map(described, content)))
        messages.append(message)
    return replace(conversation, messages=tuple(messages), has_files=True)


def _inspected(folder: Path, kind: str, name: str) -> dict[str, str | int]:
    info = inspected_file(folder, kind, name)
    return {"media_type": info.media_type, "bytes": info.size}


def _described(folder: Path, kind: str, name: str) -> dict[str, str | int]:
    from hashlib import sha256  # late: few tests have files

    detected, content = read_file(folder, kind, name)
    digest = sha256(content).hexdigest()
    return {"media_type": detected, "bytes": len(content), "sha256": digest}


def part_words(part: Part) -> str:
    """Describe a part that isn't a text: `image: red.png, image/png, 71 bytes, sha256 4f...`, or
    its address if it has OpenAI's shape."""
    name, kind = file_name(part), str(part.get("type"))
    if name is None:
        value = part.get(kind, "")
        return f"{kind}: {value.get('url', '') if isinstance(value, Mapping) else value}"
    size, digest = part.get("bytes"), part.get("sha256")
    words = [f"{kind}: {one_line(name)}", part.get("media_type")]
    words += [f"{size:,} bytes" if isinstance(size, int) else None]
    words += [f"sha256 {digest}" if digest else None]
    return ", ".join(str(word) for word in words if word)


def _checked(kind: str, name: str, detected: str | None, content: bytes) -> str:
    """Return the media type of a file, or raise PromptError if `kind` doesn't accept it."""
    if not content:
        raise _unusable(kind, name, "the file is empty")
    if detected is None and kind == "file":
        detected = TEXT if _is_text(content) else None
    if detected in KINDS[kind].types:
        return str(detected)
    fitting = next((key for key, other in KINDS.items() if detected in other.types), None)
    hint = f"; write `{fitting}: {_shown(name)}`" if fitting else ""
    raise PromptError(
        f"`{kind}: {_shown(name)}` is not {KINDS[kind].description}{hint}", code="attachment"
    )


def _is_text(content: bytes) -> bool:
    if b"\0" in content:
        return False
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _unusable(kind: str, name: str, reason: str) -> PromptError:
    return PromptError(f"`{kind}: {_shown(name)}` can't be sent: {reason}", code="attachment")


def _shown(name: str) -> str:
    return excerpt(name, _SHOWN)


HEAD_BYTES = 16
"""Number of bytes that `media_type` needs."""
_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"ID3", "audio/mpeg"),
    (b"%PDF-", "application/pdf"),
)
_IN_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}


def media_type(head: bytes) -> str | None:
    """Return the media type of an image, sound or PDF; None for anything else, including texts.

    Args:
        head: the first `HEAD_BYTES` bytes of the file, or more.
    """
    for beginning, kind in _BEGINNINGS:
        if head.startswith(beginning):
            return kind
    if head[:4] == b"RIFF":
        return _IN_RIFF.get(head[8:12])
    return "audio/mpeg" if _is_mpeg_frame(head) else None


def _is_mpeg_frame(head: bytes) -> bool:
    """Return whether a file begins with a frame of MPEG audio, layer III: an MP3 without a tag."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE6 != 0xE2:
        return False
    version, bitrate, frequency = head[1] >> 3 & 3, head[2] >> 4, head[2] >> 2 & 3
    return version != 1 and bitrate not in (0, 15) and frequency != 3  # 1, 15 and 3: reserved
