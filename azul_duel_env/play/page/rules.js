// Rules by topic, and a bubble that says of whatever was pressed why it can't be picked and what it is.

import { $, capitalised, element } from "./dom.js";
import { Trouble, ask, imageOf } from "./requests.js";

let guide = { game: "", topics: [] }; // of the game on the table
let known = ""; // title of the game that it is of

const paragraphs = (text) => text.map((words) => element("p", {}, words));

async function guideOf(state) {
  if (known !== state.title) {
    guide = await ask("guide");
    known = state.title;
  }
  return guide;
}

// Without the server there are no rules; the page says so by itself.
function missing(error) {
  if (!(error instanceof Trouble)) throw error;
  return {};
}

// The panel ------------------------------------------------------------------------------------
export async function openRules(state, name = "") {
  const { title, topics } = await guideOf(state).catch(missing);
  if (!topics) return;
  $("rules-title").textContent = `How to play ${title}`;
  const content = topics.map((topic) => {
    const picture = topic.image ? [element("img", { alt: "", src: imageOf(topic.image) })] : [];
    const part = element("details", { "data-name": topic.name }, element("summary", {}, topic.title), element("div", {}, ...picture, element("div", {}, ...paragraphs(topic.text))));
    part.open = topic.name === (name || topics[0].name);
    return part;
  });
  $("topics").replaceChildren(...(content.length ? content : [element("p", {}, "Nobody has written down the rules of this game yet.")]));
  closeBubble();
  if (!$("rules").open) $("rules").showModal();
  $("topics").querySelector("[open]")?.scrollIntoView({ block: "nearest" });
}

// The bubble -----------------------------------------------------------------------------------
// Explains a part of the table that was pressed and can't be picked, or something that takes part in no action.
export async function explain(state, target, picked) {
  const { part: key = "", topic: name = "" } = target.dataset;
  try {
    const { topics } = await guideOf(state);
    const topic = topics.find((one) => (name ? one.name === name : one.parts.some((begin) => key.startsWith(begin))));
    const why = key ? (await ask("why", undefined, { query: { version: state.version, part: key, picked: picked.join(" ") } })).why : "";
    if (target.isConnected) showBubble(state, target, why, topic); // the table may have been drawn anew meanwhile
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
  }
}

function showBubble(state, target, why, topic) {
  const bubble = $("bubble");
  const label = target.getAttribute("aria-label") ?? "";
  const content = [element("p", { class: "label" }, capitalised(label))];
  if (why) content.push(element("p", {}, element("b", {}, why)));
  if (topic) {
    const more = element("button", {}, "All rules");
    more.addEventListener("click", () => openRules(state, topic.name));
    content.push(element("p", {}, element("b", {}, `${topic.title}. `), topic.text[0]), more);
  }
  bubble.replaceChildren(...content);
  bubble.hidden = false;
  place(bubble, target.getBoundingClientRect());
}

// Puts the bubble below what it is about, or above if there is no room, inside the window.
function place(bubble, box) {
  const { width, height } = bubble.getBoundingClientRect();
  const left = Math.min(Math.max(8, box.left + box.width / 2 - width / 2), innerWidth - width - 8);
  const below = box.bottom + 8;
  const top = below + height <= innerHeight - 8 ? below : Math.max(8, box.top - height - 8);
  bubble.style.left = `${left}px`;
  bubble.style.top = `${top}px`;
}

export function closeBubble() {
  $("bubble").hidden = true;
}

// Lessons of a guided round --------------------------------------------------------------------
const kept = () => JSON.parse(sessionStorage.getItem("lessons") ?? "null");

export function beginLessons(game) {
  sessionStorage.setItem("lessons", JSON.stringify({ game, told: {} }));
}

// Shows the lesson for the decision that is due, in a game that is guided: each once, until the first round is over.
export function teach(state) {
  const course = kept();
  const isGuided = course?.game === state.game;
  if (isGuided && state.round > 1 && state.turn === "human") return finish(); // who decides has time to read it
  const lesson = isGuided && state.lessons.find(({ name }) => [undefined, state.version].includes(course.told[name]));
  unmark();
  if (!lesson) {
    $("coach").hidden = true;
    return;
  }
  course.told[lesson.name] = state.version;
  sessionStorage.setItem("lessons", JSON.stringify(course));
  showLesson(lesson.title, lesson.text);
  for (const part of $("board").querySelectorAll("[data-part].can")) {
    part.classList.toggle("taught", lesson.parts.some((begin) => part.dataset.part.startsWith(begin)));
  }
}

function finish() {
  sessionStorage.removeItem("lessons");
  showLesson("That was a round", ["You know the game now. Press anything on the table to be told what it is; Rules has all of it, and Hint what a search would play."]);
}

function showLesson(title, text) {
  $("coach-title").textContent = title;
  $("coach-text").replaceChildren(...paragraphs(text));
  $("coach").hidden = false;
}

// Takes the marks of a lesson off the table.
export function unmark() {
  for (const part of $("board").querySelectorAll(".taught")) part.classList.remove("taught");
}

$("coach-close").addEventListener("click", () => {
  $("coach").hidden = true;
  unmark();
});
$("rules-close").addEventListener("click", () => $("rules").close());
addEventListener("keydown", (event) => event.key === "Escape" && closeBubble());
addEventListener("pointerdown", (event) => event.target.closest("#bubble") || closeBubble());
addEventListener("scroll", closeBubble, { passive: true });
