// The smaller parts of the overview: a question each.

import { type Child, h } from "../dom.js";
import { named, plain, shown } from "../shown_text.js";
import { latencyChart, ratesChart } from "./charts.js";
import { dollars, interval, percent, short, whole } from "./format.js";
import { shortPlace, shortTest } from "./names.js";
import { casesAddress } from "./route.js";
import type { Summary } from "./types.js";

/** Results whose latencies make a picture. */
const FEWEST = 8;

export function ratesPanel(summary: Summary): Child {
  const known = summary.models.filter((one) => one.rate !== null);
  if (known.length === 0) return null;
  const { confidence } = known[0]!.rate!;
  const unit = new Set(summary.cells.map((one) => one.test)).size > 1 ? "tests" : "rows";
  return panel(
    "Pass rates",
    `Of ${unit} like these, each counted as one; the lines are ${percent(confidence)} intervals.`,
    ratesChart(known),
  );
}

export function latencyPanel(summary: Summary): Child {
  const { bins, quantiles } = summary.latency;
  if (bins.reduce((sum, one) => sum + one.count, 0) < FEWEST) return null;
  return panel(
    "Latency",
    "Seconds per result, on a logarithmic scale. Lines: half, and 95 in 100, were faster.",
    latencyChart(bins, summary.models, quantiles),
  );
}

export function errorsPanel(summary: Summary): Child {
  if (summary.errors.length === 0) return null;
  const rows = summary.errors.map(({ kind, count, example }) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, h("a", { href: casesAddress({ kind }) }, named(kind))),
      h("td", { class: "number" }, whole(count)),
      h("td", null, shown(example)),
    ),
  );
  return panel(
    "Errors by cause",
    "An error is no failure: nothing was judged.",
    table(["Cause", "Results", "For example"], rows),
  );
}

export function flakyPanel(summary: Summary): Child {
  if (summary.flaky.length === 0) return null;
  const rows = summary.flaky.slice(0, 20).map((one) => {
    const test = summary.tests[one.test]!;
    return h(
      "tr",
      null,
      h(
        "th",
        { scope: "row" },
        h(
          "a",
          { href: casesAddress({ test: test.path, only: "flaky" }) },
          shortTest(summary, one.test),
        ),
      ),
      h("td", null, shortPlace(one.source, one.line, 0)),
      h("td", null, plain(summary.models[one.model]!.name)),
      h("td", { class: "number" }, `${one.passed} of ${one.judged}`),
    );
  });
  const total = summary.flaky.length + summary.flaky_more;
  const note =
    total > 20
      ? `20 of ${whole(total)} rows that passed and failed.`
      : "Rows that passed and failed.";
  return panel("Flaky rows", note, table(["Test", "Row", "Model", "Passed"], rows));
}

/** Several answers to the same row: how likely that any, all, or most of them pass. */
export function repeatsPanel(summary: Summary): Child {
  const cells = summary.cells.filter((one) => one.at_k !== null);
  if (cells.length === 0) return null;
  const rows = cells.slice(0, 20).map((cell) => {
    const found = cell.at_k!;
    const { name } = summary.models[cell.model]!;
    const figures = [found.pass_at_k, found.pass_hat_k, found.majority_at_k, found.g_pass_at_k];
    return h(
      "tr",
      null,
      h(
        "th",
        { scope: "row" },
        shortTest(summary, cell.test),
        h("span", { class: "quiet block" }, plain(name)),
      ),
      h("td", { class: "number" }, whole(found.k)),
      figures.map((one) => h("td", { class: "number" }, percent(one))),
    );
  });
  const share = percent(cells[0]!.at_k!.g_pass_share);
  const note = `The chance that of k answers to a row any (pass@k), all (pass^k), most, or ${share} (G-Pass@k) pass.`;
  const shown = cells.length > 20 ? `${note} 20 of ${whole(cells.length)} tests.` : note;
  const heads = ["Test", "k", "pass@k", "pass^k", "majority@k", "G-Pass@k"];
  return panel("Repeats", shown, table(heads, rows));
}

export function modelsPanel(summary: Summary): Child {
  const rows = summary.models.map((one) =>
    h(
      "tr",
      null,
      h(
        "th",
        { scope: "row" },
        named(one.name),
        one.served.length > 0 &&
          h("span", { class: "quiet block" }, `served by ${plain(one.served.join(", "))}`),
      ),
      h("td", { class: "number" }, whole(one.results)),
      h(
        "td",
        { class: "number" },
        one.rate ? `${percent(one.rate.rate)}` : "–",
        one.rate && h("span", { class: "quiet block" }, interval(one.rate)),
      ),
      h("td", { class: "number" }, `${short(one.tokens_in)} / ${short(one.tokens_out)}`),
      h("td", { class: "number" }, dollars(one.cost)),
    ),
  );
  return panel(
    "Models",
    "Tokens are in and out.",
    table(["Model", "Results", "Pass rate", "Tokens", "Cost"], rows),
  );
}

export function skippedPanel(summary: Summary): Child {
  if (summary.skipped.length === 0) return null;
  const rows = summary.skipped.map(({ path, reason }) =>
    h("tr", null, h("th", { scope: "row" }, named(path)), h("td", null, shown(reason))),
  );
  return panel("Skipped tests", "", table(["Test", "Reason"], rows));
}

export function panel(title: string, note: string, ...content: Child[]): HTMLElement {
  return h(
    "section",
    { class: "panel", "aria-label": title },
    h("h2", null, title),
    note && h("p", { class: "quiet note" }, note),
    content,
  );
}

export function table(heads: string[], rows: Child[]): HTMLElement {
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": heads.join(", ") },
    h(
      "table",
      { class: "plain" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          heads.map((one) => h("th", { scope: "col" }, one)),
        ),
      ),
      h("tbody", null, rows),
    ),
  );
}
