// The board in the browser. The server holds the game and knows the rules; the page shows it, and lets a person pick, part by part, one
// of the legal actions that the server lists.

import { $, breakable, calm, element, pause, singleColumn } from "./dom.js";
import { mayReplace } from "./confirm.js";
import { fly } from "./flight.js";
import { ARROWS, bringIntoView, focusFirst, moveFocus, showPlayers } from "./focus.js";
import { tellNews } from "./heard.js";
import { fillAgents, isGuided, madeReady, openSetup, quickAgent, reportTrouble, wanted } from "./new_game.js";
import { hintContent } from "./hint.js";
import { chosenFile, say, watchLook } from "./look.js";
import { isWhole, listSteps, markParts, matching, stepsAfter } from "./picking.js";
import { Trouble, ask } from "./requests.js";
import { endScenes, onSceneKey, pointsOf, showScenes } from "./scenes.js";
import { drawTable } from "./table.js";
import { beginLessons } from "./rules.js";

const PAUSES = [1600, 900, 450, 150, 0]; // ms between the decisions of agents, by the slider
const AGAIN = 1000; // ms between two tries to reach the server
const PATIENCE = 8000; // ms after which it counts as lost
const EVERY = 4000; // ms between two looks at whether it is there

let state = null; // the game as the server last sent it
let picked = []; // keys of the parts picked so far
let hinted = []; // keys of the parts that a hint tells to pick
let busy = false; // a decision is on its way, or tiles fly
let thinking = 0; // version that an agent was asked to think about
let watching = false; // agents alone play on by themselves
let byKeyboard = false; // the last thing picked was picked with a key
let failure = ""; // what an agent said when it could not decide here
let lost = false; // the server can't be reached
let offered = false; // what to play was asked when the page was opened
let bare = 0; // version of a table without a game

async function report(error) {
  if (!(error instanceof Trouble)) throw error;
  if (error.status === 409) return refresh();
  if (error.lost) return lose();
  say(error.message);
}

// Fetches the state anew, again and again while there is none; of several at once the last counts.
async function refresh() {
  const number = (refresh.number = (refresh.number ?? 0) + 1);
  clearTimeout(refresh.timer);
  try {
    const next = await ask("state", undefined, { signal: AbortSignal.timeout(PATIENCE) });
    if (number !== refresh.number) return;
    found();
    show(next);
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    if (number !== refresh.number) return;
    if (error.lost) return lose();
    if (!lost || !error.preparing) clearTable(error);
    refresh.timer = setTimeout(refresh, AGAIN);
  }
}

// Lets an answer that is still on its way to refresh() count no more: what is shown is newer.
function outdate() {
  refresh.number = (refresh.number ?? 0) + 1;
  clearTimeout(refresh.timer);
}

// Shows that there is no game, and why.
function clearTable(error) {
  found();
  state = null;
  bare = error.version ?? bare;
  const title = error.preparing ? "Setting the table …" : "There is no game on the table";
  $("board").replaceChildren(element("p", { class: "notice" }, element("b", {}, title), error.message));
  for (const name of ["who", "question", "picked", "choices", "about"]) $(name).replaceChildren();
  for (const name of ["failure", "hint", "policy", "moves", "ending", "watch", "back"]) $(name).hidden = true;
}

// Without the server nothing goes on: says so, and asks for it until it is there again.
function lose() {
  lost = true;
  $("lost").hidden = false;
  if (state) mark(false);
  clearTimeout(refresh.timer);
  refresh.timer = setTimeout(refresh, AGAIN);
}

function found() {
  if (!lost) return;
  lost = false;
  thinking = 0;
  $("lost").hidden = true;
}

// Notices a server that has gone, and a game that has moved on elsewhere.
async function lookIn() {
  if (document.hidden || !state || busy || lost) return;
  try {
    const before = state;
    const { version } = await ask("version", undefined, { signal: AbortSignal.timeout(PATIENCE) });
    if (state === before && version !== state.version && !picked.length && !busy && thinking !== state.version) await refresh();
  } catch (error) {
    if (error.lost) lose();
  }
}

// What can be picked ---------------------------------------------------------------------------
const left = () => matching(state?.choices ?? [], picked);
const nextSteps = () => stepsAfter(state?.choices ?? [], picked);

