// The page of one game. The server knows the rules: it sends the picture, the legal actions as paths of parts, and the moves in words.

const byId = (id) => document.getElementById(id);
const narrow = matchMedia("(max-width: 600px)");
const dark = matchMedia("(prefers-color-scheme: dark)");
const still = matchMedia("(prefers-reduced-motion: reduce)");

let state = null; // as the server last told it
let picked = []; // keys of the parts picked so far
let hint = null;
let busy = false; // a request that changes the game is under way
let paused = false;

// The server -----------------------------------------------------------------------------------
function look() {
  const chosen = byId("theme").value;
  const theme = chosen === "auto" ? (dark.matches ? "dark" : "light") : chosen;
  return `layout=${narrow.matches ? "narrow" : "wide"}&theme=${theme}`;
}

async function ask(path, body) {
  const options = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch(`${path}?${look()}`, options);
  } catch {
    throw new Error("The server doesn't answer. Is azul-duel play still running?");
  }
  const found = await answer.json();
  if (answer.ok) return found;
  throw Object.assign(new Error(found.error), { status: answer.status, preparing: found.preparing === true });
}

async function refresh() {
  for (;;) {
    try {
      return show(await ask("/api/state"));
    } catch (error) {
      if (!error.preparing) throw error;
      byId("question").textContent = `One moment: ${error.message} …`;
      byId("ask").className = "thinking";
      await pause(400);
    }
  }
}

// Change the game by a request; should it have moved on meanwhile, show how it stands.
async function change(path, body = {}) {
  if (busy) return;
  busy = true;
  render();
  try {
    const found = await ask(path, { version: state.version, ...body });
    await animate(found);
    show(found);
  } catch (error) {
    complain(error);
    if (error.status === 409) await refresh().catch(complain);
  } finally {
    busy = false;
    render();
  }
  letAgentsPlay();
}

function letAgentsPlay() {
  if (busy || !state || state.turn !== "agent" || (watching() && paused)) return;
  think();
}

async function think() {
  busy = true;
  render();
  const version = state.version;
  try {
    const [found] = await Promise.all([ask("/api/think", { version }), watching() ? pause(Number(byId("pace").value)) : null]);
    if (state.version === version) {
      await animate(found);
      show(found);
    }
  } catch (error) {
    if (state.version === version || error.status !== 409) {
      complain(error);
      paused = true;
    }
    if (error.status === 409) await refresh().catch(complain);
  } finally {
    busy = false;
    render();
  }
  letAgentsPlay();
}

const watching = () => state !== null && !state.seats.includes("human");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

let complaint = 0;
function complain(error) {
  const box = byId("trouble");
  box.textContent = error.message;
  box.hidden = false;
  clearTimeout(complaint);
  complaint = setTimeout(() => (box.hidden = true), 7000);
}

// What can be picked ---------------------------------------------------------------------------
const choicesLeft = () => state.choices.filter((choice) => picked.every((key, depth) => choice.parts[depth] === key));

function steps() {
  const found = new Map();
  for (const choice of choicesLeft()) {
    const key = choice.parts[picked.length];
    if (key !== undefined && !found.has(key)) found.set(key, { key, label: choice.labels[picked.length], choice });
  }
  return [...found.values()];
}

function pick(key) {
  if (busy || state.turn !== "human" || !steps().some((step) => step.key === key)) return;
  picked.push(key);
  const [choice, ...others] = choicesLeft();
  if (others.length === 0 && choice.parts.length === picked.length) change("/api/play", { action: choice.action });
  else render();
}

// What there is to see -------------------------------------------------------------------------
function show(found) {
  const isNew = state === null || found.version !== state.version;
  state = found;
  if (isNew) {
    picked = [];
    hint = null;
  }
  byId("board").innerHTML = state.svg;
  render();
  if (state.trouble) complain(new Error(state.trouble));
}

