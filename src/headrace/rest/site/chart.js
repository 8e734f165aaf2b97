// A small chart over time: one or more lines or bars, a figure for each, and what it was wherever one points.

import { element, write } from "./rows.js";
import { moment } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";
const FEWEST = 24; // steps, while there is no more to show
const MOST = 180;
const HEIGHT = 60;

function drawn(name, attributes = {}) {
  const made = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}

export class Chart {
  root = element("figure", "card chart-card");
  #about;
  #figures = [];
  #marks = [];
  #svg = drawn("svg", { preserveAspectRatio: "none", role: "img" });
  #cursor = drawn("line", { class: "cursor", y1: 0, y2: HEIGHT, visibility: "hidden" });
  #most = element("span", "most");
  #when = element("span");
  #values = []; // of each line, by step
  #times = [];
  #pointed = null; // the step that somebody points at

  constructor(about) {
    this.#about = about;
    const caption = element("figcaption");
    caption.append(element("h3", "", about.title));
    const figures = element("dl", "chart-figures");
    about.lines.forEach((line, number) => {
      const figure = element("div", `series series-${number}${line.bad ? " bad" : ""}`);
      const value = element("dd", "number", "–");
      figure.append(element("dt", "", line.name), value);
      figures.append(figure);
      this.#figures.push(value);
      this.#marks.push(drawn("path", { class: `${about.bars ? "bars" : "line"} ${figure.className}` }));
    });
    caption.append(figures);
    const axis = element("p", "axis");
    axis.append(this.#when, element("span", "", "now"));
    const plot = element("div", "plot");
    this.#svg.append(...this.#marks.toReversed(), this.#cursor);
    plot.append(this.#most, this.#svg);
    this.root.append(caption, plot, axis);
    plot.addEventListener("pointermove", (event) => this.#point(event));
    plot.addEventListener("pointerdown", (event) => this.#point(event));
    plot.addEventListener("pointerleave", () => this.#unpoint());
  }

  /** Show what there is of a span: steps in which nothing was done are filled in. */
  show({ steps, step_ms: stepMs, now, since }) {
    const [newest, started] = [now - (now % stepMs), since - (since % stepMs)];
    const count = Math.min(Math.max((newest - started) / stepMs + 1, FEWEST), MOST);
    this.#times = Array.from({ length: count }, (_, place) => newest + (place + 1 - count) * stepMs);
    this.#svg.setAttribute("viewBox", `0 0 ${count} ${HEIGHT}`);
    this.#values = this.#about.lines.map((line) => this.#filled(line, steps, started, stepMs));
    this.#draw();
  }

  /** Before the start there is nothing; then a step without batches has what was there before, or none of it. */
  #filled({ of, held, sparse }, steps, started, stepMs) {
    const there = new Map(steps.map((step) => [step.at_ms, of(step, stepMs / 1_000)]));
    const otherwise = sparse ? null : 0;
    let before = steps.length && steps[0].at_ms < this.#times[0] ? of(steps[0]) : 0;
    return this.#times.map((time) => {
      if (time < started) return null;
      if (held) return (before = there.get(time) ?? before);
      return there.get(time) ?? otherwise;
    });
  }

  #draw() {
    const { bars, written } = this.#about;
    const most = Math.max(0, ...this.#values.flat());
    const down = (value) => HEIGHT - (value / (most || 1)) * HEIGHT;
    this.#marks.forEach((mark, number) => {
      mark.setAttribute("d", bars ? barsOf(this.#values[number], down) : lineOf(this.#values[number], down));
    });
    write(this.#most, most ? written(most) : "");
    this.#tell();
  }

  /** The figures: of where one points, else of now. */
  #tell() {
    const { written, told, title, unit, lines } = this.#about;
    const place = this.#pointed;
    const texts = this.#values.map((values) => {
      const value = place === null ? told(values) : values[place];
      return value === null || value === undefined ? "–" : written(value);
    });
    texts.forEach((text, number) => write(this.#figures[number], text));
    const spoken = texts.map((text, number) => `${lines[number].name} ${text}`).join(", ");
    this.#svg.setAttribute("aria-label", `${title}${unit ? ` in ${unit}` : ""}: ${spoken}`);
    write(this.#when, place === null ? agoText(this.#times) : moment(this.#times[place]));
  }

  #point(event) {
    const { left, width } = this.#svg.getBoundingClientRect();
    const count = this.#times.length;
    this.#pointed = Math.min(Math.max(Math.floor(((event.clientX - left) / width) * count), 0), count - 1);
    this.#cursor.setAttribute("visibility", "visible");
    for (const side of ["x1", "x2"]) this.#cursor.setAttribute(side, String(this.#pointed + 0.5));
    this.#tell();
  }

  #unpoint() {
    this.#pointed = null;
    this.#cursor.setAttribute("visibility", "hidden");
    this.#tell();
  }
}

function agoText(times) {
  const minutes = Math.round((times.at(-1) - times[0]) / 60_000);
  return minutes < 120 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}

function lineOf(values, down) {
  let text = "";
  values.forEach((value, place) => {
    if (value === null) return;
    const begins = place === 0 || values[place - 1] === null;
    const alone = begins && (values[place + 1] ?? null) === null;
    text += `${begins ? "M" : "L"}${place + 0.5},${down(value).toFixed(2)}${alone ? "h0.01" : ""}`;
  });
  return text;
}

function barsOf(values, down) {
  return values.map((value, place) => (value ? `M${place + 0.5},${HEIGHT}V${down(value).toFixed(2)}` : "")).join("");
}
