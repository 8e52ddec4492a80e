// Begins: paints the summary, then loads the results behind it.

import { fill, h, icon } from "../dom.js";
import { plain } from "../shown_text.js";
import { setUpTheme, toggleTheme } from "../theme.js";
import { App } from "./app.js";
import { CaseView } from "./case.js";
import { CompareView } from "./compare.js";
import { CasesView } from "./cases.js";
import { Keys } from "./keys.js";
import { overview } from "./overview.js";
import { addressOf, HOME, type View } from "./route.js";
import { chunks, painting, parsed } from "./chunks.js";
import type { Summary } from "./types.js";

/** Show a report in the page that holds it. */
function begin(summary: Summary): void {
  const app = new App(summary);
  const cases = new CasesView(app);
  const single = new CaseView(app);
  const compare = new CompareView(app);
  const main = h("main", { id: "main", tabindex: -1 });
  const links = h("nav", { "aria-label": "Views" });
  const keys = new Keys({
    next: () => move(1),
    previous: () => move(-1),
    open: () => {
      const row = cases.table.current;
      if (app.route.view === "cases" && row !== undefined) app.go({ view: "case", row });
    },
    search: () => {
      if (app.route.view !== "cases") app.go({ view: "cases" });
      cases.filters.input.focus();
      cases.filters.input.select();
    },
    back: () => {
      if (app.route.view === "case") app.go({ view: "cases" });
    },
  });

  function move(by: number): void {
    if (app.route.view === "cases") cases.table.move(by);
    else if (app.route.view === "case") void single.move(by);
  }

  let painted: View | null = null;
  async function paint(what: "route" | "data"): Promise<void> {
    const { view, row } = app.route;
    fill(links, navigation(app));
    document.body.dataset.view = view;
    if (view === "overview") {
      if (what === "route") fill(main, overview(app));
    } else if (view === "cases") {
      if (painted !== view) fill(main, cases.element);
      await cases.update();
      if (painted === "case") cases.table.selectResult(lastCase);
    } else if (view === "case") {
      lastCase = row;
      if (painted !== view) fill(main, single.element);
      const isNew = what === "route" || single.shownRow !== row || app.isSearchable;
      if (app.store.isComplete && isNew) await single.update();
    } else if (view === "compare" && what === "route") {
      if (painted !== view) fill(main, compare.element);
      await compare.update();
    }
    if (painted !== view) {
      const isInside = main.contains(document.activeElement); // `/` went to the search
      if (painted !== null && !isInside) main.focus({ preventScroll: true });
      if (view !== "cases") window.scrollTo(0, 0);
    }
    painted = app.route.view;
  }
  let lastCase = 0;
  app.onChange = (what) => void paint(what);

  fill(
    document.getElementById("page")!,
    h(
      "a",
      { class: "skip", href: "#main", onclick: (event: Event) => skip(event, main) },
      "Skip to the content",
    ),
    h(
      "header",
      { class: "top" },
      h(
        "a",
        { class: "brand", href: addressOf(HOME) },
        h("b", null, "lve"),
        h("span", null, plain(summary.title)),
      ),
      links,
      h(
        "div",
        { class: "tools" },
        button("Light or dark", icon("sun"), toggleTheme),
        button("Keyboard (?)", "?", () => keys.toggleHelp()),
      ),
    ),
    app.live?.bar,
    main,
    keys.dialog,
  );
  void paint("route");
  void app.live?.start(() => app.onChange("data"));
  void parsed()
    .then(painting)
    .then(() => app.load(chunks("index"), chunks("details")));
}

function skip(event: Event, main: HTMLElement): void {
  event.preventDefault(); // the address is the view's
  main.focus();
}

function navigation(app: App): HTMLElement[] {
  const { view } = app.route;
  const entry = (name: View, label: string, views: View[]): HTMLElement =>
    h(
      "a",
      {
        href: app.address({ ...(name === "overview" ? HOME : {}), view: name }),
        "aria-current": views.includes(view) ? "page" : null,
      },
      label,
    );
  const entries = [
    entry("overview", "Overview", ["overview"]),
    entry("cases", "Cases", ["cases", "case"]),
  ];
  if (app.summary.comparisons.length > 0) entries.push(entry("compare", "Compare", ["compare"]));
  return entries;
}

function button(label: string, content: Node | string, onclick: () => void): HTMLElement {
  return h(
    "button",
    { type: "button", class: "button icon-button", "aria-label": label, title: label, onclick },
    content,
  );
}

setUpTheme();
begin(JSON.parse(document.getElementById("summary")!.textContent) as Summary);
