// Ask the REST interface, and watch stores: entries first, then changes, through lost connections.

import { parsed } from "./texts.js";

const SILENCE_MS = 40_000; // the server says something every 15 s, if only that it is there
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000];
const REFUSED_MS = 5_000;

/** What the server answers when it cannot do what was asked: the words of its errors. */
export class Refused extends Error {
  constructor(status, error, retryAfter) {
    super(error?.message ?? `the server answers with ${status}`);
    this.status = status;
    this.code = error?.code ?? "";
    this.toDo = error?.to_do ?? "";
    this.retryMs = Number(retryAfter) > 0 ? Math.min(Number(retryAfter) * 1_000, 10_000) : null;
  }
}

/** The JSON that the server answers with; throws Refused. */
export async function ask(address, options = {}) {
  const response = await fetch(address, { headers: { Accept: "application/json" }, ...options });
  if (!response.ok) throw await refusal(response);
  return parsed(await response.text());
}

async function refusal(response) {
  let error = null;
  try {
    error = (await response.json()).error;
  } catch {
    // Not from headrace, such as the page of a proxy: the status has to do.
  }
  return new Refused(response.status, error, response.headers.get("Retry-After"));
}

/** The parts of an address, written so that any key may be one of them. */
export function address(parts, parameters = {}) {
  const path = parts.map(encodeURIComponent).join("/");
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined);
  const query = new URLSearchParams(given).toString();
  return query ? `/${path}?${query}` : `/${path}`;
}

/**
 * Watch a store until `close()`. Calls `change({key, value, ts, ...})` for each entry and each change, `anew()` before
 * everything is told from the start, `current()` when everything so far was told, and `state(name, why)` with
 * "connecting", "live" or "reconnecting".
 *
 * It reads the events by fetch: an EventSource would not say why it was refused, nor see the server's signs of life.
 */
export function watch(where, { change, anew = () => {}, current = () => {}, state = () => {} }) {
  let closed = false;
  let last = null; // the id of the last event: where to go on
  let fresh = true; // nothing was told yet
  let tries = 0;
  let attempt = null;
  let wake = () => {};

  const hurry = () => document.visibilityState === "visible" && wake();
  addEventListener("online", hurry);
  document.addEventListener("visibilitychange", hurry);

  async function once() {
    attempt = new AbortController();
    const headers = { Accept: "text/event-stream" };
    if (last !== null) headers["Last-Event-ID"] = last;
    const response = await fetch(where, { headers, cache: "no-store", signal: attempt.signal });
    if (!response.ok) throw await refusal(response);
    for await (const event of events(response.body, attempt)) {
      if (closed) return;
      if (event.id !== null) last = event.id || null; // an empty one: there is nothing to go on from
      if (event.name === "anew" || fresh) {
        anew();
        fresh = false;
      }
      if (event.name === "current") {
        tries = 0;
        current();
        state("live", "");
      } else if (event.name === "change") {
        change(parsed(event.data));
      } else if (event.name === "error") {
        throw new Refused(503, parsed(event.data).error, null);
      }
    }
  }

  async function forever() {
    state("connecting", "");
    while (!closed) {
      let pause = null;
      let why = "";
      try {
        await once();
      } catch (error) {
        if (error instanceof Refused) {
          pause = error.retryMs ?? REFUSED_MS;
          why = error.message;
        }
      }
      if (closed) return;
      state("reconnecting", why);
      pause ??= PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)];
      tries += 1;
      // Not all pages at the same moment, when a server is back.
      await rest(pause * (0.75 + Math.random() / 2));
    }
  }

  function rest(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  forever();
  return {
    close() {
      closed = true;
      removeEventListener("online", hurry);
      document.removeEventListener("visibilitychange", hurry);
      attempt?.abort();
      wake();
    },
  };
}

/** The events of a stream of server-sent events. One that is silent for too long is given up. */
async function* events(body, attempt) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let silence = setTimeout(() => attempt.abort(), SILENCE_MS);
  let text = "";
  let event = { name: "", id: null, data: [] };
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(() => attempt.abort(), SILENCE_MS);
      const lines = (text + value).split(/\r?\n/);
      text = lines.pop();
      for (const line of lines) {
        if (line === "") {
          if (event.name || event.data.length) {
            yield { name: event.name || "message", id: event.id, data: event.data.join("\n") };
          }
          event = { name: "", id: null, data: [] };
          continue;
        }
        const [, field, content] = /^([^:]*):? ?(.*)$/.exec(line);
        if (field === "event") event.name = content;
        else if (field === "id") event.id = content;
        else if (field === "data") event.data.push(content);
      }
    }
  } finally {
    clearTimeout(silence);
    reader.cancel().catch(() => {});
  }
}
