"""Prompt objects: few-shot prompts that are saved, loaded and translated, as in ragas 0.1."""
