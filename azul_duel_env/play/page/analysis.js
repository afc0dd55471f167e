// A game looked at again: its moves and positions, what a search found about them, what agents would have played, and puzzles.

import { $, agentOptions, element, narrowScreen, pause } from "./dom.js";
import { graph } from "./graph.js";
import { inSentence, points, signed, variationOf } from "./hint.js";
import { chosenFile, say, watchLook } from "./look.js";
import { PolicyPanel } from "./policy.js";
import { Puzzles, worstOf } from "./puzzles.js";
import { Trouble, ask } from "./requests.js";
import { drawTable } from "./table.js";

const EVERY = 700; // ms between two looks at how far the analysis is
const [GONE, ANOTHER] = [404, 409]; // what the server answers about a game that it doesn't know, and if another one lies on the table
const AGAIN = 1000; // ms between two tries while the game isn't there yet

const query = new URLSearchParams(location.search);
const id = query.get("id") ?? "table";
const panel = new PolicyPanel($("policy-body"), "study-policy");

let study = null; // the game, as the server sent it
let found = new Map(); // what the search found, by the number of the move
let at = 0; // moves before the position that is shown
let shown = null; // that position, as the server sent it
let puzzles = null; // while puzzles are solved
let following = ""; // spec of the search whose progress is asked for
let meaning = "";

async function report(error) {
  if (!(error instanceof Trouble)) throw error;
  if (error.status === GONE) return reopen();
  if (error.status === ANOTHER) return showAnother();
  say(error.message);
}

// Opens a game file again that the server doesn't know any more.
async function reopen() {
  const text = sessionStorage.getItem(`study ${id}`);
  if (text === null) return say("The server was started anew, and knows this game no more: open its file again.");
  sessionStorage.setItem("news", "The server was started anew, and so this game was opened again. What was found is gone; the same search finds the same.");
  await openText(text);
}

// Opens the text of a game file, which is kept as long as this tab is open.
async function openText(text, more = {}) {
  const opened = await ask("study/open", { text });
  sessionStorage.removeItem(`study ${id}`);
  sessionStorage.setItem(`study ${opened.id}`, text);
  location.href = `analysis?${new URLSearchParams({ id: opened.id, ...more })}#${at}`;
}

// Shows the game that lies on the table by now.
async function showAnother() {
  say("Another game lies on the table, or the server was started anew: what was found before is gone.");
  puzzles = null;
  setPuzzling(false);
  await open();
}

const searchesIn = (agents) => Object.fromEntries(Object.entries(agents).filter(([spec]) => spec.includes("mcts")));
const agentNow = () => $("analyse").elements.agent.value.trim();

// Opening ----------------------------------------------------------------------------------------
async function open() {
  const before = study;
  try {
    study = await ask("study", undefined, { query: { id } });
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    if (error.status === GONE && sessionStorage.getItem(`study ${id}`) !== null) return reopen();
    $("board").replaceChildren(element("p", { class: "notice" }, element("b", {}, "There is no game to look at"), error.message));
    if (error.preparing || error.lost) setTimeout(open, AGAIN);
    return;
  }
  $("title").textContent = `${study.title}: analysis`;
  document.title = `Analysis – ${study.title}`;
  const seed = study.seed === null ? "no seed" : `seed ${study.seed}`;
  $("about").textContent = [study.names.join(" – "), study.result || "not over yet", study.scores.join(" : "), seed].join(" · ");
  $("slider").max = study.moves.length;
  $("searches").replaceChildren(...agentOptions(searchesIn(study.agents)));
  $("analyse").elements.agent.value ||= study.search;
  if (before?.title !== study.title) panel.offer(study.agents, study.search);
  listMoves();
  const starts = query.has("start");
  query.delete("start"); // a reload begins nothing
  await go(Math.min(Number(location.hash.slice(1)) || (study.over ? 0 : study.moves.length), study.moves.length));
  if (starts) await analyse();
  else await follow(agentNow());
}

// Analysing --------------------------------------------------------------------------------------
async function analyse() {
  try {
    await ask("study/analyse", { id, agent: agentNow() });
    await follow(agentNow());
  } catch (error) {
    report(error);
  }
}

// Asks how far an analysis is until it is done or stopped.
async function follow(agent) {
  const round = (follow.round = (follow.round ?? 0) + 1);
  following = agent;
  found = new Map();
  let after = 0;
  while (round === follow.round) {
    let progress;
    try {
      progress = await ask("study/progress", undefined, { query: { id, key: study.key, agent, after } });
    } catch (error) {
      if (!error.lost) return report(error);
      say(error.message);
      await pause(AGAIN);
      continue;
    }
    if (round !== follow.round) return;
    for (const decision of progress.decisions) found.set(decision.number, decision);
    after = Math.max(after, ...progress.decisions.map((one) => one.number));
    showProgress(progress);
    if (!progress.running) return;
    await pause(EVERY);
  }
}

