// What a report's file holds, as lve/extensions/reports/page/ writes it.

export type Verdict = "passed" | "failed" | "error" | "inconclusive";
export const VERDICTS: readonly Verdict[] = ["passed", "failed", "error", "inconclusive"];

/** A share with its interval, or with one-sided bounds. */
export interface Rate {
  rate: number;
  low: number;
  high: number;
  confidence: number;
  /** Whether each end alone has the confidence. */
  has_bounds: boolean;
  /** Of how many, in words: "12 of 20". */
  of: string;
}

export interface Session {
  id: string;
  status: string;
  started: string;
  seconds: number | null;
  command: string | null;
  /** Name -> version, commit, platform and the like. */
  facts: [string, string][];
  /** Test -> part -> SHA-256. */
  hashes: Record<string, Record<string, string>>;
  options: Record<string, unknown>;
}

export interface Test {
  path: string;
  file: string;
  category: string;
  description: string;
  expect: string;
  tags: string[];
  /** The variant of its prompt, with whose name `path` ends; null if there are none. */
  variant: string | null;
  /** Numbers of `parameters` that the table shows where only this test is. */
  shown: number[];
}

/** One test against one model in one session. */
export interface Cell {
  session: number;
  test: number;
  model: number;
  verdict: Verdict;
  reason: string;
  advisory: boolean;
  counts: Record<Verdict, number>;
  /** How many rows of the test's data have a result. */
  data_rows: number;
  /** The most that a row has. */
  repeats: number;
  at_k: AtK | null;
  rate: Rate | null;
}

/** The chance that of k answers to a row any, all, most or a share pass. */
export interface AtK {
  k: number;
  data_rows: number;
  pass_at_k: number;
  pass_hat_k: number;
  majority_at_k: number;
  g_pass_at_k: number;
  g_pass_share: number;
}

export interface Model {
  name: string;
  served: string[];
  results: number;
  rate: Rate | null;
  tokens_in: number;
  tokens_out: number;
  cost: number | null;
}

export interface ErrorKind {
  kind: string;
  count: number;
  example: string;
}

export interface Flaky {
  session: number;
  test: number;
  model: number;
  source: string;
  line: number;
  passed: number;
  judged: number;
}

export interface Bin {
  model: number;
  low: number;
  high: number;
  count: number;
}

/** Half, and 95 in 100, were faster. */
export interface Quantiles {
  model: number;
  p50: number;
  p95: number;
  max: number;
}

/** Two sessions, or two models, that are compared. */
export interface Pair {
  before: string;
  now: string;
  of_models: boolean;
  /** Why they can't be. */
  problem?: string;
}

/** A share of judged results, with its interval. */
interface JudgedShare {
  judged: number;
  errors: number;
  /** Null without any judged result. */
  rate: number | null;
  low: number;
  high: number;
  confidence: number;
}

/** The results of one model whose row or test has a value. */
export interface ValueRate extends JudgedShare {
  value: string;
  /** The value; of a published code, with its name. */
  name: string;
  passed: number;
  inconclusive: number;
}

/** Pass rates by the values of a column or tag. */
export interface RatesBy {
  session: number;
  by: string;
  model: string;
  values: ValueRate[];
  /** All attacks together, of a table of attacks. */
  attacked?: ValueRate;
}

/** The results of all tests with a code of a list, of one model: its rate is of those that failed. */
export interface Risk extends JudgedShare {
  code: string;
  /** The code with its name. */
  name: string;
  tests: number;
  attacks: number;
  failed: number;
  cost: number | null;
}

/** The categories of a published list, of one model. */
export interface RiskTable {
  session: number;
  list: string;
  model: string;
  categories: Risk[];
  /** Those without a test. */
  untried: { code: string; name: string }[];
}

/** A share with its interval; null where it isn't defined. */
export interface Measure {
  value: number | null;
  low: number | null;
  high: number | null;
}

/** The labels that answers of one test and model chose. */
export interface Labels {
  session: number;
  test: string;
  model: string;
  /** Of the matrix's lines, and of its columns. */
  right: string[];
  chosen: string[];
  matrix: number[][];
  accuracy: Measure;
  labels: { label: string; precision: Measure; recall: Measure; f1: Measure; support: number }[];
  macro: { precision: number | null; recall: number | null; f1: number | null };
}

