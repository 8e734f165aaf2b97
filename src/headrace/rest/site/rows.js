// Lists whose rows are kept by key, and move to their new places.

const SLIDE_MS = 320;
const APPEAR_MS = 180;
const EASE = "cubic-bezier(0.22, 0.9, 0.3, 1)";
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** An element with a class and a text; what is in the text is never read as HTML. */
export function element(name, className = "", text = null) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== null) made.textContent = text;
  return made;
}

/** The text of an element, touched only if it is another one. */
export function write(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/**
 * The rows of a list. `make()` makes one, `update(row, item, place)` shows an item in it.
 *
 * Rows never lie on one another while they move: those that keep their order among themselves slide, the others vanish
 * and appear in their new places when the way is free. What is to be shown meanwhile waits until they have arrived.
 */
export class Rows {
  #list;
  #make;
  #update;
  #rows = new Map();
  #moving = 0; // the timer of the move that is under way
  #next = null; // what to show after it

  constructor(list, { make, update }) {
    this.#list = list;
    this.#make = make;
    this.#update = update;
  }

  /** Show these items in this order. `key(item)` says which row is whose. */
  show(items, key) {
    this.#next = [items, key];
    if (!this.#moving) this.#showNext();
  }

  get(name) {
    return this.#rows.get(name);
  }

  #showNext() {
    if (!this.#next) return;
    const [items, key] = this.#next;
    this.#next = null;
    const before = calm.matches || document.visibilityState !== "visible" ? null : this.#tops();
    this.#place(items, key);
    if (before?.size && this.#move(before)) {
      this.#moving = setTimeout(() => {
        this.#moving = 0;
        this.#showNext();
      }, SLIDE_MS + APPEAR_MS);
    }
  }

  #place(items, key) {
    const kept = new Map();
    items.forEach((item, place) => {
      const name = key(item);
      const row = this.#rows.get(name) ?? this.#make();
      kept.set(name, row);
      this.#update(row, item, place);
      // Only what is not in its place is moved: a row that stays keeps the focus.
      const there = this.#list.children[place];
      if (there !== row) this.#list.insertBefore(row, there ?? null);
    });
    for (const [name, row] of this.#rows) if (!kept.has(name)) row.remove();
    this.#rows = kept;
  }

  #tops() {
    return new Map([...this.#rows.values()].map((row) => [row, row.getBoundingClientRect().top]));
  }

  /** Move the rows from where they were to where they are; whether any does. */
  #move(before) {
    const rows = [...this.#rows.values()];
    const stayed = rows.filter((row) => before.has(row));
    const sliding = new Set(rising(stayed.map((row) => before.get(row))).map((place) => stayed[place]));
    const ways = rows.map((row) => before.get(row) - row.getBoundingClientRect().top);
    rows.forEach((row, place) => {
      if (!sliding.has(row)) row.animate(APPEARING, { duration: SLIDE_MS + APPEAR_MS });
      else if (ways[place]) row.animate(slide(ways[place]), { duration: SLIDE_MS, easing: EASE });
    });
    return sliding.size < rows.length || ways.some(Boolean);
  }
}

const APPEARING = [{ opacity: 0 }, { opacity: 0, offset: SLIDE_MS / (SLIDE_MS + APPEAR_MS) }, { opacity: 1 }];
const slide = (way) => [{ transform: `translateY(${way}px)` }, { transform: "none" }];

/** The places of the longest series of numbers that rise. */
export function rising(numbers) {
  const series = []; // for each place, the longest series that ends there
  numbers.forEach((number, place) => {
    const before = series.filter((one) => numbers[one.at(-1)] < number);
    series.push([...before.reduce((best, one) => (one.length > best.length ? one : best), []), place]);
  });
  return series.reduce((best, one) => (one.length > best.length ? one : best), []);
}
