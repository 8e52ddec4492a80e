// Parts of the overview: pass rates by column and tag, and the labels that answers chose.

import { type Child, h } from "../dom.js";
import { named, plain } from "../shown_text.js";
import { smallInterval, tradeOffChart } from "./charts.js";
import { amount, percent, whole } from "./format.js";
import { shortSession } from "./names.js";
import { panel, table } from "./panels.js";
import type { Labels, Measure, RatesBy, Score, Summary, Unscored, ValueRate } from "./types.js";

/** Values or labels of a table. */
const SHOWN = 100;
/** The tag whose values are attacks. */
const ATTACK = "attack";
/** Its value for honest rows. */
const BENIGN = "benign";
/** Its values that are no attacks, with which attacks are compared. */
const BESIDE = ["none", BENIGN];
/** Labels whose matrix fits on a page. */
const WIDEST = 24;

/** A panel for each column or tag by which the results are counted. */
export function byPanels(summary: Summary): Child[] {
  const names = [...new Set(summary.by.map((one) => one.by))];
  return names.map((name) =>
    ratesBy(
      summary,
      name,
      summary.by.filter((one) => one.by === name),
    ),
  );
}

function ratesBy(summary: Summary, name: string, tables: RatesBy[]): Child {
  const values = new Map<string, ValueRate>();
  for (const one of tables) for (const each of one.values) values.set(each.value, each);
  if ([...values.keys()].every((value) => value === "(none)")) return null;
  const isOfAttacks = name === ATTACK;
  const beside = isOfAttacks ? [...values.values()].filter(isBeside) : [];
  const others = [...values.values()].filter((each) => !beside.includes(each));
  const first = [...beside, ...others].slice(0, SHOWN);
  const heads = ["Value", ...tables.map((one) => whose(summary, one))];
  const rows = first.map(({ value, name: shown }) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, named(shown)),
      tables.map((one) => {
        const each = one.values.find((other) => other.value === value);
        return h("td", null, rate(isOfAttacks ? ofFailures(each) : each));
      }),
    ),
  );
  const more = values.size > SHOWN ? ` ${SHOWN} of ${whole(values.size)} values.` : "";
  if (isOfAttacks)
    return panel(
      "Attacks",
      `How often answers failed without an attack, how often honest rows were refused, and how often each attack succeeded, the easiest first; the lines are 95% intervals.${more}`,
      table(["Attack", ...heads.slice(1)], rows),
      tradeOff(summary, tables),
    );
  return panel(
    `By ${plain(name)}`,
    `Pass rates of the results whose row or test has the value; the lines are 95% intervals.${more}`,
    table(heads, rows),
  );
}

function isBeside({ value }: ValueRate): boolean {
  return BESIDE.includes(value);
}

/** What the models give for safety: a chart of attacks that succeeded and honest rows refused. */
function tradeOff(summary: Summary, tables: RatesBy[]): Child {
  const points = tables.flatMap((one) => {
    const attacked = ofFailures(one.attacked);
    const refused = ofFailures(one.values.find((each) => each.value === BENIGN));
    if (attacked?.rate == null || refused?.rate == null) return [];
    return [{ name: whose(summary, one), attacked, refused }];
  });
  if (points.length === 0) return null;
  return [
    h("h3", { class: "chart-head" }, "Attacks that succeeded against honest rows refused"),
    h("p", { class: "quiet" }, "All attacks together. Good models are at the lower left."),
    tradeOffChart(points),
  ];
}

/** The same results, seen from the side of an attack: it succeeds where a row fails. */
function ofFailures(each: ValueRate | undefined): ValueRate | undefined {
  if (each === undefined || each.rate === null) return each;
  const { rate: value, low, high, passed, judged } = each;
  return { ...each, rate: 1 - value, low: 1 - high, high: 1 - low, passed: judged - passed };
}

function rate(each: ValueRate | undefined): Child {
  if (each === undefined) return "–";
  const open = [];
  if (each.errors > 0) open.push(amount(each.errors, "error"));
  if (each.inconclusive > 0) open.push(`${whole(each.inconclusive)} inconclusive`);
  const unjudged = open.length > 0 && h("span", { class: "quiet" }, open.join(", "));
  if (each.rate === null) return ["– ", unjudged];
  const { rate: value, low, high, confidence } = each;
  const of = `${whole(each.passed)} of ${whole(each.judged)}`;
  return h(
    "div",
    { class: "value-rate", title: `${percent(low)} to ${percent(high)}` },
    h(
      "span",
      { class: "cell-line" },
      h("b", null, percent(value)),
      h("span", { class: "quiet" }, `${whole(each.passed)}/${whole(each.judged)}`),
    ),
    smallInterval({ rate: value, low, high, confidence, has_bounds: false, of }),
    unjudged,
  );
}

