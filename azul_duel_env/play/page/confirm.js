// Asks before something is lost.

import { $ } from "./dom.js";

// Resolves to whether the question was answered with yes; Escape is no.
function confirmed(title, text, yes) {
  const dialog = $("confirm");
  $("confirm-title").textContent = title;
  $("confirm-text").textContent = text;
  $("confirm-yes").textContent = yes;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((answer) => dialog.addEventListener("close", () => answer(dialog.returnValue === "yes"), { once: true }));
}

// Whether a game may be replaced: one that people have begun and not finished is asked about.
export function mayReplace(state) {
  const underWay = state && state.turn !== "over" && state.seats.includes("human") && state.can_undo;
  if (!underWay) return true;
  const where = `${state.round_name}, ${state.names.map((name, seat) => `${name} ${state.scores[seat]}`).join(", ")}`;
  return confirmed("Leave this game?", `The game under way (${where}) would make room for another one. Save it first if you want to go on with it later.`, "Leave it");
}
