// Things fly from part to part.

import { calm, partsOf, pause } from "./dom.js";

const middle = (part) => {
  const boxes = [...part.querySelectorAll(".hit")].map((hit) => hit.getBBox());
  const box = boxes[0] ?? part.getBBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, width: box.width };
};

// Shows how something went that has a journey: a move of the log, or a scene. It takes some milliseconds.
export async function fly(entry, time) {
  const [start, goal, turn] = entry.journey;
  const [sources, goals] = [start, goal].map((key) => (key ? partsOf(key) : []));
  if (calm.matches || !time || document.hidden || !(sources.length || goals.length)) return;
  if (!sources.length || !goals.length) {
    [...sources, ...goals].forEach((part) => part.classList.add("pulse"));
    await pause(time);
    return;
  }
  sources.forEach((part) => part.classList.add("pulse"));
  const end = middle(goals[0]);
  const flights = sources.map((part) => {
    const start = middle(part);
    const flier = part.cloneNode(true);
    flier.classList.remove("can", "picked", "hinted", "pulse");
    flier.classList.add("flying");
    flier.removeAttribute("data-part");
    part.ownerSVGElement.append(flier);
    part.style.opacity = "0.25";
    const lies = turn === null ? "" : `rotate(${turn > 180 ? turn - 360 : turn}deg) scale(${end.width / start.width})`;
    const path = [{ transform: "none" }, { transform: `translate(${end.x - start.x}px, ${end.y - start.y}px) ${lies}` }];
    return flier.animate(path, { duration: time * 1.6, easing: "cubic-bezier(.4, 0, .2, 1)", fill: "forwards" }).finished;
  });
  await Promise.all(flights).catch(() => {});
}
