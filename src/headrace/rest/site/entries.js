// The entries of a store as a table: fields of records are columns, and whoever opens a row sees all of it.

import { element, write } from "./rows.js";
import { ago, laidOut, moment, spoken, windowText } from "./texts.js";

const MOST_FIELDS = 8; // the others are in the opened row
const at = (id) => document.getElementById(id);

/** What is told of an entry in a column, for people and for sorting. */
const COLUMNS = {
  key: { of: ({ key }) => key },
  window: { of: ({ window }) => window.start, text: ({ window }) => windowText(window) },
  value: { of: ({ value, unreadable }) => unreadable ?? value },
  changed: { of: ({ ts }) => ts, text: ({ ts }) => ago(ts), title: ({ ts }) => moment(ts) },
};

function column(name, field) {
  if (!field) return { name, kind: name, ...COLUMNS[name] };
  return { name, kind: "field", of: ({ value }) => value?.[name] ?? null };
}

/** What names an entry: its key, with the window if it has one. */
export const nameOf = ({ key, window }) => JSON.stringify([spoken(key), window?.start, window?.end]);

const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

export class Table {
  #windowed;
  #onSort;
  #columns = [];
  #fields = new Set();
  #plain = false; // whether a value is no record: then there is one column for all
  #rows = new Map(); // by name
  #sorted = null; // the column that orders them, and whether the largest is in front

  /** `onSort(column)` is called when somebody presses the head of a column; null if nothing can be sorted. */
  constructor(windowed, onSort) {
    [this.#windowed, this.#onSort] = [windowed, onSort];
    at("entries").replaceChildren();
    this.#head([]);
  }

  /** Show these entries in this order; of those that were there before it is marked what has changed. */
  show(entries, { marked = false } = {}) {
    this.#learn(entries);
    const kept = new Map();
    const body = at("entries");
    let next = body.firstElementChild;
    for (const entry of entries) {
      const name = nameOf(entry);
      const row = this.#rows.get(name) ?? new Row();
      kept.set(name, row);
      row.show(entry, this.#columns, marked);
      for (const part of row.parts) {
        if (part === next) next = next.nextElementSibling;
        else body.insertBefore(part, next);
      }
    }
    for (const [name, row] of this.#rows) if (!kept.has(name)) row.remove();
    this.#rows = kept;
  }

  /** Say which column orders the entries, and whether others may. */
  sorted(by, onSort = this.#onSort) {
    [this.#sorted, this.#onSort] = [by, onSort];
    this.#head(this.#columns);
  }

  /** How long ago things were is another one each second. */
  ages() {
    for (const row of this.#rows.values()) row.show(row.entry, this.#columns, false);
  }

  /** Fields are learned from what comes; columns that are there stay where they are. */
  #learn(entries) {
    const before = this.#fields.size;
    const was = this.#plain;
    for (const { value, unreadable } of entries) {
      if (isRecord(value)) Object.keys(value).forEach((field) => this.#fields.add(field));
      else if (unreadable || value !== null) this.#plain = true;
    }
    if (this.#columns.length && before === this.#fields.size && was === this.#plain) return;
    const fields = this.#plain ? [] : [...this.#fields].slice(0, MOST_FIELDS);
    const shown = fields.length ? fields.map((field) => column(field, true)) : [column("value")];
    const window = this.#windowed ? [column("window")] : [];
    this.#head([column("key"), ...window, ...shown, column("changed")]);
  }

  #head(columns) {
    this.#columns = columns;
    const cells = columns.map((one) => {
      const cell = element("th", one.kind);
      cell.scope = "col";
      const by = this.#sorted?.column.name === one.name && this.#sorted?.column.kind === one.kind ? this.#sorted : null;
      if (by) cell.setAttribute("aria-sort", by.falling ? "descending" : "ascending");
      if (this.#onSort) {
        const button = element("button", "", one.name);
        button.type = "button";
        button.addEventListener("click", () => this.#onSort(one));
        cell.append(button);
      } else write(cell, one.name);
      return cell;
    });
    const focused = [...at("columns").children].findIndex((cell) => cell.contains(document.activeElement));
    at("columns").replaceChildren(...cells);
    at("columns").children[focused]?.querySelector("button")?.focus();
  }
}

/** A row, and below it all of its entry while it is open. */
class Row {
  entry = null;
  #row = element("tr", "entry");
  #opener = element("button", "opener");
  #whole = null;
  #cells = [];
  #columns = null;

  constructor() {
    this.#opener.type = "button";
    this.#opener.setAttribute("aria-expanded", "false");
    this.#row.addEventListener("click", () => getSelection().isCollapsed && this.#turn());
  }

  get parts() {
    return this.#whole ? [this.#row, this.#whole] : [this.#row];
  }

  show(entry, columns, marked) {
    if (columns !== this.#columns) this.#build(columns);
    const other = this.entry !== entry;
    this.entry = entry;
    columns.forEach((one, number) => this.#fill(this.#cells[number], one, other && marked));
    if (this.#whole && other) this.#write();
  }

  remove() {
    this.parts.forEach((part) => part.remove());
  }

  #build(columns) {
    this.#columns = columns;
    this.#cells = columns.map(({ kind }) => (kind === "key" ? element("code") : element("span")));
    this.#row.replaceChildren(
      ...columns.map(({ name, kind }, number) => {
        const cell = element("td", kind);
        cell.dataset.name = name;
        if (kind === "key") {
          this.#opener.replaceChildren(this.#cells[number]);
          cell.append(this.#opener);
        } else cell.append(this.#cells[number]);
        return cell;
      }),
    );
    if (this.#whole) this.#whole.firstElementChild.colSpan = columns.length;
  }

  #fill(target, { of, text, title, kind }, marked) {
    const value = of(this.entry);
    const told = text ? text(this.entry) : value === null ? "–" : spoken(value);
    const cell = target.closest("td");
    cell.classList.toggle("none", value === null);
    cell.classList.toggle("number", (kind === "field" || kind === "value") && ["number", "bigint"].includes(typeof value));
    target.title = title ? title(this.entry) : kind === "window" ? "" : told.length > 24 ? told.slice(0, 500) : "";
    if (marked && kind !== "changed" && target.textContent !== told) flash(cell);
    write(target, told);
  }

  #turn() {
    if (this.#whole) {
      this.#whole.remove();
      this.#whole = null;
    } else {
      this.#whole = element("tr", "whole");
      const cell = element("td");
      cell.colSpan = this.#columns.length;
      cell.append(element("code"));
      this.#whole.append(cell);
      this.#write();
      this.#row.after(this.#whole);
    }
    this.#opener.setAttribute("aria-expanded", String(this.#whole !== null));
  }

  #write() {
    write(this.#whole.querySelector("code"), this.entry.unreadable ?? laidOut(this.entry.value));
  }
}

function flash(cell) {
  cell.classList.remove("fresh");
  void cell.offsetWidth; // so that it begins anew
  cell.classList.add("fresh");
}
