// The view of one result: what was said, why it has its verdict, and what others of its instance got.

import { type Child, fill, h, icon } from "../dom.js";
import { plain, shown } from "../shown_text.js";
import type { App } from "./app.js";
import { place } from "./columns.js";
import { body, conversation, type Finder, objectOf } from "./conversation.js";
import { placeOf } from "./place.js";
import { badge, dollars, mark, seconds, whole } from "./format.js";
import { foundIn, marked, occurrences } from "./marks.js";
import { CACHED, ADVISORY, REDACTED } from "./store.js";
import type { Detail } from "./types.js";

/** Others of the same instance that are shown beside it. */
const MOST_SIBLINGS = 60;

export class CaseView {
  readonly element = h("section", { class: "case", "aria-label": "Case" });

  /** The result that is shown; -1: none yet. */
  shownRow = -1;

  constructor(private readonly app: App) {}

  /** Show the result that the route names. */
  async update(): Promise<void> {
    const { app } = this;
    const { row } = app.route;
    if (row >= app.summary.rows) {
      fill(this.element, h("h1", { class: "empty" }, "This report has no such result."));
      return;
    }
    const siblings = app.store.siblings(row).slice(0, MOST_SIBLINGS);
    const parts = [app.detail(row), app.select(), app.live && app.texts.need(siblings)] as const;
    const [detail, selection] = await Promise.all(parts).catch((error: Error) => [error] as const);
    if (app.route.view !== "case" || app.route.row !== row) return;
    if (detail instanceof Error || selection === undefined) {
      fill(this.element, h("h1", { class: "empty" }, shown(String(detail))));
      return;
    }
    this.shownRow = row;
    const { search, regex } = app.route;
    const find: Finder = (text) => (regex ? [] : foundIn(text, search));
    fill(
      this.element,
      this.heading(row, selection.rows),
      h(
        "div",
        { class: "case-body" },
        h(
          "div",
          { class: "case-main" },
          this.reason(row, detail),
          this.conversations(row, detail, find),
          app.live?.panel(placeOf(app.store, row)),
          this.asked(detail, find),
          this.siblings(row),
        ),
        this.facts(row, detail),
      ),
    );
  }

  /** Show the result before or after, of those that the filters leave. */
  async move(by: number): Promise<void> {
    const { rows } = await this.app.select();
    const at = rows.indexOf(this.app.route.row);
    const next = rows[at < 0 ? 0 : at + by];
    if (next !== undefined) this.app.go({ view: "case", row: next }, { replace: true });
  }

  private heading(row: number, rows: Uint32Array): Child {
    const { app } = this;
    const test = app.summary.tests[app.store.test[row]!];
    const at = rows.indexOf(row);
    const step = (by: number, label: string, name: "left" | "right"): Child => {
      const next = at < 0 ? undefined : rows[at + by];
      const shape = { class: "button icon-button", "aria-label": label, title: label };
      return next === undefined
        ? h("span", { ...shape, class: `${shape.class} disabled`, role: "img" }, icon(name))
        : h("a", { ...shape, href: app.address({ view: "case", row: next }) }, icon(name));
    };
    return h(
      "header",
      { class: "case-head" },
      h(
        "nav",
        { class: "steps", "aria-label": "Cases" },
        h(
          "a",
          { class: "button", href: app.address({ view: "cases" }) },
          icon("left"),
          "All cases",
        ),
        h("span", { class: "quiet" }, at >= 0 && `${whole(at + 1)} of ${whole(rows.length)}`),
        step(-1, "Previous case (k)", "left"),
        step(1, "Next case (j)", "right"),
      ),
      h(
        "h1",
        null,
        badge(app.store.verdictOf(row), app.store.failedAsExpected(row)),
        h("span", { class: "case-title" }, plain(test?.path ?? "")),
      ),
      h(
        "p",
        { class: "quiet" },
        `${plain(app.summary.models[app.store.model[row]!]?.name ?? "")} · ${place(app, row)}`,
      ),
      test?.description && h("p", { class: "description" }, shown(test.description)),
    );
  }

  private reason(row: number, detail: Detail): Child {
    if (!detail.reason) return null;
    const answers = detail.transcripts
      .flatMap((one) => one.messages)
      .filter((one) => one.is_answer);
    const hasPassed = this.app.store.verdictOf(row) === "passed"; // the marks say what is wrong
    const quoted = answers.flatMap(({ text = "" }) =>
      !hasPassed && text.length > 1 && text.length < 200
        ? occurrences(detail.reason, text, "quoted", "")
        : [],
    );
    return h(
      "div",
      { class: `why ${this.app.store.verdictOf(row)}` },
      h("h2", null, "Why"),
      h("div", { class: "body", dir: "auto" }, marked(detail.reason, quoted)),
    );
  }

