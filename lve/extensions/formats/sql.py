"""The check for SQL. It needs the extra `lve[sql]`."""

from __future__ import annotations

import logging
from importlib import import_module
from types import ModuleType
from typing import ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged, only_true
from lve.checkers.contract import CheckContext, Verdict
from lve.data_classes import dataclass
from lve.errors import MissingExtraError
from lve.escape import quoted
from lve.extensions.formats.structured import unfenced
from lve.plurals import amount
from lve.suggest import did_you_mean

MAX_SQL = 20_000
"""The most characters that are parsed. A longer answer fails."""
DIALECTS = (
    *("athena", "bigquery", "clickhouse", "databricks", "doris", "drill", "druid", "duckdb"),
    *("hive", "mysql", "oracle", "postgres", "presto", "redshift", "snowflake", "spark"),
    *("sqlite", "starrocks", "tableau", "teradata", "trino", "tsql"),
)
_STATEMENTS = (
    *("Query", "DML", "DDL", "Create", "Alter", "Drop", "Set", "Use", "Transaction", "Commit"),
    *("Rollback", "Describe", "Pragma", "TruncateTable"),
)


@dataclass(frozen=True, slots=True)
class IsSql(AnswerCheck):
    """Passes if the answer, or its only code fence, is valid SQL (needs the extra `lve[sql]`).

    There may be one or more statements of any kind. Whether tables and columns exist isn't checked.
    """

    limit_s: ClassVar[float] = 20.0
    work_per_character: ClassVar[int] = 40_000
    reads: ClassVar[int] = MAX_SQL

    is_sql: bool | str = True
    """`true` for SQL that most databases understand, or a dialect: `postgres`, `mysql`, `sqlite`,
    `tsql`, `bigquery`, ..."""

    examples: ClassVar = (
        CheckExample(
            {"is_sql": True},
            ("SELECT a, b FROM t WHERE a > 1;", "```sql\nDELETE FROM t\n```"),
            ("SELECT FROM WHERE", "Here is the query", "SELECT (1", ""),
        ),
        CheckExample({"is_sql": "mysql"}, ("SELECT `a` FROM t",), ("SELECT a FROM",)),
    )

    def __post_init__(self) -> None:
        only_true("is_sql", self.is_sql, or_else="a dialect")
        if isinstance(self.is_sql, str) and self.is_sql not in DIALECTS:
            hint = did_you_mean(self.is_sql, DIALECTS) or f"known: {', '.join(DIALECTS)}"
            raise ArgumentError("is_sql", f"unknown dialect {quoted(self.is_sql)}", hint=hint)

    def prepare(self) -> None:
        _sqlglot()

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        sqlglot = _sqlglot()
        text = unfenced(response, "sql").strip()
        if not text:
            return judged(False, "not SQL: the answer is empty")
        if len(text) > MAX_SQL:
            return judged(False, f"not SQL that is read: more than {MAX_SQL:,} characters")
        dialect = self.is_sql if isinstance(self.is_sql, str) else None
        try:
            statements = [
                statement
                for statement in sqlglot.parse(text, dialect=dialect)
                if statement is not None
            ]
        except (sqlglot.errors.SqlglotError, RecursionError, ValueError) as error:
            return judged(False, f"not SQL: {quoted(_line(error))}")
        if not statements or not all(
            _is_statement(sqlglot.exp, statement) for statement in statements
        ):
            return judged(False, f"not SQL: no statement: {quoted(text)}")
        return judged(True, f"the answer is SQL: {amount(len(statements), 'statement')}")


def _is_statement(exp: ModuleType, parsed: object) -> bool:
    """Return whether what sqlglot has parsed is a statement. It accepts any two words as an
    expression, and an unknown statement as a `Command`."""
    if isinstance(parsed, exp.Select | exp.Update):
        return bool(parsed.expressions)
    return isinstance(parsed, tuple(getattr(exp, name) for name in _STATEMENTS))


def _line(error: BaseException) -> str:
    return " ".join(str(error).split("\n")[0].split()) or type(error).__name__


def _sqlglot() -> ModuleType:
    """Return the package sqlglot.

    Raises:
        MissingExtraError: it isn't installed.
    """
    try:
        sqlglot = import_module("sqlglot")
    except ImportError as error:
        raise MissingExtraError("`is_sql` needs sqlglot: pip install 'lve[sql]'") from error
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it warns about unknown statements
    return sqlglot
