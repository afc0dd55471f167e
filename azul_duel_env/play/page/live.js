// The policy, live: what agents think of the position on the table, as a panel that can be switched on.

import { $ } from "./dom.js";
import { PolicyPanel } from "./policy.js";
import { Trouble, ask } from "./requests.js";

const panel = new PolicyPanel($("policy-body"), "policy");
let offered = ""; // title of the game whose agents the panel offers
let last = null; // what the page said of itself last: the state, and what is picked

const isOn = () => localStorage.getItem("policy") === "on";

async function follow() {
  $("policy-toggle").setAttribute("aria-pressed", `${isOn()}`);
  const { state, picked } = last ?? {};
  const on = isOn() && Boolean(state) && state.turn !== "over";
  $("policy").hidden = !on;
  if (!on) return panel.hide();
  try {
    await offerAgents(state);
    if (last.state !== state) return; // the game has moved on meanwhile, and been followed
    const front = Math.max(0, state.seats.indexOf("human"));
    await panel.show({ id: "table", at: state.log.length, version: state.version, names: state.names, front, board: $("board"), picked });
  } catch (error) {
    if (!(error instanceof Trouble)) throw error; // a server that is gone tells of itself
  }
}

// Lets the panel offer the agents of the game on the table, which may be of another kind than the one before.
async function offerAgents({ title }) {
  if (offered === title) return;
  const { agents, adviser } = await ask("setup");
  if (offered === title || last.state.title !== title) return; // offered, or another game, meanwhile
  offered = title;
  panel.offer(agents, adviser);
}

document.addEventListener("marked", (event) => {
  last = event.detail;
  follow();
});
$("policy-toggle").addEventListener("click", () => {
  localStorage.setItem("policy", isOn() ? "off" : "on");
  follow();
});
