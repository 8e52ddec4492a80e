"""No text from outside is cut in the code but by `lve.escape`, which redacts it first.

A secret that a cut has made shorter isn't recognised any more. So each slice that bounds something
is either of `ALLOWED`, with the reason why it leaves no part of a secret, or must be one of `head`,
`tail`, `excerpt`, `clip` and `one_line`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

LVE = Path(__file__).parents[1] / "lve"
MECHANISM = LVE / "secrets" / "redaction.py"
LIMITS = {"limit", "most", "width", "length", "characters", "max_bytes", "max_items", "most_flips"}
MIN_CUT = 5
"""Slices by smaller numbers leave no part of a secret that anybody could use."""
ITEMS = "a list: each of its texts stays whole"
DIGEST = "a hash"
READ = "what is kept is searched, and never shown"
OWN = "a text of lve's own"
REDACTED = "the text was redacted just before"
SENT = "a part of a protocol, checked by its length"

BOXED = "in the box, which has no key"
ALLOWED = {
    "checkers/extract/quantities/han_numbers.py": {"_KOREAN[:9]": "the digits of an alphabet"},
    "extensions/attacks/text_changes/encodings.py": {"alphabet[:_SHIFT]": "a part of the alphabet"},
    "extensions/attacks/text_changes/images.py": {
        "unknown[:10]": "a list of characters",
        "word[:_COLUMNS]": "a line of an image, which has the whole text",
    },
    "extensions/attacks/attackers/methods.py": {
        "sorted(children, key=lambda leaf: -leaf[-1].success)[:_WIDTH]": ITEMS,
        "sorted(attempts, key=lambda each: -each.success)[:_PARENTS]": ITEMS,
    },
    "extensions/exporting/avid.py": {
        "str(recorded.info['started'])[:10]": "the date of a time",
        "name[:5]": "a code of AVID's list",
    },
    "extensions/importing/promptfoo/providers/model_names.py": {
        "list(labels.values())[:MAX_LABELS]": ITEMS
    },
    "extensions/importing/boxes/box.py": {"hashlib.sha256(content).hexdigest()[:12]": DIGEST},
    "checkers/extract/numerals/sentence_order.py": {"plain[:start].rstrip()[-200:]": READ},
    "checkers/extract/stances.py": {"before[-12:]": READ},
    "extensions/breakdown/rates.py": {"others[:most - len(beside)]": ITEMS},
    "extensions/breakdown/text.py": {"_with_mistakes(matrices)[:SHOWN_TABLES]": ITEMS},
    "extensions/promptfoo_scripts/script_child.py": {"done.stderr.strip()[-MAX_WHY:]": BOXED},
    "extensions/scorers/host.py": {"f'{type(error).__name__}: {error}'[:1000]": BOXED},
    "extensions/scorers/loaders.py": {"f'{type(error).__name__}: {error}'[:300]": BOXED},
    "extensions/scorers/original.py": {"f'{type(error).__name__}: {error}'[:300]": BOXED},
    "extensions/importing/lm_eval/dump.py": {"why[:500]": BOXED},
    "extensions/importing/lm_eval/grouped.py": {"why[:500]": BOXED},
    "extensions/importing/proof.py": {"self.differences[:MAX_DIFFERENCES]": ITEMS},
    "execution/cache/users.py": {"key[:16]": DIGEST},
    "extensions/mcp/streams.py": {
        "self._held[:-KEPT_BYTES]": "what is left of the line that was cut isn't shown",
    },
    "extensions/targets/paths.py": {"items[:MAX_VALUES]": ITEMS},
    "extensions/targets/process_child.py": {
        "self._tail[:-TAIL_BYTES]": "redacted as a fragment by `lve.escape.last_lines`",
        "waiting[:BLOCK_BYTES]": "a piece of a request, which is written whole",
    },
    "extensions/leaks/national_ids.py": {
        "_digits(text)[-10:]": READ,
        "text[:17]": READ,
        "plain[:13]": READ,
    },
    "extensions/calibration/record.py": {
        "names[:MAX_FILES]": ITEMS,
        "sha256(json.dumps([*parts, more]).encode('ascii')).hexdigest()[:8]": DIGEST,
        "words[:SHOWN_NAME]": REDACTED,
    },
    "extensions/breakdown/compared.py": {"first[:SHOWN]": ITEMS},
    "escape.py": {
        "names[:most]": ITEMS,
        "[line for line in lines if line][-SHOWN_LINES:]": ITEMS,
    },
    "execution/cache/reading.py": {"key[:6]": DIGEST},
    "extensions/calibration/measure.py": {"sorted(filter(None, ids))[:MAX_MODELS]": ITEMS},
    "checkers/questions.py": {"digest[:32]": DIGEST},
    "checkers/expression/explain.py": {
        "reasons[:_MAX_PARTS]": ITEMS,
        "textwrap.shorten(head(text, 20 * limit), limit, placeholder='...')": REDACTED,
    },
    "checkers/shape/answer_parts.py": {
        "text[:_KEPT_BEGINNING]": READ,
        "text[_KEPT_BEGINNING - MAX_READ:]": READ,
    },
    "checkers/extract/language.py": {"text[:MAX_READ]": READ, "text[:_ENOUGH]": READ},
    "extensions/mathematics/notation.py": {"text[:MAX_LENGTH]": READ},
    "checkers/extract/numerals/final_number.py": {
        "shape.plain[:_LEADING_CHARACTERS]": READ,
        "text[-_SPELLED_CHARACTERS:]": READ,
    },
    "checkers/extract/numerals/opening.py": {"_numbers(text)[-MAX_NUMBERS:]": ITEMS},
    "checkers/extract/numerals/selection.py": {"numbers[-_MOST_TERMS:]": ITEMS},
    "checkers/extract/quantities/spelled_numbers.py": {"_ONES[:10]": ITEMS},
    "checkers/extract/settled.py": {
        "mentions[:_FIRST]": ITEMS,
        "mentions[_FIRST - MAX_MENTIONS:]": ITEMS,
    },
    "extensions/judges/fence.py": {"sha256(whole).hexdigest()[:_MARK_DIGITS]": DIGEST},
    "extensions/calls/tool_calls.py": {"calls[:MAX_SHOWN]": ITEMS},
    "extensions/several_answers/across.py": {
        "self.answers[:MAX_SHOWN]": ITEMS,
        "groups[:MAX_SHOWN]": ITEMS,
    },
    "checkers/library/combined/meta.py": {"verdicts[:MAX_SHOWN]": ITEMS},
    "extensions/formats/structured.py": {"languages[:5]": ITEMS},
    "extensions/measured/measurements.py": {"completion.logprobs[:_FIRST_TOKENS]": READ},
    "extensions/leaks/prompt_words.py": {"re.findall(run, both)[:_MAX_RUNS]": ITEMS},
    "extensions/refusals/refusal_model.py": {
        "text[:_JUDGED]": READ,
        "text[:HEAD // shorter]": READ,
        "text[-TAIL // shorter:]": READ,
        "text[:HEAD + TAIL]": READ,
        "packed[:2 * length]": "the weights of this package",
        "packed[2 * length:]": "the weights of this package",
    },
    "checkers/library/texts/answer_text.py": {"self.values()[:5]": ITEMS},
    "checkers/library/texts/text.py": {"texts[:5]": ITEMS},
    "child/answers.py": {"rest[:BLOCK_BYTES]": SENT},
    "child/child_side.py": {
        "str(content[name])[:MAX_MESSAGE]": "no keys are there: lve itself cuts it again, shorter"
    },
    "child/child_process.py": {
        "self._output[:-MAX_OUTPUT_BYTES]": "`fragment` redacts it before it is shown"
    },
    "extensions/calibration/calibration_text.py": {"rows[:SHOWN]": ITEMS},
    "cli/check/check_output.py": {"reasons[:MAX_REASONS]": ITEMS},
    "cli/check/checking.py": {"spec.parameters[:MAX_NAMED]": ITEMS},
    "extensions/comparing/verbs/baseline.py": {"row[:6]": ITEMS, "origin['started'][:16]": OWN},
    "extensions/completion/completers.py": {"session_ids(folder)[::-1][:MAX_SESSIONS]": ITEMS},
    "extensions/accounts/story.py": {
        "textwrap.fill(escape(line), self._width, initial_indent=start, "
        "subsequent_indent=further)": REDACTED
    },
    "extensions/contributing/verbs/commit.py": {"textwrap.fill(description, WIDTH)": REDACTED},
    "extensions/doctor/verb.py": {"names[:MAX_MODELS]": ITEMS, "values[:MOST_SHOWN]": ITEMS},
    "extensions/doctor/stores.py": {"names[-LOOKED_AT:]": ITEMS},
    "extensions/lookup/list.py": {
        "textwrap.wrap(keyless(text), WIDTH, initial_indent=indent, "
        "subsequent_indent='    ')": REDACTED
    },
    "extensions/authoring/questions.py": {"there[:SHOWN_CATEGORIES]": ITEMS},
    "cli/run/progress.py": {"'  '.join(parts)[:width]": OWN},
    "extensions/authoring/checker_text.py": {
        "textwrap.wrap(keyless(text), WIDTH, initial_indent=start, "
        "subsequent_indent=' ' * len(start), break_on_hyphens=False, "
        "break_long_words=False)": REDACTED,
        "answers[:_SHOWN]": ITEMS,
    },
    "extensions/lookup/sessions.py": {"names[:limit]": ITEMS, "both[:limit]": ITEMS},
    "cli/sessions/show.py": {
        "textwrap.fill(escape_line(text), WIDTH, initial_indent=start, "
        "subsequent_indent=' ' * len(start), break_on_hyphens=False)": REDACTED
    },
    "extensions/site/verb.py": {"builder.problems[:MAX_PRINTED]": ITEMS},
    "comparison/causes.py": {"texts[:SHOWN_NAMES]": ITEMS},
    "extensions/contributing/rules.py": {"wrong[:SHOWN]": ITEMS},
    "extensions/parquet/child.py": {
        "str(error)[:MAX_ERROR]": "no keys are there: lve itself cuts it again, shorter"
    },
    "data/dataset_selection.py": {"(drawn if rule.shuffle else sorted(drawn))[:rule.limit]": ITEMS},
    "documents/validation/complaints.py": {"value[:40]": ITEMS},
    "documents/read.py": {"path[:length]": ITEMS},
    "execution/cache/cache.py": {"self._pending[:MAX_BATCH]": ITEMS},
    "extensions/store/shared.py": {
        "list(self._looking)[:MAX_BATCH]": ITEMS,
        "self._putting[:MAX_BATCH]": ITEMS,
    },
    "execution/cache/value.py": {"value[:8]": DIGEST},
    "execution/tools/tool_code_child.py": {
        "text[:request['most'] + 1]": "the process has no keys: lve itself cuts it again, shorter"
    },
    "extensions/mcp/servers.py": {
        "[tool for tool in listed if allowed is None or tool.name in allowed][:MAX_TOOLS]": ITEMS
    },
    "extensions/batch/anthropic.py": {
        "custom_id[TOKEN_LETTERS + 1:]": SENT,
        "token[:TOKEN_LETTERS]": SENT,
    },
    "extensions/bedrock/request.py": {"_NOT_IN_A_NAME.sub('-', stem)[:MAX_NAME_CHARS]": SENT},
    "extensions/gemini/answer.py": {"sorted(names)[:MAX_LISTED_MODELS]": ITEMS},
    "models/http/adjustments.py": {"str(message)[:MAX_ERROR_CHARS]": READ},
    "models/http/answers.py": {
        "sorted(names)[:MAX_LISTED_MODELS]": ITEMS,
        "body[:1000]": "`fragment` redacts it in the next line",
    },
    "models/openai/apis.py": {
        "str(error.get('message') or error.get('detail'))[:MAX_ERROR_CHARS]": READ
    },
    "pipeline/choosing/loading.py": {"files[:SHOWN]": ITEMS},
    "extensions/recording/recording.py": {
        "sha256(model.encode('utf-8', 'surrogatepass')).hexdigest()[:6]": DIGEST
    },
    "extensions/recording/stale.py": {"places[:SHOWN]": ITEMS},
    "verdicts/description.py": {"problems[:MAX_PROBLEMS]": ITEMS},
    "sessions/resume.py": {"missing[:SHOWN_MISSING]": ITEMS},
    "limits/problems.py": {"problems[:MAX_PROBLEMS]": ITEMS},
    "prompts/attachments.py": {"content[:HEAD_BYTES]": READ},
    "prompts/messages/checks.py": {
        "wrong[:MAX_REPORTED + 1]": ITEMS,
        "warnings[:MAX_PROBLEMS + 1]": ITEMS,
    },
    "prompts/sent_parts.py": {
        "messages[:MOST_MESSAGES]": ITEMS,
        "sha256(text).hexdigest()[:DIGITS]": DIGEST,
    },
    "extensions/opencompass/retrievers/bm25.py": {"piece[:length]": READ},
    "pytest_plugin/finding/blocked_python.py": {"files[:SHOWN]": ITEMS},
    "pytest_plugin/session/bridge.py": {"sha256(text.encode()).hexdigest()[:16]": DIGEST},
    "pytest_plugin/session/session_end.py": {"distinct[:MAX_WARNINGS]": ITEMS},
    "pytest_plugin/verdicts.py": {"results[:SHOWN_ROWS]": ITEMS},
    "extensions/comparing/compared_markdown.py": {
        "comparison.flips[:MAX_FLIPS]": ITEMS,
        "changed[:MOST_ROWS]": ITEMS,
    },
    "extensions/comparing/comparison_text.py": {"tests[:SHOWN_TESTS]": ITEMS},
    "reporting/compared_text.py": {"flips[:SHOWN_FLIPS]": ITEMS},
    "extensions/reports/junit.py": {"str(session.info['started'])[:19]": OWN},
    "extensions/github/annotations.py": {"some[:MAX_ANNOTATIONS - 1]": ITEMS},
    "extensions/breakdown/matrix.py": {"tests[:MOST_TESTS]": ITEMS},
    "extensions/reports/page/chunks.py": {"column[:COLUMN_ROWS]": ITEMS},
    "extensions/reports/page/facts.py": {"list(hashes.items())[:MOST_HASHED]": ITEMS},
    "reporting/terminal.py": {
        "wrap(escaped, length, max_lines=MAX_LINES, subsequent_indent='  ')": REDACTED
    },
    "reporting/transcript.py": {"lines[:MAX_LINES]": ITEMS},
    "extensions/store/team_store.py": {"others[:limit]": ITEMS, "ids[:5]": ITEMS},
    "sessions/prompt_changes.py": {
        "earlier[-MAX_SESSIONS:]": ITEMS,
        "self.before[:SHOWN_DIGITS]": DIGEST,
        "self.now[:SHOWN_DIGITS]": DIGEST,
    },
    "extensions/store/publishing.py": {"platform.node()[:100]": "the machine's name"},
    "sessions/journal/result_json.py": {"url[:64]": READ},
    "sessions/session_folder.py": {"matches[-5:]": ITEMS},
    "sessions/session_file.py": {"problems[:SHOWN_PROBLEMS]": ITEMS},
    "sandbox/enter.py": {"held.raw[:8]": OWN},
    "extensions/site/build.py": {
        "summaries(tests)[:SHOWN_MODELS]": ITEMS,
        "page.warnings[:SHOWN_WARNINGS]": ITEMS,
        "self.problems[:SHOWN_PROBLEMS]": ITEMS,
    },
    "extensions/site/checking.py": {
        "spec.examples[:MAX_LISTED]": ITEMS,
        "pairs[:MAX_LISTED]": ITEMS,
        "[*checker.args.items()][:MAX_LISTED]": ITEMS,
    },
    "extensions/site/names.py": {
        "sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:DIGEST]": DIGEST,
        "re.sub('[^a-z0-9_-]+', '-', name.lower())[:40]": "a path with a key isn't spelled",
    },
    "extensions/site/pages.py": {
        "' '.join(keyless(' '.join(parts)).split())[:SEARCHED - SEARCHED_ANSWERS]": REDACTED,
        "' '.join(keyless(' '.join(answers)).split())[:SEARCHED_ANSWERS]": REDACTED,
        "spec.models[:20]": ITEMS,
        "spec.tags[:20]": ITEMS,
        "spec.checkers[:20]": ITEMS,
    },
    "extensions/site/prompts.py": {
        "messages[:MAX_MESSAGES]": ITEMS,
        "plan.preview(row)[:MAX_PROMPTS]": ITEMS,
    },
    "extensions/store/bounded.py": {"info[_RECEIVED_END - 8:]": OWN},
    "extensions/store/driver.py": {"str(error)[:2000]": READ},
    "verdicts/answer_counts.py": {"ranked[:SHOWN_MODELS]": ITEMS},
    "verdicts/coverage.py": {"sorted([*self.places, *other.places], key=_order)[:SHOWN]": ITEMS},
    "verdicts/replayed.py": {"changes[:SHOWN_CHANGES]": ITEMS},
}


def _is_bound(value: ast.expr) -> bool:
    """Whether an expression is a limit: a number, a constant, or a name such as `limit`."""
    match value:
        case ast.Constant(value=int() as number):
            return number >= MIN_CUT
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.strip("_").isupper() or name in LIMITS
        case ast.Subscript(slice=ast.Constant(value=str() as name)):
            return name in LIMITS
        case ast.UnaryOp(operand=inner):
            return _is_bound(inner)
        case ast.BinOp(left=left, right=right):
            return _is_bound(left) or _is_bound(right)
        case ast.Call(func=ast.Name(id="min"), args=inner):
            return any(map(_is_bound, inner))
    return False


def _is_cut(node: ast.AST) -> bool:
    match node:
        case ast.Subscript(slice=ast.Slice(lower=None, upper=ast.expr() as end)):
            return _is_bound(end)
        case ast.Subscript(slice=ast.Slice(lower=ast.Constant(value=0), upper=ast.expr() as end)):
            return _is_bound(end)
        case ast.Subscript(
            slice=ast.Slice(lower=(ast.UnaryOp() | ast.BinOp()) as start, upper=None)
        ):
            return _is_bound(start)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="textwrap"), attr=name)):
            return name in ("wrap", "fill", "shorten")
        case ast.Call(func=ast.Name(id=name), args=[_, _, *_]) if name in ("wrap", "shorten"):
            return True
        case ast.FormattedValue(format_spec=ast.expr() as how):  # `{text:.60}`, `{text!r:.60}`
            return re.search(r"\.(\d+|\{\})s?$", _spec(how)) is not None
        case ast.BinOp(left=ast.Constant(value=str() as text), op=ast.Mod()):
            return re.search(r"%\.(\d+|\*)[sra]", text) is not None
    return False


def _spec(how: ast.expr) -> str:
    assert isinstance(how, ast.JoinedStr)
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else "{}" for part in how.values
    )


def cuts(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each cut in a source."""
    for node in ast.walk(ast.parse(source)):
        if _is_cut(node):
            yield getattr(node, "lineno", 0), ast.unparse(node)


