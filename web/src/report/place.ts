// Where a result stands: what names it to the server.

import type { Store } from "./store.js";

export interface Place {
  session: string;
  test: string;
  model: string;
  source: string;
  line: number;
  repeat: number;
}

/** Return where a result stands. */
export function placeOf(store: Store, row: number): Place {
  const { summary } = store;
  return {
    session: summary.sessions[store.session[row]!]?.id ?? "",
    test: summary.tests[store.test[row]!]?.path ?? "",
    model: summary.models[store.model[row]!]?.name ?? "",
    source: summary.sources[store.source[row]!] ?? "",
    line: store.line[row]!,
    repeat: store.repeat[row]!,
  };
}

/** Whether two results stand at the same place. */
export function samePlace(one: Place, other: Place): boolean {
  return (
    one.line === other.line &&
    (one.repeat ?? 0) === other.repeat &&
    one.source === other.source &&
    one.test === other.test &&
    one.model === other.model &&
    one.session === other.session
  );
}
