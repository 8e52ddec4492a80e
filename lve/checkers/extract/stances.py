"""Finds out whether the words around a label are for it or against it."""

from __future__ import annotations

import re

_SURELY = (
    r"(?:(?:clearly|definitely|therefore|thus|most likely|probably|actually|indeed|simply|still"
    r"|then|thereby|certainly|just|only|either|the)[ ,]+){0,2}"
)
_NOUN = (
    r"(?:overall |general |dominant )?(?:tone|mood|attitude|polarity|impression)"
    r"|answers?|options?|choices?|letters?|solution|conclusion|classification|label|sentiment"
    r"|statement|claim|assertion|proposition|verdict|category|prediction|judge?ment|response|one|pick|selection|decision|rating"
    r"|antwort|réponse|respuesta|risposta|resposta|ответ"
)
_IS = (
    r"(?:\s*\"?\s*[:：=]+\s*\"?|(?:'s| (?:is|are|was|would be|should be|must be|has to be"
    r"|can only be|ist|lautet|est|es|è|é|option|choice|letter)))"
)
_CHOOSE = (
    r"pick|choose|select|chose|chosen|selected|picked|go(?:ing)? (?:with|for)|went with"
    r"|settle (?:on|for)|opt for|say|mark|prefer|favou?r|vote for"
    r"|lean(?:ing)?(?: (?:more )?(?:towards?|to))?"
    r"|(?:label|call|mark|tag|flag) (?:this|it|that)(?: as)?"
    r"|classify (?:this|it|that) as|classified as|labell?ed(?: as)?|rate (?:this|it) as"
    r"|leaves?(?: us| me)?(?: with)?|conclude|indicates?|answer(?:ed|ing)?(?: with)?"
    r"|wähle|choisis|elijo|scelgo|nehme"
)
_FOR_BEFORE = re.compile(
    rf"(?:(?<!\w)(?:{_NOUN})(?: (?:to|for|of)(?: [\w']+){{1,6}}?)?(?: here| \(s\))?{_IS} ?{_SURELY}"
    rf"|\b(?:it(?:'s| is)|that(?:'s| is)|must be|has to be|so|thus|therefore|hence|then|{_CHOOSE})"
    rf"[ ,:]+{_SURELY}"
    r"|(?:正确)?答案(?:选项)?(?:应该|应当|应)?(?:是|为|选|[:：])*\s*"
    r"|(?:故|应|应该|因此|所以|我)?选(?:择|项)?(?:是|为|[:：])?\s*"
    r"|正解は\s*|答えは\s*|正确(?:的)?(?:选项|答案)?(?:是|为)\s*|정답은?\s*[:：]?\s*)"
    r"(?:(?:option|choice|letter|answer|statement|the|label|class|选项)[ :]+){0,2}$",
    re.IGNORECASE,
)
_RIGHT = (
    r"(?:most (?:plausible|likely|probable|reasonable|suitable|appropriate)(?!\w)"
    r"|better (?:answer|option|choice|one)(?!\w)"
    r"|(?:best|correct|right|true|accurate|proper|most accurate|most appropriate)"
    r"(?: (?:answer|option|choice|one|statement))?|answer)(?!\w)"
)
_LISTED = r"^\s*[:：)\-.,]*\s*(?:[^.:\n]{0,40}[:：-]\s*)?"
_FOR_AFTER = re.compile(
    r"^\W{0,3}(?:[^.,;:!?\n]{0,40}? )??(?:is|are|'s|must be|seems|looks|remains) "
    rf"(?:(?:also|therefore|thus|the only|the most|the|clearly|definitely|indeed|both) ){{0,2}}"
    rf"{_RIGHT}"
    r"|^\W{0,3}(?:holds|fits|matches|applies|works|it is|for sure)\b"
    rf"|{_LISTED}(?:yes|correct|true|right|✓|✔|✅|ja|对|正确)(?!\w)"
    r"|^\s*(?:项)?(?:是|为)?(?:正确|对)的?"
    r"|^\W{0,3}(?:ist|est|es|è) (?:richtig|korrekt|correcte?|correct[oa]|la bonne|juste|giust[oa])",
    re.IGNORECASE,
)
_WRONG = (
    r"wrong|false|incorrect|nonsense|out\b|tempting|ruled out|eliminated|excluded|irrelevant"
    r"|invalid|untrue|common|trap|distractor|unlikely|right at first|plausible|too|inaccurate"
    r"|impossible|attractive|close|opposite"
)
_AGAINST_AFTER = re.compile(
    r"^[\s)*\]\"]{0,3}(?:[^.,;:!?\n]{0,60}? )??"
    r"(?:(?:is|are|was|were|'s|seems|looks|would be|can|could|does|do|has|have|did)"
    r"(?: ?n[o']t| not)\b|(?:cannot|can't|isn't|doesn't|aren't)\b"
    r"|(?:is|are|was|looks|seems|would be|sounds) "
    r"(?:(?:also|all|both|clearly|obviously|too|just|simply|a|an|the|definitely|quite) ){0,2}"
    rf"(?:{_WRONG})|(?:fails|lacks|contradicts|misses|ignores)\b"
    r"|(?:looks|seems|sounds|appears) (?:right|plausible|correct|good|tempting|attractive))"
    rf"|{_LISTED}(?:no(?! doubt)|wrong|false|incorrect|not|✗|✘|❌|nein|错|错误|不)(?!\w)"
    r"|^\s*(?:项)?(?:是|为)?(?:错|不对|不正确|不是|错误)"
    r"|^\W{0,3}(?:ist|est|es|è|sind) (?:falsch|nicht|faux|fausse|incorrect|fals[oa]|sbagliat)",
    re.IGNORECASE,
)
_AGAINST_BEFORE = re.compile(
    r"(?:\b(?:not|n't|never|cannot be|can't be|isn't|rather than|instead of|over|than|unlike"
    r"|eliminates?|exclude|rule[sd]? out|discard|reject|compare(?:d (?:to|with))?|neither|nor"
    r"|mistake (?:would be|is) to (?:pick|choose|select|say)"
    r"|tempting to (?:pick|choose|say|select)|except"
    r"|(?:might|may|could|many|some|others|people) (?:think|say|claim|argue|believe|be argued)"
    r"|contrary to|versus|vs\.?|between|why|whether|if|nicht|kein|statt|pas|no es|non è)"
    r"[ ,:\"'(]*|不是|不选|排除|并非|而非)"
    r"(?:(?:option|choice|answer|the|it's|it is|a|an|that) +){0,3}[\"'(]*$",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:can(?:no|')t|isn't|not|never|mistake|wrong|incorrect|tempting|wouldn't|don't|doesn't"
    r"|won't|nicht|n't|if|might|some (?:people )?(?:would|may)|why)\b[^.,;]{0,40}$",
    re.IGNORECASE,
)

_KEY = re.compile(
    r"\W*(?!(?:[^\W\d]+ )?(?:explanation|reason|reasoning|note|question|context|text|input|user"
    r"|example|options?|choices|hint|remark|because)\b)[^\W\d]+(?: [^\W\d]+)?\s*:\s*$",
    re.IGNORECASE,
)
"""A key at the beginning of a line, before a label: "Severity: high"."""
_REASON = re.compile(r"(?i)\b(?:because|since|whereas)\b")
"""The text after these words is about something else: "B because the others are wrong"."""


def stance(before: str, after: str) -> int:
    """Return a sentence's stance on a label.

    Args:
        before: the sentence up to the label.
        after: the rest of the sentence, up to the next label.

    Returns:
        2: explicitly named as the answer; 1: called right; -1: called wrong; 0: neither.
    """
    if _AGAINST_BEFORE.search(before) or re.match(r"\s*\?", after):
        return -1
    if before.rstrip().lower().endswith("would be") and re.match(r"(?i)\s*(?:only )?if\b", after):
        return -1
    if _FOR_BEFORE.search(before):
        return -1 if _NEGATED.search(before) else 2
    if _AGAINST_AFTER.search(_REASON.split(after, maxsplit=1)[0]):
        return -1
    return 1 if _FOR_AFTER.search(after) or _KEY.match(before) else 0
