// What stands above the table: search, filters, columns.

import { type Child, fill, h, icon } from "../dom.js";
import { plain } from "../shown_text.js";
import type { App, Selection } from "./app.js";
import { columnsOf, possibleColumns, SIDE } from "./columns.js";
import { amount, whole, WORDS } from "./format.js";
import { foldedTests } from "./names.js";
import { HOME, type Only, type Route } from "./route.js";
import { VERDICTS, type Verdict } from "./types.js";

const TYPING_MS = 120;
const LONGEST_OPTION = 70;

type Named = "session" | "test" | "model" | "category" | "tag" | "kind";

export class Filters {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  private readonly regex: HTMLButtonElement;
  private readonly chips = h("div", { class: "chips", role: "group", "aria-label": "Verdicts" });
  private readonly selects = h("div", { class: "selects" });
  private readonly status = h("p", { class: "status", role: "status" });
  private readonly columns = h("div", { class: "menu-items" });
  private readonly side = h(
    "button",
    { type: "button", class: "button", onclick: () => this.toggleSide() },
    "Side by side",
  );
  private typing = 0;

  constructor(private readonly app: App) {
    this.input = h("input", {
      type: "search",
      placeholder: "Search all texts",
      "aria-label": "Search all texts",
      spellcheck: "false",
      autocomplete: "off",
      oninput: () => this.onTyping(),
    });
    this.regex = h(
      "button",
      {
        type: "button",
        class: "toggle mono",
        title: "Regular expression",
        "aria-label": "Regular expression",
        onclick: () => app.go({ regex: !app.route.regex }, { replace: true }),
      },
      ".*",
    );
    const menu = h(
      "details",
      { class: "menu" },
      h("summary", { class: "button" }, icon("columns"), "Columns"),
      this.columns,
    );
    this.element = h(
      "div",
      { class: "filters", role: "search" },
      h("div", { class: "search" }, icon("search"), this.input, this.regex),
      this.chips,
      this.selects,
      h("div", { class: "filters-end" }, this.status, this.side, menu),
    );
  }

  /** Show what the route says, and what it leaves. */
  update(selection: Selection): void {
    const { route, store } = this.app;
    if (document.activeElement !== this.input) this.input.value = route.search;
    this.regex.setAttribute("aria-pressed", String(route.regex));
    this.input.setAttribute("aria-invalid", String(selection.problem !== ""));
    fill(this.chips, this.verdictChips(selection), this.onlyChips());
    fill(this.selects, this.allSelects());
    fill(this.columns, this.columnChoices());
    this.side.setAttribute("aria-pressed", String(route.columns.includes(SIDE)));
    fill(this.status, this.statusText(selection, store.isComplete));
  }

  private toggleSide(): void {
    const isSide = this.app.route.columns.includes(SIDE);
    this.app.go({ columns: isSide ? [] : [SIDE] });
  }

  private onTyping(): void {
    window.clearTimeout(this.typing);
    this.typing = window.setTimeout(() => {
      this.app.go({ search: this.input.value }, { replace: true });
    }, TYPING_MS);
  }

  private statusText(selection: Selection, isComplete: boolean): Child {
    if (selection.problem) {
      return h("span", { class: "problem" }, `Search: ${plain(selection.problem)}`);
    }
    const { rows } = this.app.summary;
    const shown = selection.rows.length;
    if (this.app.route.search && !this.app.isSearchable) return "Reading the texts…";
    if (!isComplete) return `Loading ${whole(rows)} results…`;
    return shown === rows ? amount(rows, "result") : `${whole(shown)} of ${amount(rows, "result")}`;
  }

