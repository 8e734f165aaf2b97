// What a page says about its connection, and how it finds its application.

import { Refused, ask } from "./watch.js";
import { write } from "./rows.js";

const WORDS = { connecting: "Connecting", live: "Live", reconnecting: "Reconnecting" };
const AGAIN_MS = 1_000;

/** The sign that says whether a page is live: as bad as the worst of the watches that it is told of. */
export class Sign {
  #sign;
  #label;
  #states = new Map();

  constructor(sign) {
    this.#sign = sign;
    this.#label = sign.querySelector("[data-label]");
  }

  /** What one watch reports; `state` of `watch()` takes it as it is. */
  of(name) {
    this.#states.set(name, ["connecting", ""]);
    return (state, why) => {
      this.#states.set(name, [state, why]);
      this.#show();
    };
  }

  /** Forget a watch that is over. */
  forget(name) {
    this.#states.delete(name);
    this.#show();
  }

  #show() {
    const all = [...this.#states.values()];
    const [state, why] =
      all.find(([one]) => one === "reconnecting") ?? all.find(([one]) => one === "connecting") ?? ["live", ""];
    this.#sign.dataset.state = state;
    this.#sign.title = why;
    write(this.#label, WORDS[state]);
  }
}

/** The id of the application to show: the one that the address of the page names, or the first that is served. */
export async function application(report) {
  const named = new URLSearchParams(location.search).get("app");
  if (named) return named;
  for (;;) {
    try {
      const { apps } = await ask("/apps");
      if (apps.length) return apps[0];
      report("connecting", "");
    } catch (error) {
      report("reconnecting", error instanceof Refused ? error.message : "");
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** A number with its thousands apart, in the reader's own way. */
export const grouped = (number) => number.toLocaleString();

/** How fast a number grows, looked at once a second. */
export class Rate {
  #lately = [];

  /** What it grew by in a second, over the last ten; a dash while that is not known. */
  of(number) {
    this.#lately.push([performance.now(), number]);
    if (this.#lately.length > 11) this.#lately.shift();
    const [[then, before], [now]] = [this.#lately[0], this.#lately.at(-1)];
    return now > then ? grouped(Math.round(((number - before) * 1_000) / (now - then))) : "–";
  }

  /** Begin anew: what comes now was there before. */
  clear() {
    this.#lately = [];
  }
}