  private conversations(row: number, detail: Detail, find: Finder): Child {
    const { transcripts } = detail;
    const hasPassed = this.app.store.verdictOf(row) === "passed";
    if (transcripts.length === 0) {
      return h("p", { class: "empty" }, "Nothing was said: there is no conversation.");
    }
    const many = transcripts.length > 1;
    return h(
      "div",
      { class: many ? "runs side-by-side" : "runs" },
      transcripts.map((one, i) =>
        h(
          "section",
          { class: "run", "aria-label": many ? `Run ${i + 1}` : "Conversation" },
          many && h("h2", null, one.name ? `${plain(one.name)} (run ${i + 1})` : `Run ${i + 1}`),
          conversation(one, detail, find, hasPassed),
        ),
      ),
    );
  }

  private asked(detail: Detail, find: Finder): Child {
    return (detail.asked ?? []).map((one) =>
      h(
        "details",
        { class: "asked" },
        h(
          "summary",
          null,
          `Asked the ${plain(one.role)} ${plain(one.model)}`,
          one.cost ? ` (${dollars(one.cost)})` : "",
        ),
        body(one.text ?? "", find),
      ),
    );
  }

  private siblings(row: number): Child {
    const { store, summary } = this.app;
    const others = store.siblings(row);
    if (others.length < 2) return null;
    const groups = new Map<string, number[]>();
    for (const other of others.slice(0, MOST_SIBLINGS)) {
      const key = `${store.session[other]} ${store.model[other]}`;
      groups.set(key, [...(groups.get(key) ?? []), other]);
    }
    const session = (first: number): string => summary.sessions[store.session[first]!]?.id ?? "";
    return h(
      "section",
      { class: "siblings" },
      h("h2", null, "The same row"),
      [...groups.values()].map((group) =>
        h(
          "div",
          { class: "sibling-group" },
          h(
            "h3",
            null,
            plain(summary.models[store.model[group[0]!]!]?.name ?? ""),
            summary.sessions.length > 1 &&
              h("span", { class: "quiet block" }, plain(session(group[0]!))),
          ),
          h(
            "div",
            { class: "cards" },
            group.map((other) => this.card(other, other === row)),
          ),
        ),
      ),
      others.length > MOST_SIBLINGS &&
        h("p", { class: "quiet" }, `and ${whole(others.length - MOST_SIBLINGS)} more`),
    );
  }

  private card(row: number, isCurrent: boolean): Child {
    const { store } = this.app;
    return h(
      "a",
      {
        class: `card${isCurrent ? " current" : ""}`,
        href: this.app.address({ view: "case", row }),
        "aria-current": isCurrent ? "true" : null,
      },
      h(
        "span",
        { class: "card-head" },
        mark(store.verdictOf(row), store.failedAsExpected(row)),
        h("span", { class: "quiet" }, `Repeat ${store.repeat[row]! + 1}`),
      ),
      h(
        "span",
        { class: "card-text", dir: "auto" },
        shown(store.answer[row] || store.reason[row]!),
      ),
    );
  }

  private facts(row: number, detail: Detail): Child {
    const { store, summary } = this.app;
    const test = summary.tests[store.test[row]!];
    const flags = store.flags[row]!;
    const kind = summary.kinds[store.kind[row]! - 1];
    const served = detail.transcripts.flatMap((one) => one.completions.map((each) => each.model));
    const recorded = { p: "passed", f: "failed" }[store.recorded[row]!];
    return h(
      "aside",
      { class: "facts", "aria-label": "Facts", tabindex: 0 },
      group("Parameters", pairs(objectOf(detail.parameters), true)),
      group("Model args", pairs(objectOf(detail.model_args), false)),
      group("Result", [
        ["expected", test?.expect ?? ""],
        ["cause of the error", kind ?? ""],
        ["recorded as", recorded ?? ""],
        ["score", Number.isNaN(store.score[row]!) ? "" : store.score[row]!.toPrecision(4)],
        ["latency", store.latency[row] ? seconds(store.latency[row]! / 1000) : ""],
        ["tokens", store.tokens[row] ? whole(store.tokens[row]!) : ""],
        ["cost", Number.isNaN(store.cost[row]!) ? "" : dollars(store.cost[row]!)],
        ["served by", [...new Set(served.filter((one) => one !== undefined))].join(", ")],
        ["from the cache", flags & CACHED ? "yes" : ""],
        ["only reported", flags & ADVISORY ? "its checks aren't calibrated" : ""],
        ["redacted", flags & REDACTED ? "secrets were taken out" : ""],
      ]),
      group("Where", [
        ["test", test?.file ?? ""],
        ["row", store.placeOf(row)],
        ["session", summary.sessions[store.session[row]!]?.id ?? ""],
      ]),
    );
  }
}

function group(title: string, facts: [string, Child][]): Child {
  const known = facts.filter(([, value]) => value !== "");
  if (known.length === 0) return null;
  return [
    h("h2", null, title),
    h(
      "dl",
      null,
      known.map(([name, value]) => [
        h("dt", null, plain(name)),
        h("dd", { dir: "auto" }, typeof value === "string" ? shown(value) : value),
      ]),
    ),
  ];
}

function pairs(values: Record<string, unknown>, areMarked: boolean): [string, Child][] {
  return Object.entries(values).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const short = text.length > 400 ? `${text.slice(0, 400)}…` : text;
    return [name, areMarked ? h("mark", { class: "parameter" }, shown(short)) : short];
  });
}
