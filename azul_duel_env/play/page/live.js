// The policy, live: what agents think of the position on the table, as a panel that can be switched on.

import { $ } from "./dom.js";
import { PolicyPanel } from "./policy.js";
import { Trouble, ask } from "./requests.js";

const panel = new PolicyPanel($("policy-body"), "policy");
let last = null; // what the page said of itself last: the state, and what is picked

const isOn = () => localStorage.getItem("policy") === "on";

async function follow() {
  $("policy-toggle").setAttribute("aria-pressed", `${isOn()}`);
  const { state, picked } = last ?? {};
  const on = isOn() && Boolean(state) && state.turn !== "over";
  $("policy").hidden = !on;
  if (!on) return panel.hide();
  try {
    await prepare();
    if (last.state !== state) return; // the game has moved on meanwhile, and been followed
    const front = Math.max(0, state.seats.indexOf("human"));
    await panel.show({ id: "table", at: state.log.length, version: state.version, names: state.names, front, board: $("board"), picked });
  } catch (error) {
    if (!(error instanceof Trouble)) throw error; // a server that is gone tells of itself
  }
}

let prepared = null;
const prepare = () =>
  (prepared ??= ask("setup").then((setup) => panel.build(setup.agents, setup.adviser), (error) => {
    prepared = null;
    throw error;
  }));

document.addEventListener("marked", (event) => {
  last = event.detail;
  follow();
});
$("policy-toggle").addEventListener("click", () => {
  localStorage.setItem("policy", isOn() ? "off" : "on");
  follow();
});
