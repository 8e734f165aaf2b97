// An open store: a page of its entries that follows what happens, and keys looked up.

import { element, write } from "./rows.js";
import { ago, keyText, laidOut, moment, ordering, spoken, windowText } from "./texts.js";
import { address, ask, watch } from "./watch.js";

const PAGE = 50;
const TICK_MS = 1_000;
const at = (id) => document.getElementById(id);
const nameOf = ({ key, window }) => JSON.stringify([spoken(key), window?.start, window?.end]);
/** A store that is open on the page until `close()`. */
export class Opened {
  #path;
  #store;
  #sign;
  #windowed;
  #order;
  #over = new AbortController();
  #watch = null;
  #pages = [{}]; // what was asked for the pages up to this one
  #next = null; // what to ask for the one behind it
  #first = null; // where this page begins, if there is one before it
  #last = null; // and where it ends, if there is one behind it
  #shown = []; // entries with their rows, in the order of their keys
  #missing = null; // names of rows that are yet to be told again
  #told = false; // whether everything so far was told: what comes then is a change

  constructor(path, store, sign) {
    [this.#path, this.#store, this.#sign] = [path, store, sign];
    this.#windowed = store.kind !== "table";
    const order = ordering(store);
    this.#order = (one, other) =>
      order(one.key, other.key) ||
      (one.window?.start ?? 0) - (other.window?.start ?? 0) ||
      (one.window?.end ?? 0) - (other.window?.end ?? 0);
    const options = { signal: this.#over.signal };
    at("ask").addEventListener("submit", (event) => this.#lookUp(event), options);
    at("next").addEventListener("click", () => this.#turn(this.#next), options);
    at("back").addEventListener("click", () => this.#turn(null), options);
    at("ask").reset();
    at("found").hidden = true;
    at("window-head").hidden = !this.#windowed;
    at("entries").replaceChildren();
    const clock = setInterval(() => this.#ages(), TICK_MS);
    this.#over.signal.addEventListener("abort", () => clearInterval(clock));
    this.#load();
  }

  close() {
    this.#over.abort();
    this.#watch?.close();
    this.#sign.forget("store");
  }

  // -- pages

  #turn(to) {
    if (to) this.#pages.push(to);
    else this.#pages.pop();
    this.#load();
  }

  async #load() {
    this.#watch?.close();
    const report = this.#sign.of("store");
    const list = [...this.#path, this.#windowed ? "windows" : "entries"];
    const where = address(list, { ...this.#pages.at(-1), limit: PAGE });
    try {
      const { entries, next } = await ask(where, { signal: this.#over.signal });
      // All that was on it may be gone by now.
      if (!entries.length && this.#pages.length > 1) return this.#turn(null);
      this.#show(entries, next);
      this.#follow(report);
    } catch (error) {
      if (this.#over.signal.aborted) return;
      report("reconnecting", error.message);
      this.#pages = [{}]; // what a later page was of may be gone
      setTimeout(() => this.#over.signal.aborted || this.#load(), error.retryMs ?? TICK_MS);
    }
  }

  #show(entries, cursor) {
    this.#shown = [];
    this.#told = false;
    at("entries").replaceChildren();
    for (const entry of entries) this.#put(entry);
    this.#first = this.#pages.length > 1 ? entries[0] : null;
    this.#last = cursor === null ? null : entries.at(-1);
    this.#next = cursor === null ? null : this.#windowed ? { cursor } : { from: this.#text(this.#last) };
    this.#edges();
  }

  /** Watch the keys of this page; of the last one also those to come behind it. */
  #follow(report) {
    const range = { from: this.#first && this.#text(this.#first), to: this.#last && this.#text(this.#last) };
    this.#watch = watch(address([...this.#path, "watch"], range), {
      anew: () => (this.#missing = new Set(this.#shown.map(({ entry }) => nameOf(entry)))),
      change: (entry) => this.#change(entry),
      current: () => this.#sweep(),
      state: report,
    });
  }

  #text = ({ key }) => keyText(key, this.#store);

  // -- rows

  #change(entry) {
    if (entry.unreadable) return;
    this.#missing?.delete(nameOf(entry));
    // Of a windowed store whole keys are watched, while a page begins and ends at windows.
    if (this.#first && this.#order(entry, this.#first) < 0) return;
    if (this.#last && this.#order(entry, this.#last) > 0) return;
    if (entry.value === null) this.#drop(nameOf(entry));
    else this.#put(entry);
    this.#edges();
  }

  #put(entry) {
    let place = this.#shown.findIndex((one) => this.#order(one.entry, entry) >= 0);
    if (place < 0) place = this.#shown.length;
    let there = this.#shown[place];
    if (!there || this.#order(there.entry, entry) !== 0) {
      there = { open: false };
      there.row = this.#row(entry, there);
      at("entries").insertBefore(there.row, this.#shown[place]?.row ?? null);
      this.#shown.splice(place, 0, there);
    }
    const { when } = there.row.parts;
    const before = spoken(there.entry?.value ?? null);
    there.entry = entry;
    this.#write(there);
    write(when, ago(entry.ts));
    when.title = moment(entry.ts);
    if (this.#told && before !== spoken(entry.value)) this.#flash(there.row);
    // A page stays a page, however many keys come in between.
    if (this.#shown.length > PAGE) {
      this.#shown.pop().row.remove();
      this.#last = this.#shown.at(-1).entry;
      if (!this.#windowed) this.#next = { from: this.#text(this.#last) };
    }
  }

  #row({ key, window }, there) {
    const parts = { value: element("code"), when: element("span") };
    // A long value is cut; whoever presses it sees it whole.
    const opener = element("button", "value");
    opener.type = "button";
    opener.setAttribute("aria-expanded", "false");
    opener.append(parts.value);
    opener.addEventListener("click", () => {
      there.open = !there.open;
      opener.setAttribute("aria-expanded", String(there.open));
      this.#write(there);
    });
    const cells = [element("code", "", spoken(key)), opener, parts.when];
    if (window) cells.splice(1, 0, element("span", "", windowText(window)));
    const row = element("tr");
    cells.forEach((content) => {
      const cell = element("td", content === parts.when ? "when" : "");
      cell.append(content);
      row.append(cell);
    });
    row.parts = parts;
    return row;
  }

  #write({ row, entry, open }) {
    write(row.parts.value, entry.unreadable ?? (open ? laidOut(entry.value) : spoken(entry.value)));
  }

  #drop(name) {
    const place = this.#shown.findIndex(({ entry }) => nameOf(entry) === name);
    if (place >= 0) this.#shown.splice(place, 1)[0].row.remove();
  }

  /** Rows that everything told anew did not name are gone. */
  #sweep() {
    for (const name of this.#missing ?? []) this.#drop(name);
    this.#missing = null;
    this.#told = true;
    this.#edges();
  }

  #flash(row) {
    row.classList.remove("changed");
    void row.offsetWidth; // so that it begins anew
    row.classList.add("changed");
  }

  #ages() {
    for (const { row, entry } of this.#shown) write(row.parts.when, ago(entry.ts));
  }

  #edges() {
    at("empty").hidden = this.#shown.length > 0;
    at("next").hidden = !this.#next;
    at("back").hidden = this.#pages.length === 1;
  }

  // -- one key

  async #lookUp(event) {
    event.preventDefault();
    const wanted = at("key").value;
    const found = at("found");
    try {
      const [where, more] = this.#windowed ? ["windows", { limit: PAGE, reverse: true }] : ["keys", {}];
      const answer = await ask(address([...this.#path, where, wanted], more), { signal: this.#over.signal });
      const entries = answer.entries ?? [answer];
      const none = element("p", "", `There are no windows of ${wanted}.`);
      found.replaceChildren(...(entries.length ? entries.map(entryShown) : [none]));
    } catch (error) {
      if (this.#over.signal.aborted) return;
      const absent = error.code === "key-absent";
      const told = [error.message, error.toDo].filter(Boolean).join(": ");
      found.replaceChildren(element("p", "", absent ? `There is no entry for ${wanted}.` : told));
    }
    found.hidden = false;
  }
}

function entryShown({ value, ts, window }) {
  const shown = element("div", "entry");
  const when = element("p", "overline", `${window ? `${windowText(window)}, ` : ""}changed ${ago(ts)}`);
  when.title = moment(ts);
  shown.append(when, element("code", "", laidOut(value)));
  return shown;
}
