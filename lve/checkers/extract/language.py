"""Recognizes the language of a text by its script, its letters and its most common words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

MAX_READ = 20_000
"""The most characters of a text that are read."""
_NO_PROSE = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]{1,200}`|(?:https?://|www\.)\S+|[\w.+-]{1,64}@[\w.-]+"
    r"|</?[A-Za-z][^<>\n]{0,200}>",
    re.DOTALL,
)
"""Code, addresses and tags, which are in no language."""
_SCRIPTS: tuple[tuple[str, str], ...] = (
    ("ja", r"[\u3041-\u30fa\u30fd-\u30ff]"),
    ("ko", r"[\uac00-\ud7af]"),
    ("zh", r"[\u3400-\u9fff]"),
    ("th", r"[\u0e00-\u0e7f]"),
    ("hi", r"[\u0904-\u0963\u0966-\u097f]"),
    ("he", r"[\u0590-\u05ff]"),
    ("el", r"[\u0370-\u03ff]"),
    ("ar", r"[\u0600-\u06ff]"),
    ("ru", r"[\u0400-\u04ff]"),
)
_WORDS: Mapping[str, str] = {
    "en": "the and is of to in that it for was with as you are this be on not have by from at or"
    " an but we they his her i my your what can will would there their if about which when"
    " don't know yes no thank very much problem sure here it's i'm can't answer help please sorry"
    " has were been"
    " hello hi okay ok run first step good morning day see all use",
    "de": "der die das und ist nicht ein eine ich zu mit auf den von sich dem es für im sie auch an"
    " als wie wir aber oder hat sind war wenn nur noch nach bei aus um ihr kann wird ja nein danke"
    " diese keine einen einem guten morgen hier gerne bitte zur zum des stimmt weiß laut"
    " hallo vielen dank kein problem tag ihnen dir",
    "fr": "le la les et est des une dans que pour pas qui sur il elle avec du ce sont très vous je"
    " ne un de en au aux nous mais ou où se plus cette par bonjour merci oui non voici votre sais"
    " d'accord bien sûr beaucoup bonsoir salut à l' d' c' qu' n' s' j'",
    "es": "el la los y es en que de una por con para las del se no su como muy más está un lo al"
    " pero sus le ya o este sí porque esta entre cuando yo sé tienes aquí claro gracias hola"
    " buenos días buenas noches tardes acuerdo me gusta",
    "it": "il la di che è e un una per non con sono gli del della nel anche più questo come lo i le"
    " si da al ma se mi ho ha so cui dei delle alla sì ecco certo grazie hai ciao"
    " buongiorno va bene mille mi l' un' dell' d' c' all'",
    "pt": "o a os e é em que um uma para com não do da no na dos mais como por são muito as se ao"
    " foi ele ela eu sei seu sua ou quando já está você pelo pela aqui sim obrigado claro qual"
    " bom dia boa tarde noite tudo bem obrigada",
    "nl": "de het een en is van dat niet op te zijn met voor er aan ook als maar ik deze in die was"
    " om hij ze we bij of naar wat weet nee ja geen dit zal kan nog wordt alles"
    " dank je wel goedemorgen goed hallo",
    "af": "die en nie is van het in te om 'n dit wat vir met aan op hulle ek jy sy was as maar ons",
    "sv": "och att det är som en på för med inte av till den har jag ett om men var de vi kan han"
    " hon i vet ska så från vid eller när nej ja tack"
    " god morgon mycket hej",
    "da": "og at det er som en på for med ikke af til den har jeg et om men de i der vi kan han hun"
    " ved skal så fra eller når nej ja tak hedder ligger"
    " mange hej",
    "no": "og at det er som en på for med ikke av til den har jeg et om men de i der vi kan han hun"
    " vet skal så fra eller når nei ja takk ligger heter jeg ikke mange hei",
    "fi": "ja on ei että se hän oli ovat mutta kuin niin myös minä en tiedä tämä joka ole kun sen",
    "pl": "i w nie na się że jest to do z jak ale o co tak po czy za przez są a wiem od dla ma już"
    " był która który może tylko jego"
    " dzień dobry dziękuję bardzo cześć",
    "cs": "a je se na v že to s z do i o jako ale by si po jsem jsou pro který není co tak už"
    " dobrý den děkuji prosím rád vám může ano nevím",
    "sk": "a je sa na nie v že to s z do i o ako ale by si po som sú pre ktorý čo tak už aj ak bol"
    " bola od za alebo vám ďakujem dobrý deň prosím môže",
    "hu": "a az és nem is hogy egy van meg ez azt de csak mint vagy már volt ha még",
    "ro": "și de la în a nu este cu pe o un care mai din pentru că să sunt se al este lui",
    "ca": "el la els les i és de que en un una per amb no del dels té molts als més però"
    " com aquest"
    " l' d' s' n'",
    "tr": "ve bir bu için ile de da çok olarak olan daha en gibi ne değil kadar var mi evet hayır"
    " bilmiyorum teşekkürler ben sen şehirdir burası"
    " merhaba teşekkür ederim günaydın",
    "vi": "và là của có không một được cho trong người các này với những đã để tôi phải thủ đô"
    " xin chào cảm ơn bạn rất nhiều",
    "id": "dan yang di itu dengan untuk tidak ini dari dalam akan pada juga saya adalah ke bukan"
    " ada kota bisa atau oleh"
    " terima kasih banyak selamat pagi siang malam",
    "tl": "ang ng sa na ay mga hindi at ito ko ka siya kung para ni si ang nang may",
    "hi": "है हैं का की के में को से नहीं और यह वह पर एक था थी मुझे मैं हो ने भी क्या हम आप",
    "mr": "आहे आहेत मला नाही आणि हे हा ही ते तो पण काय मी आपण माहित होते करावे च्या साठी का",
    "ne": "हो छ छन् होइन र यो त्यो मलाई को मा लाई गर्न छैन पनि थियो म हुन्",
    "ru": "и в не на что я он с это как а по но из у за то все она так его от для же да нет вы ты"
    " знаю мне есть был бы о или"
    " спасибо привет дела",
    "uk": "і в не на що я він з це як а по але із у за то все вона так його від для же та ні ви ти"
    " знаю мені є був або можу"
    " дякую добре будь ласка привіт все",
    "bg": "и в не на че аз той с това как а по но от у за то е са се да ще на съм тя си няма",
    "sr": "и у је да се на не су за са од то који као а али ће што ја био по из или",
    "be": "і ў не на што я ён з гэта як а па але у за то яна так яго ад для ці ёсць мне гэты",
    "ar": "في من على إلى أن لا ما هذا هذه هو هي كان عن مع التي الذي أو كل وليست ليس",
    "fa": "است در از به که را این با برای نه آن می من اما هم یک بود ها چه تا کنم پیدا"
    " سلام متشکرم ممنون لطفا",
    "ur": "ہے کا کی کے میں نہیں اور سے کو یہ ہیں پر نے ایک وہ تھا بھی",
}
"""Language -> its common words. Those of `_OTHERS` are only there to be told apart."""
_OTHERS = frozenset({"mr", "ne", "bg", "be", "af", "fi", "sk", "ca"})
_LATIN = (
    *("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "pl", "tr", "vi", "id"),
    *("af", "no", "fi", "cs", "sk", "hu", "ro", "ca", "tl"),
)
_GROUPS: Mapping[str, tuple[str, ...]] = {
    "ru": ("ru", "uk", "bg", "sr", "be"),
    "ar": ("ar", "fa", "ur"),
    "hi": ("hi", "mr", "ne"),
}
"""Languages of one script, the likeliest first."""
_LETTERS: Mapping[str, str] = {
    "uk": "іїєґ",
    "be": "ўі",
    "sr": "ђјљњћџ",
    "ru": "ыэё",
    "bg": "ъ",
    "fa": "پچژگ",
    "ur": "ٹڈڑےھہں",
    "ar": "ةى",
    "mr": "ळ",
    "de": "ß",
    "fr": "œêç",
    "es": "ñ¿¡",
    "pt": "ãõ",
    "sv": "äå",
    "da": "æø",
    "no": "æø",
    "pl": "łąęśźżć",
    "tr": "ğışİ",
    "vi": "ăđơưạảấầẩậắằẻẽếềểễệỉịọỏốồổộớờởợụủứừửữựỳ",
    "ro": "ășț",
    "hu": "őű",
    "cs": "ěřů",
    "sk": "ľĺŕôä",
}
"""Language -> letters that few others have."""
LANGUAGES = (*(name for name in _WORDS if name not in _OTHERS), "ja", "ko", "zh", "th", "he", "el")
"""Codes of the known languages."""
_FREQUENT = {name: frozenset(words.split()) for name, words in _WORDS.items()}
_COMPILED = tuple((name, re.compile(pattern)) for name, pattern in _SCRIPTS)
_WORD = re.compile(r"(?:[^\W\d_]|[\u0900-\u0903\u093e-\u094d]|(?<=\w)'(?=\w))+")
"""A word; vowel signs of Devanagari are no letters for `re`."""
_RARE_LETTER = 0.5
"""What a letter that few languages have counts, measured in common words."""
_CLEAR = 4
"""From so many common words on, a tie isn't left to what is expected."""


