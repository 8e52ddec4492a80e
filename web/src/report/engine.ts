// Holds the texts of all results and searches them. Runs in a worker, so that the page never waits.

import { bytesOf, unpack } from "./codec.js";
import type { Beginnings, Detail, DetailChunk, DetailRow, IndexChunk, Summary } from "./types.js";

/** Texts of some results, ready to be searched. */
interface Part {
  first: number;
  bytes: Uint8Array<ArrayBuffer>;
  /** All texts in lower case, one after the other. */
  joined: string;
  /** Where each text begins in `joined`; the last entry is its end. */
  starts: Uint32Array;
  /** `rows[firstRow[t] .. firstRow[t + 1]]` are the results that contain text t. */
  firstRow: Uint32Array;
  rows: Uint32Array;
}

export type Names = Pick<Summary, "tests" | "models" | "sources" | "kinds" | "parameters">;
type Columns = Pick<IndexChunk, "first" | "test" | "model" | "source" | "kind">;
type Matches = (text: string) => boolean;
/** Name and value of a parameter. */
type Entry = [string, string];

const KEPT_CHUNKS = 3;
/** Characters of an answer or a reason in the table. */
const BEGINNING = 160;

export class Engine {
  private readonly parts: Part[] = [];
  private readonly columns: Columns[] = [];
  private readonly opened = new Map<number, DetailChunk>();
  private names: Names = { tests: [], models: [], sources: [], kinds: [], parameters: [] };
  private numbers = new Map<string, number>();

  /** Say what the numbers in columns stand for. */
  setNames(names: Names): void {
    this.names = names;
    this.numbers = new Map(names.parameters.map((name, number) => [name, number]));
  }

  /** Read columns and return them. */
  async addIndex(base64: string): Promise<IndexChunk> {
    const chunk = await unpack<IndexChunk>(bytesOf(base64));
    const { first, test, model, source, kind } = chunk;
    this.columns.push({ first, test, model, source, kind });
    return chunk;
  }

  /** Read texts, and return how they begin. */
  async addDetails(base64: string): Promise<Beginnings> {
    const bytes = bytesOf(base64);
    const chunk = await unpack<DetailChunk>(bytes);
    this.parts.push(partOf(chunk, bytes));
    this.parts.sort((a, b) => a.first - b.first); // a served page asks in any order
    const parameters = chunk.rows.map((row) => chunk.texts[row.parameters] ?? "");
    const entries = parameters.map(entriesOf);
    return {
      first: chunk.first,
      inputs: entries.map((own, i) => beginning(own ? inputOf(own) : parameters[i]!)),
      values: this.columnsOf(entries),
      answers: chunk.rows.map((row) => beginning(answerOf(row, chunk.texts))),
      reasons: chunk.rows.map((row) => beginning(chunk.texts[row.reason] ?? "")),
    };
  }

  /** Return a byte for each result: whether any of its texts, or names, contains what is sought.
   *
   * Upper and lower case are the same. Throws a SyntaxError if a regular expression isn't one. */
  search(query: string, isRegex: boolean, total: number): Uint8Array<ArrayBuffer> {
    const found = new Uint8Array(total);
    if (isRegex) {
      const pattern = new RegExp(query, "imu");
      this.matchNames((text) => pattern.test(text), found);
      for (const part of this.parts) searchPattern(part, pattern, found);
    } else {
      const wanted = query.toLowerCase();
      this.matchNames((text) => text.toLowerCase().includes(wanted), found);
      for (const part of this.parts) searchText(part, wanted, found);
    }
    return found;
  }

  /** Return a whole result. */
  async detail(row: number): Promise<Detail> {
    let at = this.parts.length - 1;
    while (at > 0 && this.parts[at]!.first > row) at--;
    const part = this.parts[at];
    if (part === undefined) throw new Error(`there is no result ${row}`);
    const chunk = await this.open(part);
    const found = chunk.rows[row - chunk.first];
    if (found === undefined) throw new Error(`there is no result ${row}`);
    return resolved(found, chunk.texts);
  }

  /** Return the parameters of some results by column. */
  private columnsOf(entries: (Entry[] | null)[]): [number, string[]][] {
    const columns = new Map<number, string[]>();
    entries.forEach((own, i) => {
      for (const [name, value] of own ?? []) {
        const number = this.numbers.get(name);
        if (number === undefined) continue;
        const column = columns.get(number) ?? new Array<string>(entries.length).fill("");
        columns.set(number, column);
        column[i] = beginning(value);
      }
    });
    return [...columns];
  }

  private async open(part: Part): Promise<DetailChunk> {
    const chunk = this.opened.get(part.first) ?? (await unpack<DetailChunk>(part.bytes));
    this.opened.delete(part.first); // the one that was used last goes to the end
    this.opened.set(part.first, chunk);
    for (const oldest of this.opened.keys()) {
      if (this.opened.size <= KEPT_CHUNKS) break;
      this.opened.delete(oldest);
    }
    return chunk;
  }

