// The page's side of the engine. Where a worker can't be made, the engine runs in the page.

import workerSource from "worker:./worker.ts";
import { Engine, type Names } from "./engine.js";
import type { Beginnings, Detail, IndexChunk } from "./types.js";
import type { Answer, Call } from "./worker.js";

/** A regular expression may take exponential time. */
const SEARCH_LIMIT_MS = 2000;

/** The page's policy lets this program, and nothing else, name the program of a worker. */
const policy = (window as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy(
  "lve-worker",
  {
    createScriptURL: (url) => url,
  },
);

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

type Waiting = { resolve(value: unknown): void; reject(problem: Error): void };

export class Client {
  private worker: Worker | null = null;
  private here: Engine | null = null;
  private waiting = new Map<number, Waiting>();
  private calls = 0;
  private names: Names | null = null;
  private readonly chunks: [Call["method"], string][] = [];

  constructor() {
    this.start();
  }

  setNames(names: Names): Promise<unknown> {
    this.names = names;
    return this.call("setNames", [names]);
  }

  addIndex(base64: string): Promise<IndexChunk> {
    this.chunks.push(["addIndex", base64]);
    return this.call("addIndex", [base64]) as Promise<IndexChunk>;
  }

  addDetails(base64: string): Promise<Beginnings> {
    this.chunks.push(["addDetails", base64]);
    return this.call("addDetails", [base64]) as Promise<Beginnings>;
  }

  detail(row: number): Promise<Detail> {
    return this.call("detail", [row]) as Promise<Detail>;
  }

  /** Search all texts. A regular expression that takes too long is given up. */
  async search(query: string, isRegex: boolean, total: number): Promise<Uint8Array> {
    const found = this.call("search", [query, isRegex, total]) as Promise<Uint8Array>;
    if (!isRegex || this.worker === null) return found;
    let timer = 0;
    const late = new Promise<never>((_, reject) => {
      timer = window.setTimeout(() => {
        reject(new Error(`the expression takes longer than ${SEARCH_LIMIT_MS / 1000} seconds`));
        this.restart();
      }, SEARCH_LIMIT_MS);
    });
    try {
      return await Promise.race([found, late]);
    } finally {
      window.clearTimeout(timer);
    }
  }

  private start(): void {
    try {
      const url = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
      this.worker = new Worker(policy ? policy.createScriptURL(url) : url);
      this.worker.onmessage = (event: MessageEvent<Answer>) => this.onAnswer(event.data);
      this.worker.onerror = (event) => this.failAll(new Error(event.message));
    } catch {
      this.worker = null;
      this.here = new Engine();
    }
  }

  /** End a search that can't be ended otherwise, and load everything again. */
  private restart(): void {
    this.worker?.terminate();
    this.failAll(new Error("the search was ended"));
    this.start();
    if (this.names) void this.call("setNames", [this.names]);
    for (const [method, base64] of this.chunks) void this.call(method, [base64]);
  }

  private call(method: Call["method"], args: unknown[]): Promise<unknown> {
    if (this.here) return this.callHere(method, args);
    const id = this.calls++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker?.postMessage({ id, method, args } satisfies Call);
    });
  }

  private async callHere(method: Call["method"], args: unknown[]): Promise<unknown> {
    const engine = this.here!;
    return (engine[method] as (...values: unknown[]) => unknown).apply(engine, args);
  }

  private onAnswer(answer: Answer): void {
    const waiting = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if ("problem" in answer) waiting?.reject(new Error(answer.problem));
    else waiting?.resolve(answer.value);
  }

  private failAll(problem: Error): void {
    for (const { reject } of this.waiting.values()) reject(problem);
    this.waiting.clear();
  }
}
