// What would come of the action that a pointer or the focus is on: a ghost on the table, and words.

import { $ } from "./dom.js";
import { actionOf } from "./picking.js";
import { Trouble, ask, look } from "./requests.js";

const found = new Map(); // what the server said of actions, by state and look
let shown = ""; // key of the part that is looked at
let version = 0;

export async function showGhost(state, picked, key) {
  if (version !== state.version) found.clear();
  version = state.version;
  const asked = version;
  const action = actionOf(state.choices, [...picked, key]);
  const name = [...picked, key].join(" ");
  if (action === null) return clearGhost();
  if (shown === name) return;
  clearGhost();
  shown = name;
  try {
    const address = `${asked} ${action} ${look().layout} ${look().theme}`;
    if (!found.has(address)) found.set(address, await ask("preview", undefined, { query: { version: asked, action } }));
    if (shown === name && version === asked) draw(found.get(address));
  } catch (error) {
    if (!(error instanceof Trouble)) throw error; // a game that has moved on is shown anew anyhow
  }
}

function draw({ words, svg }) {
  $("foretold").textContent = words;
  const table = $("board").querySelector("svg.table");
  if (!svg || !table) return;
  const drawn = new DOMParser().parseFromString(`<svg xmlns="http://www.w3.org/2000/svg"><g class="ghost" aria-hidden="true">${svg}</g></svg>`, "image/svg+xml");
  table.append(document.importNode(drawn.documentElement.firstElementChild, true));
}

export function clearGhost() {
  shown = "";
  $("foretold").textContent = "";
  for (const ghost of $("board").querySelectorAll(".ghost")) ghost.remove();
}
