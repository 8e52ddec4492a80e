// The results whose verdict is another: what broke, what was fixed, and why.

import { type Child, fill, h, icon } from "../dom.js";
import { plain, shown } from "../shown_text.js";
import type { App } from "./app.js";
import { answerOf, type Comparison, type Flip, type FlipSide } from "./comparison.js";
import { wordDiff } from "./diff.js";
import { amount, mark, whole } from "./format.js";
import { shortPath, shortPlace } from "./names.js";
import type { Pair } from "./types.js";

const SHOWN = 100;
const CAUSES: Record<string, string> = {
  nothing: "nothing known has changed: the model answers differently each time",
};

export class FlipList {
  constructor(private readonly app: App) {}

  shown(found: Comparison, pair: Pair): Child {
    const { route } = this.app;
    const numbered = found.flips.map((flip, number) => ({ flip, number }));
    const chosen = numbered.filter(
      ({ flip }) =>
        (!route.change || flip.kind === route.change) && (!route.test || flip.test === route.test),
    );
    const list = h("div", { class: "flips" });
    const draw = (count: number): void => {
      fill(
        list,
        chosen.slice(0, count).map(({ flip, number }) => this.one(flip, number, pair)),
      );
      if (chosen.length > count) {
        const more = { type: "button", class: "button", onclick: () => draw(count + 5 * SHOWN) };
        list.append(h("button", more, `Show more of ${whole(chosen.length)}`));
      }
    };
    const opened = chosen.findIndex(({ number }) => number === route.flip);
    draw(Math.max(SHOWN, opened + 1));
    const unlisted = found.broken + found.fixed - found.flips.length;
    return h(
      "section",
      { class: "panel wide", "aria-labelledby": "flips" },
      h(
        "div",
        { class: "panel-head" },
        h("h2", { id: "flips" }, "What flipped"),
        h("div", { class: "chips" }, this.chips(found)),
      ),
      chosen.length > 0 ? list : h("p", { class: "empty" }, "Nothing flipped here."),
      unlisted > 0 &&
        h("p", { class: "quiet" }, `${amount(unlisted, "more flip")} not listed: lve compare -v`),
    );
  }

  private chips(found: Comparison): Child[] {
    const { app } = this;
    const chip = (kind: "broken" | "fixed", label: string, count: number): Child =>
      h(
        "button",
        {
          type: "button",
          class: `chip ${kind === "broken" ? "failed" : "passed"}`,
          "aria-pressed": String(app.route.change === kind),
          onclick: () => app.go({ change: app.route.change === kind ? "" : kind, flip: -1 }),
        },
        icon(kind === "broken" ? "failed" : "passed"),
        `${label} `,
        h("span", { class: "count" }, whole(count)),
      );
    return [
      app.route.test &&
        h(
          "button",
          { type: "button", class: "button", onclick: () => app.go({ test: "", flip: -1 }) },
          icon("close"),
          plain(app.route.test),
        ),
      chip("broken", "Broken", found.broken),
      chip("fixed", "Fixed", found.fixed),
    ];
  }

  private one(flip: Flip, number: number, pair: Pair): HTMLElement {
    const { app } = this;
    const content = h("div", { class: "flip-content" });
    const isOpen = app.route.flip === number;
    const element = h(
      "details",
      {
        class: "flip",
        open: isOpen,
        ontoggle: () => {
          if (element.open) fill(content, this.sides(flip, pair));
          if (element.open) app.note({ flip: number });
          else if (app.route.flip === number) app.note({ flip: -1 });
        },
      },
      h(
        "summary",
        null,
        mark(flip.kind === "broken" ? "failed" : "passed"),
        h(
          "span",
          { class: "flip-name" },
          h("b", null, shortPath(app.summary, flip.test)),
          h("span", { class: "quiet" }, ` ${shortPlace(flip.source, flip.line, flip.repeat)} `),
          !pair.of_models && h("span", { class: "quiet" }, plain(modelsOf(flip))),
        ),
        h(
          "span",
          { class: "causes" },
          flip.causes.map((cause) =>
            h(
              "span",
              { class: "cause", title: plain(cause.detail || (CAUSES[cause.name] ?? "")) },
              plain(cause.name === "nothing" ? "nothing known" : cause.name),
            ),
          ),
        ),
      ),
      content,
    );
    if (isOpen) fill(content, this.sides(flip, pair));
    return element;
  }

  private sides(flip: Flip, pair: Pair): Child {
    const [before, now] = wordDiff(answerOf(flip.before), answerOf(flip.now));
    const row = this.app.rowOf(flip, pair.of_models ? 0 : this.app.route.pair + 1);
    const causes = flip.causes.filter((one) => one.detail || CAUSES[one.name]);
    return [
      causes.length > 0 &&
        h(
          "p",
          { class: "quiet" },
          causes.map((one) => `${plain(one.name)}: ${plain(one.detail || CAUSES[one.name]!)}. `),
        ),
      h(
        "div",
        { class: "diff" },
        side("Before", flip.model_before, flip.before, before),
        side("Now", flip.model_now, flip.now, now),
      ),
      row !== undefined &&
        h("p", null, h("a", { href: this.app.address({ view: "case", row }) }, "The whole case")),
    ];
  }
}

function side(title: string, model: string, found: FlipSide | null, text: Child): HTMLElement {
  return h(
    "article",
    { class: "message answer" },
    h(
      "header",
      null,
      h("span", { class: "role" }, title),
      h("span", { class: "numbers" }, plain(model)),
    ),
    found === null
      ? h("p", { class: "body none" }, "The answer isn't kept.")
      : h("div", { class: "body", dir: "auto" }, text),
    found?.reason && h("p", { class: "quiet" }, shown(found.reason)),
  );
}

function modelsOf(flip: Flip): string {
  const { model_before, model_now } = flip;
  return model_before === model_now ? model_now : `${model_before} → ${model_now}`;
}