/** A score over all results of a test, or a group of tests, and model that have been judged. */
export interface Score {
  session: number;
  /** The test, or the name of the group. */
  test: string;
  model: string;
  name: string;
  value: number;
  /** Null where no interval is known. */
  low: number | null;
  high: number | null;
  results: number;
  /** Of a group: how many tests it has. */
  tests?: number;
}

/** Why a scorer hasn't scored the results of a test and model together. */
export interface Unscored {
  session: number;
  test: string;
  model: string;
  reason: string;
}

/** What is painted first. */
export interface Summary {
  format: 1;
  lve: string;
  title: string;
  verdict: Verdict | "empty";
  headline: string;
  details: string[];
  /** How many results there are: rows of the page's table. */
  rows: number;
  /** How many rows of the tests' data they are of. */
  data_rows: number;
  counts: Record<Verdict, number>;
  cost: number | null;
  seconds: number | null;
  sessions: Session[];
  models: Model[];
  tests: Test[];
  /** Names of the parameters that can have a column. */
  parameters: string[];
  /** Numbers of those that have one without being asked for. */
  shown: number[];
  sources: string[];
  kinds: string[];
  cells: Cell[];
  by: RatesBy[];
  labels: Labels[];
  scores: Score[];
  unscored: Unscored[];
  risks: RiskTable[];
  errors: ErrorKind[];
  flaky: Flaky[];
  flaky_more: number;
  latency: { bins: Bin[]; quantiles: Quantiles[]; all: { p50: number; p95: number } | null };
  /** Which two are compared; each has a chunk unless it has a problem. */
  comparisons: Pair[];
  skipped: { path: string; reason: string }[];
  invalid: { path: string; problems: string[] }[];
}

/** The columns of some results, in the order of the file. */
export interface IndexChunk {
  first: number;
  count: number;
  session: number[];
  test: number[];
  model: number[];
  source: number[];
  line: number[];
  repeat: number[];
  /** A letter for each: p, f, e, i. */
  verdict: string;
  /** A letter for each: p, f, or - where none was recorded. */
  recorded: string;
  /** 1: from the cache, 2: advisory, 4: redacted, 8: as its test expects. */
  flags: number[];
  /** Of `kinds`, from 1; 0: no error. */
  kind: number[];
  score: (number | null)[];
  latency_ms: number[];
  tokens_in: number[];
  tokens_out: number[];
  cost: (number | null)[];
}

/** The beginnings of answers and reasons, for the table. */
export interface Beginnings {
  first: number;
  inputs: string[];
  /** Number of a parameter -> its value in each result. */
  values: [number, string[]][];
  answers: string[];
  reasons: string[];
}

/** Whole results. Texts are written once per chunk; a number stands for the text of that place. */
export interface DetailChunk {
  first: number;
  texts: string[];
  rows: DetailRow<number>[];
}

/** One whole result: `Text` is a number in a file, and a string once it is looked up. */
export interface DetailRow<Text> {
  reason: Text;
  /** JSON of the values that fill the prompt. */
  parameters: Text;
  /** JSON of what the model was told beside the prompt. */
  model_args: Text;
  transcripts: Transcript<Text>[];
  asked?: Asked<Text>[];
}

export interface Transcript<Text> {
  name?: string;
  messages: Message<Text>[];
  completions: Completion[];
}

export interface Message<Text> {
  role: string;
  text?: Text;
  /** JSON of the parts of a content that isn't just text. */
  parts?: Text;
  variable?: string;
  image_url?: Text;
  tool_calls?: { name: string; arguments: Text }[];
  /** Whether the model wrote it. */
  is_answer?: boolean;
}

export interface Completion {
  model?: string;
  finish_reason?: string;
  tokens_in?: number;
  tokens_out?: number;
  latency_s?: number;
  first_token_s?: number;
  cached?: boolean;
}

/** What a model said that a checker asked. */
export interface Asked<Text> {
  role: string;
  model: string;
  text?: Text;
  cost?: number;
}

export type Detail = DetailRow<string>;
