// How to have the same run again: command, versions, commit, options, hashes.

import { type Child, h, icon } from "../dom.js";
import { plain, shown } from "../shown_text.js";
import { amount, moment, seconds } from "./format.js";
import type { Session } from "./types.js";

/** Return what one needs to know of the sessions of a report to have them again. */
export function repeatSection(sessions: readonly Session[]): Child {
  return h(
    "section",
    { class: "panel wide", "aria-labelledby": "repeat" },
    h("h2", { id: "repeat" }, "How to repeat it"),
    sessions.map((one) => sessionFacts(one, sessions.length > 1)),
  );
}

function sessionFacts(session: Session, isNamed: boolean): Child {
  const hashes = Object.entries(session.hashes);
  const facts: [string, string][] = [
    ["session", session.id],
    ["began", moment(session.started)],
    ["took", session.seconds === null ? "" : seconds(session.seconds)],
    ["status", session.status],
    ...session.facts,
  ];
  return h(
    "div",
    { class: "session-facts" },
    isNamed && h("h3", null, plain(session.id)),
    session.command && commandLine(session.command),
    h(
      "dl",
      { class: "columns" },
      facts
        .filter(([, value]) => value)
        .map(([name, value]) =>
          h("div", null, h("dt", null, plain(name)), h("dd", null, shown(value))),
        ),
    ),
    hashes.length > 0 &&
      h(
        "details",
        null,
        h("summary", null, `SHA-256 of ${amount(hashes.length, "test")}`),
        hashTable(hashes),
      ),
  );
}

function commandLine(command: string): Child {
  const button = h(
    "button",
    {
      type: "button",
      class: "button",
      onclick: async () => {
        await navigator.clipboard.writeText(command);
        button.lastChild!.textContent = "Copied";
      },
    },
    icon("copy"),
    "Copy",
  );
  return h("div", { class: "command" }, h("code", null, shown(command)), button);
}

function hashTable(hashes: [string, Record<string, string>][]): Child {
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Hashes" },
    h(
      "table",
      { class: "plain" },
      h(
        "tbody",
        null,
        hashes.map(([test, parts]) =>
          Object.entries(parts).map(([part, sum], i) =>
            h(
              "tr",
              null,
              h("th", { scope: "row" }, i === 0 && plain(test)),
              h("td", null, plain(part)),
              h("td", { class: "mono" }, plain(sum).slice(0, 16)),
            ),
          ),
        ),
      ),
    ),
  );
}
