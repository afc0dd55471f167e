// Dragging beside clicking: what is drawn from its place is picked, and picked again where it is dropped.

import { $, partsOf } from "./dom.js";

const FAR = 7; // pixels from which on a press is a drag

// Begins to watch the table. Whoever calls says what can be picked (key -> whether more is to be picked after it), and does the rest.
export function watchDrags({ opens, pick, over, drop }) {
  let from = null; // where the pointer went down, and on which part
  let fliers = []; // copies that follow the pointer

  const partAt = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest("#board [data-part]") ?? null;

  function begin(event) {
    if (!opens(from.key)) return (from = null);
    pick(from.key);
    from.isDragged = true;
    fliers = partsOf(from.key).map((part) => {
      const flier = part.cloneNode(true);
      flier.removeAttribute("data-part");
      flier.setAttribute("class", "flying dragged");
      flier.setAttribute("aria-hidden", "true");
      part.ownerSVGElement.append(flier);
      return flier;
    });
    move(event);
    return from;
  }

  function move(event) {
    const scale = $("board").querySelector("svg.table")?.getScreenCTM()?.a || 1;
    const [x, y] = [(event.clientX - from.x) / scale, (event.clientY - from.y) / scale];
    for (const flier of fliers) flier.setAttribute("transform", `translate(${x} ${y})`);
    over(partAt(event)?.dataset.part ?? "");
  }

  function end(event, isDropped) {
    const dragged = from?.isDragged;
    from = null;
    for (const flier of fliers) flier.remove();
    fliers = [];
    if (!dragged) return;
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }), 50);
    drop(isDropped ? partAt(event) : null);
  }

  const swallow = (event) => event.stopPropagation();

  $("board").addEventListener("pointerdown", (event) => {
    const part = event.target.closest("[data-part].can");
    if (part && event.button === 0) from = { x: event.clientX, y: event.clientY, key: part.dataset.part, isDragged: false };
  });
  addEventListener("pointermove", (event) => {
    if (!from) return;
    if (from.isDragged) move(event);
    else if (Math.hypot(event.clientX - from.x, event.clientY - from.y) > FAR) begin(event);
  });
  addEventListener("pointerup", (event) => end(event, true));
  addEventListener("pointercancel", (event) => end(event, false));
  $("board").addEventListener("dragstart", (event) => event.preventDefault());
}
