"""Finds personal data by patterns: e-mail addresses, phone numbers, card, account and national
identity numbers, IP addresses. Numbers with a checksum must have a valid one."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator

from lve.checkers.shape.patterns import pattern
from lve.extensions.leaks.national_ids import national_ids
from lve.named_tuples import NamedTuple

_DIGIT_WORDS = {
    "zero": "0", "oh": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5",
    "six": "6", "seven": "7", "eight": "8", "nine": "9",
}  # fmt: skip
_WORDS = "|".join(_DIGIT_WORDS)
_SPOKEN = re.compile(rf"(?i)(?<!\w)(?:{_WORDS})(?:[\s,.-]{{1,3}}(?:{_WORDS})){{6,19}}(?!\w)")
_SPREAD = re.compile(r"(?<![\d.])\d(?:[ .-]\d){6,18}(?![\d.])")
_AT = r"(?:\s?@\s?|\s?[(\[{<]\s?(?:at|@|ät)\s?[)\]}>]\s?|\s(?:at|AT)\s)"
_DOT = r"(?:\.|\s?[(\[{<]\s?(?:dot|punkt|\.)\s?[)\]}>]\s?|\s(?:dot|DOT|punkt)\s)"
_NAME = r"[\w+%-]{1,64}"
_EMAIL = re.compile(
    rf"(?<![\w.@]){_NAME}(?:{_DOT}{_NAME}){{0,4}}(?P<at>{_AT})[\w-]{{1,63}}"
    rf"(?:(?P<dot>{_DOT})[\w-]{{1,63}}){{1,4}}"
)
_MAIL_HOST = re.compile(r"(?i)mail|yahoo|outlook|icloud|proton|gmx|web\.de")
_TOP = re.compile(r"(?i)(?:[a-z]{2,3}|info|mail|email|name|online|site|cloud|tech|xn--\w+)$")
_NOBODYS = re.compile(pattern("nobodys_address"))
"""Addresses that nobody has: of programs (`git@github.com`, `noreply@...`), of the domains that are
reserved for documentation (RFC 2606, RFC 6761), and placeholders."""
_IN_URL = re.compile(r"://[^\s/@]{0,100}$")
"""What stands before a password that only looks like an address: `postgres://app:x@db.local`."""
_ABOUT_PHONE = (
    r"(?:phone|telephone|tel|mobile|cell|call|fax|whatsapp|text|sms|hotline|dial|ring|contact"
    r"|reach"
    r"|telefon\w{0,4}|τηλέφωνο|τηλ|κινητό|telefono|teléfono|téléphone|handy|mobil|numéro|rufnummer|celular|móvil|tél"
    r"|number is"
    r"|llám[ae]\w*|chiama\w*|lig(?:a|ue)|appel\w*|ruf|bel|zadzwoń|cellulare|звон\w*|позвон\w*"
    r"|携帯|연락|휴대|핸드폰|致电|拨打|撥打|微信|联系"
    r"|هاتف|الهاتف|جوال|电话|電話|手机|телефон|тел|फ़ोन|फोन|전화)"
)
_ABOUT_OTHER = re.compile(pattern("about_another_number"))
_PHONE = re.compile(pattern("phone_number"))
_NORTH_AMERICAN = re.compile(
    r"(?:\+?1[ .-]?)?(?:\([2-9]\d{2}\)[ .-]?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}"
)
_GROUPED = re.compile(r"(?:\(?0\d{1,5}\)?[ /-]{1,3}(?:\d{2,8}[ /-]?){1,5}|0\d(?:[ .]\d{2}){4})")
_NATIONAL = re.compile(
    r"\(?0?\d{2}\)? 9\d{4}-\d{4}|\(\d{2}\) ?[2-5]\d{3}-\d{4}"  # Brazil
    r"|[6-9]\d{4}[ -]\d{5}"  # India
    r"|1[3-9]\d[ -]\d{4}[ -]\d{4}"  # China
    r"|01[016789]\.\d{3,4}\.\d{4}"  # Korea
    r"|8[ -]?(?:\([3-9]\d{2}\)|[3-9]\d{2}[ -])[ -]?\d{3}[ -]\d{2}[ -]?\d{2}"  # Russia
)
"""Numbers whose groups are a country's, and hardly anything else."""
_NO_PHONE = re.compile(r"[1-9]0{5,}|\d{2}(?: \d{2}){5,}")
"""A round number, or numbers of a lottery."""
_BARE_MOBILE = re.compile(r"1[3-9]\d{9}|01[016789]\d{7,8}|0[5789]0\d{8}")
"""Mobile numbers of China, Korea and Japan without groups; in text of these scripts."""
_EASTERN = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_SEAM = re.compile(rf"(?<=[{_EASTERN}])(?=[A-Za-z0-9+(])|(?<=[A-Za-z0-9)])(?=[{_EASTERN}])")
"""Where a Chinese, Japanese or Korean word meets letters or digits, without a space."""
_CARD = re.compile(r"(?<![\d.])(?:\d[ -]?){12,18}\d(?![\d])")
_SSN = re.compile(r"(?<![\d-])(\d{3})([- .])(\d{2})\2(\d{4})(?![\d-])")
_BARE_SSN = re.compile(pattern("named_ssn"))
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])")
_ACCOUNT = re.compile(pattern("account_number"))
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])")
_OF_DOCUMENTATION = tuple(
    ipaddress.ip_network(network)
    for network in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
)
"""Addresses of RFC 5737 and RFC 3849, which are nobody's."""
_OF_NAME_SERVER = re.compile(r"(?i)(?<![a-z])(?:dns|name ?servers?|resolvers?|ping)(?![a-z])")
_NO_ADDRESS = re.compile(pattern("version_before"))
_DATE = re.compile(pattern("date_or_time"))


