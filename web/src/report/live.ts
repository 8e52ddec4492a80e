// A page that `lve view` serves: how far its sessions are, new results, and labels of answers.

import { type Child, fill, h } from "../dom.js";
import { plain, shown } from "../shown_text.js";
import { dollars, whole } from "./format.js";
import { type Place, samePlace } from "./place.js";
import type { Route } from "./route.js";

/** What the server wrote into the page. */
interface Config {
  version: string;
  /** Which page this is, for the server that is asked for its texts. */
  number: number;
  author: string | null;
}

interface SessionState {
  session: string;
  status: string;
  results: number;
  counts: Record<string, number>;
  cost: number | null;
}

interface State {
  version: string;
  /** Seconds until the server makes a newer page. */
  rest: number;
  sessions: SessionState[];
}

interface Label extends Place {
  label: "right" | "wrong" | "passed" | "failed";
  author?: string;
  comment?: string;
  own: boolean;
}

const EVERY_MS = 1000;
const ENDED_EVERY_MS = 5000;
/** How often asking may fail until the page says that nobody answers. */
const FAILURES = 3;

export class Live {
  readonly bar = h("section", { class: "live", "aria-label": "Session" });
  private labels: Label[] = [];
  private failures = 0;

  private constructor(
    private readonly config: Config,
    private readonly rows: number,
    private readonly route: () => Route,
  ) {}

  /** Return what keeps a served page up to date; null of a page from a file. */
  static of(rows: number, route: () => Route): Live | null {
    const element = document.getElementById("live");
    return element && new Live(JSON.parse(element.textContent) as Config, rows, route);
  }

  /** Begin to ask the server. */
  async start(onLabels: () => void): Promise<void> {
    void this.poll();
    try {
      this.labels = (await ask<{ labels: Label[] }>("labels")).labels;
      onLabels();
    } catch {
      // the bar says that nobody answers
    }
  }

  /** Return the texts of some results as a chunk. */
  texts(first: number, count: number): Promise<string> {
    return chunk(`texts/${this.config.number}/${first}/${count}`);
  }

  /** Return a comparison as a chunk. */
  comparison(pair: number): Promise<string> {
    return chunk(`comparison/${this.config.number}/${pair}`);
  }

  private async poll(): Promise<void> {
    let pause = EVERY_MS;
    try {
      const state = await ask<State>("state");
      this.failures = 0;
      this.show(state);
      if (state.sessions.every((one) => one.status !== "running")) pause = ENDED_EVERY_MS;
      if (state.version !== this.config.version && state.rest === 0 && this.mayReload()) {
        location.reload();
        return;
      }
    } catch (error) {
      this.failures += 1;
      if (this.failures >= FAILURES) {
        this.showEnd(error);
        pause = ENDED_EVERY_MS;
      }
    }
    setTimeout(() => void this.poll(), pause);
  }

  /** Say why nothing new comes. */
  private showEnd(error: unknown): void {
    const why =
      error instanceof Refused
        ? ["nothing new can be shown: ", shown(error.message)]
        : "lve view has ended: this page stays as it is.";
    fill(this.bar, h("span", { class: "dot" }), why);
  }

  private show({ sessions, version }: State): void {
    const running = sessions.some((one) => one.status === "running");
    const count = sessions.reduce((sum, one) => sum + one.results, 0);
    const costs = sessions.flatMap(({ cost }) => (cost === null ? [] : [cost]));
    const words = ["passed", "failed", "error", "inconclusive"].flatMap((name) => {
      const number = sessions.reduce((sum, one) => sum + (one.counts[name] ?? 0), 0);
      return number ? [`${whole(number)} ${name}`] : [];
    });
    const status = [...new Set(sessions.map((one) => one.status))].join(", ");
    const more = version === this.config.version ? 0 : Math.max(count - this.rows, 0);
    fill(
      this.bar,
      h("span", { class: running ? "dot running" : "dot" }),
      h("b", null, plain(status)),
      h("span", null, `${whole(count)} ${count === 1 ? "result" : "results"}`),
      words.length > 0 && h("span", { class: "quiet" }, words.join(", ")),
      costs.length > 0 && h("span", { class: "quiet" }, dollars(costs.reduce((a, b) => a + b))),
      version !== this.config.version && this.button(more),
    );
  }

