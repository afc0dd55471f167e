// How a page looks, and what it says in a line: the same on all pages.

import { $, darkSystem, narrowScreen } from "./dom.js";
import { look, theme } from "./requests.js";

const THEMES = ["auto", "light", "dark"];
const LARGEST = 256 * 1024; // bytes of a game file

function showTheme() {
  document.documentElement.dataset.theme = look().theme;
  $("theme").textContent = { auto: "Auto", light: "Light", dark: "Dark" }[theme()];
  $("theme").setAttribute("aria-label", `colours: ${theme()}`);
}

// Shows the theme, and calls `changed` whenever pictures must be drawn anew.
export function watchLook(changed) {
  const update = () => {
    showTheme();
    changed();
  };
  $("theme").addEventListener("click", () => {
    localStorage.setItem("theme", THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);
    update();
  });
  for (const query of [narrowScreen, darkSystem]) query.addEventListener("change", update);
  showTheme();
}

// Says something for a few seconds; "" takes it away.
export function say(text) {
  $("message").textContent = text;
  $("message").hidden = !text;
  clearTimeout(say.timer);
  if (text) say.timer = setTimeout(() => say(""), 9000);
}

// Returns the text of the game file that was chosen; null if there is none, or none that can be one.
export async function chosenFile() {
  const [file] = $("file").files;
  $("file").value = "";
  if (!file) return null;
  if (file.size <= LARGEST) return file.text();
  say(`${file.name} is no game file: those have less than 256 KiB`);
  return null;
}
