"""Upstream's functions for answers and right answers, by their names: they run before an evaluator
compares."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import takewhile

from lve.checkers.extract.extractors import make_extractor
from lve.extensions.opencompass_score.boxes import boxed_answer, normal_answer

Function = Callable[..., object]
"""A text, and the function's own arguments -> what is compared."""
_ARTICLES = re.compile(r"\b(?:a|an|the)\b", re.IGNORECASE)
_LETTER = re.compile(r"\(([A-Z])\)*")
_FENCE = re.compile(r"```\w*\n(.*?)```", re.DOTALL)
_CAPITAL = re.compile(r"[A-Z]")


def general(text: str) -> str:
    """Return the first clause, without punctuation and articles."""
    clause = re.split(r"[\n.,]", text, maxsplit=1)[0]
    words = _ARTICLES.sub("", re.sub(r"[^\w\s]", "", clause))
    return re.sub(r"\s+", " ", words).strip()


def same(text: str) -> str:
    """Return the text."""
    return text


def first_line(text: str) -> str:
    """Return the first line after empty ones."""
    return text.lstrip("\n").split("\n")[0]


def stripped_line(text: str) -> str:
    """Return the first line after white space, without white space around it."""
    return text.strip().split("\n")[0].strip()


def gsm8k(text: str) -> str:
    """Return the last number before another question; `NULL` without one."""
    numbers = re.findall(r"-?\d+\.\d+|-?\d+", text.split("Question:")[0])
    return numbers[-1] if numbers else "NULL"


def gsm8k_reference(text: str) -> str:
    """Return what is behind `#### `, without commas.

    Raises:
        IndexError: there is nothing.
    """
    return text.split("#### ")[1].replace(",", "")


def bbh_mcq(text: str) -> str:
    """Return the letter in parentheses behind `answer is `, or the first capital letter."""
    parts = text.split("answer is ")
    answer = parts[1].strip() if len(parts) > 1 else text
    if letter := _LETTER.search(answer):
        return letter[1]
    capital = _CAPITAL.search(answer)
    return capital[0] if capital else answer


def math(text: str) -> str:
    """Return the plain writing of the sentence with the final answer, or of the first one."""
    return _of_sentence(text, r"final answer")


def math_v2(text: str) -> str:
    """Return the content of the last box, or as `math` does."""
    return boxed_answer(text, unwrap=True) or _of_sentence(text, r"final answer|answer is")


def _of_sentence(text: str, words: str) -> str:
    sentences = text.split(".")
    response = (part for part in sentences if re.search(words, part.lower()))
    return normal_answer(next(response, sentences[0]))


def boxed_name(text: str) -> str:
    """Return the name in the last box, without LaTeX, quotes and double spaces; `None` without."""
    name = boxed_answer(text, unwrap=True)
    if not name or name == "None":
        return "None"
    name = re.sub(r"\\text\{([^}]+)\}", r"\1", name)
    name = re.sub(r"\\boxed\{([^}]+)\}", r"\1", name)
    name = re.sub(r"\\[\[\]]", "", name).replace("\\", "")
    name = re.sub(r"\s+", " ", name).strip()
    return name.translate({ord('"'): None, ord("'"): None, ord("~"): " "})


def first_number_text(text: str) -> str | None:
    """Return the first number without a sign, as it is written; None without one."""
    number = re.search(r"\d+\.\d+|\d+", text)
    return number[0] if number else None


def first_number(text: str) -> float | None:
    """Return the first number; None without one."""
    number = re.search(r"-?\d*\.?\d+", text)
    return float(number[0]) if number else None


def mathbench(text: str, *, name: str) -> str:
    """Return the first number behind `The answer is` (`答案是` if the name has `_cn`), or the last
    one of all."""
    parts = text.split("答案是" if "_cn" in name else "The answer is")
    answer = parts[1].strip() if len(parts) > 1 else text
    numbers = re.findall(r"-?\d*\.?/?\d+|\d+", re.sub(r"(\d),(\d)", r"\1\2", answer))
    if not numbers:
        return answer
    return str(numbers[0] if len(parts) > 1 else numbers[-1])


def choice_of_simple_evals(text: str) -> str | None:
    """Return the letter behind `ANSWER:`; None without one."""
    letter = re.search(r"(?i)ANSWER\s*:\s*([A-D])", text)
    return letter[1] if letter else None


def yes_or_no(text: str) -> str:
    """Return the `yes` or `no` behind `answer is ` in the first paragraph."""
    response = text.split("\n\n")[0].split("answer is ")[-1]
    word = re.search(r"yes|no", response.lower())
    return word[0] if word else ""


def yes_if_true(text: object) -> str:
    """Return `yes` for True, `no` for everything else."""
    return "yes" if str(text) == "True" else "no"


