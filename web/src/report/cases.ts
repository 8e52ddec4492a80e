// The view of all results: filters above a table.

import { h } from "../dom.js";
import type { App } from "./app.js";
import { SIDE } from "./columns.js";
import { Filters } from "./filters.js";
import { whole } from "./format.js";
import { SideBySide } from "./side.js";
import { PRINTED, Table } from "./table.js";

export class CasesView {
  readonly element: HTMLElement;
  readonly filters: Filters;
  readonly table: Table;
  private readonly side: SideBySide;
  private readonly printed = h("p", { class: "printed" });
  private readonly empty = h("p", { class: "empty" }, "No result is like that.");

  constructor(private readonly app: App) {
    this.filters = new Filters(app);
    this.table = new Table(app);
    this.side = new SideBySide(app);
    this.element = h(
      "section",
      { class: "cases", "aria-label": "Cases" },
      h("h1", { class: "unshown" }, "Cases"),
      this.filters.element,
      this.printed,
      this.table.element,
      this.side.element,
      this.empty,
    );
  }

  /** Show what the route says. */
  async update(): Promise<void> {
    const selection = await this.app.select();
    if (this.app.route.view !== "cases") return;
    this.filters.update(selection);
    const isSide = this.app.route.columns.includes(SIDE);
    this.table.element.hidden = isSide;
    this.side.element.hidden = !isSide;
    if (isSide) this.side.show(selection.rows);
    else this.table.show(selection.rows);
    const count = selection.rows.length;
    const isCut = count > PRINTED;
    this.printed.textContent = isCut ? `The first ${PRINTED} of ${whole(count)} results.` : "";
    this.empty.hidden = selection.rows.length > 0 || !this.app.store.isComplete;
  }
}