function render() {
  if (!state) return;
  const mine = state.turn === "human" && !busy;
  const current = mine ? steps() : [];
  byId("score").textContent = `${state.names[0]} ${state.scores[0]} : ${state.scores[1]} ${state.names[1]}`;
  byId("question").textContent = questionText();
  byId("ask").className = mine ? "mine" : state.turn === "over" ? "" : "thinking";
  byId("undo").disabled = !state.can_undo;
  byId("redo").disabled = !state.can_redo || busy;
  byId("hint").disabled = !mine;
  byId("back").hidden = picked.length === 0 || !mine;
  byId("watch").hidden = !watching() || state.turn === "over";
  byId("pause").textContent = paused ? "Go on" : "Pause";
  byId("step").disabled = !paused || busy;
  byId("about").textContent = `Seed ${state.seed ?? "none"}, round ${state.round} of 5, ${state.log.length} moves.`;
  renderHint();
  renderChoices(current);
  renderParts(current);
  renderLog();
  renderFinal();
}

function questionText() {
  if (state.turn === "over") return `The game is over: ${state.final.result}.`;
  const who = state.names[state.player];
  if (state.turn === "agent") return watching() && paused ? `${who} is next.` : `${who} is thinking …`;
  return `${who === "You" ? "" : `${who}: `}${state.question}`;
}

function renderHint() {
  const box = byId("hinted");
  box.hidden = hint === null;
  if (hint === null) return;
  const ahead = `${Math.abs(hint.margin).toFixed(1)} points ${hint.margin < 0 ? "behind" : "ahead"}`;
  const others = hint.shares.slice(1).filter((share) => share.share >= 0.01).map((share) => `${share.words} (${Math.round(100 * share.share)}%)`);
  box.textContent =
    `${hint.agent}: ${hint.words} (${Math.round(100 * hint.shares[0].share)}% of its simulations). It expects ${ahead} at the end of the round.` +
    (others.length ? ` Else: ${others.join("; ")}.` : "");
}

function renderChoices(current) {
  const list = byId("choices");
  list.replaceChildren(
    ...current.map((step, place) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.dataset.key = step.key;
      const digit = document.createElement("kbd");
      digit.textContent = place < 9 ? String(place + 1) : "";
      button.append(digit);
      if (/^(rotation|display)-/.test(step.key)) button.append(domeTile(step.choice.layout));
      button.append(step.label);
      button.classList.toggle("hinted", isHinted(step.key));
      button.addEventListener("click", () => pick(step.key));
      item.append(button);
      return item;
    }),
  );
}

const isHinted = (key) => hint !== null && hint.parts[picked.length] === key && picked.every((one, depth) => hint.parts[depth] === one);

const SPACES = "BTRYK*W";
function domeTile(layout) {
  const svg = svgElement("svg", { viewBox: "0 0 66 66", class: byId("board").firstElementChild.getAttribute("class"), "aria-hidden": "true" });
  [...layout].forEach((letter, cell) => {
    const symbol = document.querySelector(`#board symbol[id$="-s${SPACES.indexOf(letter)}"]`);
    svg.append(svgElement("use", { href: `#${symbol.id}`, x: 34 * (cell % 2), y: 34 * Math.floor(cell / 2), width: 32, height: 32 }));
  });
  return svg;
}

