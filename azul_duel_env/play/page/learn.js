// What helps somebody at the table, put together: rules, reasons, lessons, ghosts, dragging, sounds.

import { canPick, pick, takeBack } from "./app.js";
import { $ } from "./dom.js";
import { watchDrags } from "./drag.js";
import { bringIntoView } from "./focus.js";
import { clearGhost, showGhost } from "./ghost.js";
import { actionOf, matching } from "./picking.js";
import { closeBubble, explain, openRules, teach, unmark } from "./rules.js";
import { sound } from "./sound.js";

let state = null;
let picked = [];

const isTouch = (event) => event.pointerType === "touch";

function preview(key) {
  if (state && canPick(key)) showGhost(state, picked, key);
  else clearGhost();
}

document.addEventListener("marked", ({ detail }) => {
  const isNew = state?.version !== detail.state.version || state?.game !== detail.state.game;
  if (isNew) {
    sound(state, detail.state);
    closeBubble();
  }
  state = detail.state;
  picked = detail.picked;
  clearGhost();
  const isLast = (choice) => choice.parts.length === picked.length + 1;
  $("board").classList.toggle("foretells", picked.length > 0 && matching(state.choices, picked).some(isLast));
  if (isNew) {
    teach(state);
    bringIntoView();
  } else unmark();
});

// Pointing and the focus show what would come; both leave with a ghost's end. A finger does so by being held: see drag.js.
for (const kind of ["pointerover", "focusin"]) {
  $("board").addEventListener(kind, (event) => isTouch(event) || preview(event.target.closest("[data-part]")?.dataset.part ?? ""));
  $("choices").addEventListener(kind, (event) => isTouch(event) || preview(event.target.closest("button")?.dataset.key ?? ""));
}
for (const name of ["board", "choices"]) $(name).addEventListener("pointerleave", (event) => isTouch(event) || clearGhost());

$("board").addEventListener("click", (event) => {
  const target = event.target.closest("[data-part], [data-topic]");
  if (state && target && !target.classList.contains("can") && !target.classList.contains("picked")) explain(state, target, picked);
});

watchDrags({
  opens: (key) => state && canPick(key) && actionOf(state.choices, [...picked, key]) === null,
  pick,
  over: preview,
  drop(part) {
    const key = part?.dataset.part ?? "";
    if (canPick(key)) return pick(key);
    const held = [...picked];
    takeBack();
    if (part && !held.includes(key)) explain(state, part, held);
  },
});

$("rules-open").addEventListener("click", () => state && openRules(state));
addEventListener("keydown", (event) => {
  const isTyped = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || document.querySelector("dialog[open]");
  if (event.key === "?" && !isTyped && state) openRules(state);
});
