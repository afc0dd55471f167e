// What agents think of a position: probabilities over the board, evaluation bars, two agents side by side.

import { agentOptions, breakable, element, shape } from "./dom.js";
import { expected, percentage, signed, variationOf } from "./hint.js";
import { Trouble, ask } from "./requests.js";

const LEAST_SHOWN = 0.005; // share below which nothing is shown on the board
const MOST_ROWS = 8;
const PATIENCE = 2500; // ms after which it is said what takes so long
const DISAGREE = 0.1; // difference of two shares from which on a row is marked

const THINKING = "Thinking";
const FIRST_TIME = "Thinking. Asked for the first time, an agent is compiled before it answers, which may take a minute";

// Shares of parts --------------------------------------------------------------------------------
// The share of each part that can be picked next, of the actions that begin with what was picked; of all parts while nothing is.
function sharesOf(outlook, picked = []) {
  const shares = new Map();
  if (!outlook) return shares;
  const begun = outlook.actions.filter((one) => picked.every((key, place) => one.parts[place] === key));
  const total = picked.length ? begun.reduce((sum, one) => sum + weightOf(outlook, one), 0) : 1;
  for (const one of begun) {
    for (const key of picked.length ? one.parts.slice(picked.length, picked.length + 1) : new Set(one.parts)) {
      shares.set(key, (shares.get(key) ?? 0) + (total ? weightOf(outlook, one) / total : 0));
    }
  }
  return shares;
}

// An agent without probabilities puts all on what it plays.
const weightOf = (outlook, one) => one.probability ?? (one.action === outlook.best ? 1 : 0);

function difference(one, other) {
  const shares = new Map(one);
  for (const [key, share] of other) shares.set(key, (shares.get(key) ?? 0) - share);
  return shares;
}

// The share of their probability that two agents put on the same actions.
function agreement(one, other) {
  const own = new Map(one.actions.map((row) => [row.action, weightOf(one, row)]));
  return other.actions.reduce((sum, row) => sum + Math.min(own.get(row.action) ?? 0, weightOf(other, row)), 0);
}

// On the board -----------------------------------------------------------------------------------
const clearOverlay = (board) => board.querySelector(".policy-layer")?.remove();

// Frames each part, the more the likelier, and writes its share beside it where no other label is.
function drawOverlay(board, shares, { isDifference = false } = {}) {
  clearOverlay(board);
  const svg = board.querySelector("svg.table");
  const layer = shape("g", { class: "policy-layer", "aria-hidden": "true" });
  const taken = [];
  svg?.append(layer);
  const byShare = [...shares].filter(([, share]) => Math.abs(share) >= LEAST_SHOWN).sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
  for (const [key, share] of byShare) {
    const hits = [...(svg?.querySelectorAll("[data-part]") ?? [])].filter((part) => part.dataset.part === key).flatMap((part) => [...part.querySelectorAll(".hit")]);
    const boxes = hits.map((hit) => hit.getBBox());
    if (!boxes.length) continue;
    const kind = isDifference ? (share > 0 ? "more" : "less") : "share";
    for (const box of boxes) layer.append(frame(box, Math.abs(share), kind));
    addLabel(layer, boxes, isDifference ? signed(100 * share, 0) : percentage(share), kind, taken);
  }
}

const frame = (box, share, kind) =>
  shape("rect", { class: `policy-frame ${kind}`, x: box.x + 1, y: box.y + 1, width: Math.max(1, box.width - 2), height: Math.max(1, box.height - 2), rx: 6,
    "stroke-width": 1.5 + 3 * share, "fill-opacity": 0.08 + 0.22 * share });

// Adds a label at the first place in or about the boxes of a part that no other label takes.
function addLabel(layer, boxes, words, kind, taken) {
  const group = shape("g", { class: `policy-label ${kind}` });
  const text = shape("text", { "text-anchor": "middle" }, words);
  group.append(text);
  layer.append(group);
  const width = 8 + text.getComputedTextLength();
  const height = 14;
  const box = boxes.at(-1);
  const middle = box.x + box.width / 2 - width / 2;
  const places = [
    [middle, box.y + box.height - height], [middle, box.y], [middle, box.y + box.height / 2 - height / 2],
    [middle, box.y + box.height + 1], [middle, box.y - height - 1], [box.x + box.width - 4, box.y + box.height - height], [box.x - width + 4, box.y],
  ];
  const isFree = ([x, y]) => taken.every((one) => x >= one.x + one.width || x + width <= one.x || y >= one.y + height || y + height <= one.y);
  const [x, y] = places.find(isFree) ?? places[0];
  taken.push({ x, y, width });
  group.prepend(shape("rect", { x, y, width, height, rx: 7 }));
  text.setAttribute("x", x + width / 2);
  text.setAttribute("y", y + 10.6);
}

