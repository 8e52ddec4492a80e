// The first view: the verdict, then what it rests on.

import { type Child, h, icon } from "../dom.js";
import { named, shown } from "../shown_text.js";
import type { App } from "./app.js";
import { byPanels, labelPanels, scoresPanel } from "./breakdown.js";
import {
  errorsPanel,
  flakyPanel,
  latencyPanel,
  modelsPanel,
  ratesPanel,
  repeatsPanel,
  skippedPanel,
} from "./panels.js";
import { amount, dollars, mark, moment, percent, seconds, short, whole, WORDS } from "./format.js";
import { matrix } from "./matrix.js";
import { foldedTests, shortSession, shortTest } from "./names.js";
import { repeatSection } from "./repeat.js";
import { riskPanels } from "./risks.js";
import { casesAddress } from "./route.js";
import type { Cell, Summary, Verdict } from "./types.js";

const WORST = "worst";
const LISTED = 8;
const MODELS_LISTED = 3;

export function overview(app: App): HTMLElement {
  const { summary } = app;
  return h(
    "section",
    { class: "overview", "aria-label": "Overview" },
    hero(summary),
    tiles(summary),
    problems(summary),
    matrixPanel(app),
    h(
      "div",
      { class: "panels" },
      ratesPanel(summary),
      byPanels(summary),
      riskPanels(summary),
      scoresPanel(summary),
      labelPanels(summary),
      latencyPanel(summary),
      errorsPanel(summary),
      flakyPanel(summary),
      repeatsPanel(summary),
      modelsPanel(summary),
      skippedPanel(summary),
    ),
    repeatSection(summary.sessions),
  );
}

const HEADLINES: Record<Summary["verdict"], string> = {
  passed: "All as expected",
  failed: "Not as expected",
  error: "Errors left",
  inconclusive: "Undecided",
  empty: "Nothing ran",
};

function hero({ verdict, headline, details, sessions }: Summary): Child {
  const [session] = sessions;
  const when = sessions.length === 1 && session ? `${moment(session.started)} · ` : "";
  const shape: Verdict = verdict === "empty" ? "inconclusive" : verdict;
  return h(
    "header",
    { class: `hero ${shape}` },
    h("span", { class: "hero-mark", "aria-hidden": "true" }, icon(shape)),
    h(
      "div",
      null,
      h("h1", null, HEADLINES[verdict]),
      h("p", { class: "headline" }, shown(headline)),
      details.map((one) => h("p", { class: "quiet" }, when, shown(one))),
    ),
  );
}

function tiles(summary: Summary): Child {
  const { counts, models, latency } = summary;
  const judged = counts.passed + counts.failed;
  const tokens = models.reduce((sum, one) => sum + one.tokens_in + one.tokens_out, 0);
  const { p50, p95 } = latency.all ?? { p50: 0, p95: 0 };
  const all: [string, string, string][] = [
    [
      "Tests",
      whole(new Set(summary.cells.map((one) => one.test)).size),
      amount(models.length, "model"),
    ],
    [
      "Results",
      short(summary.rows),
      [
        summary.data_rows === summary.rows ? "" : `of ${amount(summary.data_rows, "row")}`,
        judged ? `${percent(counts.passed / judged)} passed` : "",
      ]
        .filter(Boolean)
        .join(", "),
    ],
    [
      "Errors",
      short(counts.error),
      counts.inconclusive ? `${whole(counts.inconclusive)} inconclusive` : "",
    ],
    ["Cost", dollars(summary.cost), `${short(tokens)} tokens`],
    ["Time", seconds(summary.seconds), ""],
    ["Latency", p50 ? seconds(p50) : "–", p95 ? `95% within ${seconds(p95)}` : ""],
  ];
  return h(
    "dl",
    { class: "tiles" },
    all.map(([name, value, more]) =>
      h(
        "div",
        { class: "tile" },
        h("dt", null, name),
        h("dd", null, h("b", null, value), more && h("span", { class: "quiet" }, more)),
      ),
    ),
  );
}

/** What isn't as expected, with its reason: the reader needs no click to know. */
function problems(summary: Summary): Child {
  const bad = summary.cells.filter((one) => one.verdict !== "passed");
  if (bad.length === 0 && summary.invalid.length === 0) return null;
  const order: Verdict[] = ["failed", "error", "inconclusive"];
  bad.sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  const tests = new Map<number, Cell[]>();
  for (const cell of bad) tests.set(cell.test, [...(tests.get(cell.test) ?? []), cell]);
  const listed = [...tests].slice(0, LISTED);
  return h(
    "section",
    { class: "panel wide", "aria-labelledby": "look" },
    h("h2", { id: "look" }, "What to look at"),
    h(
      "ul",
      { class: "problems" },
      summary.invalid.slice(0, LISTED).map(({ path, problems: found }) =>
        h(
          "li",
          null,
          mark("error"),
          h(
            "div",
            null,
            h("b", null, named(path)),
            found.map((one) => h("p", { class: "quiet" }, shown(one))),
          ),
        ),
      ),
      listed.map(([, cells]) => problem(summary, cells)),
    ),
    summary.invalid.length > LISTED &&
      h(
        "p",
        { class: "quiet" },
        `and ${amount(summary.invalid.length - LISTED, "invalid test")} more`,
      ),
    tests.size > LISTED &&
      h(
        "p",
        { class: "quiet" },
        `and ${amount(tests.size - LISTED, "test")} more, in the table below`,
      ),
  );
}

function problem(summary: Summary, cells: Cell[]): Child {
  const { path } = summary.tests[cells[0]!.test]!;
  return h(
    "li",
    null,
    mark(cells[0]!.verdict),
    h(
      "div",
      null,
      h("a", { href: casesAddress({ test: path }) }, shortTest(summary, cells[0]!.test)),
      h(
        "div",
        null,
        cells.slice(0, MODELS_LISTED).map((cell) => problemWithModel(summary, cell)),
        cells.length > MODELS_LISTED &&
          h("p", { class: "quiet" }, `and ${whole(cells.length - MODELS_LISTED)} more`),
      ),
    ),
  );
}

function problemWithModel(summary: Summary, cell: Cell): Child {
  const { path } = summary.tests[cell.test]!;
  const { name } = summary.models[cell.model]!;
  const session = summary.sessions[cell.session]!;
  const isOneOfMany = summary.sessions.length > 1;
  const href = casesAddress({
    test: path,
    model: summary.models.length > 1 ? name : "",
    session: isOneOfMany ? session.id : "",
    verdicts: cell.counts[cell.verdict] > 0 ? [cell.verdict] : [],
  });
  return h(
    "p",
    { class: "quiet" },
    h("a", { href }, named(name)),
    isOneOfMany && ` (${shortSession(session)})`,
    ": ",
    shown(cell.reason || WORDS[cell.verdict]),
  );
}

function matrixPanel(app: App): Child {
  const { summary, route } = app;
  if (summary.cells.length === 0) return null;
  const isWorstFirst = route.sort === WORST;
  const hasVariants = foldedTests(summary).some((one) => one.variant);
  const toggle = h(
    "a",
    {
      class: "button",
      role: "button",
      "aria-pressed": String(isWorstFirst),
      href: app.address({ sort: isWorstFirst ? "" : WORST }),
    },
    "Worst first",
  );
  return h(
    "section",
    { class: "panel wide", "aria-labelledby": "tests" },
    h(
      "div",
      { class: "panel-head" },
      h("h2", { id: "tests" }, hasVariants ? "Tests by models and variants" : "Tests by models"),
      summary.cells.length > 2 && toggle,
    ),
    matrix(summary, isWorstFirst),
  );
}
