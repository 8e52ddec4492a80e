"""Tasks and rows of our making for `same_weights.py`, in the columns that the tools' tasks read."""

from __future__ import annotations

from typing import Any

ADDEND = 7
STEP = 5
ADDS = """
task: adds
dataset_path: json
dataset_kwargs: {data_files: {test: FOLDER/adds.jsonl}}
test_split: test
fewshot_split: test
num_fewshot: 3
fewshot_config: {sampler: first_n}
output_type: generate_until
doc_to_text: "{{a}} + {{b}} ="
doc_to_target: " {{sum}}"
target_delimiter: ""
generation_kwargs: {until: ["\\n"], max_gen_toks: TOKENS, do_sample: false}
filter_list:
  - name: number
    filter: [{function: regex, regex_pattern: "(-?[0-9]+)"}, {function: take_first}]
metric_list: [{metric: exact_match, aggregation: mean, ignore_case: true, regexes_to_ignore: [" "]}]
"""
CAPS = """
task: caps
dataset_path: json
dataset_kwargs: {data_files: {test: FOLDER/caps.jsonl}}
test_split: test
output_type: multiple_choice
doc_to_text: "Question: What is the capital of {{country}}?\\nAnswer:"
doc_to_choice: "{{cities}}"
doc_to_target: right
metric_list: [{metric: acc}, {metric: acc_norm}]
"""
PAIRS = """
France/Paris Germany/Berlin Italy/Rome Spain/Madrid Portugal/Lisbon Ireland/Dublin Kenya/Nairobi
Iraq/Baghdad Egypt/Cairo Japan/Tokyo Austria/Vienna Greece/Athens Poland/Warsaw Hungary/Budapest
Norway/Oslo Sweden/Stockholm Finland/Helsinki Cuba/Havana Peru/Lima Canada/Ottawa Russia/Moscow
China/Beijing India/Delhi Turkey/Ankara Syria/Damascus Mongolia/Ulaanbaatar Nepal/Kathmandu
Eritrea/Asmara Somalia/Mogadishu Paraguay/Asunción
"""
CAPITALS = [(country, city) for country, _, city in (p.partition("/") for p in PAIRS.split())]
Rows = list[dict[str, Any]]


def sums(count: int) -> Rows:
    """Return sums for the task `adds`."""
    pairs = [(ADDEND + number, STEP * number % 11) for number in range(count)]
    return [{"a": a, "b": b, "sum": a + b} for a, b in pairs]


def capitals(count: int) -> Rows:
    """Return countries with three cities for the task `caps`."""
    rows: Rows = []
    for number, (country, right) in enumerate(CAPITALS[:count]):
        cities = _cities(number, 3)
        rows.append({"country": country, "cities": cities, "right": cities.index(right)})
    return rows


def questions(count: int) -> Rows:
    """Return questions with four cities, as ARC has them."""
    rows: Rows = []
    for number, (country, right) in enumerate(CAPITALS[:count]):
        cities = dict(zip("ABCD", _cities(number, 4), strict=True))
        [letter] = [letter for letter, city in cities.items() if city == right]
        texts = {f"text{letter}": city for letter, city in cities.items()}
        question = f"What is the capital of {country}?"
        rows.append({"question": question, **texts, "answerKey": letter})
    return rows


def sentences(count: int) -> Rows:
    """Return pairs of sentences of which one is right, as WinoGrande has them."""
    rows: Rows = []
    for number, (country, right) in enumerate(CAPITALS[:count]):
        first, second = (f"{c} is the capital of {country}." for c in _cities(number, 2))
        answer = _cities(number, 2).index(right) + 1
        rows.append({"opt1": first, "opt2": second, "answer": answer})
    return rows


def _cities(number: int, count: int) -> list[str]:
    """Return cities, of which that at a place that differs is the right one for a country."""
    own = [CAPITALS[(number + 7 * step) % len(CAPITALS)][1] for step in range(count)]
    turn = number % count
    return own[turn:] + own[:turn]