  private verdictChips({ counts }: Selection): Child[] {
    const { verdicts } = this.app.route;
    return (["failed", "error", "inconclusive", "passed"] as const)
      .filter((one) => counts[VERDICTS.indexOf(one)] || verdicts.includes(one))
      .map((verdict) =>
        h(
          "button",
          {
            type: "button",
            class: `chip ${verdict}`,
            "aria-pressed": String(verdicts.includes(verdict)),
            onclick: () => this.toggle(verdict),
          },
          icon(verdict),
          `${WORDS[verdict]} `,
          h("span", { class: "count" }, whole(counts[VERDICTS.indexOf(verdict)]!)),
        ),
      );
  }

  private toggle(verdict: Verdict): void {
    const { verdicts } = this.app.route;
    const without = verdicts.filter((one) => one !== verdict);
    const isOn = without.length < verdicts.length;
    this.app.go({ verdicts: isOn ? without : [...verdicts, verdict] });
  }

  private onlyChips(): Child[] {
    const { summary, route } = this.app;
    const chips: [Only, string][] = [];
    if (summary.flaky.length > 0) chips.push(["flaky", "Flaky"]);
    if (summary.models.length > 1) chips.push(["differs", "Models differ"]);
    return chips.map(([only, label]) =>
      h(
        "button",
        {
          type: "button",
          class: "chip",
          "aria-pressed": String(route.only === only),
          onclick: () => this.app.go({ only: route.only === only ? "" : only }),
        },
        label,
      ),
    );
  }

  private allSelects(): Child[] {
    const { summary, route } = this.app;
    const { tests } = summary;
    const bases = foldedTests(summary);
    const tags = [...new Set(tests.flatMap((one) => one.tags))].sort();
    const categories = [...new Set(tests.map((one) => one.category))].filter(Boolean).sort();
    const isFiltered = (Object.keys(HOME) as (keyof Route)[]).some(
      (name) => FILTERING.includes(name) && String(route[name]) !== String(HOME[name]),
    );
    return [
      this.select(
        "test",
        "All tests",
        tests.flatMap((one, i) => [bases[i]!.base, one.path]),
      ),
      this.select(
        "model",
        "All models",
        summary.models.map((one) => one.name),
      ),
      this.select("category", "All categories", categories),
      this.select("tag", "All tags", tags),
      this.select("kind", "All causes of errors", summary.kinds, 1),
      this.select(
        "session",
        "All sessions",
        summary.sessions.map((one) => one.id),
      ),
      isFiltered &&
        h(
          "button",
          { type: "button", class: "button quiet", onclick: () => this.clear() },
          icon("close"),
          "Clear",
        ),
    ];
  }

  private clear(): void {
    const { sort, columns } = this.app.route;
    this.input.value = "";
    this.app.go({ ...HOME, view: "cases", sort, columns });
  }

  private select(name: Named, label: string, values: string[], least = 2): Child {
    const current = this.app.route[name];
    if (values.length < least && !current) return null;
    const options = [...new Set(values)].filter(Boolean).map((value) => {
      const option = h("option", { value }, plain(value).slice(0, LONGEST_OPTION));
      option.selected = value === current;
      return option;
    });
    return h(
      "select",
      {
        "aria-label": label,
        class: current ? "active" : "",
        onchange: (event: Event) =>
          this.app.go({ [name]: (event.target as HTMLSelectElement).value }),
      },
      h("option", { value: "" }, label),
      options,
    );
  }

  private columnChoices(): Child[] {
    const shown = columnsOf(this.app).map((one) => one.name);
    return possibleColumns(this.app).map(({ name, label, style }) => {
      const box = h("input", {
        type: "checkbox",
        onchange: () => {
          const next = shown.includes(name)
            ? shown.filter((one) => one !== name)
            : [...shown, name];
          this.app.go({ columns: next }, { replace: true });
        },
      });
      box.checked = shown.includes(name);
      return h("label", { class: style ?? null }, box, h("span", null, label));
    });
  }
}

const FILTERING: readonly (keyof Route)[] = [
  "search",
  "verdicts",
  "session",
  "test",
  "model",
  "category",
  "tag",
  "kind",
  "only",
];
