// Legal actions as a person picks them, part after part.

export const matching = (choices, picked) => choices.filter((choice) => picked.every((key, place) => choice.parts[place] === key));

// What can be picked after some parts, in the order of the actions.
export function stepsAfter(choices, picked) {
  const steps = new Map();
  const place = picked.length;
  for (const choice of matching(choices, picked)) {
    const key = choice.parts[place];
    const [label, question, colour, image] = ["labels", "questions", "colours", "images"].map((name) => choice[name][place]);
    if (key !== undefined && !steps.has(key)) steps.set(key, { key, label, question, colour, image });
  }
  return [...steps.values()];
}

// Whether the parts picked are a whole action, and nothing else begins with them.
export const isWhole = (left, picked) => left.length === 1 && left[0].parts.length === picked.length;
