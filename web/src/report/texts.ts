// Which results have their texts: a file holds all; a served page asks for those that are seen.

import type { Live } from "./live.js";

/** Results whose texts come together where one is seen, and where all are wanted. */
const BLOCK = 64;
const MOST = 1024;
/** A page with at most so many results asks for all texts when it begins. */
export const EAGER = 5000;
/** While the reader scrolls, nothing is asked for. */
const PAUSE_MS = 60;

export class Texts {
  /** How many results have their texts. */
  count = 0;
  private readonly there: Uint8Array;
  private readonly coming = new Map<number, Promise<void>>();
  private waiting: (() => void)[] = [];
  private timer = 0;

  constructor(
    private readonly rows: number,
    private readonly live: Live | null,
    /** Reads a chunk, and returns how many results it has. */
    private readonly read: (base64: string) => Promise<number>,
  ) {
    this.there = new Uint8Array(rows);
  }

  /** Note that the texts of some results are there. */
  add(first: number, count: number): void {
    for (let row = first; row < first + count; row++) {
      this.count += 1 - this.there[row]!;
      this.there[row] = 1;
    }
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** Return when the texts of some results are there. */
  async need(rows: Iterable<number>): Promise<void> {
    const missing = [...rows].filter((row) => !this.there[row]);
    if (this.live !== null) {
      const blocks = new Set(missing.map((row) => Math.floor(row / BLOCK)));
      await Promise.all([...blocks].map((block) => this.ask(block, 1)));
      return;
    }
    while (!missing.every((row) => this.there[row])) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** Ask for the texts of results that are seen just now, and say when they are there. */
  see(rows: readonly number[], onTexts: () => void): void {
    window.clearTimeout(this.timer);
    if (this.live === null || rows.every((row) => this.there[row])) return;
    // Without an answer the table stays as it is: the bar says that nobody answers.
    this.timer = window.setTimeout(() => void this.need(rows).then(onTexts, () => {}), PAUSE_MS);
  }

  /** Ask for all texts. */
  async all(onSome: () => void): Promise<void> {
    const blocks = Math.ceil(this.rows / BLOCK);
    for (let block = 0; block < blocks;) {
      let count = 0;
      while (count < MOST / BLOCK && block + count < blocks && !this.coming.has(block + count)) {
        count++;
      }
      await this.ask(block, Math.max(count, 1));
      onSome();
      block += Math.max(count, 1);
    }
  }

  /** Return when the texts of some blocks, of which either one or none is coming, are there. */
  private ask(block: number, count: number): Promise<void> {
    const known = this.coming.get(block);
    if (known !== undefined) return known;
    const blocks = Array.from({ length: count }, (_, i) => block + i);
    // The server may have more results than the page by now.
    const coming = this.fetch(block * BLOCK, Math.min((block + count) * BLOCK, this.rows));
    for (const one of blocks) this.coming.set(one, coming);
    coming.catch(() => {
      for (const one of blocks) this.coming.delete(one); // the next one who needs it asks again
    });
    return coming;
  }

  /** Read the texts of some results: all at once, unless they are long. */
  private async fetch(first: number, end: number): Promise<void> {
    for (let row = first; row < end;)
      row += await this.read(await this.live!.texts(row, end - row));
  }
}
