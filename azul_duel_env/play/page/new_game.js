// The dialog in which a new game is arranged. What there is to choose from, the server says.

import { $, agentOptions, element } from "./dom.js";
import { Trouble, ask, imageOf } from "./requests.js";

const COUNTS = ["no", "one", "two", "three", "four", "five", "six"];
const BY_ELEMENTS = "elements"; // of a list of values: some of its elements

const form = $("setup").querySelector("form");
let setup = null; // what there is to choose from
let built = ""; // the game, and the number of its players, that the dialog is built for

export function fillAgents(agents) {
  $("agents").replaceChildren(...agentOptions(agents));
}

// An agent that is always there, and plays at once.
export const quickAgent = (agents) => ("greedy" in agents ? "greedy" : "random");

export async function openSetup() {
  take(await ask("setup"));
  form.elements.guided.checked = localStorage.getItem("guided") !== "no";
  $("setup").showModal();
}

// Offers what there is to choose from.
function take(next) {
  setup = next;
  fillAgents(setup.agents);
  const game = `${setup.game}, ${setup.players}`;
  if (built !== game) build();
  built = game;
  reportTrouble("");
  arrange();
}

// Asks for what there is to choose from in another game, or with another number of players. Of several questions the last counts.
async function change(query) {
  const number = (change.number = (change.number ?? 0) + 1);
  try {
    const next = await ask("setup", undefined, { query });
    if (number === change.number) take(next);
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    showGame();
    reportTrouble(error.message);
  }
}

export function reportTrouble(text) {
  $("setup-error").textContent = text;
  $("setup-error").hidden = !text;
}

// Waits for a game that is made ready, which takes long where an agent is compiled first; closing the dialog calls it off.
// Returns what the server answers, or null if it was called off.
export async function madeReady(send, callOff) {
  const calling = new AbortController();
  const began = Date.now();
  const tell = () => {
    const seconds = Math.round((Date.now() - began) / 1000);
    $("setup-wait").textContent = seconds < 2 ? "Setting the table …"
      : `Setting the table: agents that have not played since this version was installed are compiled first, once, which may take a minute. ${seconds} s`;
  };
  const stop = () => calling.abort();
  const ticking = setInterval(tell, 1000);
  $("setup").addEventListener("close", stop);
  setBusy(true);
  tell();
  try {
    return await send(calling.signal);
  } catch (error) {
    if (!calling.signal.aborted) throw error;
    await callOff();
    return null;
  } finally {
    clearInterval(ticking);
    $("setup").removeEventListener("close", stop);
    setBusy(false);
  }
}

function setBusy(on) {
  $("setup-wait").hidden = !on;
  $("start").disabled = on;
}

$("cancel").addEventListener("click", () => $("setup").close());

export const isGuided = () => form.elements.guided.checked && form.elements.mode.value !== "watch";

// What the dialog asks the server for.
export function wanted() {
  const mode = form.elements.mode.value;
  const agents = agentInputs().map((input) => input.value.trim());
  const opponents = agents.slice(0, setup.players - 1);
  const seed = form.elements.seed.value.trim();
  return {
    game: setup.game,
    players: setup.players,
    opponent: mode === "human" ? "human" : opponents.length === 1 ? opponents[0] : opponents,
    seat: mode === "agent" ? form.elements.seat.value : "player_0",
    watch: mode === "watch" ? agents : null,
    seed: seed === "" ? null : Number(seed),
    options: Object.fromEntries(setup.options.map((field) => [field, valueOf(field)]).filter(isNamed).map(([field, value]) => [field.name, value])),
  };
}

const isNamed = ([field, value]) => field.is_named || value !== field.default;
const agentInputs = () => [...$("new-agents").querySelectorAll("input")];

function valueOf(field) {
  const input = form.elements[field.name];
  if (field.is_box) return field.values[Number(input.checked)].value;
  if (input.value !== BY_ELEMENTS) return JSON.parse(input.value);
  return [...form.querySelectorAll(`[name="${field.name}-element"]:checked`)].map((one) => one.value);
}

