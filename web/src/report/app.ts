// What all views share: the data, the route, and the results that its filters leave.

import { bytesOf, unpack } from "./codec.js";
import type { Comparison, Flip } from "./comparison.js";
import { chunks, parsed } from "./chunks.js";
import { Client } from "./client.js";
import { Live } from "./live.js";
import { addressOf, HOME, type Route, parseRoute } from "./route.js";
import { Store } from "./store.js";
import { EAGER, Texts } from "./texts.js";
import type { Detail, Summary } from "./types.js";

/** While texts are read, the page shows them so often. */
const REDRAW_MS = 400;

export interface Selection {
  rows: Uint32Array;
  /** How many have which verdict, whatever verdict is asked for. */
  counts: number[];
  /** What is wrong with the search. */
  problem: string;
}

export class App {
  readonly client = new Client();
  readonly store: Store;
  /** The server, of a page that has one. */
  readonly live: Live | null;
  readonly texts: Texts;
  route: Route = HOME;
  /** Called when the route has changed, and when more results are there. */
  onChange: (what: "route" | "data") => void = () => {};
  private searched: { key: string; matches: Promise<Uint8Array> } | null = null;
  private drawn = 0;
  private isReadingAll = false;
  private readonly comparisons = new Map<number, Promise<Comparison>>();
  private selected: { key: string; selection: Selection } | null = null;

  constructor(readonly summary: Summary) {
    this.store = new Store(summary);
    this.live = Live.of(summary.rows, () => this.route);
    this.texts = new Texts(summary.rows, this.live, (base64) => this.addTexts(base64));
    void this.client.setNames(summary);
    this.route = parseRoute(location.hash);
    window.addEventListener("hashchange", () => {
      this.route = parseRoute(location.hash);
      this.onChange("route");
    });
  }

  /** Show something else. It becomes an entry of the browser's history unless it replaces one. */
  go(changes: Partial<Route>, { replace = false } = {}): void {
    this.route = { ...this.route, ...changes };
    history[replace ? "replaceState" : "pushState"](null, "", addressOf(this.route));
    this.onChange("route");
  }

  /** Have the address say what is shown already. */
  note(changes: Partial<Route>): void {
    this.route = { ...this.route, ...changes };
    history.replaceState(null, "", addressOf(this.route));
  }

  /** Return a comparison. */
  comparison(pair: number): Promise<Comparison> {
    const known = this.comparisons.get(pair) ?? this.readComparison(pair);
    this.comparisons.set(pair, known);
    known.catch(() => this.comparisons.delete(pair));
    return known;
  }

  /** Return the row of the later result of a flip, if it is loaded. */
  rowOf(flip: Flip, session: number): number | undefined {
    const { store, summary } = this;
    const test = summary.tests.findIndex((one) => one.path === flip.test);
    const model = summary.models.findIndex((one) => one.name === flip.model_now);
    const source = summary.sources.indexOf(flip.source);
    for (let row = 0; row < store.loaded; row++) {
      if (
        store.line[row] === flip.line &&
        store.repeat[row] === flip.repeat &&
        store.source[row] === source &&
        store.model[row] === model &&
        store.test[row] === test &&
        store.session[row] === session
      ) {
        return row;
      }
    }
    return undefined;
  }

  private async readComparison(pair: number): Promise<Comparison> {
    if (this.live) return unpack<Comparison>(bytesOf(await this.live.comparison(pair)));
    await parsed();
    const { comparisons } = this.summary;
    const place = comparisons.slice(0, pair).filter((one) => one.problem === undefined).length;
    const [text = ""] = [...chunks("comparison")].slice(place);
    return unpack<Comparison>(bytesOf(text));
  }

  /** Return the address of the current route with changes. */
  address(changes: Partial<Route>): string {
    return addressOf({ ...this.route, ...changes });
  }

  /** Return the results that the route's filters leave. */
  async select(): Promise<Selection> {
    const { route, store } = this;
    const key = `${store.loaded} ${addressOf({ ...route, view: "cases", columns: [] })}`;
    if (this.selected?.key === key) return this.selected.selection;
    if (route.search || store.sortsByTexts(route.sort)) void this.readAll();
    let problem = "";
    let matches: Uint8Array | null = null;
    if (route.search) {
      try {
        matches = await this.matches(route);
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
        matches = new Uint8Array(store.summary.rows);
      }
    }
    const selection = { ...store.select(route, matches), problem };
    this.selected = { key, selection };
    return selection;
  }

  private matches(route: Route): Promise<Uint8Array> {
    const key = `${this.store.loaded} ${this.texts.count} ${route.regex} ${route.search}`;
    if (this.searched?.key !== key) {
      const { rows } = this.summary;
      this.searched = { key, matches: this.client.search(route.search, route.regex, rows) };
    }
    return this.searched.matches;
  }

  /** Whether all texts are there to be searched. */
  get isSearchable(): boolean {
    return this.texts.count >= this.summary.rows;
  }

  /** Return a whole result, as soon as its texts are there. */
  async detail(row: number): Promise<Detail> {
    await this.texts.need([row]);
    return this.client.detail(row);
  }

  /** Read the chunks that the file holds, the columns first. */
  async load(index: Iterable<string>, details: Iterable<string>): Promise<void> {
    for (const chunk of index) {
      this.store.add(await this.client.addIndex(chunk));
      await pause();
    }
    this.onChange("data");
    this.drawn = performance.now();
    for (const chunk of details) {
      await this.addTexts(chunk);
      this.redraw();
    }
    if (this.live && this.summary.rows <= EAGER) await this.readAll();
    else this.textsAreThere();
  }

  /** Ask the server for the texts of results that are seen just now. */
  see(rows: readonly number[]): void {
    this.texts.see(rows, () => this.onChange("data"));
  }

  private async addTexts(base64: string): Promise<number> {
    const beginnings = await this.client.addDetails(base64);
    this.store.addBeginnings(beginnings);
    this.texts.add(beginnings.first, beginnings.answers.length);
    return beginnings.answers.length;
  }

  /** Have all texts, to search them or to sort by them. */
  private async readAll(): Promise<void> {
    if (this.live === null || this.isSearchable || this.isReadingAll) return;
    this.isReadingAll = true;
    // Without an answer it is tried again when they are wanted again.
    await this.texts.all(() => this.redraw()).catch(() => {});
    this.isReadingAll = false;
    if (this.isSearchable) this.textsAreThere();
  }

  private textsAreThere(): void {
    if (this.route.search || this.route.sort) this.selected = null;
    this.onChange("data");
  }

  private redraw(): void {
    if (performance.now() - this.drawn <= REDRAW_MS) return;
    this.onChange("data");
    this.drawn = performance.now();
  }
}

/** Let the browser draw. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