FILES = [file for file in sorted(LVE.rglob("*.py")) if file != MECHANISM]


def test_texts_from_outside_are_cut_by_one_mechanism() -> None:
    wrong = [
        f"lve/{name}:{line}: {cut} (use `head`, `tail` or `excerpt` of lve.escape; if it leaves no "
        "part of a secret, add it to ALLOWED with the reason)"
        for file in FILES
        for name in [file.relative_to(LVE).as_posix()]
        for line, cut in cuts(file.read_text("utf-8"))
        if cut not in ALLOWED.get(name, {})
    ]
    assert not wrong, "\n".join(wrong)


def test_each_allowed_cut_is_still_there() -> None:
    left = {
        name: sorted(set(expected) - {cut for _, cut in cuts((LVE / name).read_text("utf-8"))})
        for name, expected in ALLOWED.items()
    }
    assert not {name: gone for name, gone in left.items() if gone}


CUTS = [
    "text[:60]", "text[:LIMIT]", "text[: limit - 3]", "text[-MOST:]", "text[-60:]", "text[0:80]",
    "text[: min(limit, 9)]", "f'{text!r:.60}'", "f'{text:.{width}}'", "'%.60s' % text",
    "textwrap.shorten(text, 80)", "textwrap.fill(text)", "del text[:-MAX_BYTES]",
]  # fmt: skip


@pytest.mark.parametrize("code", CUTS)
def test_the_lint_sees_a_cut(code: str) -> None:
    assert list(cuts(code))


@pytest.mark.parametrize("code", ["text[1:]", "text[a:b]", "text[:1]", "f'{x:.3f}'", "f'{x:.2%}'"])
def test_the_lint_lets_pass(code: str) -> None:
    assert not list(cuts(code))
