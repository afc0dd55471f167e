// What followed a move, one thing after the other: the end of a round, tile by tile, with its points.

import { $, calm, element, singleColumn } from "./dom.js";
import { fly } from "./flight.js";
import { signed } from "./hint.js";
import { ask } from "./requests.js";
import { drawTable } from "./table.js";

const USUAL = 850; // ms for a scene of length 1
let show = null; // the scenes that are shown, or null

export const pointsOf = (points) => element("span", { class: points < 0 ? "points lost" : "points" }, signed(points, 0));

// Ends the scenes that are shown.
export function endScenes() {
  if (!show) return;
  show.over = true;
  show.wake();
}

function next() {
  show?.wake();
}

// Stops at the scene that is shown, or goes on by itself.
function hold() {
  if (!show) return;
  show.held = !show.held;
  label();
  if (show.held) clearTimeout(show.timer);
  else next();
}

// Does what a key says while scenes are shown; returns whether it says anything.
export function onSceneKey(event) {
  if (!show) return false;
  const onButton = event.target.closest?.("#scene button");
  if (event.key === "Escape") endScenes();
  else if (event.key === "ArrowRight" || ((event.key === " " || event.key === "Enter") && !onButton)) next();
  else return false;
  return true;
}

function label() {
  $("scene-hold").textContent = show.held ? "Play" : "Pause";
  $("scene-next").hidden = !show.held;
}

// Waits for some time, or, while the scenes are held, until the reader goes on.
function wait(time) {
  return new Promise((done) => {
    const mine = show;
    mine.timer = mine.held ? 0 : setTimeout(done, time);
    mine.wake = () => {
      clearTimeout(mine.timer);
      done();
    };
  });
}

// Shows what followed a move of the game of this version; pace 1 is usual, and 2 twice as slow. Held, it waits for the reader each time.
export async function showScenes(move, version, { pace = 1, held = false } = {}) {
  endScenes();
  const { scenes, pieces } = await ask("scenes", undefined, { query: { move, version } });
  if (scenes.length < 2) return;
  const mine = (show = { over: false, held, wake: () => {} });
  document.body.classList.add("staged");
  $("scene").hidden = false;
  label();
  for (const [place, scene] of scenes.entries()) {
    if (place && !mine.held) await fly(scene, 260 * pace);
    if (mine.over) break;
    drawTable(`${scene.head}${scene.frame.map((piece) => pieces[piece]).join("")}</svg>`);
    tell(scene, place, scenes.length);
    await wait((place ? scene.length : 0.6) * USUAL * pace);
    if (mine.over) break;
  }
  if (show !== mine) return;
  show = null;
  document.body.classList.remove("staged");
  $("scene").hidden = true;
}

function tell(scene, place, count) {
  $("scene-words").replaceChildren(scene.words, ...scene.gains.map(([, points]) => pointsOf(points)));
  $("scene-place").textContent = `${place + 1} of ${count}`;
  if (!singleColumn.matches) return;
  const marked = $("board").querySelector(".points") ?? $("board").querySelector(".new");
  marked?.scrollIntoView({ block: "center", behavior: calm.matches ? "auto" : "smooth" });
}

$("scene-next").addEventListener("click", next);
$("scene-hold").addEventListener("click", hold);
$("scene-skip").addEventListener("click", endScenes);
$("board").addEventListener("click", next);
