// Parts of a text that are marked: values of parameters, what was searched, what a reason quotes.

import { h } from "../dom.js";
import { plain, shown } from "../shown_text.js";

export interface Range {
  start: number;
  end: number;
  kind: "parameter" | "found" | "quoted";
  title: string;
}

/** Marks in one text: a forged value may occur a million times. */
const MOST = 300;
const QUOTED = /'([^'\n]{2,200})'|"([^"\n]{2,200})"|`([^`\n]{2,200})`/g;

/** Return where one of the texts occurs in another. */
export function occurrences(
  text: string,
  wanted: string,
  kind: Range["kind"],
  title: string,
): Range[] {
  const found: Range[] = [];
  if (!wanted) return found;
  const isWord = /^[\p{L}\p{N}]{1,2}$/u.test(wanted); // `4` isn't meant in `2024`
  for (let at = text.indexOf(wanted); at >= 0 && found.length < MOST;) {
    const end = at + wanted.length;
    if (!isWord || (!isWordy(text[at - 1]) && !isWordy(text[end]))) {
      found.push({ start: at, end, kind, title });
    }
    at = text.indexOf(wanted, end);
  }
  return found;
}

function isWordy(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

/** Return where the values of parameters stand in a prompt. */
export function parametersIn(text: string, values: Record<string, unknown>): Range[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const written = typeof value === "string" ? value : JSON.stringify(value);
    return occurrences(text, written ?? "", "parameter", `{${plain(name)}}`);
  });
}

/** Return where a text has what a reason quotes. */
export function quotedIn(text: string, reason: string): Range[] {
  const quotes = [...reason.matchAll(QUOTED)].map((one) => one[1] ?? one[2] ?? one[3] ?? "");
  const bare = [...reason.matchAll(/\b(?:found|got|says?|said) ([^\s,;]{2,40})/g)].map(
    (one) => one[1]!,
  );
  return [...new Set([...quotes, ...bare])]
    .slice(0, 20)
    .flatMap((quote) => occurrences(text, quote, "quoted", "The reason is about this"));
}

/** Return where a text has what is searched, whatever its case. */
export function foundIn(text: string, search: string): Range[] {
  return search ? occurrencesOf(text.toLowerCase(), search.toLowerCase()) : [];
}

function occurrencesOf(text: string, search: string): Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf(search); at >= 0 && found.length < MOST;) {
    found.push({ start: at, end: at + search.length, kind: "found", title: "Found" });
    at = text.indexOf(search, at + search.length);
  }
  return found;
}

/** Return a text with its ranges marked. Of ranges that overlap, the one that begins first, or is
 * longer, is marked. */
export function marked(text: string, ranges: Range[]): Node[] {
  const sorted = [...ranges].sort((a, b) => a.start - b.start || b.end - a.end);
  const nodes: Node[] = [];
  let done = 0;
  for (const { start, end, kind, title } of sorted) {
    if (start < done || end > text.length) continue;
    nodes.push(...shown(text.slice(done, start)));
    nodes.push(h("mark", { class: kind, title }, shown(text.slice(start, end))));
    done = end;
  }
  nodes.push(...shown(text.slice(done)));
  return nodes;
}
