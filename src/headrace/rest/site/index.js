// The page of an application: its stores with one of them open, its instances, its topology.

import { Opened } from "./store.js";
import { Sign, application, grouped } from "./live.js";
import { Activity } from "./activity.js";
import { element, write } from "./rows.js";
import { showTopology } from "./topology.js";
import { address, ask } from "./watch.js";

const LOOK_MS = 5_000;
const at = (id) => document.getElementById(id);
const sign = new Sign(at("sign"));
const app = await application(sign.of("application"));
const here = (...parts) => ["apps", app, ...parts];

document.title = `${app} · headrace`;
write(at("app"), app);
showTopology(address(here("topology.svg")));
for (const [name, where] of [
  ["Stores as JSON", address(here("stores"))],
  ["Topology as JSON", address(here("topology"))],
  ["Metrics", "/metrics"],
  ["OpenAPI", "/openapi.json"],
])
  addLink(name, where);

function addLink(name, where) {
  const link = element("a", "", name);
  link.href = where;
  at("links").append(link);
}

const activity = new Activity(address(here("history")));
let stores = [];
let opened = null;

/** What is there; asked again until it is known, for a server may be just starting. */
async function load() {
  const report = sign.of("application");
  for (;;) {
    try {
      ({ stores } = await ask(address(here("stores"))));
      const { apps } = await ask("/apps");
      for (const other of apps.filter((one) => one !== app))
        addLink(`Application ${other}`, `/?app=${encodeURIComponent(other)}`);
      sign.forget("application");
      return;
    } catch (error) {
      report("reconnecting", error.message);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

function list() {
  at("no-stores").hidden = stores.length > 0;
  for (const store of stores) {
    const link = element("a");
    link.href = `#${encodeURIComponent(store.name)}`;
    link.dataset.store = store.name;
    link.append(element("span", "name", store.name), element("span", "count"), element("span", "types", types(store)));
    const item = element("li");
    item.append(link);
    at("stores").append(item);
  }
}

function types({ kind, key, value }) {
  const named = kind === "table" ? "" : `${kind} · `;
  return `${named}${key} → ${value}`;
}

/** Open the store that the address names, or the first one. */
function open() {
  const wanted = decodeURIComponent(location.hash.slice(1));
  const store = stores.find(({ name }) => name === wanted) ?? stores[0];
  opened?.close();
  opened = null;
  at("store").hidden = !store;
  if (!store) return;
  for (const link of at("stores").querySelectorAll("a")) {
    if (link.dataset.store === store.name) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  write(at("store-name"), store.name);
  write(at("store-types"), types(store));
  opened = new Opened(here("stores", store.name), store, sign);
}

/** What happened lately, how many entries each store has, how the instances are: asked while somebody looks. */
async function look() {
  if (document.visibilityState !== "visible") return;
  await activity.look();
  for (const link of at("stores").querySelectorAll("a")) {
    const { count } = await ask(address(here("stores", link.dataset.store, "count"), { stale: true }));
    write(link.querySelector(".count"), grouped(count));
  }
  const { instances } = await ask(address(here("instances")));
  const behind = instances.flatMap(({ shares }) => shares).reduce((sum, share) => sum + share.lag, 0);
  const many = instances.length === 1 ? "1 instance answers" : `${grouped(instances.length)} instances answer`;
  write(at("instances"), `${many}, ${behind ? `${grouped(behind)} changes behind` : "up to date"}`);
}

await load();
list();
open();
addEventListener("hashchange", open);
for (;;) {
  // Counts may be missing for a while; whether the page is live is for the watches to say.
  await look().catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
