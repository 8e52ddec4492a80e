"""Which evaluators of OpenCompass can't run by their own class, and which not for single rows."""

UNBOXED = frozenset(
    (
        # ask models
        *("CharmMemoryEvaluator", "HealthBenchEvaluator", "LiveMathBenchEvaluator"),
        *(
            "ATLASLLMEvaluator",
            "OmniMathEvaluator",
            "PILLMEvaluator",
            "FakeAlignmentJudgeEvaluator",
        ),
        # ask services, or download
        *("BigCodeBenchEvaluator", "HumanevalXEvaluator", "PMMEvalHumanEvalXLEvaluator"),
        *("DS1000ServiceEvaluator", "ToxicEvaluator", "LCBCodeGenerationEvaluator"),
        "CodeCompassEvaluator",
        *("LCBProEvaluator", "SRbenchDatasetEvaluator", "SciCodeEvaluator", "MeteorEvaluator"),
        *("TruthfulQAEvaluator", "bio_instruction_Evaluator", "composition_Evaluator"),
        *("material_Evaluator", "InternSandboxEvaluator"),
        # get more than answers: steps of agents, perplexities
        *("AveragePPLEvaluator", "AverageInferencePPLEvaluator", "BPCEvaluator"),
        *("MATHAgentEvaluator", "DS1000InterpreterEvaluator", "CIBenchEvaluator"),
        # need packages that aren't installed with it: torch, smact, evalplus and others
        *("LLM4Chem_Evaluator", "Mol_Instructions_Evaluator_Mol", "MedBenchEvaluator_NLG"),
        *("Mol_Instructions_Evaluator_BioText", "BiodataECNumberEvaluator", "MP20Evaluator"),
        *("uncond_material_Evaluator", "S2TOMGBenchEvaluator", "DingoEvaluator"),
        *("PerspectiveGapPromptWritingEvaluator", "PerspectiveGapRoleAssignmentEvaluator"),
        *("HumanEvalPlusEvaluator", "HumanEvalEvaluator", "MBPPEvaluator"),
        *("OlympiadBenchEvaluator", "MedBenchEvaluator_SMDoc", "MedBenchEvaluator_CHIP_CDN"),
        "PJExamEvaluator",
    )
)
"""Evaluators that can't run in a sandbox with what `lve import --setup opencompass` installs."""
IN_PAIRS = frozenset(("AccDropEvaluator",))
"""Evaluators that can't judge a row alone; each row is as accurate as AccEvaluator says."""
