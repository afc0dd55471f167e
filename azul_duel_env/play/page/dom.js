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

export const capitalised = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const pause = (time) => new Promise((done) => setTimeout(done, time));

// The groups of the picture that are a part.
export const partsOf = (key) => [...$("board").querySelectorAll("[data-part]")].filter((part) => part.dataset.part === key);
