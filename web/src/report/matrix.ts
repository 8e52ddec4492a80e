// Tests by models, or by models and variants of prompts: each cell has a verdict, the share that passed, and how sure that is.

import { type Child, h } from "../dom.js";
import { plain } from "../shown_text.js";
import { smallInterval } from "./charts.js";
import { amount, mark, percent, surety, whole, WORDS } from "./format.js";
import { casesAddress } from "./route.js";
import { type Folded, foldedTests, nameInCategory, shortPath, shortSession } from "./names.js";
import type { Cell, Summary, Verdict } from "./types.js";

/** Rows until the reader asks for all. */
const SHOWN = 120;
/** The column of tests without variants, beside columns of variants. */
const ONE_PROMPT = "(one prompt)";
const BADNESS: Record<Verdict, number> = { failed: 3, error: 2, inconclusive: 1, passed: 0 };

/** Columns that variants may make; with more, each variant keeps a row of its own. */
const WIDEST = 12;

interface Column {
  session: number;
  model: number;
  variant: string;
}

/** The variants of a test, or a test that has none. */
interface Line {
  /** The number of the first test. */
  test: number;
  path: string;
  cells: Cell[];
}

/** Return the table. `isWorstFirst` sorts by verdicts, otherwise by the tests' paths. */
export function matrix(summary: Summary, isWorstFirst: boolean): HTMLElement {
  const tests = testsOf(summary);
  const columns = columnsOf(summary, tests);
  const lines = new Map<string, Line>();
  for (const cell of summary.cells) {
    const path = tests[cell.test]!.base;
    const line = lines.get(path) ?? { test: cell.test, path, cells: [] };
    lines.set(path, line);
    line.cells.push(cell);
  }
  const rows = [...lines.values()].sort((a, b) =>
    isWorstFirst ? badness(b.cells) - badness(a.cells) || a.test - b.test : compare(a.path, b.path),
  );
  const categories = new Set(summary.tests.map((one) => one.category)).size;
  const hasGroups = !isWorstFirst && categories > 1 && rows.length >= 2 * categories;
  const element = h("div", {
    class: "matrix-holder",
    tabindex: 0,
    role: "region",
    "aria-label": "Table",
  });
  const draw = (count: number): void => {
    const table = h(
      "table",
      { class: "matrix" },
      head(summary, columns),
      h("tbody", null, body(summary, tests, columns, rows.slice(0, count), hasGroups)),
    );
    const more = h(
      "button",
      { type: "button", class: "button", onclick: () => draw(rows.length) },
      `Show all ${whole(rows.length)} tests`,
    );
    element.replaceChildren(table, ...(rows.length > count ? [more] : []));
  };
  draw(SHOWN);
  return element;
}

/** Return each test as a variant of another, if that doesn't make too many columns. */
function testsOf(summary: Summary): Folded[] {
  const tests = foldedTests(summary);
  return columnsOf(summary, tests).length <= WIDEST
    ? tests
    : summary.tests.map(({ path }) => ({ base: path, variant: "" }));
}

function columnsOf(summary: Summary, tests: Folded[]): Column[] {
  const found = new Map<string, Column>();
  for (const { session, model, test } of summary.cells) {
    const { variant } = tests[test]!;
    found.set(`${session} ${model} ${variant}`, { session, model, variant });
  }
  return [...found.values()].sort((a, b) => a.model - b.model || a.session - b.session);
}

function head(summary: Summary, columns: Column[]): Child {
  const hasSessions = summary.sessions.length > 1;
  const hasVariants = columns.some((one) => one.variant);
  return h(
    "thead",
    null,
    h(
      "tr",
      null,
      h("th", { scope: "col" }, "Test"),
      columns.map(({ session, model, variant }) =>
        h(
          "th",
          { scope: "col", title: plain(summary.models[model]?.name ?? "") },
          h("span", { class: "model-name" }, plain(summary.models[model]?.name ?? "")),
          hasVariants && h("span", { class: "quiet" }, plain(variant) || ONE_PROMPT),
          hasSessions && h("span", { class: "quiet" }, shortSession(summary.sessions[session]!)),
        ),
      ),
    ),
  );
}

function body(
  summary: Summary,
  tests: Folded[],
  columns: Column[],
  rows: Line[],
  hasGroups: boolean,
): Child[] {
  let category: string | null = null;
  return rows.map(({ test: number, path, cells }) => {
    const test = summary.tests[number]!;
    const isNew = hasGroups && test.category !== category;
    category = test.category;
    const name = hasGroups ? nameInCategory(path, category) : shortPath(summary, path);
    return [
      isNew &&
        h(
          "tr",
          { class: "group" },
          h("th", { scope: "colgroup", colspan: columns.length + 1 }, plain(category) || "(top)"),
        ),
      h(
        "tr",
        null,
        h(
          "th",
          { scope: "row", title: plain(test.description) },
          h("a", { href: casesAddress({ test: path }) }, name),
        ),
        columns.map((column) =>
          h(
            "td",
            null,
            cells
              .filter(
                (one) =>
                  one.model === column.model &&
                  one.session === column.session &&
                  tests[one.test]!.variant === column.variant,
              )
              .map((one) => cellOf(summary, one)),
          ),
        ),
      ),
    ];
  });
}

function cellOf(summary: Summary, cell: Cell): Child {
  const test = summary.tests[cell.test]!;
  const model = summary.models[cell.model]!;
  const session = summary.sessions.length > 1 ? summary.sessions[cell.session]!.id : "";
  const several = summary.models.length > 1;
  const total = Object.values(cell.counts).reduce((sum, one) => sum + one, 0);
  const judged = cell.counts.passed + cell.counts.failed;
  const title = [
    `${WORDS[cell.verdict]}${cell.advisory ? " (only reported)" : ""}`,
    cell.reason,
    cell.rate && `${percent(cell.rate.rate)} passed, ${surety(cell.rate)}`,
    total !== cell.data_rows &&
      `${amount(total, "result")} of ${amount(cell.data_rows, "row")}, up to ${amount(cell.repeats, "repeat")}`,
    cell.counts.error > 0 && `${amount(cell.counts.error, "error")}`,
  ].filter(Boolean);
  return h(
    "a",
    {
      class: `cell-link ${cell.verdict}`,
      href: casesAddress({ test: test.path, model: several ? model.name : "", session }),
      title: plain(title.join(". ")),
    },
    h(
      "span",
      { class: "cell-line" },
      mark(cell.verdict),
      h("b", null, cell.rate ? percent(cell.rate.rate) : "–"),
      h("span", { class: "quiet" }, `${whole(cell.counts.passed)}/${whole(judged)}`),
    ),
    total > judged && h("span", { class: "quiet" }, `${whole(total - judged)} unjudged`),
    cell.rate && total > 1 && smallInterval(cell.rate),
  );
}

function badness(cells: Cell[]): number {
  return (
    Math.max(...cells.map((one) => BADNESS[one.verdict])) * 1000 +
    cells.reduce((sum, one) => sum + BADNESS[one.verdict] + (1 - (one.rate?.rate ?? 1)), 0)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