  private button(more: number): Child {
    const text = more > 0 ? `Show ${whole(more)} more` : "Show what is new";
    return h("button", { type: "button", class: "button", onclick: () => this.reload() }, text);
  }

  private reload(): void {
    // Numbers of results are others in the newer page.
    if (this.route().view === "case") history.replaceState(null, "", "#/cases");
    location.reload();
  }

  /** Whether the page may be replaced by a newer one: nobody reads or writes just here. */
  private mayReload(): boolean {
    if (document.visibilityState !== "visible" || document.querySelector("dialog[open]")) {
      return false;
    }
    if (document.activeElement?.matches("input, select, textarea")) return false;
    if (getSelection()?.isCollapsed === false) return false;
    const { view } = this.route();
    return view === "overview" || (view === "cases" && atTop());
  }

  /** Return what lets the reader label an answer. */
  panel(place: Place): Child {
    const element = h("section", { class: "panel label", "aria-label": "Label" });
    this.fillPanel(element, place, "");
    return element;
  }

  private fillPanel(element: HTMLElement, place: Place, problem: string): void {
    const given = this.labels.filter((one) => samePlace(one, place));
    const own = given.find((one) => one.own);
    const comment = h("input", {
      type: "text",
      value: own?.comment ?? "",
      placeholder: "Why? (a comment, optional)",
      "aria-label": "Comment",
      maxlength: 2000,
    });
    const choose = (label: "right" | "wrong"): Child => {
      const isChosen = own?.label === label;
      const press = async (): Promise<void> => {
        const text = comment.value.trim();
        const takesBack = isChosen && text === (own?.comment ?? "");
        const wanted = takesBack ? null : label;
        this.fillPanel(element, place, await this.send(place, wanted, text));
      };
      return h(
        "button",
        {
          type: "button",
          class: `button ${label}`,
          "aria-pressed": isChosen ? "true" : "false",
          onclick: () => void press(),
        },
        label === "right" ? "Right" : "Wrong",
      );
    };
    fill(
      element,
      h("h2", null, "Is this verdict right?"),
      h("div", { class: "choices" }, choose("right"), choose("wrong"), comment),
      problem && h("p", { class: "problem", role: "alert" }, shown(problem)),
      own &&
        h(
          "p",
          { class: "quiet", role: "status" },
          `You say: ${own.label}. Press again to take it back.`,
        ),
      given
        .filter((one) => !one.own)
        .map((one) =>
          h(
            "p",
            { class: "quiet" },
            `${plain(one.author ?? "Somebody")}: ${one.label}`,
            one.comment ? [" (", shown(one.comment), ")"] : null,
          ),
        ),
    );
  }

  /** Send a label, and return what is wrong with it. */
  private async send(place: Place, label: "right" | "wrong" | null, text: string): Promise<string> {
    const comment = text ? { comment: text } : {};
    try {
      await ask("labels", { ...place, label, ...comment });
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    this.labels = this.labels.filter((one) => !(one.own && samePlace(one, place)));
    if (label) this.labels.push({ ...place, label, ...comment, own: true });
    return "";
  }
}

/** The server has answered, but can't do what it was asked for. */
class Refused extends Error {}

/** Ask the server for something, or tell it something. */
async function ask<T>(name: string, told?: unknown): Promise<T> {
  return (await (await answer(name, told)).json()) as T;
}

async function chunk(name: string): Promise<string> {
  return (await answer(name)).text();
}

async function answer(name: string, told?: unknown): Promise<Response> {
  const address = new URL(name, location.href.split("#")[0]).href;
  const response = await fetch(
    address,
    told === undefined
      ? {}
      : {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(told),
        },
  );
  if (!response.ok) {
    const { error } = (await response.json()) as { error?: string };
    throw new Refused(error ?? `the server said ${response.status}`);
  }
  return response;
}

function atTop(): boolean {
  const rows = document.querySelector(".table-frame, .rows, [role=grid]");
  return window.scrollY < 10 && (rows === null || rows.scrollTop < 10);
}
