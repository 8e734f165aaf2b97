// The music charts. Two stores are watched: `charts`, and `song-plays` for the figures below them.

import { Rows, element, write } from "./headrace/rows.js";
import { Rate, Sign, application, grouped } from "./headrace/live.js";
import { address, watch } from "./headrace/watch.js";

const AGO_MS = 30_000;
const TICK_MS = 1_000;
const NEWS_MS = 15_000;
const PATTERNS = 6;
const OVERALL = "all";
const at = (id) => document.getElementById(id);

/** Which places songs had half a minute ago, and so which way they went. */
class Trend {
  #seen = [];

  note(songs) {
    const now = performance.now();
    this.#seen.push({ at: now, places: new Map(songs.map((song, place) => [song.song, place])) });
    while (this.#seen.length > 1 && this.#seen[1].at < now - AGO_MS) this.#seen.shift();
  }

  /** Places won since then, negative for lost ones; null for a song that was not there. */
  of(song, place) {
    const now = performance.now();
    while (this.#seen.length > 1 && this.#seen[1].at < now - AGO_MS) this.#seen.shift();
    const then = this.#seen[0]?.places.get(song);
    return then === undefined ? null : then - place;
  }
}

/** The chart of a genre, or of all. */
class Chart {
  #rows;
  #trend = new Trend();
  #songs = [];

  constructor(list) {
    this.#rows = new Rows(list, { make: row, update: (one, song, place) => this.#update(one, song, place) });
  }

  show(songs) {
    this.#songs = songs;
    this.#trend.note(songs);
    this.#rows.show(songs, (song) => song.song);
  }

  /** Songs that did not move for half a minute lose their arrows. */
  tick() {
    this.#songs.forEach((song, place) => {
      const shown = this.#rows.get(song.song);
      if (shown) this.#arrow(shown, song, place); // else rows are still moving, and it comes after that
    });
  }

  #update(shown, song, place) {
    const part = shown.parts;
    write(part.rank, String(place + 1));
    write(part.title, song.title);
    write(part.artist, song.artist);
    part.title.title = `${song.title} – ${song.artist}, ${song.album}`;
    write(part.plays, grouped(song.plays));
    part.plays.setAttribute("aria-label", `${grouped(song.plays)} plays`);
    sleeve(part.cover, song.album);
    part.bar.style.setProperty("--share", String(song.plays / (this.#songs[0].plays || 1)));
    this.#arrow(shown, song, place);
  }

  #arrow(shown, song, place) {
    const won = this.#trend.of(song.song, place);
    const way = won === null ? "new" : won > 0 ? "up" : won < 0 ? "down" : "same";
    const sign = { new: "new", up: `▲${won}`, down: `▼${-won}`, same: "" }[way];
    const said = { new: "new", up: `up ${won}`, down: `down ${-won}`, same: "unchanged" }[way];
    shown.parts.trend.dataset.way = way;
    write(shown.parts.trend, sign);
    shown.parts.trend.setAttribute("aria-label", said);
  }
}

function row() {
  const made = element("li", "row");
  const song = element("div", "song");
  const parts = {
    rank: element("span", "rank"),
    trend: element("span", "trend"),
    cover: element("span", "cover"),
    title: element("p", "title"),
    artist: element("p", "artist"),
    bar: element("div", "bar"),
    plays: element("span", "plays"),
  };
  parts.trend.setAttribute("role", "img");
  song.append(parts.title, parts.artist, parts.bar);
  made.append(parts.rank, parts.trend, parts.cover, song, parts.plays);
  made.parts = parts;
  return made;
}

/** The same for all songs of an album. */
function sleeve(cover, album) {
  cover.dataset.pattern = String((number(album) >>> 9) % PATTERNS);
  cover.style.setProperty("--hue", hue(album));
}

/** A number for a text: always the same. */
function number(text) {
  let sum = 5852; // as good as any, and the genres of the demo get colours that lie apart
  for (const letter of text) sum = Math.imul(sum ^ letter.codePointAt(0), 16777619) >>> 0;
  return sum;
}

const hue = (text) => String(number(text) % 360);

/** The cards of the genres, in the order of their names. */
class Genres {
  #charts = new Map();

