// Keys, values and moments as texts.

const IS_WHOLE = /^-?\d+$/;

/** JSON as JavaScript's values; whole numbers that those cannot hold are kept as BigInt, where the browser can. */
export function parsed(json) {
  return JSON.parse(json, (_, value, context) =>
    typeof value === "number" && !Number.isSafeInteger(value) && IS_WHOLE.test(context?.source ?? "")
      ? BigInt(context.source)
      : value,
  );
}

function written(value, space) {
  return JSON.stringify(value, (_, part) => (typeof part === "bigint" ? JSON.rawJSON(String(part)) : part), space);
}

/** A key or value for people: texts as they are, everything else as JSON. */
export function spoken(value) {
  return typeof value === "string" ? value : written(value);
}

/** The same over several lines. */
export function laidOut(value) {
  return typeof value === "string" ? value : written(value, 2);
}

/** A key as paths and parameters have it. */
export function keyText(key, { key: type }) {
  return type === "json" ? written(key) : spoken(key);
}

/** What says which of two keys of a store comes first there: by their values, or by their bytes. */
export function ordering({ key: type }) {
  const plain = { bytes: unpacked, json: written }[type] ?? ((key) => key);
  return (one, other) => {
    const [a, b] = [plain(one), plain(other)];
    if (typeof a === "string" && typeof b === "string") return byPoints(a, b);
    return a < b ? -1 : a > b ? 1 : 0;
  };
}

const unpacked = (key) => atob(key.replaceAll("-", "+").replaceAll("_", "/"));

/** JavaScript compares halves of pairs, which lie before some whole letters. */
function byPoints(one, other) {
  const [a, b] = [[...one], [...other]];
  const place = a.findIndex((letter, number) => letter !== b[number]);
  if (place < 0) return a.length - b.length;
  return place < b.length ? a[place].codePointAt(0) - b[place].codePointAt(0) : 1;
}

/** A moment in the reader's own way. */
export function moment(ms) {
  return new Date(ms).toLocaleString();
}

/** The times of a window, with the day only if that is another one than today. */
export function windowText({ start, end }) {
  const [from, to] = [new Date(start), new Date(end)];
  const days = [from, to].some((one) => one.toDateString() !== new Date().toDateString());
  const text = (one) => (days ? one.toLocaleString() : one.toLocaleTimeString());
  return `${text(from)} – ${text(to)}`;
}

/** How long ago a moment was. */
export function ago(ms) {
  const seconds = Math.round((Date.now() - ms) / 1_000);
  if (seconds < -60) return new Date(ms).toLocaleDateString();
  if (seconds < 2) return "now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3_600)} h ago`;
  return new Date(ms).toLocaleDateString();
}