function showProgress(progress) {
  const { running, done, wanted } = progress;
  meaning = progress.value_meaning || meaning;
  $("start").hidden = running;
  $("stop").hidden = !running;
  $("start").disabled = done === wanted;
  $("start").textContent = done && done < wanted ? "Go on" : "Analyse";
  $("progress").hidden = !running;
  $("progress").max = Math.max(1, wanted);
  $("progress").value = done;
  const state = running ? (done ? "" : ": the search is made ready, which takes a while the first time") : done === wanted ? ": done" : "";
  $("progress-text").textContent = progress.trouble || (wanted ? `${done} of ${wanted} decisions with a choice${state}` : "There is nothing to look at yet.");
  $("save").href = `api/study/analysis?${new URLSearchParams({ id, agent: progress.agent })}`;
  $("meaning").hidden = !done;
  $("value-meaning").textContent = meaning ? `Value: ${meaning}.` : "";
  showSummary(progress.summary);
  listMoves();
  drawGraph();
  if (!puzzles) showMove();
}

function showSummary(summary) {
  $("summary").hidden = !summary.length || Boolean(puzzles);
  const row = (kind, cells) => element("tr", {}, ...cells.map((cell) => element(kind, {}, `${cell}`)));
  const body = summary.map((one) => row("td", [one.name, `${Math.round(100 * one.agreement)}%`, one.loss_mean.toFixed(3), one.points_mean.toFixed(1), one.marks["?"], one.marks["??"]]));
  $("summary").replaceChildren(element("table", {}, element("thead", {}, row("th", ["player", "as the search", "lost a move", "points", "?", "??"])), element("tbody", {}, ...body)));
}

const drawGraph = () => $("graph").replaceChildren(...graph({ moves: study.moves, found, names: study.names, front: study.front, at, go: (number) => !puzzles && go(number) }));

// Moves ------------------------------------------------------------------------------------------
function listMoves() {
  const only = $("marked-only").checked;
  const items = [];
  let round = null; // of the last item
  for (const move of study.moves) {
    const decision = found.get(move.number);
    if (only && !decision?.mark) continue;
    if (move.round !== round) items.push(element("li", { class: "round" }, move.round_name));
    round = move.round;
    items.push(moveItem(move, decision));
  }
  const top = $("list").scrollTop;
  $("list").replaceChildren(...items);
  $("list").scrollTop = top;
  markMove();
  $("puzzles").disabled = !worstOf(found).length;
}

function moveItem(move, decision) {
  const worth = decision ? [element("span", { class: "worth" }, signed(decision.value, 2))] : [];
  const mark = decision?.mark ? [element("b", { class: decision.mark === "??" ? "mark worst" : "mark", "aria-label": `lost ${decision.loss.toFixed(2)}` }, decision.mark)] : [];
  const button = element("button", { "data-number": move.number }, element("span", { class: "number" }, `${move.number}`), element("span", { class: "words" }, move.words), ...mark, ...worth);
  button.addEventListener("click", () => puzzles || go(move.number - 1));
  return element("li", {}, button);
}