function svgElement(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function renderParts(current) {
  const can = new Map(current.map((step) => [step.key, step]));
  for (const ring of document.querySelectorAll("#board .ring-can, #board .ring-picked, #board .ring-hint")) ring.remove();
  for (const part of document.querySelectorAll("#board [data-part]")) {
    const key = part.dataset.part;
    const step = can.get(key);
    part.classList.toggle("can", step !== undefined);
    if (step) {
      part.setAttribute("role", "button");
      part.setAttribute("tabindex", "0");
      part.setAttribute("aria-label", step.label);
      ring(part, isHinted(key) ? "ring-hint" : "ring-can");
    } else {
      part.removeAttribute("role");
      part.removeAttribute("tabindex");
      if (picked.includes(key)) ring(part, "ring-picked");
    }
  }
}

function ring(part, style) {
  const { x, y, width, height } = part.getBBox();
  part.append(svgElement("rect", { class: style, x: x - 1, y: y - 1, width: width + 2, height: height + 2 }));
}

function renderLog() {
  const log = byId("log");
  const before = log.dataset.shown;
  const shown = `${state.game}:${state.log.length}:${state.version}`;
  if (before === shown) return;
  log.dataset.shown = shown;
  const lines = [];
  let round = -1;
  for (const move of state.log) {
    if (move.round !== round) {
      round = move.round;
      lines.push(line(round === 0 ? "Setup" : `Round ${round}`, "round"));
    }
    lines.push(line(move.words, ""));
  }
  log.replaceChildren(...lines);
  log.scrollTop = log.scrollHeight;
}

function line(text, style) {
  const item = document.createElement("li");
  item.textContent = text;
  item.className = style;
  return item;
}

function renderFinal() {
  const box = byId("final");
  box.hidden = state.final === null;
  if (state.final === null) return;
  const { rows, tiles, scores } = state.final;
  const table = document.createElement("table");
  table.append(row("th", ["Points", ...state.names]));
  for (const [text, points] of rows) table.append(row("td", [text, ...points.map(signed)]));
  for (const [text, points] of tiles) table.append(row("td", [`– ${text}`, ...points.map(signed)]));
  const sum = row("td", ["score", ...scores]);
  sum.className = "sum";
  table.append(sum);
  const title = document.createElement("h2");
  title.textContent = "Final scoring";
  box.replaceChildren(title, table);
}

const signed = (points) => (points > 0 ? `+${points}` : String(points).replace("-", "−"));

function row(kind, cells) {
  const line = document.createElement("tr");
  line.append(
    ...cells.map((text) => {
      const cell = document.createElement(kind);
      cell.textContent = text;
      return cell;
    }),
  );
  return line;
}

// The other's move, seen -----------------------------------------------------------------------
async function animate(found) {
  const move = found.log.at(-1);
  if (still.matches || !move || found.game !== state.game || found.log.length !== state.log.length + 1) return;
  const [from, to] = move.parts;
  const source = partOf(from);
  const target = to && partOf(to);
  if (!source || !target) return;
  const start = source.getBoundingClientRect();
  const end = target.getBoundingClientRect();
  const svg = flying(source, start);
  document.body.append(svg);
  const moved = { x: end.x + end.width / 2 - start.x - start.width / 2, y: end.y + end.height / 2 - start.y - start.height / 2 };
  await svg.animate([{ transform: "none" }, { transform: `translate(${moved.x}px, ${moved.y}px)` }], { duration: 420, easing: "ease-in-out" }).finished;
  svg.remove();
}

const partOf = (key) => document.querySelector(`#board [data-part="${CSS.escape(key)}"]`);

function flying(source, place) {
  const { x, y, width, height } = source.getBBox();
  const root = byId("board").firstElementChild;
  const svg = svgElement("svg", { viewBox: `${x} ${y} ${width} ${height}`, class: `${root.getAttribute("class")} flying` });
  Object.assign(svg.style, { left: `${place.x}px`, top: `${place.y}px`, width: `${place.width}px`, height: `${place.height}px` });
  const copy = source.cloneNode(true);
  copy.removeAttribute("data-part");
  copy.removeAttribute("role");
  copy.removeAttribute("tabindex");
  for (const ring of copy.querySelectorAll("[class^=ring-]")) ring.remove();
  svg.append(copy);
  return svg;
}

// Controls -------------------------------------------------------------------------------------
byId("board").addEventListener("click", (event) => {
  const part = event.target.closest("[data-part].can");
  if (part) pick(part.dataset.part);
});
byId("back").addEventListener("click", unpick);
byId("undo").addEventListener("click", () => undo());
byId("redo").addEventListener("click", () => change("/api/redo"));
byId("hint").addEventListener("click", askForHint);
byId("new").addEventListener("click", openSetup);
byId("load").addEventListener("click", () => byId("file").click());
byId("pause").addEventListener("click", () => {
  paused = !paused;
  render();
  letAgentsPlay();
});
byId("step").addEventListener("click", () => busy || think());

function unpick() {
  picked.pop();
  render();
}

// An agent that thinks does not stop you from taking back: what it finds is dropped then.
async function undo() {
  if (!state.can_undo) return;
  try {
    show(await ask("/api/undo", { version: state.version }));
  } catch (error) {
    complain(error);
    if (error.status === 409) await refresh().catch(complain);
  }
  if (watching()) paused = true;
  render();
}

async function askForHint() {
  if (busy || state.turn !== "human") return;
  busy = true;
  render();
  byId("question").textContent = "Looking for a hint …";
  try {
    hint = await ask("/api/hint", { version: state.version });
    picked = [];
  } catch (error) {
    complain(error);
  } finally {
    busy = false;
    render();
  }
}

byId("file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  event.target.value = "";
  if (!file) return;
  try {
    show(await ask("/api/load", { text: await file.text() }));
    paused = watching();
    render();
    letAgentsPlay();
  } catch (error) {
    complain(error);
  }
});

