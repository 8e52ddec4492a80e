// Two runs, or two models, compared: as lve/comparison/comparison_json.py writes it.

export type Standing = "worse" | "better" | "undecided" | "blind";
export type Kind = "broken" | "fixed";

export interface Comparison {
  before: Side;
  now: Side;
  alpha: number;
  threshold: number;
  regressed: boolean;
  tests: ComparedTest[];
  /** All tests together; null for a single one. */
  overall: Difference | null;
  broken: number;
  fixed: number;
  flips: Flip[];
}

export interface Side {
  name: string;
  started: string | null;
  commit: string | null;
  models: string[];
}

export interface ComparedTest {
  test: string;
  model_before: string;
  model_now: string;
  difference: Difference | null;
  no_verdict: number;
  new: number;
  gone: number;
  advisory: boolean;
}

export interface Estimate {
  value: number;
  low: number;
  high: number;
  confidence: number;
}

export interface Difference {
  standing: Standing;
  pairs: number;
  fixed: number;
  broken: number;
  clusters: number;
  before: Estimate;
  now: Estimate;
  change: Estimate;
  p: number;
  method: string;
  p_adjusted: number;
  /** The smallest drop that would be found 4 times of 5; null: none would. */
  detectable: number | null;
}

export interface Flip {
  kind: Kind;
  test: string;
  model_before: string;
  model_now: string;
  source: string;
  line: number;
  repeat: number;
  causes: { name: string; detail: string }[];
  before: FlipSide | null;
  now: FlipSide | null;
}

export interface FlipSide {
  verdict: string;
  reason: string;
  responses: (string | Record<string, string>)[];
}

/** Return the text of a side's answers. */
export function answerOf(side: FlipSide | null): string {
  if (side === null) return "";
  const texts = side.responses.flatMap((one) =>
    typeof one === "string" ? [one] : Object.values(one),
  );
  return texts.join("\n\n");
}
