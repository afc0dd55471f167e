// The picture of the table.

import { $ } from "./dom.js";

export function drawTable(markup) {
  const svg = new DOMParser().parseFromString(markup, "image/svg+xml").documentElement;
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.classList.add("table");
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", "the table");
  $("board").replaceChildren(document.importNode(svg, true));
}