// Building -------------------------------------------------------------------------------------
function build() {
  const count = COUNTS[setup.players] ?? setup.players;
  form.elements.game.replaceChildren(...Object.entries(setup.games).map(([id, title]) => element("option", { value: id }, title)));
  form.elements.players.replaceChildren(...setup.player_counts.map((players) => element("option", { value: players }, `${players}`)));
  $("new-game").hidden = form.elements.game.length === 1;
  $("new-players").hidden = form.elements.players.length === 1;
  showGame();
  $("mode-agent").textContent = setup.players === 2 ? "against an agent" : "against agents";
  $("mode-human").textContent = `${count} people`;
  $("mode-watch").textContent = `watch ${count} agents`;
  $("new-agents").replaceChildren(...Array.from({ length: setup.players }, (_, place) => agentField(place)));
  form.elements.seat.replaceChildren(...setup.seats.map((seat, place) => element("option", { value: seat }, seatWords(seat, place - 1))));
  const lists = setup.options.filter((field) => !field.is_box);
  $("new-options").replaceChildren(...lists.map(listField));
  $("new-elements").replaceChildren(...lists.filter((field) => field.elements.length).map(elementsField));
  $("new-boxes").replaceChildren(...setup.options.filter((field) => field.is_box).map(boxField));
}

function showGame() {
  form.elements.game.value = setup.game;
  form.elements.players.value = setup.players;
}

function agentField(place) {
  const opponent = setup.players === 2 ? "Opponent" : `Opponent ${place + 1}`;
  const words = [element("span", { "data-mode": "agent" }, opponent), element("span", { "data-mode": "watch" }, `Agent ${place + 1}`)];
  const value = place ? quickAgent(setup.agents) : setup.hint;
  const input = element("input", { name: `agent-${place}`, list: "agents", value, autocomplete: "off", spellcheck: "false" });
  const mode = place < setup.players - 1 ? "agent watch" : "watch";
  return element("div", { class: "agent", "data-mode": mode }, element("label", {}, ...words, input), levelsFor(input, `level of ${words.map((one) => one.textContent).join(" or ")}`));
}

// Named levels beside a spec: each sets the other.
function levelsFor(input, label) {
  const levels = element("select", { "aria-label": label }, ...Object.entries({ ...setup.levels, "by spec": "" }).map(([name, spec]) => element("option", { value: spec }, name)));
  const follow = () => (levels.value = Object.values(setup.levels).includes(input.value.trim()) ? input.value.trim() : "");
  levels.addEventListener("change", () => (levels.value ? (input.value = levels.value) : input.select()));
  input.addEventListener("input", follow);
  follow();
  return levels;
}

function seatWords(seat, place) {
  if (seat.startsWith("player_")) return seat.replace("_", " ");
  if (seat === "random") return seat;
  if (place === 0) return "you begin";
  return setup.players === 2 ? "the agent begins" : `you are ${seat}`;
}

const sameValue = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function listField(field) {
  const options = field.values.map(({ value, label }) => {
    const option = element("option", { value: JSON.stringify(value) }, label);
    option.selected = sameValue(value, field.default);
    return option;
  });
  if (field.elements.length) options.push(element("option", { value: BY_ELEMENTS }, field.elements_label[0]));
  return element("label", {}, field.label, element("select", { name: field.name }, ...options));
}

function elementsField(field) {
  const boxes = field.elements.map(({ value, label, image }) => {
    const picture = image ? [element("img", { alt: "", src: imageOf(image, { game: setup.game }) })] : [];
    return element("label", {}, element("input", { type: "checkbox", name: `${field.name}-element`, value }), ...picture, label);
  });
  return element("fieldset", { class: "row", "data-option": field.name }, element("legend", {}, field.elements_label[1]), ...boxes);
}

function boxField(field) {
  const box = element("input", { type: "checkbox", name: field.name });
  box.checked = sameValue(field.values[1].value, field.default);
  return element("label", { class: "check" }, box, field.label);
}

// Shows the fields of what is chosen.
function arrange() {
  const mode = form.elements.mode.value;
  for (const part of form.querySelectorAll("[data-mode]")) part.hidden = !part.dataset.mode.split(" ").includes(mode);
  for (const part of form.querySelectorAll("[data-option]")) part.hidden = form.elements[part.dataset.option].value !== BY_ELEMENTS;
}

form.addEventListener("input", arrange);
form.elements.guided.addEventListener("change", () => localStorage.setItem("guided", form.elements.guided.checked ? "yes" : "no"));
form.elements.game.addEventListener("change", () => change({ game: form.elements.game.value }));
form.elements.players.addEventListener("change", () => change({ game: setup.game, players: form.elements.players.value }));
