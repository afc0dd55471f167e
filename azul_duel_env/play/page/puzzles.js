// Puzzles from a game's worst moves: find a better one than was played.

import { $, element } from "./dom.js";
import { inSentence, signed } from "./hint.js";
import { isWhole, listSteps, markParts, matching, stepsAfter } from "./picking.js";
import { Trouble, ask } from "./requests.js";

const LEAST_LOSS = 0.1; // of a move that makes a puzzle
const MOST = 12;
const AS_GOOD = 0.02; // losses that two looks at the same action may differ by

// The moves that lost most, the worst first, of those that may be seen.
export const worstOf = (found) =>
  [...found.values()].filter((one) => one.loss >= LEAST_LOSS && one.played !== null).sort((one, other) => other.loss - one.loss || one.number - other.number).slice(0, MOST);

export class Puzzles {
  // `show` lets the page show the position before a move and returns what there is to choose from; `leave` ends the puzzles.
  constructor({ id, names, agent, decisions, show, leave }) {
    Object.assign(this, { id, names, agent, decisions, showPosition: show, leave });
    this.place = -1;
    this.choices = [];
    this.picked = [];
    this.busy = false;
  }

  get decision() {
    return this.decisions[this.place];
  }

  async next() {
    this.place = (this.place + 1) % this.decisions.length;
    this.picked = [];
    this.solved = false;
    this.choices = [];
    $("verdict").replaceChildren();
    this.choices = await this.showPosition(this.decision.number - 1);
    this.draw();
  }

  pick(key) {
    if (this.busy || this.solved || !stepsAfter(this.choices, this.picked).some((step) => step.key === key)) return;
    this.picked.push(key);
    const left = matching(this.choices, this.picked);
    if (isWhole(left, this.picked)) this.judge(left[0]);
    this.draw();
  }

  back() {
    if (this.busy) return;
    this.picked.pop();
    this.draw();
  }

  async judge(choice) {
    const { decision } = this;
    this.busy = true;
    $("verdict").replaceChildren(element("span", { class: "thinking" }, "Looking at it"));
    try {
      const { id, agent } = this;
      const found = await ask("study/judge", { id, at: decision.number - 1, action: choice.action, agent });
      if (decision === this.decision) this.tell(choice, found);
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      $("verdict").textContent = error.message;
    } finally {
      this.busy = false;
      this.picked = [];
      this.draw();
    }
  }

  // Says how good an answer is: beside the search's own action, and beside what was played.
  tell(choice, found) {
    const { decision } = this;
    const gained = decision.loss - found.loss;
    let text;
    if (choice.action === decision.best || found.loss <= AS_GOOD) {
      this.solved = true;
      text = choice.action === decision.best ? "Right: the search would play the same." : "Right: as good as what the search would play.";
    } else if (choice.action === decision.played) text = `That is what was played. It lost ${decision.loss.toFixed(2)}.`;
    else if (gained > AS_GOOD) text = `Better than what was played, by ${gained.toFixed(2)}, but ${found.loss.toFixed(2)} is still lost. Try once more.`;
    else text = `No better: it loses ${found.loss.toFixed(2)}. Try once more.`;
    $("verdict").replaceChildren(element("b", {}, text));
    if (this.solved) this.answer();
  }

  answer() {
    const { decision } = this;
    this.solved = true;
    const more = element("p", {}, `The search: ${decision.best_words}, value ${signed(decision.best_value, 2)}. Played was worth ${signed(decision.value, 2)}.`);
    $("verdict").append(more);
    this.draw();
  }

  draw() {
    const { decision } = this;
    const who = this.names[decision.player];
    $("puzzle-title").textContent = `Puzzle ${this.place + 1} of ${this.decisions.length}`;
    $("puzzle-text").textContent = `Move ${decision.number}: ${inSentence(who)} lost ${decision.loss.toFixed(2)} here. Find a better move.`;
    const steps = this.solved || this.busy ? [] : stepsAfter(this.choices, this.picked);
    listSteps(this.choices, this.picked, steps, { pick: (key) => this.pick(key), byDigits: false });
    $("puzzle-back").hidden = !this.picked.length || this.busy;
    $("puzzle-answer").hidden = this.solved;
    const best = this.choices.find((choice) => choice.action === decision.best);
    markParts(steps, this.picked, this.solved && best ? best.parts : []);
  }
}