def behind_answer_is(text: str) -> str:
    """Return the word behind `answer is `, without punctuation around it, or the whole text."""
    words = re.findall(r"answer is ([^\s]+)", text.strip())
    return words[0].strip().strip(".,?!\"';:") if words else text.strip()


def behind_chinese_answer(text: str) -> str:
    """Return what is behind `答案是`."""
    parts = text.split("答案是")
    return parts[1] if len(parts) > 1 else text


def scibench(text: str) -> str:
    """Return the content of the first box behind `answer is`, or the last number there."""
    parts = text.split("answer is")
    answer = parts[1].strip() if len(parts) > 1 else text
    if box := re.search(r"\\boxed\{(.+?)\}", answer):
        return box[1]
    numbers = re.findall(r"-?\d*\.?\d+|\d+", re.sub(r"(\d),(\d)", r"\1\2", answer))
    return str(numbers[-1]) if numbers else answer


def last_option(text: str, *, options: str) -> str:
    """Return the last of the letters."""
    letters = re.findall(f"[{re.escape(options)}]", text)
    return letters[-1] if letters else ""


def summary_line(text: str) -> str:
    """Return the first line, without a mark of a list and Chinese marks around it."""
    line = text.strip().split("\n")[0].replace("своей", "").strip()
    for mark in ("1. ", "- "):
        line = line.replace(mark, "") if line.startswith(mark) else line
    return line.strip("“，。！”")


def first_fence(text: str) -> str:
    """Return the content of the first code fence, or the text, without white space before it."""
    blocks = _FENCE.findall(text)
    return (blocks[0] if blocks else text).lstrip()


def last_fence(text: str) -> str:
    """Return the content of the last code fence, or the text, without white space before it."""
    blocks = _FENCE.findall(text)
    return (blocks[-1] if blocks else text).lstrip()


def function_body(text: str) -> str:
    """Return the indented lines at the beginning, before two empty lines or the end of a fence."""
    if text.startswith("   ") and not text.startswith("    "):
        text = f" {text}"
    lines = text.split("\n\n\n")[0].split("\n```")[0].split("\n")
    return "\n".join(takewhile(lambda line: line[:1] in ("", " "), lines))


def _of_core(name: str, renamed: Mapping[str, str]) -> Function:
    """Return one of lve's extractors that is equal to upstream's."""

    def extract(text: str, **arguments: object) -> str:
        own = {renamed.get(key, key): value for key, value in arguments.items()}
        return make_extractor({"type": name, **own})(text)

    return extract


FUNCTIONS: Mapping[str, Function] = {
    "GPQA_Simple_Eval_postprocess": choice_of_simple_evals,
    "InfiniteBench_first_number_postprocess": first_number_text,
    "TheoremQA_postprocess": behind_answer_is,
    "Xsum": stripped_line,
    "Xsum_postprocess": stripped_line,
    "bbh-mcq": bbh_mcq,
    "bbh_mcq_postprocess": bbh_mcq,
    "charm_reason_postprocess": bbh_mcq,
    "cmrc_postprocess": behind_chinese_answer,
    "drcd_postprocess": behind_chinese_answer,
    "extract_non_reasoning_content": _of_core(
        "non-reasoning-content", {"think_start_token": "start", "think_end_token": "end"}
    ),
    "first_capital_postprocess": _of_core("first-capital", {}),
    "first_capital_postprocess_multi": _of_core("first-capital-multi", {}),
    "first_number_postprocess": first_number,
    "first_option_postprocess": _of_core("first-option", {}),
    "general_postprocess": general,
    "gsm8k": gsm8k,
    "gsm8k_dataset_postprocess": gsm8k_reference,
    "gsm8k_postprocess": gsm8k,
    "humaneval_internal_v2_postprocess": function_body,
    "humaneval_postprocess_v2": first_fence,
    "humaneval_postprocess_v3": last_fence,
    "last_capital_postprocess": _of_core("last-capital", {}),
    "last_option_postprocess": last_option,
    "lcsts_postprocess": summary_line,
    "lsht_postprocess": first_line,
    "match_answer_pattern": _of_core("pattern", {"answer_pattern": "pattern"}),
    "math_postprocess": math,
    "math_postprocess_v2": math_v2,
    "mathbench_postprocess": mathbench,
    "multiple_select_postprocess": _of_core("multiple-select", {}),
    "needlebench_atc_postprocess_v2": boxed_name,
    "needlebench_dataset_postprocess": same,
    "needlebench_postprocess": same,
    "samsum_postprocess": first_line,
    "scibench_postprocess": scibench,
    "strategyqa_dataset_postprocess": yes_if_true,
    "strategyqa_pred_postprocess": yes_or_no,
    "trec_postprocess": first_line,
    "triviaqa_postprocess": first_line,
    "xml_tag_postprocessor": _of_core("xml-tag", {}),
}
"""Upstream's name of a function -> the function."""
