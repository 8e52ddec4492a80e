// Rows by models, or by variants of prompts: the input, and all answers to it side by side.

import { type Child, fill, h } from "../dom.js";
import { named, plain } from "../shown_text.js";
import type { App } from "./app.js";
import { place } from "./columns.js";
import { mark, whole } from "./format.js";
import { foldedTests, shortPath, shortSession } from "./names.js";

/** Rows until the reader asks for more. */
const SHOWN = 100;

interface Place {
  /** The first result of the row. */
  first: number;
  /** Number of a column -> its results, in the order of repeats. */
  results: Map<number, number[]>;
}

interface Sides {
  names: string[];
  places: Place[];
}

export class SideBySide {
  readonly element = h("div", {
    class: "scroll side",
    tabindex: 0,
    role: "region",
    "aria-label": "Answers side by side",
  });
  private count = SHOWN;

  constructor(private readonly app: App) {}

  /** Show the rows of some results. */
  show(rows: Uint32Array): void {
    const { names, places } = this.sidesOf(rows);
    const heads = ["Row", "Input", ...names];
    const table = h(
      "table",
      { class: "plain" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          heads.map((one) => h("th", { scope: "col" }, plain(one))),
        ),
      ),
      h(
        "tbody",
        null,
        places.slice(0, this.count).map((one) => this.row(one, names.length)),
      ),
    );
    const more = h(
      "button",
      {
        type: "button",
        class: "button",
        onclick: () => {
          this.count += 10 * SHOWN;
          this.show(rows);
        },
      },
      `Show more of ${whole(places.length)} rows`,
    );
    fill(this.element, [table, places.length > this.count && more]);
    const seen = places.slice(0, this.count).flatMap(({ results }) => [...results.values()]);
    this.app.see(seen.flat());
  }

  private row({ first, results }: Place, columns: number): Child {
    const { app } = this;
    const { base } = foldedTests(app.summary)[app.store.test[first]!]!;
    const { summary } = app;
    return h(
      "tr",
      null,
      h(
        "th",
        { scope: "row" },
        h("a", { href: app.address({ view: "case", row: first }) }, place(app, first)),
        summary.tests.length > 1 && h("span", { class: "quiet block" }, shortPath(summary, base)),
      ),
      h("td", { class: "input" }, this.inputs(first)),
      Array.from({ length: columns }, (_, column) =>
        h("td", null, this.answers(results.get(column) ?? [])),
      ),
    );
  }

  /** The parameters of a row, one in a line. */
  private inputs(row: number): Child {
    const { summary, store } = this.app;
    const values = summary.parameters
      .map((name, number) => [name, store.valueOf(row, number)] as const)
      .filter(([, value]) => value);
    if (values.length === 0) return plain(store.input[row] ?? "");
    return values.map(([name, value]) =>
      h(
        "span",
        { class: "block" },
        h("span", { class: "quiet mono" }, named(name)),
        ` ${plain(value)}`,
      ),
    );
  }

  private answers(results: number[]): Child {
    const { store } = this.app;
    const [first] = results;
    if (first === undefined) return "–";
    const text = store.answer[first] || store.reason[first] || "–";
    return [
      results.map((one) => mark(store.verdictOf(one), store.failedAsExpected(one))),
      h(
        "a",
        { class: "block answer", href: this.app.address({ view: "case", row: first }) },
        plain(text),
      ),
    ];
  }

  private sidesOf(rows: Uint32Array): Sides {
    const { summary, store } = this.app;
    const variants = foldedTests(summary);
    const columns = new Map<string, number>();
    const places = new Map<string, Place>();
    for (const row of rows) {
      const { base, variant } = variants[store.test[row]!]!;
      const name = this.columnOf(row, variant);
      if (!columns.has(name)) columns.set(name, columns.size);
      const key = [base, store.source[row], store.line[row]].join("\n");
      const at = places.get(key) ?? { first: row, results: new Map<number, number[]>() };
      places.set(key, at);
      const column = columns.get(name)!;
      at.results.set(column, [...(at.results.get(column) ?? []), row]);
    }
    return { names: [...columns.keys()], places: [...places.values()] };
  }

  private columnOf(row: number, variant: string): string {
    const { summary, store } = this.app;
    const session = summary.sessions[store.session[row]!];
    return [
      summary.models[store.model[row]!]?.name ?? "",
      variant,
      summary.sessions.length > 1 && session ? shortSession(session) : "",
    ]
      .filter(Boolean)
      .join(" · ");
  }
}