  show(genre, songs) {
    if (!this.#charts.has(genre)) this.#charts.set(genre, this.#card(genre));
    const { card, chart } = this.#charts.get(genre);
    card.hidden = songs.length === 0; // all its songs have gone to other genres
    chart.show(songs);
  }

  /** Empty all but these. */
  keep(told) {
    for (const genre of this.#charts.keys()) if (!told.has(genre)) this.show(genre, []);
  }

  tick() {
    for (const { chart } of this.#charts.values()) chart.tick();
  }

  #card(genre) {
    const card = element("section", "card chart genre");
    const name = element("h2", "", genre);
    const list = element("ol", "rows");
    const head = element("header", "chart-head");
    head.append(name);
    card.append(head, list);
    card.setAttribute("aria-label", genre);
    card.style.setProperty("--hue", hue(genre));
    card.dataset.genre = genre;
    const next = [...at("genres").children].find((other) => other.dataset.genre > genre);
    at("genres").insertBefore(card, next ?? null);
    return { card, chart: new Chart(list) };
  }
}

/** How many plays there were, and how many there are a second. */
class Figures {
  #plays = new Map();
  #total = 0;
  #rate = new Rate();
  #known = false;

  /** Everything is told again. */
  anew() {
    this.#plays.clear();
    this.#total = 0;
    this.#known = false;
  }

  /** A song with its plays; null if it is gone. */
  change(song, plays) {
    this.#total += (plays ?? 0) - (this.#plays.get(song) ?? 0);
    if (plays === null) this.#plays.delete(song);
    else this.#plays.set(song, plays);
  }

  current() {
    if (!this.#known) this.#rate.clear();
    this.#known = true;
    this.tick();
  }

  tick() {
    if (!this.#known) return;
    write(at("plays"), grouped(this.#total));
    write(at("songs"), grouped(this.#plays.size));
    write(at("rate"), this.#rate.of(this.#total));
  }
}

let told = -NEWS_MS;
let leader = null;

function showFirst(song) {
  at("first").hidden = !song;
  if (!song) return;
  sleeve(at("first-cover"), song.album);
  write(at("first-title"), song.title);
  write(at("first-artist"), `${song.artist}, ${song.album}`);
  announce(song);
}

/** A new number one is worth a word to those who do not see the page; not more often than now and then. */
function announce(first) {
  const now = performance.now();
  if (first.song === leader || now - told < NEWS_MS) return;
  if (leader !== null) write(at("news"), `New number one: ${first.title} by ${first.artist}`);
  [leader, told] = [first.song, now];
}

const overall = new Chart(at("overall"));
const genres = new Genres();
const figures = new Figures();
const sign = new Sign(at("sign"));

function change(entry) {
  const songs = entry.value?.songs ?? [];
  if (entry.key === OVERALL) {
    opened(songs.length > 0);
    overall.show(songs);
    showFirst(songs[0]);
  } else {
    genres.show(entry.key, songs);
  }
}

function opened(any) {
  at("charts").setAttribute("aria-busy", "false");
  at("overall").querySelectorAll(".waiting").forEach((one) => one.remove());
  at("nothing").hidden = any;
}

const app = await application(sign.of("application"));
sign.forget("application");
const charts = new Set(); // those that were told since everything was told anew
watch(address(["apps", app, "stores", "charts", "watch"]), {
  anew: () => charts.clear(),
  change(entry) {
    charts.add(entry.key);
    change(entry);
  },
  // What was there before, and was not told anew, has gone meanwhile.
  current() {
    if (!charts.has(OVERALL)) change({ key: OVERALL, value: null });
    genres.keep(charts);
  },
  state: sign.of("charts"),
});
watch(address(["apps", app, "stores", "song-plays", "watch"]), {
  anew: () => figures.anew(),
  change: (entry) => figures.change(entry.key, entry.value?.plays ?? null),
  current: () => figures.current(),
  state: sign.of("song-plays"),
});
setInterval(() => {
  overall.tick();
  genres.tick();
  figures.tick();
}, TICK_MS);
