// A part of the overview: risks by category of a published list, and what was not tried.

import { type Child, h } from "../dom.js";
import { named, plain } from "../shown_text.js";
import { smallInterval } from "./charts.js";
import { amount, dollars, percent, whole } from "./format.js";
import { shortSession } from "./names.js";
import { panel, table } from "./panels.js";
import type { Risk, RiskTable, Summary } from "./types.js";

/** Categories of a list that are shown. */
const SHOWN = 60;

/** A panel for each list of categories that tests have codes of. */
export function riskPanels(summary: Summary): Child[] {
  const lists = [...new Set(summary.risks.map((one) => one.list))];
  return lists.map((list) =>
    riskPanel(
      summary,
      list,
      summary.risks.filter((one) => one.list === list),
    ),
  );
}

function riskPanel(summary: Summary, list: string, tables: RiskTable[]): Child {
  const codes = new Map<string, string>();
  for (const one of tables) for (const each of one.categories) codes.set(each.code, each.name);
  const first = [...codes].slice(0, SHOWN);
  const rows = first.map(([code, name]) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, named(name)),
      tables.map((one) => h("td", null, risk(one.categories.find((each) => each.code === code)))),
    ),
  );
  const untried = tables[0]?.untried ?? [];
  const names = untried.map((one) => plain(one.name)).join(", ");
  const more = codes.size > SHOWN ? ` ${SHOWN} of ${whole(codes.size)} categories.` : "";
  return panel(
    "Risks by category",
    `${list}: how often answers failed, in tests and attacks; the lines are 95% intervals.${more}`,
    table(["Category", ...tables.map((one) => whose(summary, one))], rows),
    untried.length > 0 && h("p", { class: "quiet untried" }, `Not tried: ${names}.`),
  );
}

function risk(each: Risk | undefined): Child {
  if (each === undefined) return "not tried";
  const { rate, low, high, confidence, judged, failed } = each;
  const tried = [amount(each.tests, "test")];
  if (each.attacks > 0) tried.push(amount(each.attacks, "attack"));
  tried.push(amount(judged + each.errors, "answer"));
  if (each.errors > 0) tried.push(amount(each.errors, "error"));
  if (each.cost !== null) tried.push(dollars(each.cost));
  const of = `${whole(failed)} of ${whole(judged)}`;
  return h(
    "div",
    { class: "value-rate" },
    rate === null
      ? h("div", null, "nothing judged")
      : [
          h(
            "span",
            { class: "cell-line" },
            h("b", null, percent(rate)),
            h("span", { class: "quiet" }, `${percent(low)} to ${percent(high)}`),
          ),
          smallInterval({ rate, low, high, confidence, has_bounds: false, of }),
        ],
    h("span", { class: "quiet" }, tried.join(", ")),
  );
}

function whose(summary: Summary, one: RiskTable): string {
  const session = summary.sessions[one.session];
  const several = summary.sessions.length > 1 && session !== undefined;
  return several ? `${plain(one.model)}, ${shortSession(session)}` : plain(one.model);
}
