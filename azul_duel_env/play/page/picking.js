// Legal actions as a person picks them, part after part.

import { $, element } from "./dom.js";
import { imageOf } from "./requests.js";

export const matching = (choices, picked) => choices.filter((choice) => picked.every((key, place) => choice.parts[place] === key));

// What can be picked after some parts, in the order of the actions.
export function stepsAfter(choices, picked) {
  const steps = new Map();
  const place = picked.length;
  for (const choice of matching(choices, picked)) {
    const key = choice.parts[place];
    if (key !== undefined && !steps.has(key)) steps.set(key, { key, ...choice.buttons[place] });
  }
  return [...steps.values()];
}

// Whether the parts picked are a whole action, and nothing else begins with them.
export const isWhole = (left, picked) => left.length === 1 && left[0].parts.length === picked.length;

// The only action that is left when these parts are picked; null if there are several.
export function actionOf(choices, picked) {
  const left = matching(choices, picked);
  return isWhole(left, picked) ? left[0].action : null;
}

// Marks on the table what can be picked next, what is picked, and what was hinted at.
export function markParts(steps, picked, hinted) {
  const can = new Set(steps.map((step) => step.key));
  for (const part of $("board").querySelectorAll("[data-part]")) {
    const key = part.dataset.part;
    part.classList.toggle("can", can.has(key));
    part.classList.toggle("picked", picked.includes(key));
    part.classList.toggle("hinted", hinted.includes(key));
    part.setAttribute("role", can.has(key) ? "button" : "img");
    if (can.has(key)) part.setAttribute("tabindex", "0");
    else part.removeAttribute("tabindex");
  }
}

// Lists what is picked in words, and what can be picked next as buttons, the first nine with their digits if keys pick them.
export function listSteps(choices, picked, steps, { pick, byDigits }) {
  const labels = picked.map((key, place) => matching(choices, picked)[0]?.buttons[place].label ?? key);
  $("picked").textContent = labels.join(" → ");
  const pictured = steps.length > 0 && steps.every((step) => step.image);
  $("choices").classList.toggle("pictured", pictured);
  $("choices").replaceChildren(...steps.map((step, place) => {
    const button = element("button", { "data-key": step.key });
    if (pictured) button.append(element("img", { alt: "", src: imageOf(step.image) }));
    else if (byDigits && place < 9) button.append(element("kbd", { "aria-hidden": "true" }, `${place + 1}`));
    if (step.colour) button.append(element("span", { class: "sample", style: `background:${step.colour}`, "aria-hidden": "true" }));
    button.append(step.label);
    button.addEventListener("click", () => pick(step.key));
    return button;
  }));
}