export function pick(key) {
  if (busy) return;
  while (picked.length && !canPick(key) && wasOffered(key)) picked.pop(); // another one instead
  if (!canPick(key)) return;
  picked.push(key);
  const choices = left();
  if (isWhole(choices, picked)) decide(choices[0]);
  else mark(true);
}

export const canPick = (key) => nextSteps().some((step) => step.key === key);
const wasOffered = (key) => state.choices.some((choice) => choice.parts.indexOf(key) >= 0 && choice.parts.indexOf(key) < picked.length && !picked.includes(key));

export function takeBack() {
  if (busy || !picked.length) return;
  picked.pop();
  mark(true);
}

async function decide(choice) {
  const version = state.version;
  busy = true;
  hinted = [];
  mark(false);
  try {
    await showMoved(await ask("play", { version, action: choice.action }), 260);
  } catch (error) {
    busy = false;
    picked = [];
    mark(false);
    await report(error);
  }
}

// Showing --------------------------------------------------------------------------------------
function show(next) {
  outdate();
  endScenes();
  if (state && next.game !== state.game) watching = false;
  tellNews(state, next);
  state = next;
  picked = [];
  hinted = [];
  busy = false;
  failure = "";
  $("hint").hidden = true;
  drawBoard();
  showAbout();
  showLog();
  showEnding();
  mark(true);
  if (state.trouble) say(state.trouble);
  const asks = state.is_offered && !offered;
  offered = true;
  if (asks) openSetup().catch((error) => report(error).then(goOn)); // closing it goes on
  else goOn();
}

async function showMoved(next, time) {
  outdate();
  const before = state;
  busy = true;
  const last = next.log.at(-1);
  if (last && next.game === state.game && next.log.length === state.log.length + 1) {
    await fly(last, time);
    if (last.following && time && !calm.matches && !document.hidden && state === before) await stage(last, next);
  }
  if (state === before) show(next); // unless somebody has taken a move back meanwhile
}

// Shows what followed a move; that it can't be shown is no reason not to go on.
async function stage(entry, next, how = { pace: isWatch() ? Math.min(1, PAUSES[$("speed").value] / 900) : 1 }) {
  try {
    await showScenes(entry.number, next.version, how);
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
  }
}

async function showAgain(entry) {
  if (busy || lost) return;
  const before = state;
  busy = true;
  mark(false);
  await stage(entry, state, { held: calm.matches });
  if (state !== before) return;
  busy = false;
  drawBoard();
  mark(true);
}

function drawBoard() {
  drawTable(state.svg);
  $("board").dataset.version = state.version;
}

function showAbout() {
  const seed = state.seed === null ? "no seed" : `seed ${state.seed}`;
  $("about").textContent = [state.names.join(" – "), seed, state.options_text].filter(Boolean).join(" · ");
  $("title").textContent = state.title;
  document.title = `${state.scores.join(" : ")} – ${state.title}`;
  $("undo").disabled = !state.can_undo;
  $("redo").disabled = !state.can_redo;
  $("ask").disabled = state.turn !== "human";
  $("watch").hidden = !isWatch() || state.turn === "over";
  $("pause").textContent = watching ? "Pause" : "Play";
  showPlayers(state);
}

const isWatch = () => !state.seats.includes("human");

function showLog() {
  const items = [];
  state.log.forEach((entry, place) => {
    if (place && entry.round !== state.log[place - 1].round) items.push(roundEnd(state.log[place - 1].round_name, entry.scores));
    items.push(element("li", { class: "move" }, element("span", { class: "number" }, `${entry.number}`), element("div", {}, entry.words, ...eventList(entry.events), ...again(entry))));
  });
  if (state.opening.length) items.unshift(element("li", { class: "opening" }, ...eventList(state.opening)));
  $("log").replaceChildren(...items.reverse());
  $("moves").hidden = !items.length;
}

const roundEnd = (name, scores) => element("li", { class: "round" }, `${name} ends: `, element("b", {}, state.names.map((who, seat) => `${who} ${scores[seat]}`).join(", ")));

// What happened besides a move, as lines below it, with the points that it brought.
const eventList = (events) => (events.length ? [element("ul", {}, ...events.map(([words, points]) => element("li", {}, words, ...(points ? [pointsOf(points)] : []))))] : []);

