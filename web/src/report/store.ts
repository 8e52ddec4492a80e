// The columns of all results, as far as they are loaded: filtered and sorted here, in the page.

import { foldedTests, placeName } from "./names.js";
import { parameterOf, type Route } from "./route.js";
import { type Beginnings, type IndexChunk, type Summary, VERDICTS, type Verdict } from "./types.js";

const LETTERS = "pfei";
export const CACHED = 1;
export const ADVISORY = 2;
export const REDACTED = 4;
export const AS_EXPECTED = 8;

export class Store {
  loaded = 0;
  readonly session: Uint16Array;
  readonly test: Uint32Array;
  readonly model: Uint16Array;
  readonly source: Uint32Array;
  readonly line: Uint32Array;
  readonly repeat: Uint32Array;
  readonly verdict: Uint8Array;
  readonly flags: Uint8Array;
  readonly kind: Uint16Array;
  readonly score: Float64Array;
  readonly latency: Float64Array;
  readonly tokens: Float64Array;
  readonly cost: Float64Array;
  readonly recorded: string[] = [];
  readonly input: string[] = [];
  /** Number of a parameter -> its values, as far as results have it. */
  private readonly values: (string[] | undefined)[] = [];
  readonly answer: string[] = [];
  readonly reason: string[] = [];
  private order: Uint32Array | null = null;
  private groups: { flaky: Uint8Array; differs: Uint8Array } | null = null;

  constructor(readonly summary: Summary) {
    const { rows } = summary;
    this.session = new Uint16Array(rows);
    this.test = new Uint32Array(rows);
    this.model = new Uint16Array(rows);
    this.source = new Uint32Array(rows);
    this.line = new Uint32Array(rows);
    this.repeat = new Uint32Array(rows);
    this.verdict = new Uint8Array(rows);
    this.flags = new Uint8Array(rows);
    this.kind = new Uint16Array(rows);
    this.score = new Float64Array(rows);
    this.latency = new Float64Array(rows);
    this.tokens = new Float64Array(rows);
    this.cost = new Float64Array(rows);
  }

  get isComplete(): boolean {
    return this.loaded >= this.summary.rows;
  }

  /** Take the columns of some results, in the order of the file. */
  add(chunk: IndexChunk): void {
    const { first, count } = chunk;
    this.session.set(chunk.session, first);
    this.test.set(chunk.test, first);
    this.model.set(chunk.model, first);
    this.source.set(chunk.source, first);
    this.line.set(chunk.line, first);
    this.repeat.set(chunk.repeat, first);
    this.flags.set(chunk.flags, first);
    this.kind.set(chunk.kind, first);
    this.latency.set(chunk.latency_ms, first);
    for (let i = 0; i < count; i++) {
      const row = first + i;
      this.verdict[row] = LETTERS.indexOf(chunk.verdict[i]!);
      this.recorded[row] = chunk.recorded[i]!;
      this.score[row] = chunk.score[i] ?? Number.NaN;
      this.cost[row] = chunk.cost[i] ?? Number.NaN;
      this.tokens[row] = chunk.tokens_in[i]! + chunk.tokens_out[i]!;
      this.input[row] ??= "";
      this.answer[row] ??= "";
      this.reason[row] ??= "";
    }
    this.loaded = Math.max(this.loaded, first + count);
    this.groups = null;
  }

  /** Take the beginnings of some texts. */
  addBeginnings({ first, inputs, values, answers, reasons }: Beginnings): void {
    for (const [number, column] of values) {
      const own = (this.values[number] ??= []);
      column.forEach((value, i) => {
        if (value) own[first + i] = value;
      });
    }
    answers.forEach((answer, i) => {
      this.input[first + i] = inputs[i]!;
      this.answer[first + i] = answer;
      this.reason[first + i] = reasons[i]!;
    });
  }

  /** The value of a parameter; empty if a result has none. */
  valueOf(row: number, parameter: number): string {
    return this.values[parameter]?.[row] ?? "";
  }