// Evaluation bars --------------------------------------------------------------------------------
// One bar between two players, else one for each; each value is -1 to 1.
function evaluation(names, values, front) {
  const text = (seat) => `${names[seat]} ${signed(values[seat], 2)}`;
  if (names.length === 2) {
    const other = 1 - front;
    const share = 50 * (1 + values[front]);
    const bar = element("div", { class: "bar two" }, element("div", { style: `width:${share}%` }));
    return element("div", { class: "evaluation", role: "img", "aria-label": `evaluation: ${text(front)}` },
      bar, element("p", { class: "ends" }, element("span", {}, text(front)), element("span", {}, text(other))));
  }
  const rows = names.map((name, seat) => {
    const width = 50 * Math.abs(values[seat]);
    const left = values[seat] < 0 ? 50 - width : 50;
    return element("div", { class: `seat seat-${seat}` }, element("span", {}, name),
      element("div", { class: "bar" }, element("div", { style: `width:${width}%;margin-left:${left}%` })), element("b", {}, signed(values[seat], 2)));
  });
  return element("div", { class: "evaluation", role: "img", "aria-label": `evaluation: ${names.map((_, seat) => text(seat)).join(", ")}` }, ...rows);
}

// The panel --------------------------------------------------------------------------------------
// A form for one or two agents, and what they think of the position that is shown. `name` keeps what was chosen in this browser.
export class PolicyPanel {
  constructor(section, name) {
    this.section = section;
    this.name = name;
    this.outlooks = [null, null];
    this.troubles = ["", ""];
    this.where = null; // { id, at, version, names, front, board, picked }
    this.asked = 0;
    this.first = ""; // spec of the agent that is asked unless another was chosen
    this.build();
  }