// A button that shows what followed a move once more, one thing after the other.
function again(entry) {
  if (entry.following < 2) return [];
  const button = element("button", { class: "show" }, "Show");
  button.setAttribute("aria-label", `show what followed move ${entry.number}`);
  button.addEventListener("click", () => showAgain(entry));
  return [button];
}

function showEnding() {
  const final = state.final;
  const isNews = final && $("ending").hidden;
  $("ending").hidden = !final;
  $("decision").hidden = Boolean(final);
  if (!final) return;
  const row = (kind, cells, attributes = {}) => element("tr", attributes, ...cells.map((cell) => element(kind, {}, ...[cell].flat())));
  const body = final.rows.flatMap(([label, points]) => {
    const main = row("td", [label, ...points]);
    return label === final.bonuses_label ? [main, ...final.bonuses.map(([name, given]) => row("td", [name, ...given], { class: "part" }))] : [main];
  });
  const two = final.scores.length === 2;
  const places = two ? [] : [row("td", ["place", ...final.places])];
  $("ending").replaceChildren(
    element("h2", {}, two ? `${final.result}, ${[...final.scores].sort((one, other) => other - one).join(" to ")}` : final.result),
    element("table", { class: two ? "" : "several" }, element("thead", {}, row("th", ["", ...state.names.map(breakable)])), element("tbody", {}, ...body),
      element("tfoot", {}, row("th", ["score", ...final.scores]), ...places)),
    afterwards(),
  );
  if (isNews && singleColumn.matches) $("ending").scrollIntoView({ block: "nearest", behavior: calm.matches ? "auto" : "smooth" });
}

// What to do with a game that is over.
function afterwards() {
  const again = element("button", { class: "primary", title: "The same players and options, another seed" }, "Rematch");
  again.addEventListener("click", () => change("rematch", {}));
  const another = element("button", {}, "New game");
  another.addEventListener("click", () => $("new").click());
  const film = element("a", { class: "button", href: "api/film", download: "", title: "Download the game as a film" }, "Film");
  const analyse = element("a", { class: "button", href: "analysis?start", title: "Look at the moves again" }, "Analyse this game");
  return element("p", { class: "after" }, again, another, analyse, film);
}

// Marks what can be picked next, on the table and in the list.
function mark(focus) {
  const steps = state.turn === "human" && !busy && !lost ? nextSteps() : [];
  markParts(steps, picked, hinted);
  showDecision(steps);
  if (focus && byKeyboard) focusFirst();
  if (focus) bringIntoView();
  document.dispatchEvent(new CustomEvent("marked", { detail: { state, picked } }));
}

function showDecision(steps) {
  const deciding = state.player >= 0 ? state.names[state.player] : "";
  const agent = state.turn === "agent";
  $("who").textContent = deciding && (agent ? deciding : `${deciding === "You" ? "Your turn" : deciding}, ${state.round_name}`);
  const atWork = agent && !lost && !failure && (!isWatch() || watching);
  $("who").classList.toggle("thinking", atWork);
  $("question").textContent = lost ? "The server is gone" : failure ? "could not decide" : atWork ? "is thinking" : agent ? "decides next" : questionNow();
  $("failure").hidden = !failure || lost;
  $("cause").textContent = failure;
  listSteps(state.choices, picked, steps, { pick, byDigits: true });
  $("back").hidden = !picked.length || busy;
}

const questionNow = () => (picked.length && nextSteps()[0]?.question) || state.question;

// Agents ---------------------------------------------------------------------------------------
async function goOn() {
  if (state.turn !== "agent" || (isWatch() && !watching)) return;
  const version = state.version;
  if (thinking === version) return;
  if (isWatch()) await pause(PAUSES[$("speed").value]);
  if (state.version === version && (!isWatch() || watching)) await think();
}

async function think() {
  const version = state.version;
  thinking = version;
  failure = "";
  mark(false);
  try {
    const next = await ask("think", { version });
    if (state.version === version) await showMoved(next, isWatch() ? Math.min(420, PAUSES[$("speed").value]) : 420);
  } catch (error) {
    if (thinking === version) thinking = 0;
    if (state.version !== version) return;
    if (error.status === 409 || error.lost || !(error instanceof Trouble)) return report(error);
    watching = false;
    failure = error.message;
    showAbout();
    mark(false);
    const { agents } = await ask("setup").catch(() => ({ agents: {} }));
    fillAgents(agents);
    $("substitute").elements.agent.value ||= quickAgent(agents);
  }
}

