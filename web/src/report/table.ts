// The table of results: only the rows that can be seen are elements.

import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from "@tanstack/virtual-core";
import { append, fill, h, icon } from "../dom.js";
import type { App } from "./app.js";
import { type Column, columnsOf, narrowColumnsOf } from "./columns.js";

const ROW = 38;
const NARROW_ROW = 116;
/** Paper gets that many rows; more are for CSV. */
export const PRINTED = 400;

export class Table {
  readonly element: HTMLElement;
  private readonly head = h("div", { class: "thead", role: "rowgroup" });
  private readonly body = h("div", { class: "tbody", role: "rowgroup" });
  private readonly scroller = h(
    "div",
    { class: "table", role: "table", "aria-label": "Results", tabindex: 0 },
    this.head,
    this.body,
  );
  private readonly narrow = matchMedia("(max-width: 720px)");
  private readonly elements = new Map<number, HTMLElement>();
  private readonly virtualizer: Virtualizer<HTMLDivElement, HTMLDivElement>;
  private rows: Uint32Array = new Uint32Array();
  private columns: Column[] = [];
  private selected = 0;
  private isPrinting = false;

  constructor(private readonly app: App) {
    this.element = this.scroller;
    this.virtualizer = new Virtualizer(this.options());
    this.virtualizer._didMount();
    this.narrow.addEventListener("change", () => this.update());
    window.addEventListener("beforeprint", () => this.print(true));
    window.addEventListener("afterprint", () => this.print(false));
  }

  /** Show other rows. */
  show(rows: Uint32Array): void {
    const isSame = rows === this.rows;
    this.rows = rows;
    this.selected = Math.min(this.selected, Math.max(0, rows.length - 1));
    this.update();
    if (!isSame) this.scroller.scrollTop = 0;
  }

  /** Draw again: the columns, the order or the width have changed. */
  update(): void {
    this.columns = (this.narrow.matches ? narrowColumnsOf : columnsOf)(this.app);
    this.scroller.style.setProperty("--grid", this.columns.map((one) => one.width).join(" "));
    this.scroller.style.setProperty("--least", `${leastWidth(this.columns)}px`);
    this.scroller.setAttribute("aria-rowcount", String(this.rows.length + 1));
    this.scroller.setAttribute("aria-colcount", String(this.columns.length));
    fill(this.head, this.headRow());
    this.elements.clear();
    this.body.replaceChildren();
    this.virtualizer.setOptions(this.options());
    this.virtualizer._willUpdate();
    this.virtualizer.measure();
    this.draw();
  }

  /** Select the row before or after, and return the result there. */
  move(by: number): void {
    this.select(Math.max(0, Math.min(this.rows.length - 1, this.selected + by)));
    // Screen readers follow the focus.
    this.elements.get(this.selected)?.querySelector("a")?.focus({ preventScroll: true });
  }

  /** Select the row of a result, if it is shown. */
  selectResult(row: number): void {
    const at = this.rows.indexOf(row);
    if (at >= 0) this.select(at);
  }

  /** The result that is selected. */
  get current(): number | undefined {
    return this.rows[this.selected];
  }

  private select(at: number): void {
    this.elements.get(this.selected)?.classList.remove("selected");
    this.selected = at;
    this.virtualizer.scrollToIndex(at, { align: "auto" });
    this.elements.get(at)?.classList.add("selected");
  }

  private options() {
    const size = this.narrow.matches ? NARROW_ROW : ROW;
    return {
      count: this.rows.length,
      getScrollElement: () => this.scroller,
      estimateSize: () => size,
      overscan: 8,
      scrollMargin: 0,
      observeElementRect,
      observeElementOffset,
      scrollToFn: elementScroll,
      onChange: () => this.draw(),
    };
  }

  private headRow(): HTMLElement {
    const { sort } = this.app.route;
    const cells = this.columns.map((column, i) => {
      const isSorted = sort.replace(/^-/, "") === column.name;
      const order = isSorted ? (sort.startsWith("-") ? "descending" : "ascending") : "none";
      const next = isSorted ? (sort.startsWith("-") ? "" : `-${column.name}`) : column.name;
      const label = column.isSortable
        ? h(
            "a",
            { class: "sort", href: this.app.address({ view: "cases", sort: next }) },
            column.label,
            isSorted && icon(order === "ascending" ? "up" : "down"),
          )
        : column.label;
      return h(
        "div",
        {
          role: "columnheader",
          class: `cell ${column.style ?? column.name}`,
          title: column.style ? column.label : null,
          "aria-colindex": i + 1,
          "aria-sort": column.isSortable ? order : null,
        },
        label,
      );
    });
    return h("div", { class: "row", role: "row", "aria-rowindex": 1 }, cells);
  }

  private draw(): void {
    const items = this.isPrinting ? this.printed() : this.virtualizer.getVirtualItems();
    const visible = new Set(items.map((one) => one.index));
    for (const [at, element] of this.elements) {
      if (visible.has(at)) continue;
      element.remove();
      this.elements.delete(at);
    }
    this.body.style.height = this.isPrinting ? "auto" : `${this.virtualizer.getTotalSize()}px`;
    const added: HTMLElement[] = [];
    for (const { index, start } of items) {
      if (index >= this.rows.length || this.elements.has(index)) continue;
      const element = this.row(index);
      element.style.transform = this.isPrinting ? "" : `translateY(${start}px)`;
      this.elements.set(index, element);
      added.push(element);
    }
    append(this.body, added);
    this.app.see(items.flatMap(({ index }) => this.rows[index] ?? []));
  }

  private row(at: number): HTMLElement {
    const result = this.rows[at]!;
    const cells = this.columns.map((column, i) =>
      h(
        "div",
        { role: "cell", class: `cell ${column.style ?? column.name}`, "aria-colindex": i + 1 },
        column.cell(this.app, result),
      ),
    );
    const classes = `row${at === this.selected ? " selected" : ""}`;
    return h(
      "div",
      {
        class: classes,
        role: "row",
        "aria-rowindex": at + 2,
        onclick: (event: MouseEvent) => {
          if (!(event.target as Element).closest("a")) this.open(at);
        },
      },
      cells,
    );
  }

  private open(at: number): void {
    if (getSelection()?.toString()) return; // somebody copies a text
    this.select(at);
    this.app.go({ view: "case", row: this.rows[at]! });
  }

  private print(isPrinting: boolean): void {
    this.isPrinting = isPrinting;
    this.update();
  }

  private printed(): { index: number; start: number }[] {
    const count = Math.min(PRINTED, this.rows.length);
    return Array.from({ length: count }, (_, index) => ({ index, start: 0 }));
  }
}

/** Return the width that the columns need at least. */
function leastWidth(columns: Column[]): number {
  return columns.reduce((sum, one) => sum + Number(/\d+/.exec(one.width)?.[0] ?? 0), 0);
}
