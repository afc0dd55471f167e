// Elements of the page, and what the reader's system prefers.

export const $ = (id) => document.getElementById(id);
export const narrowScreen = matchMedia("(max-width: 760px)");
export const singleColumn = matchMedia("(max-width: 1100px)");
export const darkSystem = matchMedia("(prefers-color-scheme: dark)");
export const calm = matchMedia("(prefers-reduced-motion: reduce)");

export function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

export function shape(name, attributes, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

// A name that may go on in the next line after its parts.
export const breakable = (name) => name.split(/(?<=[:+])/).flatMap((part, place) => (place ? [document.createElement("wbr"), part] : [part]));

// What a field offers where an agent is to be named: specs, and what they are.
export const agentOptions = (agents) => Object.entries(agents).map(([spec, text]) => element("option", { value: spec.replace(":N", ":400") }, text));

export const capitalised = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const pause = (time) => new Promise((done) => setTimeout(done, time));

// The groups of the picture that are a part.
export const partsOf = (key) => [...$("board").querySelectorAll("[data-part]")].filter((part) => part.dataset.part === key);
