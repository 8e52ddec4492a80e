// Names of tests and instances, as short as they stay clear.

import { named, plain } from "../shown_text.js";
import { moment } from "./format.js";
import type { Session, Summary } from "./types.js";

/** Characters of an instance's file in the table. */
const FILE = 10;

const prefixes = new WeakMap<Summary, number>();

/** Return a test's path without the folders that all tests of the report are in. */
export function shortTest(summary: Summary, test: number): string {
  return shortPath(summary, summary.tests[test]?.path ?? "");
}

/** Return the path of one of the report's tests without the folders that all are in. */
export function shortPath(summary: Summary, path: string): string {
  return named(path.slice(commonFolders(summary)) || path);
}

/** Return a test's name within its category. */
export function nameInCategory(path: string, category: string): string {
  const at = category ? `/${path}`.indexOf(`/${category}/`) : -1;
  const name = at < 0 ? path : path.slice(at + category.length + 1);
  return named(name || path);
}

/** The documents of a test, which may have rows of their own. */
const DOCUMENT = /^test\.(json|yaml|yml)$/;

/** Return where an instance stands: `instances/a.jsonl:3`, or `test.yaml row 3`. */
export function placeName(source: string, line: number): string {
  return DOCUMENT.test(source) ? `${source} row ${line}` : `${source}:${line}`;
}

/** Return where an instance stands, without the beginning of a long name. */
export function shortPlace(source: string, line: number, repeat: number): string {
  const file = plain(source.replace(/^instances\/|\.\w{1,6}$/g, ""));
  const shown = file.length > FILE ? `…${file.slice(1 - FILE)}` : file;
  const place = DOCUMENT.test(source) ? `row ${line}` : `${shown}:${line}`;
  return `${place}${repeat > 0 ? ` #${repeat + 1}` : ""}`;
}

/** Return a model's name without its provider. */
export function shortModel(name: string): string {
  return plain(name.slice(name.indexOf("/") + 1) || name);
}

/** Return a session as people tell it from another: when it began, and the end of its id. */
export function shortSession({ started, id }: Session): string {
  return `${moment(started)} · ${plain(id.slice(-4))}`;
}

export interface Folded {
  /** The path of the test, without the name of a variant. */
  base: string;
  /** The variant of its prompt; empty if it is none, or if it is the only one. */
  variant: string;
}

const folded = new WeakMap<Summary, Folded[]>();

/** Return each test as a variant of another, where several tests differ in the variant alone. */
export function foldedTests(summary: Summary): Folded[] {
  const known = folded.get(summary);
  if (known !== undefined) return known;
  const split = summary.tests.map(({ path, variant }) => {
    const end = `@${variant}`;
    const isVariant = variant !== null && path.endsWith(end);
    return isVariant ? { base: path.slice(0, -end.length), variant } : { base: path, variant: "" };
  });
  const counts = new Map<string, number>();
  for (const { base, variant } of split) {
    if (variant) counts.set(base, (counts.get(base) ?? 0) + 1);
  }
  const tests = split.map((one, i) =>
    one.variant && counts.get(one.base)! > 1 ? one : { base: summary.tests[i]!.path, variant: "" },
  );
  folded.set(summary, tests);
  return tests;
}

function commonFolders(summary: Summary): number {
  const known = prefixes.get(summary);
  if (known !== undefined) return known;
  const [first = "", ...others] = summary.tests.map((one) => one.path);
  let length = first.lastIndexOf("/") + 1;
  for (const path of others) {
    while (length > 0 && !path.startsWith(first.slice(0, length))) {
      length = first.lastIndexOf("/", length - 2) + 1;
    }
  }
  prefixes.set(summary, others.length > 0 ? length : 0);
  return prefixes.get(summary)!;
}
