// An open store: its entries by key or by a column, those whose keys begin with something, and keys looked up.

import { Table } from "./entries.js";
import { grouped } from "./live.js";
import { Paged } from "./paged.js";
import { element, write } from "./rows.js";
import { Sorted } from "./sorted.js";
import { ago, laidOut, moment, windowText } from "./texts.js";
import { address, ask } from "./watch.js";

const PAGE = 25;
const MOST_SORTED = 20_000;
const TICK_MS = 1_000;
const TYPING_MS = 250;
const at = (id) => document.getElementById(id);

/** A store that is open on the page until `close()`. */
export class Opened {
  #path;
  #store;
  #sign;
  #table;
  #entries = null; // Paged or Sorted
  #by = null; // the column that orders them, if it is not the key
  #over = new AbortController();
  #typing = 0;

  constructor(path, store, sign) {
    [this.#path, this.#store, this.#sign] = [path, store, sign];
    const options = { signal: this.#over.signal };
    at("ask").addEventListener("submit", (event) => this.#lookUp(event), options);
    at("key").addEventListener("input", () => this.#typed(), options);
    at("next").addEventListener("click", () => this.#entries.next(), options);
    at("back").addEventListener("click", () => this.#entries.back(), options);
    at("ask").reset();
    at("found").hidden = true;
    write(at("key-label"), this.#searchable ? "Keys that begin with" : "Key");
    this.#table = new Table(this.#windowed, (column) => this.#sort(column));
    const clock = setInterval(() => this.#table.ages(), TICK_MS);
    this.#over.signal.addEventListener("abort", () => clearInterval(clock));
    this.#list();
  }

  close() {
    this.#over.abort();
    clearTimeout(this.#typing);
    this.#entries.close();
    this.#sign.forget("store");
  }

  get #windowed() {
    return this.#store.kind !== "table";
  }

  /** Whether keys are texts: only those begin with something that somebody would type. */
  get #searchable() {
    return this.#store.key === "string";
  }

  #list() {
    this.#entries?.close();
    const about = {
      prefix: (this.#searchable && at("key").value) || null,
      size: PAGE,
      show: (entries, how) => {
        this.#table.show(entries, how);
        at("empty").hidden = entries.length > 0;
        write(at("empty"), about.prefix ? `No key begins with ${about.prefix}.` : "Empty so far: what comes shows up here by itself.");
      },
      edges: ({ before, behind }) => {
        at("back").hidden = !before;
        at("next").hidden = !behind;
      },
      report: this.#sign.of("store"),
    };
    this.#entries = this.#by ? new Sorted(this.#path, this.#by, about) : new Paged(this.#path, this.#store, about);
  }

  /** By a column, the largest first; pressed again, the smallest first; then by key, as at the beginning. */
  async #sort(column) {
    const again = this.#by?.column.name === column.name && this.#by.column.kind === column.kind;
    const by = column.kind === "key" || (again && !this.#by.falling) ? null : { column, falling: !again };
    if (by && !(await this.#few())) return;
    this.#by = by;
    this.#table.sorted(by);
    this.#list();
  }

  /** Whether there are so few entries that a browser can hold them all; else it says so. */
  async #few() {
    const { count } = await ask(address([...this.#path, "count"], { stale: true }), { signal: this.#over.signal });
    if (count <= MOST_SORTED) return true;
    this.#say(`${grouped(count)} entries are too many to be sorted here: the page sorts up to ${grouped(MOST_SORTED)}.`);
    return false;
  }

  #typed() {
    at("found").hidden = true;
    if (!this.#searchable) return;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#list(), TYPING_MS);
  }

  // -- one key

  async #lookUp(event) {
    event.preventDefault();
    const wanted = at("key").value;
    if (!wanted) return;
    try {
      const [where, more] = this.#windowed ? ["windows", { limit: PAGE, reverse: true }] : ["keys", {}];
      const answer = await ask(address([...this.#path, where, wanted], more), { signal: this.#over.signal });
      const entries = answer.entries ?? [answer];
      if (entries.length) this.#tell(...entries.map(entryShown));
      else this.#say(`There are no windows of ${wanted}.`);
    } catch (error) {
      if (this.#over.signal.aborted) return;
      const absent = error.code === "key-absent";
      this.#say(absent ? `There is no entry for ${wanted}.` : [error.message, error.toDo].filter(Boolean).join(": "));
    }
  }

  #say(text) {
    this.#tell(element("p", "", text));
  }

  #tell(...parts) {
    at("found").replaceChildren(...parts);
    at("found").hidden = false;
  }
}

function entryShown({ value, ts, window }) {
  const shown = element("div", "one");
  const when = element("p", "overline", `${window ? `${windowText(window)}, ` : ""}changed ${ago(ts)}`);
  when.title = moment(ts);
  shown.append(when, element("code", "", laidOut(value)));
  return shown;
}
