// The word count: the store `counts`, watched as a whole.

import { Rows, element, write } from "./headrace/rows.js";
import { Rate, Sign, application, grouped } from "./headrace/live.js";
import { address, watch } from "./headrace/watch.js";

const SHOWN = 20;
const DRAW_MS = 50;
const at = (id) => document.getElementById(id);

const counts = new Map();
let total = 0;
let waiting = false;
let known = false;

function row() {
  const made = element("li", "word");
  const parts = {
    place: element("span", "place"),
    name: element("span", "name"),
    bar: element("div", "bar"),
    count: element("span", "count"),
  };
  made.append(parts.place, parts.name, parts.bar, parts.count);
  made.parts = parts;
  return made;
}

function update(shown, [word, count, most], place) {
  const part = shown.parts;
  write(part.place, String(place + 1));
  write(part.name, word);
  part.name.title = word;
  write(part.count, grouped(count));
  part.bar.style.setProperty("--share", String(count / most));
}

const rows = new Rows(at("words"), { make: row, update });
const rate = new Rate();
const sign = new Sign(at("sign"));

/** Changes come in bursts: what comes within a moment is drawn at once. */
function draw() {
  if (!waiting) setTimeout(show, DRAW_MS);
  waiting = true;
}

function show() {
  waiting = false;
  const sorted = [...counts].sort(([one, more], [other, less]) => less - more || (one < other ? -1 : 1));
  const top = sorted.slice(0, SHOWN);
  rows.show(
    top.map(([word, count]) => [word, count, top[0][1] || 1]),
    ([word]) => word,
  );
  write(at("total"), grouped(total));
  write(at("different"), grouped(counts.size));
  at("nothing").hidden = counts.size > 0;
  at("main").setAttribute("aria-busy", "false");
}

function change({ key, value }) {
  total += (value ?? 0) - (counts.get(key) ?? 0);
  if (value === null) counts.delete(key);
  else counts.set(key, value);
  draw();
}

const app = await application(sign.of("application"));
sign.forget("application");
watch(address(["apps", app, "stores", "counts", "watch"]), {
  anew() {
    counts.clear();
    total = 0;
  },
  change,
  current() {
    known = true;
    draw();
  },
  state: sign.of("counts"),
});
setInterval(() => known && write(at("rate"), rate.of(total)), 1_000);
