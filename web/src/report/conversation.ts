// The messages of one conversation, by role, as they were sent and answered.

import { type Child, fill, h } from "../dom.js";
import { plain, shown } from "../shown_text.js";
import { amount, seconds, whole } from "./format.js";
import { marked, parametersIn, quotedIn, type Range } from "./marks.js";
import type { Completion, Detail, Message, Transcript } from "./types.js";

/** Characters that are shown of a message until the reader asks for all. */
const SHOWN = 12_000;

export type Finder = (text: string) => Range[];

/** Return a conversation.
 *
 * `find` gives what else is marked in its texts, such as what was searched. What the reason quotes
 * of an answer is marked unless it passed: the marks say what is wrong. */
export function conversation(
  transcript: Transcript<string>,
  detail: Detail,
  find: Finder,
  hasPassed: boolean,
): Child {
  const values = objectOf(detail.parameters);
  let answers = 0;
  return transcript.messages.map((message) => {
    const completion = message.is_answer ? transcript.completions[answers++] : undefined;
    const marks: Finder = message.is_answer
      ? (text) => [...find(text), ...(hasPassed ? [] : quotedIn(text, detail.reason))]
      : (text) => [...find(text), ...parametersIn(text, values)];
    return messageElement(message, completion, marks);
  });
}

/** Return a JSON object's values; nothing if it isn't one. */
export function objectOf(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function messageElement(
  message: Message<string>,
  completion: Completion | undefined,
  marks: Finder,
): HTMLElement {
  return h(
    "article",
    { class: `message ${message.role}${message.is_answer ? " answer" : ""}` },
    h(
      "header",
      null,
      h("span", { class: "role" }, plain(message.role)),
      message.variable && h("span", { class: "variable" }, plain(message.variable)),
      completion && h("span", { class: "numbers" }, numbersOf(completion)),
    ),
    message.text !== undefined && body(message.text, marks),
    message.parts !== undefined && parts(message.parts, marks),
    message.image_url !== undefined && attachment("image", message.image_url),
    (message.tool_calls ?? []).map((call) =>
      h(
        "div",
        { class: "tool-call" },
        h("span", { class: "role" }, `calls ${plain(call.name)}`),
        body(call.arguments, marks),
      ),
    ),
  );
}

/** Return a text with its marks; a long one is cut until the reader asks for all of it. */
export function body(text: string, marks: Finder): HTMLElement {
  if (text === "") return h("p", { class: "body none" }, "(empty)");
  const element = h("div", { class: "body", dir: "auto" });
  if (text.length <= SHOWN) {
    fill(element, marked(text, marks(text)));
    return element;
  }
  const start = text.slice(0, SHOWN);
  const more = h(
    "button",
    { type: "button", class: "button", onclick: () => fill(element, marked(text, marks(text))) },
    `Show all ${amount(text.length, "character")}`,
  );
  fill(element, marked(start, marks(start)), "… ", more);
  return element;
}

function parts(json: string, marks: Finder): Child {
  let list: unknown;
  try {
    list = JSON.parse(json);
  } catch {
    list = null;
  }
  if (!Array.isArray(list)) return body(json, marks);
  return list.map((part: unknown) => {
    const fields = (typeof part === "object" && part !== null ? part : {}) as Record<
      string,
      unknown
    >;
    if (fields.type === "text" && typeof fields.text === "string") return body(fields.text, marks);
    const held = fields[String(fields.type)];
    const url = (held as { url?: unknown } | undefined)?.url;
    const what = typeof held === "string" ? held : typeof url === "string" ? url : null;
    return attachment(String(fields.type ?? "part"), what ?? JSON.stringify(part));
  });
}

/** Name a picture or a file. It isn't shown: the page loads nothing. */
function attachment(kind: string, name: string): HTMLElement {
  const short = name.length > 300 ? `${name.slice(0, 300)}…` : name;
  return h("p", { class: "attachment" }, h("span", { class: "role" }, plain(kind)), shown(short));
}

function numbersOf(completion: Completion): string {
  const { tokens_in, tokens_out, latency_s, first_token_s, finish_reason, cached } = completion;
  const parts: string[] = [];
  if (latency_s) parts.push(seconds(latency_s));
  if (first_token_s) parts.push(`first token ${seconds(first_token_s)}`);
  if (tokens_in || tokens_out)
    parts.push(`${whole(tokens_in ?? 0)} → ${whole(tokens_out ?? 0)} tokens`);
  if (finish_reason && finish_reason !== "stop") parts.push(`ended: ${plain(finish_reason)}`);
  if (cached) parts.push("cached");
  return parts.join(" · ");
}