  verdictOf(row: number): Verdict {
    return VERDICTS[this.verdict[row]!]!;
  }

  /** Whether a result failed because its test expects that. */
  failedAsExpected(row: number): boolean {
    return this.verdict[row] === 1 && (this.flags[row]! & AS_EXPECTED) !== 0;
  }

  /** Where an instance stands. */
  placeOf(row: number): string {
    return placeName(this.summary.sources[this.source[row]!] ?? "", this.line[row]!);
  }

  /** Return the results that a route's filters leave, in their order; and how many have which
   * verdict, whatever the route says of verdicts. */
  select(route: Route, matches: Uint8Array | null): { rows: Uint32Array; counts: number[] } {
    const keep = this.filterOf(route, matches);
    const wanted = new Set(route.verdicts.map((one) => VERDICTS.indexOf(one)));
    const counts = [0, 0, 0, 0];
    const rows = new Uint32Array(this.loaded);
    let kept = 0;
    for (const row of this.inOrder()) {
      if (!keep(row)) continue;
      const verdict = this.verdict[row]!;
      counts[verdict]!++;
      if (wanted.size === 0 || wanted.has(verdict)) rows[kept++] = row;
    }
    return { rows: this.sorted(rows.subarray(0, kept), route.sort), counts };
  }

  /** Return the other results of the same instance, whatever their model, session and repeat. */
  siblings(row: number): number[] {
    const found: number[] = [];
    for (let other = 0; other < this.loaded; other++) {
      if (
        this.line[other] === this.line[row] &&
        this.source[other] === this.source[row] &&
        this.test[other] === this.test[row]
      ) {
        found.push(other);
      }
    }
    return found.sort(
      (a, b) =>
        this.session[a]! - this.session[b]! ||
        this.model[a]! - this.model[b]! ||
        this.repeat[a]! - this.repeat[b]!,
    );
  }

  /** Whether a route's order needs the texts of all results. */
  sortsByTexts(sort: string): boolean {
    const column = sort.replace(/^-/, "");
    return column === "answer" || parameterOf(column) >= 0;
  }

  private filterOf(route: Route, matches: Uint8Array | null): (row: number) => boolean {
    const { summary } = this;
    const bases = foldedTests(summary);
    const tests = summary.tests.map(
      (one, i) =>
        (!route.test || one.path === route.test || bases[i]!.base === route.test) &&
        (!route.category || one.category === route.category) &&
        (!route.tag || one.tags.includes(route.tag)),
    );
    const models = summary.models.map((one) => !route.model || one.name === route.model);
    const sessions = summary.sessions.map((one) => !route.session || one.id === route.session);
    const kind = route.kind ? summary.kinds.indexOf(route.kind) + 1 : -1;
    const only = route.only && this.grouped()[route.only];
    return (row) =>
      tests[this.test[row]!]! &&
      models[this.model[row]!]! &&
      sessions[this.session[row]!]! &&
      (kind < 0 || this.kind[row] === kind) &&
      (!only || only[row] === 1) &&
      (matches === null || matches[row] === 1);
  }

  /** Return all results in the order of tests, instances, sessions, models and repeats. */
  private inOrder(): Uint32Array {
    if (this.order === null || this.order.length !== this.loaded) {
      const { line, session, repeat, summary } = this;
      const test = ranked(this.test, ranks(summary.tests.map((one) => one.path)));
      const source = ranked(this.source, ranks(summary.sources));
      const model = ranked(this.model, ranks(summary.models.map((one) => one.name)));
      this.order = Uint32Array.from({ length: this.loaded }, (_, row) => row).sort(
        (a, b) =>
          test(a) - test(b) ||
          source(a) - source(b) ||
          line[a]! - line[b]! ||
          session[a]! - session[b]! ||
          model(a) - model(b) ||
          repeat[a]! - repeat[b]!,
      );
    }
    return this.order;
  }