  private matchNames(matches: Matches, found: Uint8Array): void {
    const { tests, models, sources, kinds } = this.names;
    const test = tests.map((one) => matches(one.path) || matches(one.description));
    const model = models.map((one) => matches(one.name));
    const source = sources.map(matches);
    const kind = [false, ...kinds.map(matches)];
    for (const columns of this.columns) {
      for (let i = 0; i < columns.test.length; i++) {
        if (
          test[columns.test[i]!] ||
          model[columns.model[i]!] ||
          source[columns.source[i]!] ||
          kind[columns.kind[i]!]
        ) {
          found[columns.first + i] = 1;
        }
      }
    }
  }
}

/** Return names and values of the parameters of a result; null if they are cut, being very long. */
function entriesOf(parameters: string): Entry[] | null {
  try {
    const values = JSON.parse(parameters) as Record<string, unknown>;
    return Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
  } catch {
    return null;
  }
}

/** Return parameters as `name: Chloé · city: Paris`. */
function inputOf(entries: Entry[]): string {
  return entries.map(([name, value]) => `${name}: ${value}`).join(" · ");
}

function answerOf(row: DetailRow<number>, texts: string[]): string {
  const said = row.transcripts
    .flatMap((one) => one.messages)
    .filter((one) => one.is_answer && one.text !== undefined);
  return said.map((one) => texts[one.text!]!.slice(0, 2 * BEGINNING)).join(" | ");
}

function beginning(text: string): string {
  const line = text
    .slice(0, 2 * BEGINNING)
    .replace(/[ \t\r\n]+/g, " ")
    .trim();
  return line.length > BEGINNING ? `${line.slice(0, BEGINNING)}…` : line;
}

function partOf(chunk: DetailChunk, bytes: Uint8Array<ArrayBuffer>): Part {
  const lower = chunk.texts.map((text) => text.toLowerCase());
  const starts = new Uint32Array(lower.length + 1);
  lower.forEach((text, i) => {
    starts[i + 1] = starts[i]! + text.length + 1;
  });
  const used = chunk.rows.map((row) => [...new Set(textsOf(row))]);
  const firstRow = new Uint32Array(lower.length + 1);
  for (const texts of used) for (const text of texts) firstRow[text + 1]!++;
  for (let i = 0; i < lower.length; i++) firstRow[i + 1]! += firstRow[i]!;
  const next = firstRow.slice();
  const rows = new Uint32Array(firstRow[lower.length]!);
  used.forEach((texts, i) => {
    for (const text of texts) rows[next[text]!++] = chunk.first + i;
  });
  return { first: chunk.first, bytes, joined: lower.join("\n"), starts, firstRow, rows };
}

function* textsOf(row: DetailRow<number>): Generator<number> {
  yield row.reason;
  yield row.parameters;
  yield row.model_args;
  for (const transcript of row.transcripts) {
    for (const message of transcript.messages) {
      if (message.text !== undefined) yield message.text;
      if (message.parts !== undefined) yield message.parts;
      if (message.image_url !== undefined) yield message.image_url;
      for (const call of message.tool_calls ?? []) yield call.arguments;
    }
  }
  for (const one of row.asked ?? []) if (one.text !== undefined) yield one.text;
}

function searchText(part: Part, wanted: string, found: Uint8Array): void {
  const { joined, starts } = part;
  let text = 0;
  let at = joined.indexOf(wanted);
  while (at >= 0) {
    text = textAt(starts, at, text);
    if (at + wanted.length < starts[text + 1]!) {
      mark(part, text, found);
      at = joined.indexOf(wanted, starts[text + 1]);
    } else {
      at = joined.indexOf(wanted, at + 1); // begins in one text and ends in the next
    }
  }
}

function searchPattern(part: Part, pattern: RegExp, found: Uint8Array): void {
  for (let text = 0; text + 1 < part.starts.length; text++) {
    const own = part.joined.slice(part.starts[text], part.starts[text + 1]! - 1);
    if (pattern.test(own)) mark(part, text, found);
  }
}

function mark(part: Part, text: number, found: Uint8Array): void {
  for (let i = part.firstRow[text]!; i < part.firstRow[text + 1]!; i++) found[part.rows[i]!] = 1;
}

/** Return the text that a place is in; it isn't before `low`. */
function textAt(starts: Uint32Array, at: number, low: number): number {
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

function resolved(row: DetailRow<number>, texts: string[]): Detail {
  const text = (place: number): string => texts[place] ?? "";
  const { reason, parameters, model_args, transcripts, asked, ...rest } = row;
  return {
    ...rest,
    reason: text(reason),
    parameters: text(parameters),
    model_args: text(model_args),
    transcripts: transcripts.map((one) => ({
      ...one,
      messages: one.messages.map(({ text: body, parts, image_url, tool_calls, ...message }) => ({
        ...message,
        ...(body !== undefined && { text: text(body) }),
        ...(parts !== undefined && { parts: text(parts) }),
        ...(image_url !== undefined && { image_url: text(image_url) }),
        ...(tool_calls && {
          tool_calls: tool_calls.map((call) => ({ ...call, arguments: text(call.arguments) })),
        }),
      })),
    })),
    ...(asked && {
      asked: asked.map(({ text: said, ...one }) => ({
        ...one,
        ...(said !== undefined && { text: text(said) }),
      })),
    }),
  };
}
