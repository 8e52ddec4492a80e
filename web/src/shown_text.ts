// Text of models and tests as people may safely see it: what is invisible, or turns the direction of
// what follows, is shown by its name.

import { h } from "./dom.js";

/** Controls (without tab and line feed), invisible and direction characters, tags, lone surrogates. */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}\u{1d173}-\u{1d17a}]|\p{Surrogate}/gu;

const NAMES: Record<number, string> = {
  0x00: "NUL",
  0x07: "BEL",
  0x08: "BS",
  0x0d: "CR",
  0x1b: "ESC",
  0x7f: "DEL",
  0xad: "SHY",
  0x200b: "ZWSP",
  0x200c: "ZWNJ",
  0x200d: "ZWJ",
  0x200e: "LRM",
  0x200f: "RLM",
  0x2028: "LS",
  0x2029: "PS",
  0x202a: "LRE",
  0x202b: "RLE",
  0x202c: "PDF",
  0x202d: "LRO",
  0x202e: "RLO",
  0x2060: "WJ",
  0x2066: "LRI",
  0x2067: "RLI",
  0x2068: "FSI",
  0x2069: "PDI",
  0xfeff: "BOM",
};

/** Emoji are joined by this character; there it is no trick. */
const ZWJ = "\u200d";
const JOINED = /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*$/u;

/** Return nodes that show a text: unseen characters as small labels. */
export function shown(text: string): Node[] {
  const nodes: Node[] = [];
  let done = 0;
  for (const found of text.matchAll(UNSEEN)) {
    const at = found.index;
    if (found[0] === ZWJ && JOINED.test(text.slice(Math.max(0, at - 8), at))) continue;
    if (at > done) nodes.push(document.createTextNode(text.slice(done, at)));
    nodes.push(label(found[0]));
    done = at + found[0].length;
  }
  if (done < text.length) nodes.push(document.createTextNode(text.slice(done)));
  return nodes;
}

/** Return a text in one line of plain characters, for titles, labels and options. */
export function plain(text: string): string {
  return text.replace(UNSEEN, (one) => `[${nameOf(one)}]`).replace(/\s+/g, " ");
}

/** Return a name in one line, which has something to read and to click even if it is blank. */
export function named(text: string): string {
  return plain(text).trim() || "(blank)";
}

function label(character: string): HTMLElement {
  return h("span", { class: "unseen", title: code(character) }, nameOf(character));
}

function nameOf(character: string): string {
  return NAMES[character.codePointAt(0)!] ?? code(character);
}

function code(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}
