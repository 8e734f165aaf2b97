// Lists whose rows are kept by key, and move to their new places.

const MOVE_MS = 520;
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

/** The rows of a list. `make()` makes one, `update(row, item, place)` shows an item in it. */
export class Rows {
  #list;
  #make;
  #update;
  #rows = new Map();
  #moves = new WeakMap();

  constructor(list, { make, update }) {
    this.#list = list;
    this.#make = make;
    this.#update = update;
  }

  /** Show these items in this order. `key(item)` says which row is whose. */
  show(items, key) {
    const moving = !calm.matches && document.visibilityState === "visible";
    const before = moving ? this.#tops() : null;
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
    if (moving) this.#move(before);
  }

  get(name) {
    return this.#rows.get(name);
  }

  #tops() {
    return new Map([...this.#rows.values()].map((row) => [row, row.getBoundingClientRect().top]));
  }

  #move(before) {
    const first = before.size === 0;
    const moves = [];
    for (const row of this.#rows.values()) {
      const old = before.get(row);
      this.#moves.get(row)?.cancel();
      moves.push([row, old === undefined ? null : old - row.getBoundingClientRect().top]);
    }
    for (const [row, distance] of moves) {
      if (distance === null && !first) this.#animate(row, [{ opacity: 0, transform: "translateY(0.6rem)" }, {}]);
      else if (distance) {
        const zIndex = distance > 0 ? 2 : 1; // who rises is in front
        this.#animate(row, [{ transform: `translateY(${distance}px)`, zIndex }, { zIndex }]);
      }
    }
  }

  #animate(row, frames) {
    this.#moves.set(row, row.animate(frames, { duration: MOVE_MS, easing: EASE }));
  }
}