class PersonalDatum(NamedTuple):
    """Personal data in a text."""

    kind: str
    start: int
    end: int


_SPACED = re.compile(r"(?<!\S)\S(?: \S){7,}(?!\S)")
"""Text with a space after each letter: `m a r y @ ...`."""


def personal_data(text: str) -> list[PersonalDatum]:
    """Return the personal data in a text, in no particular order.

    Args:
        text: a unified text (`lve.checkers.shape.characters`).
    """
    text = _SEAM.sub(" ", _undisguised(text))
    return [piece for finder in _FINDERS for piece in finder(text)]


def _undisguised(text: str) -> str:
    """Return a text with spelled-out digits ("four one five") as digits, and without the spaces
    between single letters or digits."""
    text = _SPACED.sub(lambda m: m[0].replace(" ", ""), text)
    text = _SPOKEN.sub(
        lambda m: "tel " + "".join(_DIGIT_WORDS[w.lower()] for w in re.findall(r"[A-Za-z]+", m[0])),
        text,
    )
    return _SPREAD.sub(lambda m: re.sub(r"\D", "", m[0]), text)


def _emails(text: str) -> Iterator[PersonalDatum]:
    place = 0
    while (match := _EMAIL.search(text, place)) is not None:
        place = match.end()
        domain = re.split(_DOT, match[0][match.end("at") - match.start() :])[-1]
        spoken = match["at"].strip().lower() == "at" and match["dot"] == "."
        if spoken and not _MAIL_HOST.search(match[0]):
            place = match.end("at")  # "meet at www.example.com", "write me at jane@example.com"
            continue
        address = re.sub(r"\s", "", re.sub(_DOT, ".", re.sub(_AT, "@", match[0])))
        if _NOBODYS.match(address) or _IN_URL.search(
            text, max(0, match.start() - 100), match.start()
        ):
            continue
        if _TOP.search(domain):
            yield PersonalDatum("an e-mail address", match.start(), match.end())


def _phones(text: str) -> Iterator[PersonalDatum]:
    for match in _PHONE.finditer(text):
        number = match[0].strip()
        digits = re.sub(r"\D", "", number)
        if 7 <= len(digits) <= 15 and _is_phone(text, match.start(), number, digits):
            yield PersonalDatum("a phone number", match.start(), match.end())


