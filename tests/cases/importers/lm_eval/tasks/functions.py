"""As in winogrande: the contexts differ, what follows them is the same."""


def number(doc):
    return int(doc["answer"]) - 1


def options(doc):
    before = doc["sentence"].split("_")[0]
    return [before + doc["one"], before + doc["two"]]


def rest(doc):
    return doc["sentence"].split("_")[1].strip()


def share(doc, results):
    return {"share": len(set(results[0])) / 26}


class Shout:
    def __init__(self, **options):
        pass

    def apply(self, resps, docs):
        return [[text.upper() for text in own] for own in resps]


def weighted_f1(items):
    from sklearn.metrics import f1_score

    rights = [right for right, _ in items]
    return f1_score(rights, [chosen for _, chosen in items], average="weighted")


def worst(items):
    return min(items)
