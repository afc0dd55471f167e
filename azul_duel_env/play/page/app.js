// The board in the browser. The server holds the game and knows the rules; the page shows it, and lets a person pick, part by part, one
// of the legal actions that the server lists.

const $ = (id) => document.getElementById(id);
const narrowScreen = matchMedia("(max-width: 760px)");
const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const THEMES = ["auto", "light", "dark"];
const PAUSES = [1600, 900, 450, 150, 0]; // ms between the decisions of two agents, by the slider
const AGAIN = 1000; // ms between two tries to reach the server
const PATIENCE = 8000; // ms after which it counts as lost
const EVERY = 4000; // ms between two looks at whether it is there
const COLOURS = { blue: "#1f62d0", turquoise: "#0f9f92", red: "#d6352f", yellow: "#f4b71e", black: "#262c36" };

let state = null; // the game as the server last told it
let picked = []; // keys of the parts picked so far
let hinted = []; // keys of the parts that a hint tells to pick
let busy = false; // a decision is on its way, or tiles fly
let thinking = 0; // version that an agent was asked to think about
let watching = false; // two agents play on by themselves
let byKeyboard = false; // the last thing picked was picked with a key
let failure = ""; // what an agent said when it could not decide here
let lost = false; // the server can't be reached
let bare = 0; // version of a table without a game

// Asking the server ----------------------------------------------------------------------------
const theme = () => localStorage.getItem("theme") ?? "auto";
const look = () => {
  const dark = theme() === "dark" || (theme() === "auto" && darkSystem.matches);
  return { layout: narrowScreen.matches ? "narrow" : "wide", theme: dark ? "dark" : "light" };
};

class Trouble extends Error {
  constructor(status, answer) {
    super(answer?.error ?? "The server can't be reached.");
    this.status = status;
    this.lost = !answer?.error; // the server says what is wrong; others, and proxies, do not
    this.preparing = answer?.preparing ?? false;
    this.version = answer?.version;
  }
}

// Addresses are relative: a proxy may show the page below a path of its own.
async function ask(path, body, limits = {}) {
  const options = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(`api/${path}?${new URLSearchParams(look())}`, { ...options, ...limits }).catch(() => null);
  const content = await answer?.json().catch(() => null);
  if (!answer?.ok || !content) throw new Trouble(answer?.status ?? 0, content);
  return content;
}

function say(text) {
  $("message").textContent = text;
  $("message").hidden = !text;
  clearTimeout(say.timer);
  if (text) say.timer = setTimeout(() => say(""), 9000);
}