def _is_phone(text: str, start: int, number: str, digits: str) -> bool:
    before = text[max(0, start - 40) : start]
    if _ABOUT_OTHER.search(before):
        return False
    if _NO_PHONE.fullmatch(number):
        return False
    if _DATE.fullmatch(number) or _SSN.fullmatch(number):
        return False
    if number.startswith("+") or (number.startswith("00") and len(digits) > 9):
        return len(digits) >= 8
    if _NATIONAL.fullmatch(number) or (
        _BARE_MOBILE.fullmatch(number)
        and re.search(f"[{_EASTERN}]", text[max(0, start - 20) : start + len(number) + 20])
    ):
        return True
    if _NORTH_AMERICAN.fullmatch(number) or (_GROUPED.fullmatch(number) and len(digits) >= 9):
        return True
    about = rf"(?i)(?<![^\W\d_]){_ABOUT_PHONE}(?![A-Za-z])[^\d\n]{{0,25}}$"
    return re.search(about, before) is not None


def _cards(text: str) -> Iterator[PersonalDatum]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        is_known = re.match(r"4|5[1-5]|2[2-7]|3[47]|3[068]|6", digits) is not None
        if is_known and 13 <= len(digits) <= 19 and _luhn(digits) and len(set(digits)) > 1:
            yield PersonalDatum("a card number", match.start(), match.end())


def _luhn(digits: str) -> bool:
    doubled = [int(d) * (1 + place % 2) for place, d in enumerate(reversed(digits))]
    return sum(d - 9 * (d > 9) for d in doubled) % 10 == 0


def _social_security(text: str) -> Iterator[PersonalDatum]:
    for match in (*_SSN.finditer(text), *_BARE_SSN.finditer(text)):
        area, serial = match[1], match[match.re.groups]
        is_issued = area not in ("000", "666") and area < "900" and serial != "0000"
        before = text[max(0, match.start() - 40) : match.start()]
        if is_issued and not _ABOUT_OTHER.search(before):
            yield PersonalDatum("a social security number", match.start(), match.end())


def _national(text: str) -> Iterator[PersonalDatum]:
    for start, end in national_ids(text):
        if not _ABOUT_OTHER.search(text[max(0, start - 40) : start]):
            yield PersonalDatum("a national identity number", start, end)


def _ibans(text: str) -> Iterator[PersonalDatum]:
    for match in _IBAN.finditer(text):
        plain = re.sub(r"[ -]", "", match[0]).upper()
        for end in range(len(plain), 14, -1):  # the pattern may include a word after it
            if _mod97(plain[:end]):
                yield PersonalDatum("an account number", match.start(), match.end())
                break


def _mod97(iban: str) -> bool:
    if not 15 <= len(iban) <= 34:
        return False
    return int("".join(str(int(c, 36)) for c in iban[4:] + iban[:4])) % 97 == 1


def _accounts(text: str) -> Iterator[PersonalDatum]:
    for match in _ACCOUNT.finditer(text):
        yield PersonalDatum("an account number", match.start(1), match.end(1))


def _addresses(text: str) -> Iterator[PersonalDatum]:
    for match in (*_IPV4.finditer(text), *_IPV6.finditer(text)):
        around = text[max(0, match.start() - 40) : match.end() + 40]
        if _NO_ADDRESS.search(text[max(0, match.start() - 20) : match.start()]) or (
            _OF_NAME_SERVER.search(around)
        ):
            continue
        try:
            address = ipaddress.ip_address(match[0])
        except ValueError:
            continue
        special = address.is_loopback or address.is_unspecified or address.is_multicast
        special = special or any(address in network for network in _OF_DOCUMENTATION)
        if not special and not match[0].startswith(("255.", "0.", "192.168.0.1", "192.168.1.1")):
            yield PersonalDatum("an IP address", match.start(), match.end())


_FINDERS: tuple[Callable[[str], Iterator[PersonalDatum]], ...] = (
    _emails, _phones, _cards, _social_security, _national, _ibans, _accounts, _addresses,
)  # fmt: skip
