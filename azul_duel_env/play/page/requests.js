// Asking the server.

import { $, darkSystem, narrowScreen } from "./dom.js";

export const theme = () => localStorage.getItem("theme") ?? "auto";
export const look = () => {
  const dark = theme() === "dark" || (theme() === "auto" && darkSystem.matches);
  return { layout: narrowScreen.matches ? "phone" : "wide", theme: dark ? "dark" : "light" };
};

export class Trouble extends Error {
  constructor(status, answer) {
    super(answer?.error ?? "The server can't be reached.");
    this.status = status;
    this.lost = !answer?.error; // the server says what is wrong; others, and proxies, do not
    this.preparing = answer?.preparing ?? false;
    this.version = answer?.version;
  }
}

let kept = { name: "", parts: [] }; // the last state or position, which the next one may be told as changes to

// Divides an answer as the server does.
const partsOf = (text) => text.replaceAll('{"', '\0{"').replaceAll("><", ">\0<").replaceAll(">\0</", "></").split("\0");

// Returns an answer in whole, of which the server may have told the changes to an earlier one only.
async function wholeOf(answer, earlier) {
  let text = await answer.text();
  const name = answer.headers.get("x-name");
  if (answer.headers.has("x-earlier")) {
    text = JSON.parse(text).map((change) => (typeof change === "string" ? change : earlier.parts.slice(change[0], change[0] + change[1]).join(""))).join("");
  }
  const content = JSON.parse(text);
  if (name && content.choices) kept = { name, parts: partsOf(text) };
  return content;
}

// Addresses are relative: a proxy may show the page below a path of its own.
export async function ask(path, body, { query = {}, ...limits } = {}) {
  const options = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const earlier = kept;
  const answer = await fetch(`api/${path}?${new URLSearchParams({ ...look(), known: earlier.name, ...query })}`, { ...options, ...limits }).catch(() => null);
  const content = answer && (await wholeOf(answer, earlier).catch(() => null));
  if (!answer?.ok || !content) throw new Trouble(answer?.status ?? 0, content);
  for (const choice of content.choices ?? []) choice.buttons = choice.buttons.map((number) => content.buttons[number]);
  if (content.dress && content.style === undefined) await wear(content.dress);
  return content;
}

let worn = "";

// Sees to it that the page has the style sheet and the symbols of the pictures, which answers name only.
async function wear(name) {
  if (name === worn) return;
  const { dress, scope, style, symbols } = await ask("dress");
  $("dress").textContent = style;
  $("symbols").setAttribute("class", scope);
  $("symbols").innerHTML = `<defs>${symbols}</defs>`;
  worn = dress;
}

// Where a small picture of a component is; of the game on the table, or of another.
export const imageOf = (image, more = {}) => `api/components/${image}&${new URLSearchParams({ theme: look().theme, ...more })}`;