async function told(error) {
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

// Shows that there is no game, and why.
function clearTable(error) {
  found();
  state = null;
  bare = error.version ?? bare;
  const title = error.preparing ? "Setting the table …" : "There is no game on the table";
  $("board").replaceChildren(element("p", { class: "notice" }, element("b", {}, title), error.message));
  for (const name of ["who", "question", "picked", "choices", "about"]) $(name).replaceChildren();
  for (const name of ["failure", "hint", "moves", "ending", "watch", "back"]) $(name).hidden = true;
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
const matching = () => (state?.choices ?? []).filter((choice) => picked.every((key, place) => choice.parts[place] === key));

function nextSteps() {
  const steps = new Map();
  for (const choice of matching()) {
    const key = choice.parts[picked.length];
    if (key !== undefined && !steps.has(key)) steps.set(key, { key, label: choice.labels[picked.length], choice });
  }
  return [...steps.values()];
}

function pick(key) {
  if (busy || !nextSteps().some((step) => step.key === key)) return;
  picked.push(key);
  const left = matching();
  if (left.length === 1 && left[0].parts.length === picked.length) decide(left[0]);
  else mark(true);
}

function takeBack() {
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
    await told(error);
  }
}

// Showing --------------------------------------------------------------------------------------
function show(next) {
  clearTimeout(refresh.timer);
  if (state && next.game !== state.game) watching = false;
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
  goOn();
}

async function showMoved(next, time) {
  const before = state;
  busy = true;
  const last = next.log.at(-1);
  if (last && next.game === state.game && next.log.length === state.log.length + 1) await fly(last, time);
  if (state === before) show(next); // unless somebody has taken a move back meanwhile
}

function drawBoard() {
  const svg = new DOMParser().parseFromString(state.svg, "image/svg+xml").documentElement;
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.classList.add("table");
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", "the table");
  $("board").replaceChildren(document.importNode(svg, true));
  $("board").dataset.version = state.version;
}

function showAbout() {
  const tiles = state.options.scoring_tiles;
  const which = Array.isArray(tiles) ? tiles.join(", ") : tiles;
  const seed = state.seed === null ? "no seed" : `seed ${state.seed}`;
  $("about").textContent = `${state.names.join(" – ")} · ${seed}` + (which && which !== 3 ? ` · scoring tiles: ${which}` : "");
  document.title = `${state.scores.join(" : ")} – Azul Duel`;
  $("undo").disabled = !state.can_undo;
  $("redo").disabled = !state.can_redo;
  $("ask").disabled = state.turn !== "human";
  $("watch").hidden = !isWatch() || state.turn === "over";
  $("pause").textContent = watching ? "Pause" : "Play";
}

const isWatch = () => !state.seats.includes("human");
const named = (round) => (round ? `round ${round}` : "opening");

function showLog() {
  const items = [];
  state.log.forEach((entry, place) => {
    if (place && entry.round !== state.log[place - 1].round) items.push(element("li", { class: "round" }, `${named(state.log[place - 1].round)} ends`));
    items.push(element("li", {}, element("span", { class: "number" }, `${entry.number}`), element("span", {}, entry.words)));
  });
  $("log").replaceChildren(...items.reverse());
  $("moves").hidden = !items.length;
}

function showEnding() {
  const final = state.final;
  $("ending").hidden = !final;
  $("decision").hidden = Boolean(final);
  if (!final) return;
  const row = (kind, cells, attributes = {}) => element("tr", attributes, ...cells.map((cell) => element(kind, {}, `${cell}`)));
  const body = final.rows.flatMap(([label, points]) => {
    const main = row("td", [label, ...points]);
    return label === final.tiles_label ? [main, ...final.tiles.map(([name, given]) => row("td", [name, ...given], { class: "part" }))] : [main];
  });
  $("ending").replaceChildren(
    element("h2", {}, `${final.result}, ${final.scores.join(" to ")}`),
    element("table", {}, element("thead", {}, row("th", ["", ...state.names])), element("tbody", {}, ...body),
      element("tfoot", {}, row("th", ["score", ...final.scores]))),
  );
}

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const partsOf = (key) => [...$("board").querySelectorAll("[data-part]")].filter((part) => part.dataset.part === key);

// Marks what can be picked next, on the table and in the list.
function mark(focus) {
  const steps = state.turn === "human" && !busy && !lost ? nextSteps() : [];
  const can = new Map(steps.map((step) => [step.key, step]));
  for (const part of $("board").querySelectorAll("[data-part]")) {
    const key = part.dataset.part;
    part.classList.toggle("can", can.has(key));
    part.classList.toggle("picked", picked.includes(key));
    part.classList.toggle("hinted", hinted.includes(key));
    part.setAttribute("role", can.has(key) ? "button" : "img");
    if (can.has(key)) part.setAttribute("tabindex", "0");
    else part.removeAttribute("tabindex");
  }
  showDecision(steps);
  if (focus && byKeyboard) focusFirst();
  if (focus) bringIntoView();
}

// On a phone the table is longer than the screen: what can be picked next must be seen.
function bringIntoView() {
  if (!narrowScreen.matches) return;
  const parts = [...$("board").querySelectorAll(".can")];
  const floor = $("decision").getBoundingClientRect().top;
  const seen = parts.some((part) => {
    const box = part.getBoundingClientRect();
    return box.top >= 0 && box.bottom <= floor;
  });
  if (!seen) parts[0]?.scrollIntoView({ block: "center", behavior: calm.matches ? "auto" : "smooth" });
}

function focusFirst() {
  const first = $("board").querySelector(".can") ?? $("choices").querySelector("button");
  first?.focus({ preventScroll: true });
}

function showDecision(steps) {
  const deciding = state.player >= 0 ? state.names[state.player] : "";
  const agent = state.turn === "agent";
  $("who").textContent = deciding && (agent ? deciding : `${deciding === "You" ? "Your turn" : deciding}${state.round ? `, round ${state.round}` : ", opening"}`);
  const atWork = agent && !lost && !failure && (!isWatch() || watching);
  $("who").classList.toggle("thinking", atWork);
  $("question").textContent = lost ? "The server is gone" : failure ? "could not decide" : atWork ? "is thinking" : agent ? "decides next" : questionNow();
  $("failure").hidden = !failure || lost;
  $("cause").textContent = failure;
  const labels = picked.map((key, place) => matching()[0]?.labels[place] ?? key);
  $("picked").textContent = labels.join(" → ");
  $("back").hidden = !picked.length || busy;
  const turns = steps.length > 0 && steps.every((step) => step.key.startsWith("rotation-"));
  $("choices").classList.toggle("turns", turns);
  $("choices").replaceChildren(...steps.map((step, place) => choiceButton(step, place, turns)));
}

function questionNow() {
  if (!picked.length) return state.question;
  const key = nextSteps()[0]?.key ?? "";
  if (key.startsWith("rotation-")) return "Which way round?";
  if (key.startsWith("slot-")) return "Which slot of your dome?";
  return key ? "Onto which pattern line?" : state.question;
}

function choiceButton(step, place, turns) {
  const button = element("button", { "data-key": step.key });
  if (turns && step.choice.dome_tile) {
    const [tile, rotation] = step.choice.dome_tile;
    button.append(element("img", { alt: "", src: `api/tile?${new URLSearchParams({ tile, rotation, theme: look().theme })}` }));
  } else if (place < 9) button.append(element("kbd", { "aria-hidden": "true" }, `${place + 1}`));
  const colour = Object.keys(COLOURS).find((name) => step.key.startsWith("sun-") && step.key.endsWith(name) || step.key === `moon-${name}`);
  if (colour) button.append(element("span", { class: "sample", style: `background:${COLOURS[colour]}`, "aria-hidden": "true" }));
  button.append(step.label);
  button.addEventListener("click", () => pick(step.key));
  return button;
}

// Tiles fly from part to part --------------------------------------------------------------------
function journey(entry) {
  const [first, second] = entry.parts;
  if (!first) return [[], []];
  const column = /^column-(\d)-(\d)-/.exec(first);
  if (column) return [partsOf(`line-${column[1]}-${column[2]}`), partsOf(first)];
  return [partsOf(first), second && !second.startsWith("rotation-") ? partsOf(second) : []];
}

const middle = (part) => {
  const boxes = [...part.querySelectorAll(".hit")].map((hit) => hit.getBBox());
  const box = boxes[0] ?? part.getBBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
};

async function fly(entry, time) {
  const [sources, goals] = journey(entry);
  if (calm.matches || !time || document.hidden || !sources.length) return;
  sources.forEach((part) => part.classList.add("pulse"));
  if (!goals.length) {
    await pause(time);
    return;
  }
  const end = middle(goals[0]);
  const flights = sources.map((part) => {
    const start = middle(part);
    const flier = part.cloneNode(true);
    flier.classList.remove("can", "picked", "hinted", "pulse");
    flier.classList.add("flying");
    flier.removeAttribute("data-part");
    part.ownerSVGElement.append(flier);
    part.style.opacity = "0.25";
    const path = [{ transform: "none" }, { transform: `translate(${end.x - start.x}px, ${end.y - start.y}px)` }];
    return flier.animate(path, { duration: time * 1.6, easing: "cubic-bezier(.4, 0, .2, 1)", fill: "forwards" }).finished;
  });
  await Promise.all(flights).catch(() => {});
}

const pause = (time) => new Promise((done) => setTimeout(done, time));

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
    if (error.status === 409 || error.lost || !(error instanceof Trouble)) return told(error);
    watching = false;
    failure = error.message;
    showAbout();
    mark(false);
    fillAgents(await ask("setup").catch(() => ({ agents: {} })));
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
    await told(error);
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
    await told(error);
  }
}