document.addEventListener("keydown", (event) => {
  if (byId("setup").open || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const part = event.target.closest?.("[data-part].can");
  if (part && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    pick(part.dataset.part);
    document.querySelector("#board [data-part].can")?.focus();
  } else if (event.key.startsWith("Arrow")) moveFocus(event);
  else if (/^[1-9]$/.test(event.key)) byId("choices").querySelectorAll("button")[Number(event.key) - 1]?.click();
  else if (event.key === "Escape" && picked.length) unpick();
  else if (!event.repeat) ({ u: undo, r: () => change("/api/redo"), h: askForHint, n: openSetup })[event.key]?.();
});

function moveFocus(event) {
  const parts = [...document.querySelectorAll("#board [data-part].can")];
  if (!parts.length || event.target.tagName === "BUTTON") return;
  event.preventDefault();
  const ahead = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1;
  const at = parts.indexOf(document.activeElement);
  parts[(at === -1 ? 0 : at + ahead + parts.length) % parts.length].focus();
}

// A new game -----------------------------------------------------------------------------------
async function openSetup() {
  const { agents, scoring_tiles: tiles } = await ask("/api/setup").catch(complain) ?? {};
  if (!agents) return;
  byId("agents").replaceChildren(
    ...["human", ...Object.keys(agents).map((spec) => spec.replace(":N", ":400"))].map((spec) => new Option(spec, spec)),
  );
  if (!byId("conditions").childElementCount) {
    byId("conditions").replaceChildren(
      ...tiles.map((name) => {
        const label = document.createElement("label");
        const box = document.createElement("input");
        Object.assign(box, { type: "checkbox", value: name });
        label.append(box, name.replaceAll("_", " "));
        return label;
      }),
    );
  }
  byId("refused").hidden = true;
  byId("setup").showModal();
}

byId("setup").addEventListener("change", () => {
  const mode = document.querySelector("[name=mode]:checked").value;
  for (const box of document.querySelectorAll("[data-mode]")) box.hidden = box.dataset.mode !== mode;
  byId("conditions").hidden = byId("scoring").value !== "named";
});

byId("start").addEventListener("click", async (event) => {
  event.preventDefault();
  try {
    const found = await ask("/api/new", wanted());
    byId("setup").close();
    paused = false;
    show(found);
    letAgentsPlay();
  } catch (error) {
    byId("refused").textContent = error.message;
    byId("refused").hidden = false;
  }
});

function wanted() {
  const seed = byId("seed").value.trim();
  if (!/^[0-9]{0,15}$/.test(seed)) throw new Error(`The seed must be a whole number of at least 0, not ${seed}`);
  const watch = document.querySelector("[name=mode]:checked").value === "watch";
  return {
    opponent: byId("opponent").value.trim(),
    seat: byId("seat").value,
    watch: watch ? [byId("watch0").value.trim(), byId("watch1").value.trim()] : null,
    seed: seed === "" ? null : Number(seed),
    options: {
      scoring_tiles: scoringTiles(),
      zero_point_draw: byId("forced").checked ? "forced_only" : "free",
      special_counts_as_colour: !byId("nospecial").checked,
    },
  };
}

function scoringTiles() {
  const chosen = byId("scoring").value;
  if (chosen === "named") return [...document.querySelectorAll("#conditions :checked")].map((box) => box.value);
  return chosen === "first_game" ? chosen : Number(chosen);
}

// The look -------------------------------------------------------------------------------------
function applyTheme() {
  const chosen = byId("theme").value;
  if (chosen === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  try {
    localStorage.setItem("theme", chosen);
  } catch {
    // private windows keep nothing
  }
}

function lookAgain() {
  applyTheme();
  if (state) refresh().catch(complain);
}

try {
  byId("theme").value = localStorage.getItem("theme") ?? "auto";
} catch {
  byId("theme").value = "auto";
}
byId("theme").addEventListener("change", lookAgain);
narrow.addEventListener("change", lookAgain);
dark.addEventListener("change", lookAgain);
applyTheme();
refresh().then(letAgentsPlay, complain);
