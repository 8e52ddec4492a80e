// The engine behind messages: each has a number, a method and its arguments.

import { Engine } from "./engine.js";

export interface Call {
  id: number;
  method: "setNames" | "addIndex" | "addDetails" | "search" | "detail";
  args: unknown[];
}

export type Answer = { id: number; value: unknown } | { id: number; problem: string };

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<Call>) => void) | null;
  postMessage(answer: Answer): void;
};
const engine = new Engine();

let before: Promise<void> = Promise.resolve();

scope.onmessage = ({ data }) => {
  before = before.then(() => answer(data)); // one after the other, in their order
};

async function answer({ id, method, args }: Call): Promise<void> {
  try {
    const call = engine[method] as (...values: unknown[]) => unknown;
    scope.postMessage({ id, value: await call.apply(engine, args) });
  } catch (error) {
    scope.postMessage({ id, problem: error instanceof Error ? error.message : String(error) });
  }
}