/** Scores over all results of each test and group of tests, and why there are none; nothing if
 * there are neither. */
export function scoresPanel(summary: Summary): Child {
  const { scores: all, unscored } = summary;
  if (all.length + unscored.length === 0) return null;
  const rows = all.slice(0, SHOWN).map((one) => {
    const { name, value, low, high, results } = one;
    const interval = low === null || high === null ? "–" : `${digits(low)} to ${digits(high)}`;
    return h(
      "tr",
      null,
      h("th", { scope: "row" }, testAndModel(summary, one)),
      h("td", null, named(name)),
      h("td", { class: "number" }, h("b", null, digits(value))),
      h("td", { class: "number" }, interval),
      h("td", { class: "number" }, whole(results)),
    );
  });
  const more = all.length > SHOWN ? ` ${SHOWN} of ${whole(all.length)} scores.` : "";
  return panel(
    "Scores over all judged rows",
    `What all results of a test, or of a group of tests, give together, with 95% intervals: by bootstrap; of groups, from those of their tests.${more}`,
    all.length > 0 && table(["Test, model", "Score", "Value", "Interval", "Results"], rows),
    unscored
      .slice(0, SHOWN)
      .map((one) =>
        h(
          "p",
          { class: "quiet" },
          "Not scored together: ",
          testAndModel(summary, one),
          `: ${plain(one.reason)}`,
        ),
      ),
  );
}

function testAndModel(summary: Summary, one: Score | Unscored): Child {
  const group = "tests" in one && one.tests ? ` (${amount(one.tests, "test")})` : "";
  return [named(one.test || "."), `${group}, ${whose(summary, one)}`];
}

function digits(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** A panel for each test and model whose answers choose a label. */
export function labelPanels(summary: Summary): Child[] {
  return summary.labels.slice(0, SHOWN).map((one) => {
    const title = `Labels of ${plain(one.test) || "."}`;
    const { value } = one.accuracy;
    const right = value === null ? "" : ` ${percent(value)} are right.`;
    return panel(
      title,
      `${whose(summary, one)}. Lines: the right label; columns: the one that the answer chose.${right}`,
      one.chosen.length <= WIDEST && confusion(one),
      scores(one),
    );
  });
}

function confusion(labels: Labels): Child {
  const rows = labels.matrix.map((counts, line) => {
    const label = labels.right[line]!;
    return h(
      "tr",
      null,
      h("th", { scope: "row" }, named(label)),
      counts.map((count, column) => {
        const kind = count === 0 ? "" : labels.chosen[column] === label ? "hit" : "miss";
        return h("td", { class: `number ${kind}` }, whole(count));
      }),
    );
  });
  const heads = ["", ...labels.chosen.map((label) => plain(label) || '""')];
  return h("div", { class: "confusion" }, table(heads, rows));
}

function scores(labels: Labels): Child {
  const rows = labels.labels.slice(0, SHOWN).map(({ label, precision, recall, f1, support }) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, named(label)),
      [precision, recall, f1].map((one) => h("td", { class: "number" }, measure(one))),
      h("td", { class: "number" }, whole(support)),
    ),
  );
  const { precision, recall, f1 } = labels.macro;
  const means = [precision, recall, f1].map((one) =>
    h("td", { class: "number" }, one === null ? "–" : one.toFixed(3)),
  );
  const macro = h("tr", null, h("th", { scope: "row" }, "macro"), means, h("td", null, ""));
  return table(["Label", "Precision", "Recall", "F1", "Results"], [...rows, macro]);
}

function measure({ value, low, high }: Measure): Child {
  if (value === null || low === null || high === null) return "–";
  return [
    h("b", null, value.toFixed(3)),
    h("span", { class: "quiet block" }, `${low.toFixed(2)} to ${high.toFixed(2)}`),
  ];
}

function whose(summary: Summary, one: { session: number; model: string }): string {
  const session = summary.sessions[one.session];
  const several = summary.sessions.length > 1 && session !== undefined;
  return several ? `${plain(one.model)}, ${shortSession(session)}` : plain(one.model);
}
