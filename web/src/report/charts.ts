// Charts, drawn by Observable Plot as SVG in the colours of the page.

import { axisX, axisY, dot, plot, rectY, ruleX, ruleY, text } from "@observablehq/plot";
import { h } from "../dom.js";
import { plain } from "../shown_text.js";
import { interval, percent, seconds } from "./format.js";
import type { Bin, Model, Rate, ValueRate } from "./types.js";

const LABEL_WIDTH = 230;
const MOST_PANELS = 6;
/** Seconds at which the axis of latencies has a label. */
const TICKS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000];

type Drawing = ReturnType<typeof plot>;

/** Return a chart that is drawn again when its width changes.
 *
 * `label` says in words what it shows. */
export function chart(label: string, draw: (width: number) => Drawing): HTMLElement {
  const holder = h("div", { class: "chart", role: "img", "aria-label": label });
  let drawn = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.round(entry?.contentRect.width ?? 0);
    if (width < 80 || width === drawn) return;
    drawn = width;
    const drawing = draw(width);
    drawing.setAttribute("aria-hidden", "true");
    // The policy allows no styles but the page's, which has these.
    for (const style of drawing.querySelectorAll("style")) style.remove();
    holder.replaceChildren(drawing);
  }).observe(holder);
  return holder;
}

/** Return the pass rates of several models with their intervals. */
export function ratesChart(models: readonly Model[]): HTMLElement {
  const data = models.flatMap((one) =>
    one.rate === null ? [] : [{ name: shortName(one.name), ...one.rate }],
  );
  const words = data.map((one) => `${one.name}: ${percent(one.rate)}, ${interval(one)}`);
  return chart(`Pass rates: ${words.join("; ")}`, (width) => {
    const label = Math.min(LABEL_WIDTH, Math.round(width * 0.36));
    return plot({
      width,
      height: data.length * 34 + 44,
      marginLeft: label,
      marginRight: 56,
      marginTop: 6,
      x: { domain: [0, 1], label: null, percent: false },
      y: { label: null, domain: data.map((one) => one.name), padding: 0.5 },
      marks: [
        axisY({ tickSize: 0 }),
        axisX({
          ticks: width < 500 ? 3 : 5,
          tickFormat: (share: number) => percent(share),
          tickSize: 0,
        }),
        ruleX([0, 0.25, 0.5, 0.75, 1], { className: "grid" }),
        ruleY(data, { y: "name", x1: "low", x2: "high", className: "range" }),
        dot(data, { y: "name", x: "rate", r: 5, className: "point" }),
        text(data, {
          y: "name",
          x: "high",
          text: (one: Rate) => percent(one.rate),
          textAnchor: "start",
          dx: 8,
          className: "value",
        }),
      ],
    });
  });
}

/** Return how long answers took, in a panel for each model. */
export function latencyChart(
  bins: readonly Bin[],
  models: readonly Model[],
  quantiles: readonly { model: number; p50: number; p95: number }[],
): HTMLElement {
  const known = quantiles.slice(0, MOST_PANELS);
  const shown = new Set(known.map((one) => one.model));
  const nameOf = (one: { model: number }): string => shortName(models[one.model]?.name ?? "");
  const data = bins.filter((one) => shown.has(one.model));
  const words = known.map(
    (one) =>
      `${nameOf(one)}: half within ${seconds(one.p50)}, 95 in 100 within ${seconds(one.p95)}`,
  );
  const from = Math.min(...data.map((one) => one.low));
  const to = Math.max(...data.map((one) => one.high));
  const hasPanels = known.length > 1;
  return chart(`Latency: ${words.join("; ")}`, (width) => {
    const label = hasPanels ? Math.min(180, Math.round(width * 0.3)) : 8;
    return plot({
      width,
      height: known.length * (hasPanels ? 62 : 150) + 40,
      marginLeft: label,
      marginRight: 20,
      marginTop: 8,
      x: { type: "log", label: null },
      y: { axis: null },
      fy: { label: null, domain: known.map(nameOf), axis: hasPanels ? "left" : null },
      marks: [
        axisX({
          ticks: TICKS.filter((one) => one >= from && one <= to),
          tickFormat: (value: number) => seconds(value),
          tickSize: 3,
        }),
        rectY(data, {
          x1: "low",
          x2: "high",
          y: "count",
          fy: nameOf,
          inset: 0.5,
          className: "bar",
        }),
        ruleX(known, { x: "p50", fy: nameOf, className: "median" }),
        ruleX(known, { x: "p95", fy: nameOf, className: "tail" }),
      ],
    });
  });
}

/** A model's rates of attacks that succeeded and of honest rows that were refused. */
export interface TradeOff {
  name: string;
  attacked: ValueRate;
  refused: ValueRate;
}

/** Return a chart with a point for each model, and both intervals. */
export function tradeOffChart(models: readonly TradeOff[]): HTMLElement {
  const words = models.map(
    ({ name, attacked, refused }) =>
      `${shortName(name)}: ${percent(attacked.rate!)} of attacks succeeded, ${percent(refused.rate!)} of honest rows refused`,
  );
  const isRight = (one: TradeOff): boolean => one.refused.rate! > 0.5;
  const label = { text: (one: TradeOff) => shortName(one.name), className: "value" };
  const at = {
    x: (one: TradeOff) => one.refused.rate,
    y: (one: TradeOff) => one.attacked.rate,
  };
  return chart(`Attacks and refusals: ${words.join("; ")}`, (width) => {
    const axis = {
      ticks: width < 500 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1],
      tickFormat: (share: number) => percent(share),
      tickSize: 0,
      labelArrow: "none" as const,
    };
    return plot({
      width: Math.min(width, 640),
      height: Math.min(360, width),
      marginLeft: 46,
      marginBottom: 40,
      marginTop: 24,
      marginRight: 16,
      x: { domain: [0, 1], label: "honest rows refused", percent: false },
      y: { domain: [0, 1], label: "attacks that succeeded", percent: false },
      marks: [
        axisX(axis),
        axisY(axis),
        ruleX([0, 0.25, 0.5, 0.75, 1], { className: "grid" }),
        ruleY([0, 0.25, 0.5, 0.75, 1], { className: "grid" }),
        ruleY(models, {
          y: at.y,
          x1: (one: TradeOff) => one.refused.low,
          x2: (one: TradeOff) => one.refused.high,
          className: "range",
        }),
        ruleX(models, {
          x: at.x,
          y1: (one: TradeOff) => one.attacked.low,
          y2: (one: TradeOff) => one.attacked.high,
          className: "range",
        }),
        dot(models, { ...at, r: 5, className: "point" }),
        text(
          models.filter((one) => !isRight(one)),
          { ...at, ...label, textAnchor: "start", dx: 8, dy: -10 },
        ),
        text(models.filter(isRight), { ...at, ...label, textAnchor: "end", dx: -8, dy: -10 }),
      ],
    });
  });
}

/** Return a small bar from 0 to 1 with an interval and its point. */
export function smallInterval(rate: Rate): HTMLElement {
  const range = h("span", { class: "small-range" });
  const point = h("span", { class: "small-point" });
  range.style.left = `${rate.low * 100}%`;
  range.style.width = `${Math.max(0, rate.high - rate.low) * 100}%`;
  point.style.left = `${rate.rate * 100}%`;
  return h("span", { class: "small-interval", "aria-hidden": "true" }, range, point);
}

function shortName(name: string): string {
  const text = plain(name);
  return text.length > 30 ? `…${text.slice(-29)}` : text;
}