function showHint(hint) {
  hinted = hint.parts;
  picked = [];
  const signed = (number) => (number > 0 ? "+" : "") + number;
  const others = hint.shares.map((one) => element("li", {}, `${Math.round(100 * one.share)}%: ${one.words}`));
  $("hint").replaceChildren(
    element("p", {}, element("b", {}, "Hint: "), hint.words),
    element("p", {}, `${hint.agent} expects ${signed(hint.margin)} points of margin at the end of the round; value ${signed(hint.value)}, where 1 is a sure win.`),
    element("ul", {}, ...others),
  );
  mark(false);
}

async function load() {
  const [file] = $("file").files;
  $("file").value = "";
  if (!file) return;
  if (file.size > 256 * 1024) return say(`${file.name} is no game file: those have less than 256 KiB`);
  await change("load", { text: await file.text() });
}

// A new game -----------------------------------------------------------------------------------
const form = $("setup").querySelector("form");

async function openSetup() {
  const setup = await ask("setup").catch(told);
  if (!setup) return;
  fillAgents(setup);
  const boxes = setup.scoring_tiles.map((name) => {
    const label = element("label", {}, element("input", { type: "checkbox", name: "tile", value: name }), name.replaceAll("_", " "));
    return label;
  });
  if ($("tile-names").querySelectorAll("label").length === 0) $("tile-names").append(...boxes);
  $("setup-error").hidden = true;
  arrangeSetup();
  $("setup").showModal();
}

