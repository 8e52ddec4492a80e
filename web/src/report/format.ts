// Numbers and verdicts for people.

import { h, icon } from "../dom.js";
import type { Rate, Verdict } from "./types.js";

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export function whole(value: number): string {
  return WHOLE.format(value);
}

/** `1 test`, `2 tests`. */
export function amount(count: number, word: string): string {
  return `${whole(count)} ${word}${count === 1 ? "" : "s"}`;
}

/** A share as people read it: 100% and 0% only where it is exactly that. */
export function percent(share: number): string {
  const value = share * 100;
  if (value > 99 && value < 100) return value > 99.9 ? ">99.9%" : `${value.toFixed(1)}%`;
  if (value > 0 && value < 1) return value < 0.1 ? "<0.1%" : `${value.toFixed(1)}%`;
  return `${Math.round(value)}%`;
}

/** A change of a share: `+12 points`. */
export function points(change: number): string {
  const value = change * 100;
  const digits = Math.abs(value) > 0 && Math.abs(value) < 1 ? 1 : 0;
  return `${value > 0 ? "+" : value < 0 ? "−" : "±"}${Math.abs(value).toFixed(digits)} points`;
}

export function probability(p: number): string {
  return p < 0.001 ? "<0.001" : p.toFixed(3);
}

/** How sure a rate is, as what it is: an interval, or one-sided bounds. */
export function interval(rate: Rate): string {
  return rate.has_bounds
    ? `at least ${percent(rate.low)}, at most ${percent(rate.high)}`
    : `${percent(rate.low)} to ${percent(rate.high)}`;
}

/** The same with its confidence: `95% interval 82% to 97%`. */
export function surety(rate: Rate): string {
  const sure = `${Number((100 * rate.confidence).toPrecision(6))}%`;
  return rate.has_bounds
    ? `${interval(rate)}, each with ${sure} confidence`
    : `${sure} interval ${interval(rate)}`;
}

export function dollars(value: number | null): string {
  if (value === null || Number.isNaN(value)) return "–";
  if (value === 0) return "$0";
  return value < 0.01 ? `$${value.toPrecision(2)}` : `$${value.toFixed(2)}`;
}

/** Seconds: `340 ms`, `2.4 s`, `3 min 20 s`. */
export function seconds(value: number | null): string {
  if (value === null || Number.isNaN(value)) return "–";
  if (value === 0) return "0 s";
  if (value < 0.001) return "<1 ms";
  if (value < 1) return `${Math.round(value * 1000)} ms`;
  if (value < 60) return `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
  const minutes = Math.floor(value / 60);
  const [more, unit, rest] =
    minutes < 60
      ? [minutes, "min", `${Math.floor(value % 60)} s`]
      : [Math.floor(minutes / 60), "h", `${minutes % 60} min`];
  return rest.startsWith("0 ") ? `${more} ${unit}` : `${more} ${unit} ${rest}`;
}

/** Thousands and millions: `1.2k`, `3.4M`. */
export function short(value: number): string {
  if (value < 10_000) return whole(value);
  if (value < 1e6) return `${(value / 1e3).toFixed(value < 1e5 ? 1 : 0)}k`;
  return `${(value / 1e6).toFixed(1)}M`;
}

/** A time of the session, in the reader's own time zone. */
export function moment(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  return date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

export const WORDS: Record<Verdict, string> = {
  passed: "Passed",
  failed: "Failed",
  error: "Error",
  inconclusive: "Inconclusive",
};

/** Return a verdict as a mark with its word. */
export function badge(verdict: Verdict, isExpected = false): HTMLElement {
  const shape = isExpected ? "inconclusive" : verdict;
  return h("span", { class: `badge ${shape}` }, icon(verdict), wordOf(verdict, isExpected));
}

/** Return a verdict as a mark alone; its word is for screen readers.
 *
 * `isExpected` says of a failure that its test expects it: then it is nothing to worry about. */
export function mark(verdict: Verdict, isExpected = false): HTMLElement {
  const shape = isExpected ? "inconclusive" : verdict;
  const word = wordOf(verdict, isExpected);
  return h(
    "span",
    { class: `mark ${shape}`, role: "img", "aria-label": word, title: word },
    icon(verdict),
  );
}

function wordOf(verdict: Verdict, isExpected: boolean): string {
  return isExpected ? `${WORDS[verdict]}, as expected` : WORDS[verdict];
}
