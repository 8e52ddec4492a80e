// The columns of the table of results.

import { h, type Child } from "../dom.js";
import { named, plain } from "../shown_text.js";
import { foldedTests, shortPlace, shortTest } from "./names.js";
import type { App } from "./app.js";
import { dollars, mark, seconds, whole } from "./format.js";
import { foundIn, marked } from "./marks.js";
import { parameterColumn } from "./route.js";
import type { Summary } from "./types.js";

export interface Column {
  name: string;
  label: string;
  /** What its cells are styled as, if not by its name. */
  style?: string;
  /** For grid-template-columns. */
  width: string;
  isSortable: boolean;
  cell(app: App, row: number): Child;
}

const COLUMNS: readonly Column[] = [
  {
    name: "verdict",
    label: "Verdict",
    width: "76px",
    isSortable: true,
    cell: ({ store }, row) => mark(store.verdictOf(row), store.failedAsExpected(row)),
  },
  {
    name: "test",
    label: "Test",
    width: "minmax(150px, 1.5fr)",
    isSortable: true,
    cell: (app, row) =>
      h(
        "a",
        { href: app.address({ view: "case", row }), tabindex: -1 },
        text(app, shortTest(app.summary, app.store.test[row]!)),
      ),
  },
  {
    name: "place",
    label: "Row",
    width: "minmax(128px, 0.8fr)",
    isSortable: false,
    cell: (app, row) => text(app, place(app, row)),
  },
  {
    name: "model",
    label: "Model",
    width: "minmax(90px, 0.8fr)",
    isSortable: true,
    cell: (app, row) => text(app, app.summary.models[app.store.model[row]!]?.name ?? ""),
  },
  {
    name: "session",
    label: "Session",
    width: "minmax(90px, 0.8fr)",
    isSortable: false,
    cell: (app, row) => plain(app.summary.sessions[app.store.session[row]!]?.id ?? ""),
  },
  {
    name: "input",
    label: "Input",
    width: "minmax(120px, 1.6fr)",
    isSortable: false,
    cell: (app, row) => text(app, app.store.input[row]!),
  },
  {
    name: "answer",
    label: "Answer",
    width: "minmax(140px, 2.2fr)",
    isSortable: false,
    cell: (app, row) => text(app, app.store.answer[row]!),
  },
  {
    name: "reason",
    label: "Reason",
    width: "minmax(120px, 1.8fr)",
    isSortable: false,
    cell: (app, row) => text(app, app.store.reason[row]!),
  },
  {
    name: "recorded",
    label: "Recorded",
    width: "90px",
    isSortable: false,
    cell: ({ store }, row) => {
      const letter = store.recorded[row];
      return letter === "p" ? mark("passed") : letter === "f" ? mark("failed") : "–";
    },
  },
  {
    name: "score",
    label: "Score",
    width: "76px",
    isSortable: true,
    cell: ({ store }, row) => {
      const score = store.score[row]!;
      return Number.isNaN(score) ? "–" : score.toPrecision(3);
    },
  },
  {
    name: "latency",
    label: "Latency",
    width: "88px",
    isSortable: true,
    cell: ({ store }, row) => seconds(store.latency[row]! / 1000),
  },
  {
    name: "tokens",
    label: "Tokens",
    width: "82px",
    isSortable: true,
    cell: ({ store }, row) => whole(store.tokens[row]!),
  },
  {
    name: "cost",
    label: "Cost",
    width: "82px",
    isSortable: true,
    cell: ({ store }, row) => dollars(store.cost[row]!),
  },
];

/** What a route has as its only column for the table of answers side by side. */
export const SIDE = "side";

const USUAL = ["verdict", "test", "place", "model", "session", "answer", "reason", "latency"];

/** Return all columns that make sense for a report, those of parameters among them. */
export function possibleColumns({ summary }: App): Column[] {
  const pointless = new Set<string>();
  if (summary.sessions.length < 2) pointless.add("session");
  if (summary.models.length < 2) pointless.add("model");
  const own = COLUMNS.filter((one) => !pointless.has(one.name));
  own.splice(own.findIndex((one) => one.name === "input") + 1, 0, ...parameterColumns(summary));
  return own;
}

function parameterColumns({ parameters }: Summary): Column[] {
  return parameters.map((name, number) => ({
    name: parameterColumn(number),
    label: named(name),
    style: "parameter",
    width: "minmax(90px, 1fr)",
    isSortable: true,
    cell: (app, row) => text(app, app.store.valueOf(row, number)),
  }));
}

/** Return the columns that the route names; otherwise the usual ones, with the parameters that tell
 * most of the shown tests, or else with all inputs in one column. */
export function columnsOf(app: App): Column[] {
  const possible = possibleColumns(app);
  const chosen = possible.filter((one) => app.route.columns.includes(one.name));
  if (chosen.length > 0) return chosen;
  const shown = shownParameters(app).map(parameterColumn);
  const usual = [...USUAL, ...(shown.length > 0 ? shown : ["input"])];
  return possible.filter((one) => usual.includes(one.name));
}

/** Return the columns for a narrow screen, where parameters have no columns of their own. */
export function narrowColumnsOf(app: App): Column[] {
  const wide = columnsOf(app);
  const names = new Set(wide.map((one) => one.name));
  if (wide.some((one) => one.style === "parameter")) names.add("input");
  return possibleColumns(app).filter((one) => names.has(one.name) && one.style !== "parameter");
}

/** Return the parameters that the table shows without being asked for them. */
function shownParameters({ summary, route }: App): number[] {
  if (!route.test) return summary.shown;
  const folded = foldedTests(summary);
  const at = summary.tests.findIndex(
    (one, i) => one.path === route.test || folded[i]!.base === route.test,
  );
  return summary.tests[at]?.shown ?? summary.shown;
}

/** The instance of a result, and which repeat of it. */
export function place({ store }: App, row: number): string {
  const source = store.summary.sources[store.source[row]!] ?? "";
  return shortPlace(source, store.line[row]!, store.repeat[row]!);
}

function text(app: App, value: string): Child {
  const { search, regex } = app.route;
  const line = plain(value);
  return search && !regex ? marked(line, foundIn(line, search)) : line;
}
