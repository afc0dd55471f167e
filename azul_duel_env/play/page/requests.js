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

// Addresses are relative: a proxy may show the page below a path of its own.
export async function ask(path, body, { query = {}, ...limits } = {}) {
  const options = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(`api/${path}?${new URLSearchParams({ ...look(), ...query })}`, { ...options, ...limits }).catch(() => null);
  const content = await answer?.json().catch(() => null);
  if (!answer?.ok || !content) throw new Trouble(answer?.status ?? 0, content);
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