  /** Which results are of flaky instances (one model both passed and failed), and of instances
   * about which models disagree. */
  private grouped(): { flaky: Uint8Array; differs: Uint8Array } {
    if (this.groups === null) {
      const flaky = new Uint8Array(this.loaded);
      const differs = new Uint8Array(this.loaded);
      for (const instance of runs(this.inOrder(), (a, b) => this.isSameInstance(a, b))) {
        const masks = new Set<number>();
        for (const own of runs(instance, (a, b) => this.model[a] === this.model[b])) {
          const mask = own.reduce((all, row) => all | (1 << this.verdict[row]!), 0) & 3;
          if (mask === 3) for (const row of own) flaky[row] = 1;
          if (mask !== 0) masks.add(mask);
        }
        if (masks.size > 1) for (const row of instance) differs[row] = 1;
      }
      this.groups = { flaky, differs };
    }
    return this.groups;
  }

  private isSameInstance(a: number, b: number): boolean {
    return (
      this.line[a] === this.line[b] &&
      this.source[a] === this.source[b] &&
      this.test[a] === this.test[b] &&
      this.session[a] === this.session[b]
    );
  }

  private sorted(rows: Uint32Array, sort: string): Uint32Array {
    const direction = sort.startsWith("-") ? -1 : 1;
    const value = this.sortValue(sort.replace(/^-/, ""));
    if (value === null) return rows;
    return rows.sort((a, b) => {
      const [one, other] = [value(a), value(b)];
      if (one !== one || other !== other) return Number(one !== one) - Number(other !== other);
      return direction * (one - other);
    });
  }

  /** Return what a column is sorted by; NaN comes last. */
  private sortValue(column: string): ((row: number) => number) | null {
    const worstFirst = [3, 0, 1, 2]; // failed, error, inconclusive, passed
    switch (column) {
      case "verdict":
        return (row) => worstFirst[this.verdict[row]!]!;
      case "model":
        return ranked(this.model, ranks(this.summary.models.map((one) => one.name)));
      case "test":
        return ranked(this.test, ranks(this.summary.tests.map((one) => one.path)));
      case "answer":
        return (row) => this.answer[row]!.length;
      case "score":
        return (row) => this.score[row]!;
      case "latency":
        return (row) => this.latency[row]!;
      case "tokens":
        return (row) => this.tokens[row]!;
      case "cost":
        return (row) => this.cost[row]!;
      default:
        return this.byParameter(parameterOf(column));
    }
  }

  /** Sort by a parameter: as numbers if all its values are some. Results without it come last. */
  private byParameter(parameter: number): ((row: number) => number) | null {
    const values = this.values[parameter];
    if (values === undefined) return null;
    const different = [...new Set(values)].filter(Boolean);
    if (different.every((one) => Number.isFinite(Number(one)))) {
      return (row) => (values[row] ? Number(values[row]) : Number.NaN);
    }
    const rank = new Map(different.sort().map((value, i) => [value, i]));
    return (row) => rank.get(values[row] ?? "") ?? Number.NaN;
  }
}

function ranks(names: string[]): number[] {
  const order = names.map((_, i) => i).sort((a, b) => (names[a]! < names[b]! ? -1 : 1));
  const found = new Array<number>(names.length);
  order.forEach((name, rank) => {
    found[name] = rank;
  });
  return found;
}

function ranked(column: Uint16Array | Uint32Array, rank: number[]): (row: number) => number {
  return (row) => rank[column[row]!]!;
}

/** Yield the parts in which neighbours are alike. */
function* runs(
  rows: Uint32Array,
  alike: (a: number, b: number) => boolean,
): Generator<Uint32Array> {
  let first = 0;
  for (let i = 1; i <= rows.length; i++) {
    if (i === rows.length || !alike(rows[i - 1]!, rows[i]!)) {
      yield rows.subarray(first, i);
      first = i;
    }
  }
}