def language_of(text: str, expected: str | None = None) -> str | None:
    """Return the code of a text's language; None if it isn't recognized. Code, addresses and tags
    are left out.

    Args:
        text: of a model, without reasoning.
        expected: the language that a short text is taken to be in if it may be.
    """
    text = _NO_PROSE.sub(" ", text[:MAX_READ]).lower()
    letters = sum(map(str.isalpha, text))
    for name, pattern in _COMPILED:
        characters = len(pattern.findall(text))
        share = 0.02 if name == "ja" else 0.3
        if characters and characters >= share * letters:
            return _best(text, _GROUPS[name], None, name) if name in _GROUPS else name
    return _best(text, _LATIN, expected, None)


def _best(
    text: str, names: tuple[str, ...], expected: str | None, otherwise: str | None
) -> str | None:
    """Return which of the languages of one script a text is in.

    Args:
        text: in lower case.
        names: the languages.
        expected: wins ties of short texts.
        otherwise: the result if nothing is recognized.
    """
    words = Counter(_WORD.findall(text.replace("\u2019", "'")))
    words.update(word[: word.index("'") + 1] for word in [*words] if "'" in word)
    scores = {
        name: sum(count for word, count in words.items() if word in _FREQUENT[name])
        + _RARE_LETTER * min(4, sum(map(text.count, _LETTERS.get(name, ""))))
        for name in names
    }
    best = max(scores, key=lambda name: scores[name])
    if expected in scores and scores[best] < _CLEAR and scores[expected] == scores[best] > 0:
        return expected
    if scores[best] >= 1:
        return best
    # Nothing speaks against English, the one of these languages that is written without marks.
    is_plain = expected == "en" and text.isascii() and bool(words) and not any(scores.values())
    return expected if is_plain else otherwise
