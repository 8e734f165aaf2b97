// A page of a store's entries in the order of their keys: it follows what happens, and there are others around it.

import { nameOf } from "./entries.js";
import { keyText, ordering, spoken } from "./texts.js";
import { address, ask, watch } from "./watch.js";

const AGAIN_MS = 1_000;

/**
 * Entries by key, until `close()`. `show(entries, {marked})` is called whenever they are others, and `edges({before,
 * behind})` says whether there are pages around this one.
 */
export class Paged {
  #path;
  #store;
  #prefix;
  #size;
  #show;
  #edges;
  #report;
  #order;
  #over = new AbortController();
  #watch = null;
  #pages = [{}]; // what was asked for the pages up to this one
  #next = null; // what to ask for the one behind it
  #first = null; // where this page begins, if there is one before it
  #last = null; // and where it ends, if there is one behind it
  #entries = []; // in the order of their keys
  #missing = null; // names of entries that are yet to be told again
  #told = false; // whether everything so far was told: what comes then is a change

  constructor(path, store, { prefix, size, show, edges, report }) {
    [this.#path, this.#store, this.#prefix, this.#size] = [path, store, prefix, size];
    [this.#show, this.#edges, this.#report] = [show, edges, report];
    const order = ordering(store);
    this.#order = (one, other) =>
      order(one.key, other.key) ||
      (one.window?.start ?? 0) - (other.window?.start ?? 0) ||
      (one.window?.end ?? 0) - (other.window?.end ?? 0);
    this.#load();
  }

  close() {
    this.#over.abort();
    this.#watch?.close();
  }

  next() {
    if (this.#next) this.#pages.push(this.#next);
    this.#load();
  }

  back() {
    this.#pages.pop();
    this.#load();
  }

  get #windowed() {
    return this.#store.kind !== "table";
  }

  async #load() {
    this.#watch?.close();
    const list = [...this.#path, this.#windowed ? "windows" : "entries"];
    const where = address(list, { prefix: this.#prefix, ...this.#pages.at(-1), limit: this.#size });
    try {
      const { entries, next } = await ask(where, { signal: this.#over.signal });
      // All that was on it may be gone by now.
      if (!entries.length && this.#pages.length > 1) return this.back();
      this.#begin(entries, next);
      this.#follow();
    } catch (error) {
      if (this.#over.signal.aborted) return;
      this.#report("reconnecting", error.message);
      this.#pages = [{}]; // what a later page was of may be gone
      setTimeout(() => this.#over.signal.aborted || this.#load(), error.retryMs ?? AGAIN_MS);
    }
  }

  #begin(entries, cursor) {
    this.#entries = entries;
    this.#told = false;
    this.#first = this.#pages.length > 1 ? entries[0] : null;
    this.#last = cursor === null ? null : entries.at(-1);
    this.#next = cursor === null ? null : this.#windowed ? { cursor } : { from: this.#text(this.#last) };
    this.#tell();
  }

  /** Watch the keys of this page; of the last one also those to come behind it. */
  #follow() {
    const [from, to] = [this.#first && this.#text(this.#first), this.#last && this.#text(this.#last)];
    this.#watch = watch(address([...this.#path, "watch"], { from, to, prefix: this.#prefix }), {
      anew: () => (this.#missing = new Set(this.#entries.map(nameOf))),
      change: (entry) => this.#change(entry),
      current: () => this.#sweep(),
      state: this.#report,
    });
  }

  #text = ({ key }) => keyText(key, this.#store);

  #change(entry) {
    if (entry.unreadable) return;
    this.#missing?.delete(nameOf(entry));
    // Of a windowed store whole keys are watched, while a page begins and ends at windows.
    if (this.#first && this.#order(entry, this.#first) < 0) return;
    if (this.#last && this.#order(entry, this.#last) > 0) return;
    this.#put(entry);
    this.#tell();
  }

  #put(entry) {
    let place = this.#entries.findIndex((one) => this.#order(one, entry) >= 0);
    if (place < 0) place = this.#entries.length;
    const there = place < this.#entries.length && this.#order(this.#entries[place], entry) === 0;
    if (entry.value === null) this.#entries.splice(place, there ? 1 : 0);
    else if (!there || !same(this.#entries[place], entry)) this.#entries.splice(place, there ? 1 : 0, entry);
    // A page stays a page, however many keys come in between.
    if (this.#entries.length > this.#size) {
      this.#entries.pop();
      this.#last = this.#entries.at(-1);
      if (!this.#windowed) this.#next = { from: this.#text(this.#last) };
    }
  }

  /** Entries that everything told anew did not name are gone. */
  #sweep() {
    if (this.#missing) this.#entries = this.#entries.filter((entry) => !this.#missing.has(nameOf(entry)));
    this.#missing = null;
    this.#told = true;
    this.#tell();
  }

  #tell() {
    this.#show(this.#entries, { marked: this.#told });
    this.#edges({ before: this.#pages.length > 1, behind: this.#next !== null });
  }
}

const same = (one, other) => one.ts === other.ts && spoken(one.value) === spoken(other.value);
