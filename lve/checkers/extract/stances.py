"""Finds out whether the words around labels are for them or against them.

Mentions that are joined count as one, and the clause around them decides.

Words decide, not sentences: what calls something right or wrong, what negates it, what names the
answer, and what only supposes or concedes something.
"""

from __future__ import annotations

import re

from lve.checkers.extract.labels import (
    Mention,
    are_denied,
    are_offered,
    is_alternative,
    is_link,
    is_new_clause,
)
from lve.checkers.shape.characters import lowered
from lve.checkers.shape.patterns import pattern

_JUDGED = re.compile(pattern("judged"), re.IGNORECASE)
_HEADED = re.compile(pattern("headed"), re.IGNORECASE)
"""A heading before a list: "Incorrect: B, D", "✅ A"."""
_REJECTED = re.compile(pattern("rejected"), re.IGNORECASE)
_SUPPOSED = re.compile(pattern("supposed"), re.IGNORECASE)
_CONFIRMED = re.compile(pattern("confirmed"))
"""After a label that others are said to choose: "and they'd be right"."""
_NAMED = re.compile(pattern("named"), re.IGNORECASE)
_KEY = re.compile(pattern("key"), re.IGNORECASE)
"""A key at the beginning of a line, before a label: "Severity: high"."""
_CONCLUDES = re.compile(pattern("clause_concludes"))
_BESIDE = re.compile(pattern("said_after_label"))
"""After a label, what doesn't judge it: "B, right?", "B (not C)"."""
_BUT = re.compile(pattern("clause_contrasts"))
_ONLY = re.compile(r"(?i)(?<!\w)only\W*$")
_TOO = re.compile(r"(?i)(?<!\w)(?:as well|too|also)(?!\w)")
_UNREAL = re.compile(r"(?i)[^|]*\|[\s\"')]*\?|[^|]*(?:would|might) be\W*\|\s*(?:only )?if\b")
_OF_A_CLAUSE = re.compile(pattern("of_a_clause"))
_SCOPE = re.compile(pattern("scope"))
"""What denies or asks for what follows."""
_ATTITUDE = re.compile(pattern("attitude"))
_DURING = re.compile(r"(?i)(?<!\w)(?:for|in|since|after|until|by)(?: \w+)? \W*\Z")
_VERB = re.compile(pattern("verb"))
ALL_BUT = re.compile(pattern("except"))
_RELATIVE = re.compile(pattern("relative_clause"))
_LATER = re.compile(pattern("judged_later"))
_VINDICATED = re.compile(pattern("vindicated"))
"""After a label that isn't obvious: "but it's the answer"."""
_TAKEN_BACK = re.compile(pattern("label_taken_back"))
"""A clause up to a label, `|` and what follows: "It could be|, but I can't be sure"."""
_GENERAL = re.compile(pattern("label_general"))
_PARTICULAR = re.compile(pattern("label_particular"))
_CHANCE = re.compile(pattern("chance"))
_CONCLUSION = re.compile(pattern("bare_conclusion"))
"""Before the last label, `|` and what follows, where that label is a clause of its own."""
CONTRAST = re.compile(r"(?i)[,;] (?:but|however|yet|aber|mais|pero|ma|но)(?!\w)")
_ADDED = re.compile(pattern("label_added"))
"""Between two labels, `|` and what follows, where the second is as the first: "so is D"."""
_TRUSTED = re.compile(pattern("trusted"))
_HYPOTHETICAL = re.compile(pattern("hypothetical"))
"""After a label: "B would be right if it were winter"."""
NAMED, RIGHT, NEITHER, WRONG = 2, 1, 0, -1
_BESIDE_LABEL = 12
"""How many characters after a label may say that it is for this case: "yes here"."""
_REACH = 120
"""How many characters on each side of a label are read."""
BOUNDARY = re.compile(pattern("boundary"))
_SPLIT = re.compile(pattern("label_split"))
OPENING = re.compile(pattern("opening"))
_DECORATION = "✅❌✓✗✔✘☑☐ "
_ASIDE = re.compile(pattern("aside"))
_OPTION_TEXT = re.compile(pattern("option_text"))
"""After a letter, before the text of its option: "(A) It isn't said."."""
_REPLY = re.compile(r"(?i)(?:yes|no|ja|nein|oui|non|sí)(?=[.!,;\n]|$)")
_INTRODUCES = (":", "：")
_CHANGED = re.compile(pattern("changed"))
_RETRACTS = re.compile(pattern("retracts"))
_RETRACTED_FOR = re.compile(pattern("retracted_for"))
_VERB_AFTER = re.compile(pattern("verb_after_letter"))
_LIST_MARKS = " \t>*•|(\"'-.)0123456789"


