// The tests of a comparison, those that got worse first.

import { type Child, h } from "../dom.js";
import { plain } from "../shown_text.js";
import type { App } from "./app.js";
import type { ComparedTest, Comparison, Standing } from "./comparison.js";
import { percent, points, probability, whole } from "./format.js";
import { shortModel, shortPath } from "./names.js";
import type { Pair } from "./types.js";

const WORDS: Record<Standing, string> = {
  worse: "Worse",
  better: "Better",
  undecided: "Not sure",
  blind: "Too few",
};
const SHAPES: Record<Standing, string> = {
  worse: "failed",
  better: "passed",
  undecided: "inconclusive",
  blind: "inconclusive",
};
const ORDER: readonly (Standing | undefined)[] = [
  "worse",
  "better",
  "undecided",
  "blind",
  undefined,
];
const SHOWN = 200;

export function comparedTests(app: App, found: Comparison, pair: Pair): Child {
  const sides = pair.of_models
    ? [shortModel(pair.before), shortModel(pair.now)]
    : ["Before", "Now"];
  const hasOthers = found.tests.some((one) => one.new > 0 || one.gone > 0);
  const others = hasOthers ? ["New", "Gone"] : [];
  const heads = ["Test", ...sides, "Change", "Interval", "p", "Broken", "Fixed", ...others];
  const tests = [...found.tests].sort((a, b) => urgency(a) - urgency(b));
  return h(
    "section",
    { class: "panel wide", "aria-labelledby": "compared" },
    h("h2", { id: "compared" }, "Tests"),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Compared tests" },
      h(
        "table",
        { class: "plain compared" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            h("th", { scope: "col" }, h("span", { class: "unshown" }, "Result")),
            heads.map((one) => h("th", { scope: "col" }, one)),
          ),
        ),
        h(
          "tbody",
          null,
          tests.slice(0, SHOWN).map((one) => row(app, one, hasOthers)),
        ),
      ),
    ),
    tests.length > SHOWN && h("p", { class: "quiet" }, `and ${whole(tests.length - SHOWN)} more`),
  );
}

function row(app: App, one: ComparedTest, hasOthers: boolean): Child {
  const { difference: d } = one;
  const standing = d?.standing;
  const sameModel = one.model_before === one.model_now;
  const several = app.summary.models.length > 1 && sameModel;
  return h(
    "tr",
    null,
    h(
      "td",
      null,
      standing
        ? h("span", { class: `badge ${SHAPES[standing]}` }, WORDS[standing])
        : h("span", { class: "quiet" }, one.new > 0 ? "New" : one.gone > 0 ? "Gone" : "–"),
    ),
    h(
      "th",
      { scope: "row" },
      h(
        "a",
        { href: app.address({ view: "compare", test: one.test, flip: -1 }) },
        shortPath(app.summary, one.test),
      ),
      several && h("span", { class: "quiet block" }, plain(one.model_now)),
    ),
    h("td", { class: "number" }, d ? percent(d.before.value) : "–"),
    h("td", { class: "number" }, d ? percent(d.now.value) : "–"),
    h("td", { class: "number" }, d ? points(d.change.value) : "–"),
    h("td", null, d && changeBar(d.change.value, d.change.low, d.change.high)),
    h("td", { class: "number" }, d ? probability(d.p_adjusted) : "–"),
    h("td", { class: "number" }, d ? whole(d.broken) : "–"),
    h("td", { class: "number" }, d ? whole(d.fixed) : "–"),
    hasOthers && h("td", { class: "number" }, whole(one.new)),
    hasOthers && h("td", { class: "number" }, whole(one.gone)),
  );
}

/** A bar from -1 to 1 with no change in its middle. */
function changeBar(value: number, low: number, high: number): HTMLElement {
  const range = h("span", { class: "small-range" });
  const point = h("span", { class: "small-point" });
  const at = (share: number): string => `${Math.min(100, Math.max(0, 50 + share * 50))}%`;
  range.style.left = at(low);
  range.style.width = `${Math.max(0, Math.min(1, high) - Math.max(-1, low)) * 50}%`;
  point.style.left = at(value);
  return h("span", { class: "small-interval change", "aria-hidden": "true" }, range, point);
}

function urgency(one: ComparedTest): number {
  const rank = ORDER.indexOf(one.difference?.standing);
  return rank * 10 - Math.abs(one.difference?.change.value ?? 0);
}
