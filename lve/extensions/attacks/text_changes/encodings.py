"""Attacks that write a text in another code. Each is a pure function of the text.

Where PyRIT 1.1 has the same converter, the output is equal (`tests/cases/attacks/pyrit.jsonl`).
"""

from __future__ import annotations

import base64
import codecs
import string
from urllib.parse import quote

_ALPHABETS = (string.ascii_lowercase, string.ascii_uppercase, string.digits)
_SHIFT = 3
_BITS, _MOST_BITS = 16, 32
_TAGS = 0xE0000
"""Unicode's tags repeat ASCII from here, invisibly."""
_MISTAKE = "........"
"""Morse for a character that has no code."""
_MORSE = """
A.- B-... C-.-. D-.. E. F..-. G--. H.... I.. J.--- K-.- L.-.. M-- N-. O--- P.--. Q--.- R.-. S... T-
U..- V...- W.-- X-..- Y-.-- Z--.. 0----- 1.---- 2..--- 3...-- 4....- 5..... 6-.... 7--... 8---..
9----. '.----. ".-..-. :---... @.--.-. ,--..-- ..-.-.- !-.-.-- ?..--.. --....- /-..-. +.-.-. =-...-
(-.--. )-.--.- &.-... %------..-.----- À.--.- Å.--.- Ä.-.- Ą.-.- Æ.-.- Ć-.-.. Ĉ-.-.. Ç-.-.. Ĥ----
Š---- Đ..-.. É..-.. Ę..-.. Ð..--. È.-..- Ł.-..- Ĝ--.-. Ĵ.---. Ń--.-- Ñ--.-- Ó---. Ö---. Ø---.
Ś...-... Ŝ...-. Þ.--.. Ü..-- Ŭ..-- Ź--..-. Ż--..-
"""
MORSE = {entry[0]: entry[1:] for entry in _MORSE.split()} | {" ": "/"}
"""Character -> its code: ITU-R M.1677-1, and the usual ones of other letters."""
_BRAILLE = r"""
a1 b12 c14 d145 e15 f124 g1245 h125 i24 j245 k13 l123 m134 n1345 o135 p1234 q12345 r1235 s234 t2345
u136 v1236 w2456 x1346 y13456 z1356 11 212 314 4145 515 6124 71245 8125 924 0245 .256 '3 ,2 -36 /34
!235 ?236 $256 :25 ;23 (2356 )2356 @4,1 #456,1456 %46,356 &4,12346 *5,35 +5,235 <4,126 =5,2356
>4,345 "6,2356 [46,126 ]46,345 \456,16 ^4,26 _46,36 `46,16 {456,126 }456,345 |456,1256 ~4,35
"""
_CAPITAL, _NUMBER = chr(0x2820), chr(0x283C)
_IN_NUMBERS = "0123456789.,-/$"


def _cells(dots: str) -> str:
    """Return the characters of cells such as `4,1`: in each, the numbers of the raised dots."""
    cells = dots.split(",")
    return "".join(chr(0x2800 + sum(1 << int(dot) - 1 for dot in cell)) for cell in cells)


BRAILLE = {entry[0]: _cells(entry[1:]) for entry in _BRAILLE.split()}
"""Character -> its cells: Unified English Braille."""


def in_base64(text: str) -> str:
    """Return the text's UTF-8 as Base64."""
    return base64.b64encode(_utf8(text)).decode("ascii")


def in_hex(text: str) -> str:
    """Return the text's UTF-8 as hexadecimal digits, capitals."""
    return _utf8(text).hex().upper()


def in_binary(text: str) -> str:
    """Return the numbers of the characters, in 16 bits each; in 32 if one of them needs more."""
    bits = _BITS if all(ord(character) < 1 << _BITS for character in text) else _MOST_BITS
    words = (" ".join(f"{ord(c):0{bits}b}" for c in word) for word in text.split(" "))
    return f" {ord(' '):0{bits}b} ".join(words)


def rot13(text: str) -> str:
    """Return the text with each letter moved by 13 places."""
    return codecs.encode(text, "rot13")


def caesar(text: str) -> str:
    """Return the text with letters and digits moved by three places."""
    moved = (alphabet[_SHIFT:] + alphabet[:_SHIFT] for alphabet in _ALPHABETS)
    return text.translate(str.maketrans("".join(_ALPHABETS), "".join(moved)))


def atbash(text: str) -> str:
    """Return the text with each alphabet, and the digits, in reverse."""
    mirrored = (alphabet[::-1] for alphabet in _ALPHABETS)
    return text.translate(str.maketrans("".join(_ALPHABETS), "".join(mirrored)))


def morse(text: str) -> str:
    """Return the text in Morse code: a blank between letters, a slash between words."""
    line = " ".join(line.strip() for line in text.splitlines())
    return " ".join(MORSE.get(character, _MISTAKE) for character in line.upper())


def has_morse(character: str) -> bool:
    """Whether Morse code has a character."""
    return character.upper() in MORSE


def braille(text: str) -> str:
    """Return the text in Braille, with marks for capitals and numbers."""
    written: list[str] = []
    is_number = False
    for character in text:
        if character in BRAILLE:
            if character.isdigit() and not is_number:
                is_number = True
                written.append(_NUMBER)
            written.append(BRAILLE[character])
        elif character.isupper() and character.lower() in BRAILLE:
            written += (_CAPITAL, BRAILLE[character.lower()])
        else:
            written.append(character)
        is_number = is_number and character in _IN_NUMBERS
    return "".join(written)


def backwards(text: str) -> str:
    """Return the characters in reverse order."""
    return text[::-1]


def in_tags(text: str) -> str:
    """Return the text in Unicode's invisible tags, without what isn't printable ASCII."""
    return "".join(chr(_TAGS + ord(character)) for character in text if has_tag(character))


def has_tag(character: str) -> bool:
    """Whether Unicode has a tag for a character."""
    return " " <= character <= "~"


def escaped(text: str) -> str:
    """Return the characters as `\\u0041`, but for blanks."""
    return " ".join("".join(f"\\u{ord(c):04x}" for c in word) for word in text.split(" "))


def in_url(text: str) -> str:
    """Return the text as part of an address, with `%20` for a blank."""
    return quote(_utf8(text))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