async function substitute(event) {
  event.preventDefault();
  const agent = event.target.elements.agent.value.trim();
  event.submitter.disabled = true;
  await change("seats", { seats: state.seats.map((who, seat) => (seat === state.player ? agent : who)) });
  event.submitter.disabled = false;
}

// Commands -------------------------------------------------------------------------------------
async function change(path, body) {
  try {
    say("");
    show(await ask(path, { version: state?.version ?? bare, ...body }));
  } catch (error) {
    await report(error);
  }
}

async function askForHint() {
  if (state?.turn !== "human" || busy) return;
  const version = state.version;
  $("hint").hidden = false;
  $("hint").replaceChildren(element("p", { class: "thinking" }, "Looking ahead"));
  try {
    const hint = await ask("hint", { version });
    if (state.version === version) showHint(hint);
  } catch (error) {
    $("hint").hidden = true;
    await report(error);
  }
}

function showHint(hint) {
  hinted = hint.parts;
  picked = [];
  $("hint").replaceChildren(...hintContent(hint, state.names[state.player]));
  mark(false);
}

async function load() {
  const text = await chosenFile();
  if (text === null || !(await mayReplace(state))) return;
  await change("load", { text });
}

async function start(event) {
  event.preventDefault();
  reportTrouble("");
  if (!(await mayReplace(state))) return;
  const body = { version: state?.version ?? bare, ...wanted() };
  try {
    const next = await madeReady((signal) => ask("new", body, { signal }), () => ask("stay", { version: body.version }).catch(() => {}));
    if (!next) return;
    $("setup").close();
    say("");
    if (isGuided()) beginLessons(next.game);
    show(next);
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    reportTrouble(error.message + (error.status === 409 ? ": start once more" : ""));
    if (error.lost) lose();
    if (error.status === 409) await refresh();
  }
}

// Keys -----------------------------------------------------------------------------------------
const LETTERS = { u: "undo", r: "redo", h: "ask", n: "new", p: "policy-toggle" };

function onKey(event) {
  if (document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey || !state) return;
  if (onSceneKey(event)) return event.preventDefault();
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const part = event.target.closest?.("#board .can");
  byKeyboard = true;
  if (event.key === "Escape") takeBack();
  else if (ARROWS[event.key] && nextSteps().length && !event.target.closest?.("#log")) moveFocus(ARROWS[event.key]);
  else if (part && (event.key === "Enter" || event.key === " ")) pick(part.dataset.part);
  else if (/^[1-9]$/.test(event.key)) pick(nextSteps()[event.key - 1]?.key);
  else if (LETTERS[event.key.toLowerCase()]) $(LETTERS[event.key.toLowerCase()]).click();
  else return;
  event.preventDefault();
}

// Starting -------------------------------------------------------------------------------------
async function lookChanged() {
  if (state && !busy) await refresh();
}

$("board").addEventListener("click", (event) => {
  byKeyboard = false;
  const part = event.target.closest("[data-part]");
  if (part) pick(part.dataset.part);
});
$("back").addEventListener("click", takeBack);
$("undo").addEventListener("click", () => change("undo", {}));
$("redo").addEventListener("click", () => change("redo", {}));
$("ask").addEventListener("click", askForHint);
$("new").addEventListener("click", () => openSetup().catch(report));
$("load").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", load);
$("step").addEventListener("click", () => !busy && think());
$("pause").addEventListener("click", () => {
  watching = !watching;
  showAbout();
  mark(false);
  goOn();
});
$("retry").addEventListener("click", () => think());
$("substitute").addEventListener("submit", substitute);
$("setup").addEventListener("submit", start);
$("setup").addEventListener("close", () => state && goOn());
addEventListener("keydown", onKey);
addEventListener("pointerdown", () => (byKeyboard = false));
document.addEventListener("visibilitychange", lookIn);
setInterval(lookIn, EVERY);
watchLook(lookChanged);
refresh();
