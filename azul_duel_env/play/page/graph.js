// The value of a game from move to move, as a picture that can be clicked.

import { element, shape } from "./dom.js";
import { inSentence, signed } from "./hint.js";

const WIDTH = 360;
const HEIGHT = 132;
const TOP = 8;
const LEFT = 30;
const BOTTOM = 16;

// `moves` are those of the game, `found` what is known of some by number, `at` the position that is shown; `go` is called with a number of moves.
export function graph({ moves, found, names, front, at, go }) {
  const x = (number) => LEFT + ((WIDTH - LEFT - 6) * number) / Math.max(1, moves.length);
  const y = (value) => TOP + ((HEIGHT - TOP - BOTTOM) * (1 - value)) / 2;
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": described({ moves, found, names, front }) });
  for (const value of [1, 0, -1]) {
    svg.append(shape("line", { class: value ? "edge" : "middle", x1: LEFT, x2: WIDTH - 6, y1: y(value), y2: y(value) }));
    svg.append(shape("text", { class: "scale", x: LEFT - 5, y: y(value) + 3.5, "text-anchor": "end" }, signed(value, 0) || "0"));
  }
  rounds(moves).forEach(({ number, round }) => {
    svg.append(shape("line", { class: "round", x1: x(number), x2: x(number), y1: TOP, y2: HEIGHT - BOTTOM }));
    svg.append(shape("text", { class: "scale", x: x(number) + 3, y: HEIGHT - 4 }, round));
  });
  const known = levelled(moves, found);
  const seats = names.length === 2 ? [front] : names.map((_, seat) => seat);
  for (const seat of seats) {
    const dots = known.map((one) => `${x(one.number).toFixed(1)},${y(one.level[seat]).toFixed(1)}`);
    if (names.length === 2 && dots.length > 1) {
      const [first, last] = [known[0].number, known.at(-1).number].map(x);
      svg.append(shape("polygon", { class: "area", points: `${first},${y(0)} ${dots.join(" ")} ${last},${y(0)}` }));
    }
    svg.append(shape("polyline", { class: `line seat-${seat}`, points: dots.join(" ") }));
  }
  for (const one of known.filter((decision) => decision.mark)) {
    const seat = names.length === 2 ? front : one.player;
    const dot = shape("circle", { class: one.mark === "??" ? "dot worst" : "dot", cx: x(one.number), cy: y(one.level[seat]), r: one.mark === "??" ? 4.5 : 3.5 });
    dot.append(shape("title", {}, `${one.number}: ${names[one.player]} lost ${one.loss.toFixed(2)} ${one.mark}`));
    svg.append(dot);
  }
  svg.append(shape("line", { class: "cursor", x1: x(at), x2: x(at), y1: TOP - 4, y2: HEIGHT - BOTTOM + 4 }));
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * WIDTH;
    const number = Math.round(((place - LEFT) / (WIDTH - LEFT - 6)) * moves.length);
    go(Math.min(Math.max(number - 1, 0), moves.length));
  });
  return [svg, legend(names, front)];
}

// A search thinks a little too well of whoever has just moved, since it tries weak answers too. So `level` is, for each decision, the mean of
// the values after the last decision of each player.
function levelled(moves, found) {
  const latest = new Map();
  return moves.map((move) => found.get(move.number)).filter(Boolean).map((one) => {
    latest.set(one.player, one.values);
    const rows = [...latest.values()];
    return { ...one, level: one.values.map((_, seat) => rows.reduce((sum, values) => sum + values[seat], 0) / rows.length) };
  });
}

function rounds(moves) {
  const starts = [];
  moves.forEach((move, place) => {
    if (!place || move.round !== moves[place - 1].round) starts.push({ number: move.number - 1, round: move.round ? `${move.round}` : "" });
  });
  return starts;
}

function legend(names, front) {
  const how = "the mean of the values after each player's last move; rounds below";
  if (names.length === 2) return element("p", { class: "legend" }, `Value for ${inSentence(names[front])}: ${how}`);
  return element("p", { class: "legend" }, ...names.flatMap((name, seat) => [element("span", { class: `key seat-${seat}` }), `${name} `]), `: ${how}`);
}

// The same in words.
function described({ moves, found, names, front }) {
  const known = levelled(moves, found);
  if (!known.length) return "value from move to move: nothing was looked at yet";
  const marked = known.filter((one) => one.mark).length;
  const seats = names.length === 2 ? [front] : names.map((_, seat) => seat);
  const ends = seats.map((seat) => `${names[seat]} from ${signed(known[0].level[seat], 2)} to ${signed(known.at(-1).level[seat], 2)}`);
  return `value from move to move: ${ends.join(", ")}; ${marked} moves lost value`;
}
