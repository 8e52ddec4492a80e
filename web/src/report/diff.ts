// What is different between two texts, word by word.

import { diffWordsWithSpace } from "diff";
import { type Child, h } from "../dom.js";
import { shown } from "../shown_text.js";

/** Texts that have nothing in common take long to compare, and their difference tells nothing. */
const LIMIT = { timeout: 150, maxEditLength: 3000 };

/** Return two texts, before and now, with what only one of them has marked. */
export function wordDiff(before: string, now: string): [Child, Child] {
  const changes = diffWordsWithSpace(before, now, LIMIT);
  if (changes === undefined) return [shown(before), shown(now)];
  const nodes = (own: "removed" | "added", other: "removed" | "added"): Child =>
    changes
      .filter((one) => !one[other])
      .map((one) =>
        one[own] ? h(own === "removed" ? "del" : "ins", null, shown(one.value)) : shown(one.value),
      );
  return [nodes("removed", "added"), nodes("added", "removed")];
}
