"""Tells from its words what a text can't have: most answers have no correction, closing phrase or
note, and searching for each of these would cost more than everything else."""

from __future__ import annotations

import re
from functools import lru_cache, reduce
from operator import or_

ANNOUNCEMENT, CORRECTION, CONCESSION, CONTRAST, CLOSING, NOTE = (1 << n for n in range(6))
EVERY = (1 << 6) - 1

_STEMS = {
    ANNOUNCEMENT: (
        "_answer_ _answers_ _result_ _results_ _solution_ _solutions_ _conclusion_ _outcome_"
        " _total_ _version_ _verdict_ _response_ _responce_ _antwort _ergebnis_ _respuesta"
        " _resultado_"
        " _risposta_ _risposte_ _rispost_ _risultato_ _resposta _antwoord_ _svar _vastaus_"
        " _odpowiedz _cevap_ _jawaban_ _tl _bottom_ _give_ _rate_ _score_ _grade_"
    ),
    CORRECTION: (
        "_wait_ _scratch_ _hold_ _strike_ _actually_ _made _mis _wrong _right _re_ _recheck"
        " _correct _recalculate _reconsider _redo _fix _again _incorrect _second_ _reflection"
        " _consideration _review _closer_ _careful_ _edit_ _nein_"
        " _moment_ _halt_ _genauerem _zweiten_ _attende _fait_ _realidad_ _espera_ _verdade_"
        " _aspetta _sorry_ _apologies_"
    ),
    CONCESSION: "first initially seem appear look _think _say _argue _ersten_ _primera_ _prima_",
    CONTRAST: "_but_ _however_ _yet_ _aber_ _doch_ _mais_ _pero_ _ma_ _mas_",
    CLOSING: (
        "_know _helps _free confidence _help _questions would_ _want _anything if_ ask_ note"
        " _source _reference _step_ _nice _great _good disclaimer _used verif check _page_"
        " _chapter_ _section_ _figure_ _table_ _hinweis _anmerkung _nota_ _remarque"
    ),
    NOTE: "_references_ _sources_ _works_ _footnotes_ _quellen_",
}
"""Cue -> what one of its words contains; `_` is the beginning or the end of a word. It belongs to
the patterns of `passages`, and of notes in `sentence_order`: each match has such a word."""
_MARKS = re.compile(r"\[|[pP]\.[sS]")
_MAX_WORDS = 20_000
_LONGEST = 40
_LETTERS = bytes(c | 32 if chr(c).isalpha() and c < 128 else 32 for c in range(256))
"""Turns text in ASCII into its words in lower case, between spaces."""


class _Words(dict[bytes, int]):
    """Word -> its cues, of the words that were read before."""

    def __missing__(self, word: bytes) -> int:
        marked = f"_{word.decode()}_"
        cues = sum(cue for cue, stems in _STEMS.items() if any(s in marked for s in stems.split()))
        if len(word) <= _LONGEST:
            if len(self) >= _MAX_WORDS:
                self.clear()
            self[word] = cues
        return cues


_CUES_BY_WORD = _Words()


def words_of(text: str) -> list[bytes]:
    """Return the words of a text in ASCII, in lower case: everything between letters separates."""
    return text.encode().translate(_LETTERS).split()


@lru_cache(maxsize=8)
def cues(text: str) -> int:
    """Return the cues that a text may have, as bits; it has no others."""
    if not text.isascii():
        return EVERY
    marks = CLOSING | NOTE if _MARKS.search(text) else 0
    return reduce(or_, map(_CUES_BY_WORD.__getitem__, words_of(text)), marks)
