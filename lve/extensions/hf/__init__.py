"""Language models on this machine, through transformers (`hf/PATH-OR-NAME`, extra `lve[hf]`).

    model.py       the `ChatModel`, which awaits the worker's answers
    worker.py      a thread that gathers requests into batches
    network.py     tokenizer and weights: answers a batch of requests
    generation.py  continues texts, each with its own sampling
    scoring.py     rates texts; a common prefix is computed once
    prefixes.py    finds common prefixes of texts
    templates.py   renders chat templates in a child process
    embedding.py   turns texts into vectors
    sampling.py    checks model args and the options of the settings
    loading.py     loads tokenizer and weights
    files.py       finds the weights on this machine

`model_folder.py` and `model_rules.py` say which models a test may use, and `classifiers.py` has the
checks that ask one.

torch and transformers are imported in the worker's thread when a model first answers.
"""