function markMove() {
  $("list").querySelector("[aria-current]")?.removeAttribute("aria-current");
  const button = $("list").querySelector(`[data-number="${at + 1}"]`);
  button?.setAttribute("aria-current", "step");
  if (!button || narrowScreen.matches) return;
  const list = $("list");
  const [top, bottom] = [button.offsetTop, button.offsetTop + button.offsetHeight]; // in the list, which is positioned
  if (top < list.scrollTop || bottom > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
}

// Positions --------------------------------------------------------------------------------------
// Shows the position after so many moves; of several that are asked for in a row the last one counts.
async function go(number) {
  const wanted = Math.max(0, Math.min(study.moves.length, number));
  const count = (go.count = (go.count ?? 0) + 1);
  at = wanted;
  $("slider").value = at;
  markMove();
  drawGraph();
  try {
    const next = await ask("study/position", undefined, { query: { id, key: study.key, at: wanted } });
    if (count !== go.count) return;
    shown = next;
    if (!puzzles) history.replaceState(null, "", `${location.pathname}?${query}#${at}`);
    drawBoard();
    if (!puzzles) showMove();
  } catch (error) {
    report(error);
  }
}

function drawBoard() {
  drawTable(shown.svg);
  $("board").dataset.at = at;
  const decides = shown.player >= 0 ? `${study.names[shown.player]}: ${shown.question}` : study.result || "";
  $("where").textContent = `After ${at} of ${study.moves.length} moves, ${shown.round_name}. ${decides}`;
}

// What was played from the position that is shown, what the search would have played, and what agents think.
function showMove() {
  const move = study.moves[at];
  const decision = move && found.get(move.number);
  $("move").hidden = !move;
  if (move) $("move").replaceChildren(...moveContent(move, decision));
  markParts(decision);
  showPolicy();
}

function moveContent(move, decision) {
  const parts = [element("h2", {}, `Move ${move.number}`), element("p", {}, move.words)];
  if (move.events.length) parts.push(element("ul", { class: "events" }, ...move.events.map(([words]) => element("li", {}, words))));
  if (!decision) return parts;
  const who = `value ${signed(decision.value, 2)} for ${inSentence(study.names[decision.player])}, ${points(decision.margin)} expected`;
  if (decision.agrees) parts.push(element("p", { class: "good" }, `The search would play the same: ${who}.`));
  else {
    const lost = decision.loss ? `Lost ${decision.loss.toFixed(2)}${decision.mark ? ` ${decision.mark}` : ""}` : "Nothing lost on a closer look";
    const given = decision.points > 0.05 ? `, and ${decision.points.toFixed(1)} points of the lead expected` : "";
    parts.push(element("p", { class: decision.mark ? "mark" : "muted" }, `${lost}${given}; ${who}.`), element("p", {}, element("b", {}, "The search: "), `${decision.best_words}, value ${signed(decision.best_value, 2)}.`));
  }
  parts.push(...variationOf(decision.variation));
  return parts;
}

// Outlines what was played, and what the search would have played.
function markParts(decision) {
  const partsFor = (action) => (decision && action !== null ? (shown?.choices.find((choice) => choice.action === action)?.parts ?? []) : []);
  const [played, best] = [partsFor(decision?.played), partsFor(decision?.agrees ? null : decision?.best)];
  for (const part of $("board").querySelectorAll("[data-part]")) {
    part.classList.toggle("played", played.includes(part.dataset.part));
    part.classList.toggle("hinted", best.includes(part.dataset.part));
  }
}

function showPolicy() {
  const on = $("policy-toggle").checked && !puzzles && shown && shown.player >= 0 && shown.at === at;
  $("policy-body").hidden = !on;
  if (!on) return panel.hide();
  panel.show({ id, at, version: study.moves.length, names: study.names, front: study.front, board: $("board"), picked: [] });
}

// Puzzles ----------------------------------------------------------------------------------------
async function startPuzzles() {
  const before = at;
  puzzles = new Puzzles({
    id, names: study.names, agent: following, decisions: worstOf(found),
    show: async (number) => {
      await go(number);
      return shown.choices;
    },
    leave: () => {
      puzzles = null;
      setPuzzling(false);
      go(before);
    },
  });
  setPuzzling(true);
  panel.hide();
  await puzzles.next();
}

function setPuzzling(on) {
  $("puzzle").hidden = !on;
  for (const name of ["run", "move", "policy", "moves", "summary", "steps"]) $(name).hidden = on;
}

// Starting ---------------------------------------------------------------------------------------
async function lookChanged() {
  if (!study) return;
  await go(at);
  puzzles?.draw();
}

async function load() {
  const text = await chosenFile();
  if (text === null) return;
  try {
    at = 0;
    await openText(text, { start: "" });
  } catch (error) {
    report(error);
  }
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !study || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const part = event.target.closest?.("#board .can");
  const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: study.moves.length };
  if (puzzles && part && (event.key === "Enter" || event.key === " ")) puzzles.pick(part.dataset.part);
  else if (puzzles && event.key === "Escape") puzzles.back();
  else if (!puzzles && event.key in steps) go(steps[event.key]);
  else return;
  event.preventDefault();
}

$("analyse").addEventListener("submit", (event) => {
  event.preventDefault();
  analyse();
});
$("analyse").elements.agent.addEventListener("change", () => study && agentNow() !== following && follow(agentNow()));
$("stop").addEventListener("click", () => ask("study/stop", { id }).then(() => follow(following), report));
$("marked-only").addEventListener("change", listMoves);
$("policy-toggle").addEventListener("change", () => study && showPolicy());
$("puzzles").addEventListener("click", () => startPuzzles().catch(report));
$("puzzle-next").addEventListener("click", () => puzzles.next().catch(report));
$("puzzle-answer").addEventListener("click", () => puzzles.answer());
$("puzzle-back").addEventListener("click", () => puzzles.back());
$("puzzle-end").addEventListener("click", () => puzzles.leave());
$("board").addEventListener("click", (event) => {
  const part = event.target.closest("[data-part]");
  if (part && puzzles) puzzles.pick(part.dataset.part);
});
$("to-start").addEventListener("click", () => go(0));
$("step-back").addEventListener("click", () => go(at - 1));
$("step-on").addEventListener("click", () => go(at + 1));
$("to-end").addEventListener("click", () => go(study.moves.length));
$("slider").addEventListener("input", () => go(Number($("slider").value)));
$("load").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", load);
addEventListener("keydown", onKey);
document.addEventListener("visibilitychange", () => !document.hidden && id === "table" && !puzzles && open()); // the game may have gone on
watchLook(lookChanged);
say(sessionStorage.getItem("news") ?? "");
sessionStorage.removeItem("news");
open();