  build() {
    const list = `${this.name}-agents`;
    const field = (label, key) => element("label", {}, label, element("input", { name: key, list, value: this.kept(key), autocomplete: "off", spellcheck: "false" }));
    this.form = element("form", {}, field("Agent", "one"), field("beside", "other"), element("button", {}, "Ask"));
    this.form.elements.other.placeholder = "a second one";
    this.views = element("div", { class: "views", role: "group", "aria-label": "on the board", hidden: "" });
    this.body = element("div", { class: "outlooks", "aria-live": "polite" });
    this.agents = element("datalist", { id: list });
    this.section.append(this.form, this.views, this.body, this.agents);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const [one, other] = this.specs;
      localStorage.setItem(`${this.name}-one`, one === this.first ? "" : one);
      localStorage.setItem(`${this.name}-other`, other);
      this.askAll();
    });
  }

  // Offers the agents of a game; the first one is asked unless another was chosen here before.
  offer(agents, first) {
    this.agents.replaceChildren(...agentOptions(agents));
    this.first = first;
    this.form.elements.one.value = this.kept("one") || first;
    this.where = null; // another game: asks anew
  }

  kept(key) {
    return localStorage.getItem(`${this.name}-${key}`) ?? "";
  }

  get specs() {
    return ["one", "other"].map((key) => this.form.elements[key].value.trim());
  }

  // Shows a position: asks anew if it is another one, else only draws.
  async show(where) {
    const same = this.where && ["id", "at", "version"].every((key) => this.where[key] === where[key]);
    this.where = where;
    if (same) return this.draw();
    await this.askAll();
  }

  hide() {
    this.asked += 1;
    if (this.where) clearOverlay(this.where.board);
    this.where = null;
  }

  async askAll() {
    if (!this.where) return;
    const number = (this.asked += 1);
    const { id, at } = this.where;
    this.outlooks = [null, null];
    this.troubles = this.specs.map((spec) => (spec ? THINKING : ""));
    this.draw();
    setTimeout(() => {
      if (number !== this.asked) return;
      this.troubles = this.troubles.map((trouble) => (trouble === THINKING ? FIRST_TIME : trouble));
      this.draw();
    }, PATIENCE);
    await Promise.all(this.specs.map(async (agent, place) => {
      if (!agent) return;
      let found = null;
      let trouble = "";
      try {
        found = await ask("study/outlook", { id, at, agent });
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        trouble = error.message;
      }
      if (number !== this.asked) return;
      this.outlooks[place] = found;
      this.troubles[place] = trouble;
      this.draw();
    }));
  }

  // What is shown on the board: the first agent, the second one, or where they differ.
  get view() {
    const both = this.outlooks.every(Boolean);
    const kept = this.kept("view");
    if (kept === "difference" && both) return kept;
    if (kept === "other" && this.outlooks[1]) return kept;
    return "one";
  }

  draw() {
    if (!this.where) return;
    const { board, picked } = this.where;
    const [one, other] = this.outlooks.map((outlook) => sharesOf(outlook, picked));
    const view = this.view;
    drawOverlay(board, view === "difference" ? difference(one, other) : view === "other" ? other : one, { isDifference: view === "difference" });
    this.drawViews(view);
    this.body.replaceChildren(...this.content());
  }

  drawViews(view) {
    this.views.hidden = !this.outlooks[1];
    const [first, second] = this.specs;
    const words = { one: first, other: second, difference: "difference" };
    this.views.replaceChildren("On the board: ", ...Object.entries(words).map(([key, text]) => {
      const button = element("button", { type: "button", "aria-pressed": `${key === view}` }, text);
      button.disabled = key === "difference" && !this.outlooks.every(Boolean);
      button.addEventListener("click", () => {
        localStorage.setItem(`${this.name}-view`, key);
        this.draw();
      });
      return button;
    }));
  }

  content() {
    const parts = this.specs.flatMap((spec, place) => (spec ? this.opinion(spec, place) : []));
    const both = this.outlooks.every(Boolean);
    if (both) parts.unshift(this.comparison());
    const known = this.outlooks.filter(Boolean);
    if (known.length) parts.push(table(known, this.specs.filter((_, place) => this.outlooks[place])));
    const meanings = known.flatMap((one) => [`Percentages of ${one.agent}: ${one.probability_meaning}.`, ...(one.value_meaning ? [`Values of ${one.agent}: ${one.value_meaning}.`] : [])]);
    if (meanings.length) parts.push(element("details", {}, element("summary", {}, "What the numbers mean"), ...[...new Set(meanings)].map((text) => element("p", {}, text))));
    return parts;
  }

  opinion(spec, place) {
    const outlook = this.outlooks[place];
    const head = element("h3", {}, spec);
    if (!outlook) {
      const waits = [THINKING, FIRST_TIME].includes(this.troubles[place]);
      return [element("div", { class: "opinion" }, head, element("p", waits ? { class: "thinking" } : { class: "trouble", role: "alert" }, this.troubles[place]))];
    }
    const bar = outlook.values ? [evaluation(this.where.names, outlook.values, this.where.front)] : [element("p", { class: "muted" }, "It gives no value.")];
    const none = outlook.actions.every((row) => row.probability === null) ? [element("p", { class: "muted" }, `Probabilities: ${outlook.probability_meaning}.`)] : [];
    const ahead = outlook.margin === null ? [] : [element("p", { class: "muted" }, expected(outlook.agent, outlook.margin, this.where.names[outlook.player]))];
    return [element("div", { class: "opinion" }, head, ...bar, element("p", {}, element("b", {}, outlook.words)), ...none, ...ahead, ...variationOf(outlook.variation))];
  }

  comparison() {
    const [one, other] = this.outlooks;
    const alike = one.best === other.best;
    const text = alike ? "Both would play the same." : "They would play differently.";
    return element("p", { class: `comparison ${alike ? "" : "differs"}` }, element("b", {}, text), ` ${percentage(agreement(one, other))} of their probability lies on the same actions.`);
  }
}

// The likeliest actions of one agent or two; rows on which two differ most are marked, and come first among equals.
function table(outlooks, specs) {
  const rows = new Map();
  outlooks.forEach((outlook, place) => {
    for (const one of outlook.actions) {
      if (!rows.has(one.action)) rows.set(one.action, { words: one.words, shares: outlooks.map(() => 0), ratings: outlooks.map(() => null), best: outlooks.map(() => false) });
      const row = rows.get(one.action);
      row.shares[place] = weightOf(outlook, one);
      row.ratings[place] = one.rating;
      row.best[place] = one.action === outlook.best;
    }
  });
  const rank = (row) => Math.max(...row.shares) + (row.best.some(Boolean) ? 1 : 0);
  const sorted = [...rows.values()].sort((one, other) => rank(other) - rank(one)).slice(0, MOST_ROWS);
  const cell = (row, place) => {
    const share = percentage(row.shares[place]);
    return row.ratings[place] === null ? share : `${share} · ${row.ratings[place].toFixed(1)} pts`;
  };
  const body = sorted.map((row) => {
    const differs = row.shares.length === 2 && Math.abs(row.shares[0] - row.shares[1]) >= DISAGREE;
    return element("tr", differs ? { class: "differs" } : {}, element("td", {}, row.words),
      ...row.shares.map((_, place) => element("td", row.best[place] ? { class: "best" } : {}, cell(row, place))));
  });
  return element("table", { class: "likely" }, element("thead", {}, element("tr", {}, element("th", {}, "likeliest"), ...specs.map((spec) => element("th", {}, ...breakable(spec))))), element("tbody", {}, ...body));
}
