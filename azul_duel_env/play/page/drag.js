// Dragging beside clicking: what is drawn from its place is picked, and picked again where it is dropped. A finger scrolls the page, unless it
// was held still first: then it drags, or is shown what would come where nothing is left to be picked. At the edge of the window a drag scrolls.

import { $, partsOf } from "./dom.js";
import { floorOfTable } from "./focus.js";

const FAR = 7; // pixels from which on a press is a drag, or a finger scrolls
const HELD = 350; // ms after which a finger is held
const EDGE = 40; // pixels from the edge of the window in which a drag scrolls; below, the bar with the question is the edge where it is one
const STRIDE = 8; // pixels that it scrolls at a time

// Begins to watch the table. Whoever calls says what can be picked (key -> whether more is to be picked after it), and does the rest.
export function watchDrags({ opens, pick, over, drop }) {
  let from = null; // where the pointer went down, on which part, and what it does: "press", "drag" or "look"
  let fliers = []; // copies that follow the pointer
  let latest = null; // what the pointer did last in a drag

  const partAt = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest("#board [data-part]") ?? null;
  const isBusy = () => from !== null && from.does !== "press";

  function press(event) {
    const part = event.target.closest("[data-part].can");
    if (!part || event.button !== 0 || !event.isPrimary) return;
    const { clientX: x, clientY: y } = event;
    from = { x: x + scrollX, y: y + scrollY, key: part.dataset.part, does: "press", byTouch: event.pointerType === "touch" };
    if (from.byTouch) from.timer = setTimeout(() => begin(event), HELD);
  }

  function begin(event) {
    if (opens(from.key)) lift();
    else if (from.byTouch) from.does = "look";
    else return forget();
    move(event);
  }

  function lift() {
    pick(from.key);
    from.does = "drag";
    fliers = partsOf(from.key).map((part) => {
      const flier = part.cloneNode(true);
      flier.removeAttribute("data-part");
      flier.setAttribute("class", "flying dragged");
      flier.setAttribute("aria-hidden", "true");
      part.ownerSVGElement.append(flier);
      return flier;
    });
    requestAnimationFrame(scrollOn);
  }

  // Scrolls on and on while a drag is at the edge of the window, and takes along what is dragged.
  function scrollOn() {
    if (from?.does !== "drag") return;
    const y = latest.clientY;
    const by = y < EDGE ? -STRIDE : y > Math.min(floorOfTable(), innerHeight - EDGE) ? STRIDE : 0;
    if (by) {
      scrollBy(0, by);
      move(latest);
    }
    requestAnimationFrame(scrollOn);
  }

  function move(event) {
    latest = event;
    const scale = $("board").querySelector("svg.table")?.getScreenCTM()?.a || 1;
    const [x, y] = [(event.clientX + scrollX - from.x) / scale, (event.clientY + scrollY - from.y) / scale];
    for (const flier of fliers) flier.setAttribute("transform", `translate(${x} ${y})`);
    over(partAt(event)?.dataset.part ?? "");
  }

  function forget() {
    clearTimeout(from?.timer);
    from = null;
    for (const flier of fliers) flier.remove();
    fliers = [];
  }

  function end(event, isDropped) {
    const did = from?.does;
    forget();
    if (did !== "drag" && did !== "look") return;
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }), 50);
    if (did === "drag") drop(isDropped ? partAt(event) : null);
  }

  const swallow = (event) => event.stopPropagation();

  $("board").addEventListener("pointerdown", press);
  addEventListener("pointermove", (event) => {
    if (!from || !event.isPrimary) return;
    if (isBusy()) return move(event);
    if (Math.hypot(event.clientX + scrollX - from.x, event.clientY + scrollY - from.y) <= FAR) return;
    if (from.byTouch) forget();
    else begin(event);
  });
  addEventListener("pointerup", (event) => event.isPrimary && end(event, true));
  addEventListener("pointercancel", (event) => event.isPrimary && end(event, false));
  // A finger that drags must not scroll, nor open a menu.
  $("board").addEventListener("touchmove", (event) => isBusy() && event.preventDefault(), { passive: false });
  $("board").addEventListener("contextmenu", (event) => from?.byTouch && event.preventDefault());
  $("board").addEventListener("dragstart", (event) => event.preventDefault());
}
