"""Finds out whether the words around a label are for it or against it.

Words decide, not sentences: what calls something right or wrong, what negates it, what names the
answer, and what only supposes or concedes something.
"""

from __future__ import annotations

import re

_NOT = (
    r"(?<!\w)(?:not|isn't|aren't|wasn't|doesn't|don't|didn't|won't|wouldn't|can't|cannot|couldn't"
    r"|hasn't|never|nicht|kein(?:e|er)?|pas|não|non (?=è|sono)|no (?=es|son|sea)|не|nie|inte|niet)"
    r"(?!\w)|不是|并非|不(?!过|仅)|非|没|ではな|じゃな|ではあり|아니|ليس"
)
RIGHT_WORD = (
    r"(?<![\w-])(?:(?:most )?(?:correct|accurate|appropriate|suitable|reasonable)(?:ly)?|right|true"
    r"|yes|best|better|holds(?= true| up| for| when| if| in|\W*$)|fits|matches|applies|works"
    r"|richtig|korrekt|wahr|stimmt|zutreffend|vraie?"
    r"|juste|bonne?|correct[oa]s?|correta?|corretta|certa?o?|giust[oa]|verdader[oa]|verdadeir[oa]"
    r"|ver[oa]|верн\w*|прав\w*|poprawn\w*|doğru\w*|benar|juist|rätt|đúng|सही)(?!\w)"
    r"|正确|正しい|对(?=[的。，,；;]|$)|符合|맞|옳|صحيح|✓|✔|✅|☑|\[x\]"
)
WRONG_WORD = (
    r"(?<![\w-])(?:wrong|false|incorrect(?:ly)?|inaccurate|nonsense|ruled out|eliminated|excluded"
    r"|irrelevant|invalid|untrue|unlikely|implausible|impossible|opposite(?!\W*:)|fails|lacks|contradicts"
    r"|misses|ignores|falsch|unwahr|faux|fausse|incorrect[oa]s?|incorreta?o?|errad[oa]|errat[oa]"
    r"|fals[oa]s?|sbagliat[oa]|неверн\w*|неправ\w*|ошиб\w*|błędn\w*|yanlış\w*|salah|fout|fel|sai"
    r"|गलत)(?!\w)|错|误|不符|不对|間違|誤|틀|خاطئ|خطأ|✗|✘|❌|☐|\[ \]"
)
_NO = r"(?<!\w)(?:no|nein|non)(?=\W*$)"
_ALMOST = (
    r"(?<!\w)(?:tempting|mistake|error|plausible|attractive|common|close|trap|distractor|popular"
    r"|partially|partly|too|at first|out(?! of)|has its merits"
    r"|can be|could be|might be|may be)(?!\w)"
)
_JUDGED = re.compile(
    rf"(?P<not>(?:{_NOT}|(?<!\w)(?:half|almost|nearly|partly|partially)(?!\w))(?:\s+(?:the|a|an"
    rf"|quite|entirely|really|fully|strictly|also|be|all|both"
    rf"|necessarily))*\s*)?(?:(?P<almost>{_ALMOST})|(?P<wrong>{WRONG_WORD}|{_NO})|(?P<right>{RIGHT_WORD}))"
    rf"|(?P<plain_not>{_NOT})|(?<!\w)(?P<most>only|strongest|most \w+|answers|it is|for"
    rf" sure)(?!\w)",
    re.IGNORECASE,
)
_HEADED = re.compile(
    rf"(?:(?P<right>{RIGHT_WORD})|(?P<wrong>{WRONG_WORD}))[\w ()]{{0,30}}[:：)\s|*-]*$", re.I
)
"""A heading before a list: "Incorrect: B, D", "✅ A"."""
_TITLE = r"(?:[\s\"'(*]*(?:option|choice|answer|letter|statement|label|class|the|an?|die|la|选项))*"
_REJECTED = re.compile(
    rf"(?:{_NOT}|(?<!\w)(?:half|partly|partially|somewhat|rather than|instead of|over"
    rf"|(?<!other )than|anything but|far from|hardly|unlike|neither|nor|eliminat\w+|exclud\w+"
    r"|rul\w+ out|discard\w*|reject\w*|except|versus|vs\.?|between|why|whether|contrary to|aside"
    r" from"
    r"|y no|e non|e não|et (?:non|pas)|statt|anders als|weder|noch|sondern nicht|plutôt que"
    r"|en vez de|anziché|compared (?:to|with))"
    rf"(?!\w)|不选|排除|而非)(?:\s+(?:be|say|choose|pick|select|go with|call (?:it|this)|it's|it is"
    rf"|that))?\s*{_TITLE}[\s\"'(*]*$",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"^\W*(?:and |or )?(?:(?:even )?(?:although|though(?!,)|if(?! anything)|unless)|despite|while"
    r"|whereas|unlike|even if"
    r"|obwohl|wenn|auch wenn|während|bien que|même si|aunque|si|embora|sebbene|anche se|хотя|если"
    r"|虽然|尽管|如果)(?!\w)|(?<!\w)(?:might|may|could|many|some|others|people|students|someone)"
    r"(?: \w+){0,2} (?:think|say|said|claim|argue|believe|choose|pick|select|seem)s?(?!\w)"
    r"|(?<!\w)(?:mistake|tempting|wrong|incorrect)(?: \w+){0,3}(?!\w)\W*$",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:(?<![\w'])(?:it(?:'s| is)|that(?:'s| is)|must be|has to be|so|thus|therefore|then|hence"
    r"|pick|choose|select|chose|chosen|picked|selected|go(?:ing)? (?:with|for)|went with|settle"
    r" (?:on"
    r"|for)|opt for|say|mark|prefer|favou?r|vote for|lean(?:ing)?(?: (?:more )?(?:towards?|to))?"
    r"|(?:label|call|mark|tag|flag|classify|rate) (?:this|it|that)(?: \w+)?(?: as)?|labell?ed(?:"
    r" as)?"
    r"|classified as|leaves?(?: us| me)?(?: with)?|conclude|indicates?|answer(?:ed|ing)?(?: with)?"
    r"|(?:up|overall|final state)\W?|remains|wähle|bleibt(?: nur)?|choisis|elijo|scelgo|nehme|c'est"
    r"|(?:main|primary|dominant|most likely|decisive) \w+(?: is| was)"
    r"|(?:the |overall |general )*(?:tone|mood|attitude|sentiment|polarity|label|category|class"
    r"|classification|claim|statement|decision|rating|priority|pick|choice|option|letter|bewertung)"
    r"(?:\s*[:：=]|(?:'s| is| was| must be| should be| ist| est| es| è)))"
    r"|(?:故|应|应该|因此|所以|我)?选(?:择|项)?(?:是|为|[:：])?|总体(?:上)?(?:是|为)?|[→⇒])"
    r"(?:[ ,:]+(?:clearly|definitely|therefore|thus|(?:most )?likely|probably|actually|indeed"
    rf"|simply|still|then|certainly|just|as|only|either|overall))*{_TITLE}[\s\"'(*:,]*$",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"^\W*(?!(?:[^\W\d]+ )?(?:explanation|reason|reasoning|note|question|context|text|input|user"
    r"|example|options?|choices|hint|remark|because)\b)[^\W\d]+(?: [^\W\d]+)?\s*[:：]\W*$",
    re.IGNORECASE,
)
"""A key at the beginning of a line, before a label: "Severity: high"."""
_CONCLUDES = re.compile(
    r"(?i)^\W*(?:so|thus|therefore|hence|in (?:conclusion|summary)|overall|ultimately|finally|daher"
    r"|donc|por lo tanto|quindi|portanto)(?!\w)|^\W*(?:因此|所以|综上|故)"
)
_TAG_QUESTION = re.compile(r"(?i)[,，] (?:isn't it|right|no|n'est-ce pas|oder|nicht wahr)\?.*$")
_BUT = re.compile(
    r"(?i)^\W*(?:but|however|yet|aber|sondern|mais|pero|sino|но|а)(?!\w)|^\W*(?:但|不过|而是)"
)
_ONLY = re.compile(r"(?i)(?<!\w)only\W*$")
_TOO = re.compile(r"(?i)(?<!\w)(?:as well|too|also)(?!\w)")
_UNREAL = re.compile(r"(?i)[^|]*\|[\s\"')]*\?|[^|]*(?:would|might) be\W*\|\s*(?:only )?if\b")
_OF_A_CLAUSE = re.compile(
    r"(?i)(?:.*[\s,;])?(?:it(?:'s| is|'s certainly| is certainly)|es ist|il est|c'est|es|è)"
    r"\|[\s*]*(?:that|dass|daß|que|che)(?!\w)"
)
NAMED, RIGHT, NEITHER, WRONG = 2, 1, 0, -1


def stance(before: str, after: str) -> int:
    """Return a clause's stance on a label.

    Args:
        before: the clause up to the label.
        after: the rest of the clause, up to the next label.

    Returns:
        `NAMED` as the answer, called `RIGHT` or `WRONG`, or `NEITHER`.
    """
    if _REJECTED.search(before) or _SUPPOSED.search(before) or _UNREAL.match(f"{before}|{after}"):
        return WRONG
    if is_of_clause(before, after):
        return NEITHER
    judged = _judged(_TAG_QUESTION.sub("", after))
    if _NAMED.search(before):
        return judged if judged == WRONG and not _KEY.match(before) else NAMED
    if _CONCLUDES.match(before) and judged != WRONG:
        return NAMED
    if judged != NEITHER:
        is_contrast = judged == RIGHT and _BUT.match(before) and not _TOO.search(after)
        return NAMED if is_contrast or (_ONLY.search(before) and judged == RIGHT) else judged
    if headed := _HEADED.search(before):
        return RIGHT if headed["right"] else WRONG
    return RIGHT if _KEY.match(before) else NAMED if _ONLY.search(before) else NEITHER


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
