// The entries of a whole store, or of a prefix, ordered by a column: all are watched, and some of them shown.

import { nameOf } from "./entries.js";
import { spoken } from "./texts.js";
import { address, watch } from "./watch.js";

const DRAW_MS = 200;

/** The same for whoever shows it as `Paged`. */
export class Sorted {
  #size;
  #show;
  #edges;
  #by;
  #watch;
  #entries = new Map();
  #before = new Set(); // names of what is yet to be told again
  #skipped = 0;
  #told = false;
  #timer = 0;

  constructor(path, by, { prefix, size, show, edges, report }) {
    [this.#by, this.#size, this.#show, this.#edges] = [by, size, show, edges];
    this.#watch = watch(address([...path, "watch"], { prefix }), {
      anew: () => (this.#before = new Set(this.#entries.keys())),
      change: (entry) => this.#change(entry),
      current: () => this.#sweep(),
      state: report,
    });
  }

  close() {
    clearTimeout(this.#timer);
    this.#watch.close();
  }

  next() {
    this.#skipped += this.#size;
    this.#draw();
  }

  back() {
    this.#skipped -= this.#size;
    this.#draw();
  }

  #change(entry) {
    const name = nameOf(entry);
    this.#before.delete(name);
    if (entry.value === null && !entry.unreadable) this.#entries.delete(name);
    else this.#entries.set(name, entry);
    // Changes come in bursts: what comes within a moment is drawn at once.
    if (this.#told) this.#timer ||= setTimeout(() => this.#draw(), DRAW_MS);
  }

  #sweep() {
    for (const name of this.#before) this.#entries.delete(name);
    this.#draw();
    this.#told = true;
  }

  #draw() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const { column, falling } = this.#by;
    const way = falling ? -1 : 1;
    const sorted = [...this.#entries.values()].sort((one, other) => compared(column.of(one), column.of(other), way));
    while (this.#skipped && this.#skipped >= sorted.length) this.#skipped -= this.#size; // they have gone since
    const end = this.#skipped + this.#size;
    this.#show(sorted.slice(this.#skipped, end), { marked: this.#told });
    this.#edges({ before: this.#skipped > 0, behind: end < sorted.length });
  }
}

/** What is not there comes last either way, numbers before all else. */
function compared(one, other, way) {
  if (one === null || other === null) return (one === null) - (other === null);
  const [a, b] = [plain(one), plain(other)];
  if (typeof a !== typeof b) return typeof a === "string" ? 1 : -1;
  return a < b ? -way : a > b ? way : 0;
}

function plain(value) {
  if (typeof value === "bigint" || typeof value === "boolean") return Number(value);
  return typeof value === "number" ? value : spoken(value);
}
