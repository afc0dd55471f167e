// A hint: what to play, what is expected of it and why, and what the numbers mean.

import { element } from "./dom.js";

export const signed = (number, digits = 1) => (number > 0 ? "+" : number < 0 ? "\u2212" : "") + Math.abs(number).toFixed(digits);
export const percentage = (share) => (share > 0 && share < 0.005 ? "<1%" : `${Math.round(100 * share)}%`);
export const points = (margin) => `${signed(margin)} ${Math.abs(margin) === 1 ? "point" : "points"}`;

export const inSentence = (name) => (name === "You" ? "you" : name);

// What is expected at the end of the round of whoever decides.
export const expected = (agent, margin, name) =>
  `${agent} expects ${inSentence(name)} to be ${Math.abs(margin) < 0.05 ? "level" : `${Math.abs(margin).toFixed(1)} points ${margin > 0 ? "ahead" : "behind"}`} at the end of the round.`;

// The actions that come next, after the first one.
export function variationOf(words) {
  if (words.length < 2) return [];
  return [element("p", {}, "It expects after that:"), element("ol", { class: "variation" }, ...words.slice(1).map((one) => element("li", {}, one)))];
}

export function hintContent(hint, name) {
  const others = hint.shares.map((one) => element("li", {}, `${percentage(one.share)}: ${one.words}`));
  return [
    element("p", {}, element("b", {}, "Hint: "), hint.words),
    element("p", {}, `${expected(hint.agent, hint.margin, name)} Value ${signed(hint.value, 2)}.`),
    ...variationOf(hint.variation),
    element("details", {}, element("summary", {}, "What else it looked at, and what the numbers mean"),
      element("ul", {}, ...others),
      element("p", {}, `Percentages: ${hint.share_meaning}.`),
      element("p", {}, `Value: ${hint.value_meaning}.`),
    ),
  ];
}
