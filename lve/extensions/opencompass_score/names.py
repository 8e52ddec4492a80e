"""The evaluators of OpenCompass and AISBench that lve knows, by their names."""

from __future__ import annotations

from collections.abc import Mapping

from lve.extensions.opencompass_score import evaluators as own
from lve.extensions.opencompass_score import long_texts, rouges
from lve.extensions.opencompass_score.evaluators import Evaluator

_ENGLISH = {"language": ("en",)}
EVALUATORS: Mapping[str, Evaluator] = {
    "AGIEvalEvaluator_mcq": Evaluator(own.as_values, {}),
    "AccEvaluator": Evaluator(own.as_texts, {}),
    "AccwithDetailsEvaluator": Evaluator(own.as_values, {}),
    "BBHEvaluator": Evaluator(own.bbh_free, {}),
    "BBHEvaluator_mcq": Evaluator(own.as_values, {}),
    "BabiLongEvaluator": Evaluator(own.babi_long, {}),
    "CharmReasonEvaluator": Evaluator(own.as_values, {}),
    "CircularEvaluator": Evaluator(own.circular, {}),
    "DropOpenAIEvaluator": Evaluator(own.drop, {}),
    "EMEvaluator": Evaluator(own.em, {}),
    "GPQAEvaluator": Evaluator(own.as_values, {}),
    "Gsm8kEvaluator": Evaluator(own.gsm8k, {}),
    "LVEvalF1Evaluator": Evaluator(long_texts.first_f1, _ENGLISH, graded=True),
    "LVEvalOPTF1Evaluator": Evaluator(rouges.keyword_f1, _ENGLISH, graded=True),
    "LVEvalOPTRougeEvaluator": Evaluator(rouges.keyword_rouge, _ENGLISH, graded=True),
    "LambadaEvaluator": Evaluator(own.lambada, {}),
    "LongBenchClassificationEvaluator": Evaluator(long_texts.classification, {}, graded=True),
    "LongBenchCodeSimEvaluator": Evaluator(long_texts.code_similarity, {}, graded=True),
    "LongBenchCountEvaluator": Evaluator(long_texts.count, {}, graded=True),
    "LongBenchF1Evaluator": Evaluator(long_texts.long_f1, _ENGLISH, graded=True),
    "LongBenchRetrievalEvaluator": Evaluator(
        long_texts.retrieval, {"language": ("en", "zh")}, graded=True
    ),
    "LongBenchRougeEvaluator": Evaluator(rouges.long_rouge, _ENGLISH, graded=True),
    "LongBenchv2Evaluator": Evaluator(own.as_values, {}),
    "MATHEvaluator": Evaluator(own.math, {"version": ("v1", "v2")}),
    "MGSM_Evaluator": Evaluator(own.as_values, {}),
    "MMLUProBaseEvaluator": Evaluator(own.mmlu_pro, {}),
    "MRCREvaluator": Evaluator(own.mrcr, {}, graded=True),
    "MusrEvaluator": Evaluator(
        own.musr, {"answer_index_modifier": (1,), "self_consistency_n": (1,)}
    ),
    "NQEvaluator": Evaluator(own.natural_questions, {}),
    "NeedleBenchATCEvaluator": Evaluator(own.stripped, {}),
    "NeedleBenchMultiEvaluator": Evaluator(own.needles_multi, {}, graded=True),
    "NeedleBenchOriginEvaluator": Evaluator(own.needle, {}, graded=True),
    "NeedleBenchParallelEvaluator": Evaluator(own.needles_parallel, {}, graded=True),
    "RougeEvaluator": Evaluator(rouges.rouge_1, {}, graded=True),
    "RulerCweEvaluator": Evaluator(own.ruler_all, {}, graded=True),
    "RulerFweEvaluator": Evaluator(own.ruler_all, {}, graded=True),
    "RulerNiahEvaluator": Evaluator(own.ruler_all, {}, graded=True),
    "RulerQaEvaluator": Evaluator(own.ruler_any, {}),
    "RulerVtEvaluator": Evaluator(own.ruler_all, {}, graded=True),
    "SQuAD20Evaluator": Evaluator(own.squad, {}),
    "TriviaQAEvaluator": Evaluator(own.trivia_qa, {}),
    "TydiQAEvaluator": Evaluator(own.tydi_qa, {}, graded=True),
    "needlebench_v2.NeedleBenchOriginEvaluator": Evaluator(own.needle_keyword, {}),
}
"""Name of an evaluator -> the evaluator. `needlebench_v2.` is a module of upstream whose evaluator
has the name of another."""