def stance(before: str, after: str) -> int:
    """Return a clause's stance on a label.

    Args:
        before: the clause up to the label.
        after: the rest of the clause, up to the next label.

    Returns:
        `NAMED` as the answer, called `RIGHT` or `WRONG`, or `NEITHER`.
    """
    if excepted := ALL_BUT.search(before):  # "All except B are wrong", "Remove all but B"
        return NAMED if excepted["out"] or _judged(after) == WRONG else WRONG
    if _SUPPOSED.search(before) and not _REJECTED.search(before) and _CONFIRMED.match(after):
        return NAMED
    if _REJECTED.search(before) or _SUPPOSED.search(before) or _UNREAL.match(f"{before}|{after}"):
        return WRONG
    if (chance := _CHANCE.search(f"{before} {after}")) is not None:
        is_likely = int(chance["percent"]) > 50
        return WRONG if is_likely is bool(chance["wrong"]) else NAMED
    if is_in_denial(before) or _HYPOTHETICAL.match(after):
        return WRONG
    if is_of_clause(before, after):
        return NEITHER
    judged = _judged(_BESIDE.sub("", after))
    if _NAMED.search(before):
        judged = _judged(_RELATIVE.sub("", _BESIDE.sub("", after)))
        return NAMED if judged != WRONG or _KEY.match(before) or after.startswith(": ") else WRONG
    if _CONCLUDES.match(before) and judged != WRONG:
        return NAMED
    if judged != NEITHER:
        is_contrast = judged == RIGHT and _BUT.match(before) and not _TOO.search(after)
        return NAMED if is_contrast or (_ONLY.search(before) and judged == RIGHT) else judged
    if headed := _HEADED.search(before):
        return RIGHT if headed["right"] else WRONG
    return RIGHT if _KEY.match(before) else NAMED if _ONLY.search(before) else NEITHER


def is_in_denial(before: str) -> bool:
    """Return whether what stands before something denies or asks for it: "They didn't agree on",
    "I don't think it's", "how many of the"."""
    scope = _SCOPE.search(before)
    if scope is None or scope["scope"] is None:
        return scope is not None
    is_stated = _VERB.search(lowered(scope["scope"])) or _DURING.search(scope["scope"])
    return _ATTITUDE.match(scope["scope"]) is not None or not is_stated


def is_of_clause(before: str, after: str) -> bool:
    """Return whether a label says something of the clause after it: "It is true that ..."."""
    return _OF_A_CLAUSE.match(f"{before[-12:].strip()}|{after}") is not None


def _judged(after: str) -> int:
    """Return what the words after a label say of it; the first that judges decides."""
    weak = NEITHER
    for word in _JUDGED.finditer(after):
        if word["right"] or word["wrong"]:
            return RIGHT if (word["right"] is None) is bool(word["not"]) else WRONG
        if word["almost"] or word["plain_not"]:
            weak = WRONG
        elif weak == NEITHER:
            weak = RIGHT
    return weak


def with_stances(text: str, mentions: list[Mention]) -> list[Mention]:
    """Return the mentions with stances, each list as one: "B and D", "A, C, and D are false"."""
    groups: list[Mention] = []
    for mention in mentions:
        last = groups[-1] if groups else None
        between = text[last.end : mention.start] if last else ""
        if last and between.casefold() == " to " and _CHANGED.search(text, 0, last.start):
            groups[-1] = last._replace(stance=WRONG)
            groups.append(mention._replace(stance=NAMED))
        elif last and len(between) < 20 and is_alternative(between):
            labels = (*last.labels, *mention.labels) if are_denied(text, last.start) else ()
            groups[-1] = Mention(labels, last.start, mention.end, WRONG)
        elif last and last.labels and is_new_clause(text, last, mention):
            groups.append(mention)
        elif last and not {*last.labels} & {*mention.labels} and last.labels and is_link(between):
            labels = tuple(dict.fromkeys((*last.labels, *mention.labels)))
            groups[-1] = Mention(labels, last.start, mention.end, last.stance)
        else:
            groups.append(mention)
    for index, group in enumerate(groups):
        if len(group.labels) > 1 and are_offered(text, group.start):
            groups[index] = group._replace(labels=(), stance=WRONG)
        elif len(group.labels) > 1 and are_denied(text, group.start):
            groups[index] = group._replace(stance=WRONG)
    judged: list[Mention] = []
    for index, group in enumerate(groups):
        between = text[groups[index - 1].end : group.start] if index else ""
        if judged and _ADDED.match(f"{between}|{text[group.end : group.end + 20]}"):
            judged[-1] = judged[-1]._replace(labels=(*judged[-1].labels, *group.labels))
            continue
        mention = group._replace(stance=group.stance or _stance_of(text, groups, index))
        if judged and mention.stance != WRONG and _is_correction(text, judged[-1], mention):
            judged[-1], mention = judged[-1]._replace(stance=WRONG), mention._replace(stance=NAMED)
        if judged and _is_exception(text, judged[-1], mention):
            judged[-1] = judged[-1]._replace(stance=WRONG)
        judged.append(mention)
    if len(judged) > 1 and judged[-1].stance == NEITHER and not at_lines(text, judged[-2:]):
        begin, (_, start, end, _) = judged[-2].end, judged[-1]
        if _CONCLUSION.search(f"{text[max(begin, start - _REACH) : start]}|{text[end : end + 20]}"):
            judged[-1] = judged[-1]._replace(stance=NAMED)
    return _with_trusted(text, judged)


