// The keyboard: what every key does, and the dialog that says so.

import { h, icon } from "../dom.js";

export interface Actions {
  next(): void;
  previous(): void;
  open(): void;
  search(): void;
  back(): void;
}

const HELP: [string, string][] = [
  ["/", "search all texts"],
  ["j", "next case"],
  ["k", "previous case"],
  ["Enter", "open the case"],
  ["Esc", "back to the list; out of the search"],
  ["?", "this help"],
];

export class Keys {
  readonly dialog: HTMLDialogElement;

  constructor(private readonly actions: Actions) {
    this.dialog = h(
      "dialog",
      { class: "help", "aria-labelledby": "help-title" },
      h("h2", { id: "help-title" }, "Keyboard"),
      h(
        "dl",
        null,
        HELP.map(([key, what]) =>
          h("div", null, h("dt", null, h("kbd", null, key)), h("dd", null, what)),
        ),
      ),
      h(
        "p",
        { class: "quiet" },
        "The address of the page holds what you see: copy it to share it.",
      ),
      h(
        "form",
        { method: "dialog" },
        h("button", { class: "button", type: "submit" }, icon("close"), "Close"),
      ),
    );
    document.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** Open or close the help. */
  toggleHelp(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target as HTMLElement;
    const isTyping = target.matches("input:not([type=checkbox]), select, textarea");
    if (this.dialog.open) {
      if (event.key === "?") this.toggleHelp();
      return;
    }
    if (isTyping && event.key !== "Escape") return;
    const isControl = target.matches("a, button, summary, input");
    const action: Record<string, () => void> = {
      j: () => this.actions.next(),
      k: () => this.actions.previous(),
      "/": () => this.actions.search(),
      "?": () => this.toggleHelp(),
      Escape: () => (isTyping ? target.blur() : this.actions.back()),
      ...(isControl ? {} : { Enter: () => this.actions.open() }),
    };
    const does = action[event.key];
    if (does === undefined) return;
    event.preventDefault();
    does();
  }
}
