// What the application has done lately, as charts: sums of its batches in steps of time.

import { Chart } from "./chart.js";
import { grouped } from "./live.js";
import { ask } from "./watch.js";

const at = (id) => document.getElementById(id);
const bytes = (number) => {
  const power = number < 1_000 ? 0 : Math.min(Math.floor(Math.log10(number) / 3), 4);
  return `${short(number / 1_000 ** power)} ${["B", "kB", "MB", "GB", "TB"][power]}`;
};
const seconds = (ms) => (ms < 1_000 ? `${Math.round(ms)} ms` : `${short(ms / 1_000)} s`);
const short = (number) => (number < 10 && number % 1 ? number.toFixed(1) : grouped(Math.round(number)));
const count = (number) => grouped(Math.round(number));
const last = (values) => values.at(-1);
const lastWhole = (values) => values.at(-2) ?? 0; // the last step has just begun
const sum = (values) => values.reduce((all, value) => all + (value ?? 0), 0);

/** `of` takes a step and its length in seconds; `told` says which figure stands for all of them. */
const CHARTS = [
  {
    title: "Records a second",
    lines: [
      { name: "in", of: (step, s) => step.records_in / s },
      { name: "out", of: (step, s) => step.records_out / s },
    ],
    written: short,
    told: lastWhole,
  },
  { title: "Lag", unit: "records", lines: [{ name: "waiting", of: (step) => step.lag, held: true }], written: count, told: last },
  {
    title: "Batch time",
    lines: [
      { name: "mean", of: (step) => (step.batches ? step.busy_ms / step.batches : null), sparse: true },
      { name: "longest", of: (step) => (step.batches ? step.longest_ms : null), sparse: true },
    ],
    written: seconds,
    told: (values) => values.findLast((value) => value !== null) ?? 0,
  },
  {
    title: "Errors",
    lines: [
      { name: "failed", of: (step) => step.failed, bad: true },
      { name: "restarts", of: (step) => step.restarts, bad: true },
      { name: "left out", of: (step) => step.dropped },
    ],
    bars: true,
    written: count,
    told: sum,
  },
  { title: "Dead letters", lines: [{ name: "written", of: (step) => step.dead_letters, bad: true }], bars: true, written: count, told: sum },
  { title: "State", lines: [{ name: "bytes", of: (step) => step.state_bytes, held: true }], written: bytes, told: last },
];

/** The charts of an application, asked for at an address. */
export class Activity {
  #where;
  #charts = CHARTS.map((about) => new Chart(about));
  #span = "15m";

  constructor(where) {
    this.#where = where;
    at("charts").append(...this.#charts.map(({ root }) => root));
    at("span").addEventListener("click", ({ target }) => this.#choose(target.dataset.span));
  }

  async look() {
    const found = await ask(`${this.#where}?span=${this.#span}`);
    at("activity").hidden = found.since === null; // it runs elsewhere
    if (found.since !== null) for (const chart of this.#charts) chart.show(found);
  }

  #choose(span) {
    if (!span) return;
    this.#span = span;
    for (const button of at("span").children) button.setAttribute("aria-pressed", String(button.dataset.span === span));
    this.look().catch(() => {}); // it is asked again in a moment
  }
}