def _with_trusted(text: str, judged: list[Mention]) -> list[Mention]:
    """Return the mentions; of several holders of answers, the one that the speaker trusts names it:
    "My gut says A, the formula B, and I trust the formula"."""
    reliance = _TRUSTED.search(text) if len(judged) > 1 else None
    if reliance is None:
        return judged
    holder, starts = (reliance[1] or reliance[2]).casefold(), [0, *(m.end for m in judged)]
    owned = [holder in text[a : m.start].casefold() for a, m in zip(starts, judged, strict=False)]
    if sum(owned) != 1:
        return judged
    chosen = judged[owned.index(True)]
    return [m._replace(stance=NAMED if m is chosen else WRONG) for m in judged]


def _is_exception(text: str, last: Mention, mention: Mention) -> bool:
    """Return whether a label is for this case, and the one before it for others: "Usually yes, but
    here no"."""
    start = max(0, last.start - 40)
    general = BOUNDARY.split(text[start : last.start])[-1] + text[last.start : last.end + 40]
    particular = _PARTICULAR.search(text, last.end, mention.end + _BESIDE_LABEL)
    is_denied = text.startswith("not ", mention.start)
    if mention.stance == WRONG:
        return False
    return particular is not None and (is_denied or _GENERAL.search(general) is not None)


def _is_correction(text: str, last: Mention, mention: Mention) -> bool:
    """Return whether a label takes back the one before it: "B. No, A."."""
    if not _RETRACTS.fullmatch(text, last.end, mention.start):
        return False
    return mention.stance != NEITHER or _RETRACTED_FOR.match(text, mention.end) is not None


def _stance_of(text: str, groups: list[Mention], index: int) -> int:
    """Return the stance of a mention by its clause: the words from the one before to the next."""
    mention = groups[index]
    start = groups[index - 1].end if index else 0
    end = groups[index + 1].start if index + 1 < len(groups) else len(text)
    before = text[max(start, mention.start - _REACH) : mention.start]
    introduced = before.rstrip(" \n\"'([*")
    if introduced.endswith(_INTRODUCES):
        is_list = at_lines(text, groups[index : index + 2])
        before = before.rstrip("\n") if is_list else f"{introduced} "
    after = _VERB_AFTER.sub(" ", text[mention.end : min(end, mention.end + _REACH)], count=1)
    if len(groups) == 1:
        before = before.lstrip(_DECORATION)
    clauses = BOUNDARY.split(before)
    before = clauses[-1]
    if index and len(clauses) == 1 and (cuts := [*_SPLIT.finditer(before)]):
        before = before[cuts[-1].start() :].lstrip(",，、( ")
    clauses = BOUNDARY.split(after, maxsplit=1)
    after = clauses[0]
    if after.endswith("?") and (reply := _REPLY.match(clauses[-1])) is not None:
        after = reply[0]  # "Check B: 3 > 4? No."
    if end < len(text) and len(clauses) == 1 and (cuts := [*_SPLIT.finditer(after)]):
        after = after[: cuts[-1].start()]
    bare = before.strip(" \"'(*-")
    is_option = len(groups) == 1 and _OPTION_TEXT.match(text, mention.end)
    if OPENING.fullmatch(bare) and (is_option or is_sentence(text, mention)):
        after = ""
    if _VINDICATED.match(text, mention.end, end):
        return NAMED
    is_of_other = len(groups) > 1 and is_of_clause(before, after)  # "It is true that ..., but ..."
    around = f"{before}|{text[mention.end : min(end, mention.end + _REACH)]}"
    if is_of_other or _TAKEN_BACK.match(around):
        return WRONG
    later = _LATER.search(text, mention.end, end)  # "A. The price falls: this is not true"
    return stance(before, after) or (_judged(later["rest"]) if later else NEITHER)


def at_lines(text: str, mentions: list[Mention]) -> bool:
    """Return whether each mention begins a line of its own."""
    return len(mentions) > 1 and all(
        not text[text.rfind("\n", 0, mention.start) + 1 : mention.start].strip(_LIST_MARKS)
        for mention in mentions
    )


def is_sentence(text: str, mention: Mention) -> bool:
    """Return whether the label at the beginning of an answer is a whole sentence: `No.`"""
    is_word = mention.end - mention.start > 1 or not text[mention.start].isascii()
    if _ASIDE.match(text, mention.end):
        return True
    return is_word and text[mention.end : mention.end + 1] in ".!,;:-\n，。！；：、的"
