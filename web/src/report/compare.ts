// The view of a comparison: how surely something is different, which tests, and which answers.

import { type Child, fill, h, icon } from "../dom.js";
import { plain, shown } from "../shown_text.js";
import type { App } from "./app.js";
import { comparedTests } from "./compared_tests.js";
import type { Comparison, Difference } from "./comparison.js";
import { FlipList } from "./flips.js";
import { amount, percent, points, probability, whole } from "./format.js";

export class CompareView {
  readonly element = h("section", { class: "overview compare", "aria-label": "Compare" });
  private readonly flips: FlipList;

  constructor(private readonly app: App) {
    this.flips = new FlipList(app);
  }

  /** Show the comparison that the route names. */
  async update(): Promise<void> {
    const { app } = this;
    const { pair } = app.route;
    const heading = app.summary.comparisons[pair];
    if (heading === undefined) {
      fill(this.element, h("h1", { class: "empty" }, "This report has no such comparison."));
      return;
    }
    if (heading.problem !== undefined) {
      fill(this.element, this.choice(), h("h1", { class: "empty" }, shown(heading.problem)));
      return;
    }
    let found: Comparison;
    try {
      found = await app.comparison(pair);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      fill(this.element, this.choice(), h("h1", { class: "empty" }, shown(problem)));
      return;
    }
    if (app.route.view !== "compare" || app.route.pair !== pair) return;
    fill(
      this.element,
      this.choice(),
      verdict(found, heading.of_models ? [heading.before, heading.now] : null),
      tiles(found),
      comparedTests(app, found, heading),
      this.flips.shown(found, heading),
    );
  }

  /** Which two are compared, if there are several possibilities. */
  private choice(): Child {
    const { app } = this;
    const { comparisons } = app.summary;
    const label = ({ before, now }: { before: string; now: string }): string =>
      `${plain(before)} → ${plain(now)}`;
    if (comparisons.length === 1) {
      return h("p", { class: "choice" }, h("b", null, label(comparisons[0]!)));
    }
    const options = comparisons.map((one, number) => {
      const option = h("option", { value: number }, label(one));
      option.selected = number === app.route.pair;
      return option;
    });
    return h(
      "label",
      { class: "choice" },
      "Compared",
      h(
        "select",
        {
          onchange: (event: Event) =>
            app.go({
              pair: Number((event.target as HTMLSelectElement).value),
              change: "",
              flip: -1,
            }),
        },
        options,
      ),
    );
  }
}

function verdict(found: Comparison, models: [string, string] | null): Child {
  const standings = found.tests.map((one) => one.difference?.standing);
  const worse = standings.filter((one) => one === "worse").length;
  const better = standings.filter((one) => one === "better").length;
  const overall = found.overall ?? found.tests.find((one) => one.difference)?.difference ?? null;
  const shape = found.regressed || worse > 0 ? "failed" : better > 0 ? "passed" : "inconclusive";
  const isWorse = overall?.standing === "worse";
  const title =
    worse > 0
      ? `${amount(worse, "test")} ${worse === 1 ? "is" : "are"} worse`
      : isWorse
        ? "Worse, all tests together"
        : better > 0
          ? `${amount(better, "test")} ${better === 1 ? "is" : "are"} better`
          : overall?.standing === "better"
            ? "Better, all tests together"
            : "No difference is sure";
  return h(
    "header",
    { class: `hero ${shape}` },
    h("span", { class: "hero-mark", "aria-hidden": "true" }, icon(shape)),
    h(
      "div",
      null,
      h("h1", null, title),
      overall && h("p", { class: "headline" }, shown(inWords(overall, models))),
      overall && h("p", { class: "quiet" }, evidence(overall)),
    ),
  );
}

function inWords({ before, now, change }: Difference, models: [string, string] | null): string {
  const [one, other] = models ? [`with ${models[0]}`, `with ${models[1]}`] : ["before", "now"];
  return (
    `Pass rate ${percent(before.value)} ${one}, ${percent(now.value)} ${other}: ` +
    `${points(change.value)} (${points(change.low)} to ${points(change.high)}, ` +
    `${percent(change.confidence)} interval)`
  );
}

function evidence(found: Difference): string {
  const value = probability(found.p);
  const parts = [`p ${value.startsWith("<") ? value : `= ${value}`} (${found.method})`];
  if (found.p_adjusted !== found.p) parts.push(`${probability(found.p_adjusted)} for all tests`);
  parts.push(
    found.detectable === null
      ? "too few to find any drop"
      : `a drop of ${points(found.detectable).slice(1)} would be found 4 times of 5`,
  );
  return parts.join(" · ");
}

function tiles(found: Comparison): Child {
  const sum = (of: (one: Comparison["tests"][number]) => number): number =>
    found.tests.reduce((total, one) => total + of(one), 0);
  const all: [string, number][] = [
    ["Broken", found.broken],
    ["Fixed", found.fixed],
    ["Unchanged", sum(({ difference: d }) => (d ? d.pairs - d.fixed - d.broken : 0))],
    ["New", sum((one) => one.new)],
    ["Gone", sum((one) => one.gone)],
    ["No verdict", sum((one) => one.no_verdict)],
  ];
  return h(
    "dl",
    { class: "tiles" },
    all.map(([name, count]) =>
      h("div", { class: "tile" }, h("dt", null, name), h("dd", null, h("b", null, whole(count)))),
    ),
  );
}