function fillAgents(setup) {
  $("agents").replaceChildren(...Object.entries(setup.agents).map(([spec, text]) => element("option", { value: spec.replace(":N", ":400") }, text)));
}

function arrangeSetup() {
  const mode = form.elements.mode.value;
  for (const part of form.querySelectorAll("[data-mode]")) part.hidden = !part.dataset.mode.split(" ").includes(mode);
  $("tile-names").hidden = form.elements.tiles.value !== "names";
}

function wanted() {
  const { mode, opponent, second, seat, seed, tiles, draw, special, payments } = form.elements;
  const names = [...form.querySelectorAll("[name=tile]:checked")].map((one) => one.value);
  return {
    version: state?.version ?? bare,
    opponent: mode.value === "human" ? "human" : opponent.value.trim(),
    seat: mode.value === "agent" ? seat.value : "player_0",
    watch: mode.value === "watch" ? [opponent.value.trim(), second.value.trim()] : null,
    seed: seed.value.trim() === "" ? null : Number(seed.value),
    options: {
      scoring_tiles: tiles.value === "names" ? names : /^\d$/.test(tiles.value) ? Number(tiles.value) : tiles.value,
      zero_point_draw: draw.value,
      special_counts_as_colour: special.checked,
      ...(payments.checked && { chip_payments: "all" }),
    },
  };
}

async function start(event) {
  if (event.submitter?.value !== "start") return;
  event.preventDefault();
  $("start").disabled = true;
  try {
    const next = await ask("new", wanted());
    $("setup").close();
    say("");
    show(next);
  } catch (error) {
    $("setup-error").textContent = error.message + (error.status === 409 ? ": start once more" : "");
    $("setup-error").hidden = false;
    if (error.lost) lose();
    if (error.status === 409) await refresh();
  } finally {
    $("start").disabled = false;
  }
}

// Keys -----------------------------------------------------------------------------------------
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const LETTERS = { u: "undo", r: "redo", h: "ask", n: "new" };

function moveFocus([dx, dy]) {
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

function onKey(event) {
  if ($("setup").open || event.ctrlKey || event.metaKey || event.altKey || !state) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const part = event.target.closest?.("#board .can");
  byKeyboard = true;
  if (event.key === "Escape") takeBack();
  else if (ARROWS[event.key] && !event.target.closest?.("#log")) moveFocus(ARROWS[event.key]);
  else if (part && (event.key === "Enter" || event.key === " ")) pick(part.dataset.part);
  else if (/^[1-9]$/.test(event.key)) pick(nextSteps()[event.key - 1]?.key);
  else if (LETTERS[event.key.toLowerCase()]) $(LETTERS[event.key.toLowerCase()]).click();
  else return;
  event.preventDefault();
}

// Starting -------------------------------------------------------------------------------------
function showTheme() {
  document.documentElement.dataset.theme = look().theme;
  $("theme").textContent = { auto: "Auto", light: "Light", dark: "Dark" }[theme()];
  $("theme").setAttribute("aria-label", `colours: ${theme()}`);
}

async function lookChanged() {
  showTheme();
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
$("new").addEventListener("click", openSetup);
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
$("theme").addEventListener("click", () => {
  localStorage.setItem("theme", THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);
  lookChanged();
});
form.addEventListener("input", arrangeSetup);
form.addEventListener("submit", start);
addEventListener("keydown", onKey);
addEventListener("pointerdown", () => (byKeyboard = false));
for (const query of [narrowScreen, darkSystem]) query.addEventListener("change", lookChanged);
document.addEventListener("visibilitychange", lookIn);
setInterval(lookIn, EVERY);
showTheme();
refresh();
