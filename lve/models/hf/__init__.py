"""Language models on this machine, through transformers (`hf/PATH-OR-NAME`, extra `lve[hf]`).

    model.py       the `ChatModel`: awaits what the worker answers
    worker.py      one thread that gathers requests into batches
    network.py     tokenizer and weights: requests to completions
    generation.py  continuing texts, each with its own sampling
    scoring.py     log-probabilities of texts; what they share is computed once
    templates.py   chat templates, filled in a process of their own (template_process.py)
    prefixes.py    what texts share
    embedding.py   texts to vectors
    arguments.py   model args and options, checked
    files.py       where the weights are, and which they are

torch and transformers are imported in the worker's thread, when a model answers for the first time.
"""
