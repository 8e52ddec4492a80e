"""Abbreviations of a dozen languages, and the words that show whether one ends its sentence."""

from __future__ import annotations

_TITLES_TEXT = (
    "mr mrs ms dr prof st rev hon gen col capt lt sgt sen rep gov pres vs cf mt messrs mmes"
    " hr fr dipl ing mag"
    " mme mlle mgr"
    " sr sra srta dra dña ud uds"
    " sig dott dott.ssa avv egr"
    " exmo exma"
    " dhr mevr mw drs"
    " г-н г-жа им проф акад ул пр-т"
    " ks inż mgr dypl"
    " bay"
)
TITLES = frozenset(_TITLES_TEXT.split())
"""Always with a name after them."""
_BEFORE_NUMBERS_TEXT = (
    "no nos nr nrn num núm nº n° n art arts fig figs eq eqs p pp s vol ch chap sec sect ver v cap"
    " pag pág págs kap abb tab abs bd str ref ex ст стр рис гл п пп д кв табл rys rozdz poz hfst"
    " blz afb jan feb mar apr jun jul aug sep sept oct nov dec"
)
BEFORE_NUMBERS = frozenset(_BEFORE_NUMBERS_TEXT.split())
"""End no sentence before a number. Some are words by themselves: "the answer is no.\""""
_ABBREVIATIONS_TEXT = (
    "etc al e.g eg i.e ie viz approx est ca c dept univ assn bros inc ltd co corp llc jr ave blvd"
    " rd hwy ft lb lbs oz min max hrs hr sec jan feb mar apr jun jul aug sep sept oct nov dec mon"
    " tue tues wed thu thur thurs fri sat"
    " bzw usw evtl ggf inkl zzgl ca vgl sog bspw zb dh str nr tel geb gest jh mio mrd okt dez mär"
    " env av bd boul apr janv févr avr juill sept déc p.ex c-à-d etc adj"
    " ej p.ej aprox pág av avda cía ee.uu dpto ene abr ago dic"
    " ecc es p.es ca sigg gen feb mag giu lug ago set ott dic"
    " ex p.ex aprox av fev abr mai ago set out dez ltda"
    " bijv o.a d.w.z enz ca nl m.b.t t.a.v jl mln mld"
    " т.е т.д т.п т.к др гг в вв н.э руб коп тыс млн млрд напр см обл"
    " np itd itp tzn tj m.in ok ul al woj wg r w godz"
    " bl.a t.ex osv d.v.s ca dvs m.m f.eks bl.a"
    " örn vb vs bkz yy"
)
ABBREVIATIONS = frozenset(_ABBREVIATIONS_TEXT.split())
"""End a sentence where a word of `BEGINNINGS` follows."""
_BEGINNINGS_TEXT = (
    "I It He She We You They The This That These Those There A An In On At But And Or So Then Also"
    " However If When While What Why How Who Where Yes No My Our His Her Their Its As For With"
    " After Before Still Now Is Are Was Do Does Did Can All Some Many Most Both Here"
    " Ich Er Sie Es Wir Ihr Der Die Das Dann Aber Und Ein Eine Im Am Dies Diese Dieser Dieses Auch"
    " Danach Wenn Je Il Elle Nous Vous Ils Elles Le La Les Un Une Ce Cela Mais Et Puis Ensuite"
    " Yo Él Ella Nosotros Ellos El Los Las Una Pero Y Luego Después Esto Este Esta"
    " Io Lui Lei Noi Loro Gli Lo Ma E Poi Questo Questa"
    " Eu Ele Ela Nós Eles O Os As Um Uma Mas Depois Isto Isso"
    " Ik Hij Zij Wij Het De Een Maar En Daarna Dit Dat"
    " Я Он Она Оно Мы Вы Они Это Но И А В На Затем Потом"
    " Ja On Ona My Oni To Ale Potem Jag Han Hon Det Den Men Och Bu Ve Ama"
)
BEGINNINGS = frozenset(_BEGINNINGS_TEXT.split())
"""Words that begin a sentence after an abbreviation, rather than being a name."""
_ORDINAL_WORDS_TEXT = (
    "der die das dem den des am vom zum im beim bis ab seit und jeder jede jedes ein eine einem"
    " einen einer sein seine ihr ihre mein meine kong dronning den det"
)
ORDINAL_WORDS = frozenset(_ORDINAL_WORDS_TEXT.split())
"""Words before an ordinal in German and Danish: "im 3. Jahrhundert"."""
_MONTHS_TEXT = (
    "januar jänner februar märz april mai juni juli august september oktober november dezember"
    " marts maj december january february march may june july october jahrhundert weltkrieg"
    " quartal klasse platz kapitel stock januari februari maart mei augustus"
)
MONTHS = frozenset(_MONTHS_TEXT.split())
"""Words after an ordinal."""
