// What the page shows, as its address says it: every state can be linked to.

import { VERDICTS, type Verdict } from "./types.js";

export type View = "overview" | "cases" | "case" | "compare";
export type Only = "" | "flaky" | "differs";

/** What is shown, and of what. Empty texts filter nothing. */
export interface Route {
  view: View;
  /** The result that the view `case` shows. */
  row: number;
  search: string;
  regex: boolean;
  verdicts: Verdict[];
  session: string;
  test: string;
  model: string;
  category: string;
  tag: string;
  kind: string;
  only: Only;
  /** A column, with `-` before it for the other direction. */
  sort: string;
  /** Names of columns; empty: the usual ones. */
  columns: string[];
  /** Which comparison, which kind of its flips, and the one that is open; -1: none. */
  pair: number;
  change: string;
  flip: number;
}

export const HOME: Route = {
  view: "overview",
  row: 0,
  search: "",
  regex: false,
  verdicts: [],
  session: "",
  test: "",
  model: "",
  category: "",
  tag: "",
  kind: "",
  only: "",
  sort: "",
  columns: [],
  pair: 0,
  change: "",
  flip: -1,
};

const TEXTS = ["search", "session", "test", "model", "category", "tag", "kind", "sort"] as const;
const VIEWS: readonly string[] = ["overview", "cases", "case", "compare"];

/** Return what an address says. One that says nothing sensible is that of the beginning. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view = "", number = ""] = path.split("/");
  const given = new URLSearchParams(query);
  const route: Route = { ...HOME, view: VIEWS.includes(view) ? (view as View) : "overview" };
  for (const name of TEXTS) route[name] = given.get(name) ?? "";
  route.regex = given.has("regex");
  route.verdicts = list(given.get("verdict")).filter((one): one is Verdict =>
    VERDICTS.includes(one as Verdict),
  );
  const only = given.get("only");
  route.only = only === "flaky" || only === "differs" ? only : "";
  route.columns = list(given.get("columns"));
  const change = given.get("change");
  route.change = change === "broken" || change === "fixed" ? change : "";
  route.flip = given.has("flip") ? wholeNumber(given.get("flip") ?? "") : -1;
  if (route.view === "compare") route.pair = wholeNumber(number);
  else route.row = wholeNumber(number);
  return route;
}

/** Return the address of a route, with `#`. */
export function addressOf(route: Route): string {
  const query = new URLSearchParams();
  for (const name of TEXTS) if (route[name]) query.set(name, route[name]);
  if (route.regex) query.set("regex", "");
  if (route.verdicts.length > 0) query.set("verdict", route.verdicts.join(","));
  if (route.only) query.set("only", route.only);
  if (route.columns.length > 0) query.set("columns", route.columns.join(","));
  if (route.change) query.set("change", route.change);
  if (route.flip >= 0) query.set("flip", String(route.flip));
  const number = { case: `/${route.row}`, compare: `/${route.pair}` }[route.view as string] ?? "";
  const text = query.toString();
  return `#/${route.view}${number}${text && `?${text}`}`;
}

/** Return the address of the cases that a few filters leave. */
export function casesAddress(filters: Partial<Route>): string {
  return addressOf({ ...HOME, ...filters, view: "cases" });
}

/** Return the name of the column of a parameter. */
export function parameterColumn(parameter: number): string {
  return `p${parameter}`;
}

/** Return the parameter that a column has; -1 if it is another column. */
export function parameterOf(column: string): number {
  return /^p\d{1,4}$/.test(column) ? Number(column.slice(1)) : -1;
}

function list(text: string | null): string[] {
  return text ? text.split(",").filter(Boolean) : [];
}

function wholeNumber(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
