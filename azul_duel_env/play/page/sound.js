// Sounds, off until they are asked for: tiles that are put down, one's own turn, the end of the game. They are made here, of plain tones.

import { $ } from "./dom.js";

const TONES = { tile: [[520, 0, 0.05]], turn: [[660, 0, 0.08], [880, 0.09, 0.1]], end: [[523, 0, 0.14], [659, 0.15, 0.14], [784, 0.3, 0.3]] }; // Hz, s, s
const LOUD = 0.08;
let context = null;

const isOn = () => localStorage.getItem("sound") === "on";

function play(name) {
  if (!isOn()) return;
  context ??= new AudioContext();
  for (const [pitch, after, length] of TONES[name]) {
    const start = context.currentTime + after;
    const tone = new OscillatorNode(context, { type: "triangle", frequency: pitch });
    const volume = new GainNode(context, { gain: 0 });
    volume.gain.setValueAtTime(LOUD, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + length);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + length);
  }
}

// Plays what a change of the state sounds like.
export function sound(before, state) {
  if (!before || before.game !== state.game || state.log.length <= before.log.length) return;
  if (state.turn === "over") play("end");
  else play(state.turn === "human" && before.turn === "agent" ? "turn" : "tile");
}

function showSound() {
  $("sound").textContent = isOn() ? "Sound on" : "Sound off";
  $("sound").setAttribute("aria-pressed", isOn());
}

$("sound").addEventListener("click", () => {
  localStorage.setItem("sound", isOn() ? "off" : "on");
  showSound();
  play("tile");
});
showSound();
