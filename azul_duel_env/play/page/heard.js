// Tells those who listen what happens on the table: moves of all players, what came of them, scores.

import { $, element } from "./dom.js";

const KEPT = 12; // sentences that stay to be read again

// Says what is new since a state that was shown before; null for none.
export function tellNews(before, state) {
  if (!before || before.game !== state.game) return;
  const news = state.log.slice(before.log.length).flatMap((entry) => [entry.words, ...entry.events]);
  const gone = before.log.length - state.log.length;
  if (gone > 0) news.push(gone === 1 ? "One decision was taken back" : `${gone} decisions were taken back`);
  const changed = state.scores.some((score, seat) => score !== before.scores[seat]);
  if (changed) news.push(`Scores: ${state.names.map((name, seat) => `${name} ${state.scores[seat]}`).join(", ")}`);
  $("heard").append(...news.map((sentence) => element("p", {}, `${sentence}.`)));
  while ($("heard").childElementCount > KEPT) $("heard").firstElementChild.remove();
}
