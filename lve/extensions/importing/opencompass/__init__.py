"""Reads data-set configurations of OpenCompass and AISBench: Python, taken as data."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from lve.extensions.importing.boxes.box import BoxOptions, tool_of_package
from lve.extensions.importing.certificate import source_of, with_certificate
from lve.extensions.importing.folders import Names
from lve.extensions.importing.opencompass.conversion import (
    NoCounterpartError,
    check_of,
    document_of,
)
from lve.extensions.importing.opencompass.data_sets import DataSet, Source, open_source
from lve.extensions.importing.opencompass.groups import Member, memberships_of
from lve.extensions.importing.opencompass.loaded import Loaded, load_rows, loaded_files
from lve.extensions.importing.opencompass.prove import Configs
from lve.extensions.importing.opencompass.rows import ROWS, NoRowsError
from lve.importers import ImportedTest
from lve.json_types import JsonValue

__all__ = ["read_configs"]


DEFAULTS = BoxOptions()
NO_DATA = (
    f"left out: the rows, which no configuration has: name the folder of its data with --data, or "
    f"write {ROWS} into each test"
)


def read_configs(path: Path, data: Path | None = None, options: BoxOptions = DEFAULTS) -> Configs:
    """Return the tests of data-set configurations of OpenCompass or AISBench.

    Args:
        path: a configuration file, or a folder of such. None is run.
        data: the folder with the files of rows.
        options: what the tool itself may do, if it loads rows or proves tests.

    Raises:
        UsageError: it has no configuration, or too many, or the tool isn't set up.
    """
    source = open_source(path)
    names = Names()
    documents: dict[str, tuple[DataSet, dict[str, JsonValue]]] = {}
    members: dict[str, Member] = {}
    for data_set in source.data_sets():
        try:
            document: dict[str, JsonValue] = dict(document_of(data_set))
        except NoCounterpartError as error:
            source.leave_out(data_set.file, data_set.line, f"{data_set.abbr}: {error}")
            continue
        if (own := _hash(data_set)) not in documents:  # else another file only names it again
            of = data_set.file, data_set.line, source.package.folder
            tool = tool_of_package(data_set.package)
            assert tool is not None
            if options.prove:
                tool.check()
            document["source"] = source_of(tool.name, *of)
            _add_check(source, data_set, document)
            documents[own] = data_set, document
            members[own] = Member(names.new(data_set.abbr, "data_set"), document)
    memberships = memberships_of(source, lambda data_set: members.get(_hash(data_set)))
    pairs = list(documents.values())
    loaded = load_rows([each for each, _ in pairs], options, data) if options.loads else []
    tests: list[ImportedTest] = []
    origins: dict[str, DataSet] = {}
    for number, (own, (data_set, document)) in enumerate(documents.items()):
        folder = members[own].folder
        files = _files(source, data_set, data, loaded[number] if loaded else None)
        test = ImportedTest(folder, {**document, **memberships.keys_of(folder)}, files)
        rows = str(files.get(ROWS, "")).count("\n")
        tests.append(with_certificate(test, rows=rows) if files else test)
        origins |= {test.folder: data_set} if files else {}
    if data is None and not options.loads and tests:
        source.left_out.append(NO_DATA)
    return Configs(tests, source.left_out, origins=origins, options=options)


def _hash(data_set: DataSet) -> str:
    text = json.dumps(data_set.config, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _add_check(source: Source, data_set: DataSet, document: dict[str, JsonValue]) -> None:
    try:
        check = check_of(data_set)
    except NoCounterpartError as error:
        source.leave_out(data_set.file, data_set.line, f"the evaluator of {data_set.abbr}: {error}")
        document["skip"] = f"Nothing judges it: {error}. Write a check, then delete `skip`."
        return
    if check is not None:
        document |= check if "checks" in check else {"check": check}


def _files(
    source: Source, data_set: DataSet, data: Path | None, loaded: Loaded | None
) -> dict[str, str | bytes]:
    try:
        return loaded_files(data_set, data, loaded)
    except NoRowsError as error:
        source.leave_out(data_set.file, data_set.line, f"the rows of {data_set.abbr}: {error}")
        return {}
