// Moving among the parts that can be picked, by keys and on small screens.

import { $, calm, element, narrowScreen } from "./dom.js";

export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// Down to where the table is seen: the bar with the question may cover the rest.
export function floorOfTable() {
  const bar = $("decision").getBoundingClientRect();
  return bar.left >= $("board").getBoundingClientRect().right ? innerHeight : Math.min(bar.top, innerHeight);
}

// On a phone the table is longer than the screen: what can be picked next must be seen.
export function bringIntoView() {
  if (!narrowScreen.matches) return;
  const parts = [...$("board").querySelectorAll(".can")];
  const floor = floorOfTable();
  const seen = parts.some((part) => {
    const box = part.getBoundingClientRect();
    return box.top >= 0 && box.bottom <= floor;
  });
  if (!seen) parts[0]?.scrollIntoView({ block: "center", behavior: calm.matches ? "auto" : "smooth" });
}

// Names and scores, where not all boards are on the screen at once: a press shows that player's board.
export function showPlayers(state) {
  const buttons = state.names.map((name, seat) => {
    const [, kind, number = ""] = name.match(/^(.*?)( \(\d+\))?$/); // a long name is cut before its number
    const button = element("button", { "aria-label": `${name}, ${state.scores[seat]} points: show the board` }, element("span", {}, kind), number, ` ${state.scores[seat]}`);
    button.classList.toggle("deciding", seat === state.player);
    button.addEventListener("click", () =>
      $("board").querySelector(`[data-board="${seat}"]`)?.scrollIntoView({ block: "start", behavior: calm.matches ? "auto" : "smooth" }));
    return button;
  });
  $("players").replaceChildren(...buttons);
}

// On a small screen some buttons of the head are behind one.
$("more").addEventListener("click", () => openMenu($("more").getAttribute("aria-expanded") === "false"));
addEventListener("click", (event) => event.target.closest("#more") || openMenu(false));
addEventListener("keydown", (event) => event.key === "Escape" && openMenu(false));

function openMenu(on) {
  $("more").setAttribute("aria-expanded", on);
  $("menu").classList.toggle("open", on);
}

export function focusFirst() {
  const first = $("board").querySelector(".can") ?? document.querySelector("#choices button, #ending:not([hidden]) button");
  first?.focus({ preventScroll: true });
}

// Moves the focus to the nearest part in a direction.
export function moveFocus([dx, dy]) {
  const parts = [...$("board").querySelectorAll(".can")];
  const here = document.activeElement?.closest?.(".can");
  if (!here) return focusFirst();
  const from = centre(here);
  let best = null;
  let least = Infinity;
  for (const part of parts) {
    const to = centre(part);
    const ahead = (to.x - from.x) * dx + (to.y - from.y) * dy;
    const aside = Math.abs((to.x - from.x) * dy) + Math.abs((to.y - from.y) * dx);
    if (part !== here && ahead > 2 && ahead + 2 * aside < least) [best, least] = [part, ahead + 2 * aside];
  }
  best?.focus({ preventScroll: false });
}

function centre(part) {
  const box = (part.querySelector(".hit") ?? part).getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
