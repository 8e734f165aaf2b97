// The picture of the topology: as wide as the page, and large, where it can be zoomed and moved about.

const STEP = 1.25;
const LEAST = 0.1;
const MOST = 4;
const READABLE = 0.7; // of its own size: what is smaller is not opened that way
const at = (id) => document.getElementById(id);

/** Show the picture at an address. */
export function showTopology(where) {
  at("picture").src = at("large-picture").src = where;
  at("picture-link").href = at("enlarge").href = where; // for a tab of its own
  const large = new Large(at("large"), at("view"), at("large-picture"));
  for (const opener of [at("picture-link"), at("enlarge")]) {
    opener.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      large.open();
    });
  }
  at("larger").addEventListener("click", () => large.zoom(STEP));
  at("smaller").addEventListener("click", () => large.zoom(1 / STEP));
  at("fit").addEventListener("click", () => large.fit());
  at("close").addEventListener("click", () => large.close());
}

/** The picture in a dialog over the whole window. */
class Large {
  #dialog;
  #view;
  #picture;
  #scale = 1;

  constructor(dialog, view, picture) {
    [this.#dialog, this.#view, this.#picture] = [dialog, view, picture];
    view.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    view.addEventListener("pointerdown", (event) => this.#drag(event));
  }

  open() {
    this.#dialog.showModal();
    this.fit(READABLE);
    this.#view.focus();
  }

  close() {
    this.#dialog.close();
  }

  /** All of it in the window, or as much as there is room for at this scale. */
  fit(least = LEAST) {
    const { clientWidth, clientHeight } = this.#view;
    const { naturalWidth, naturalHeight } = this.#picture;
    this.#show(Math.max(least, Math.min(clientWidth / naturalWidth, clientHeight / naturalHeight, MOST / 2)));
  }

  /** Larger or smaller by a factor; what is at a place of the window, by default its middle, stays there. */
  zoom(factor, x = this.#view.clientWidth / 2, y = this.#view.clientHeight / 2) {
    const view = this.#view;
    const [across, down] = [(view.scrollLeft + x) / this.#scale, (view.scrollTop + y) / this.#scale];
    this.#show(Math.min(Math.max(this.#scale * factor, LEAST), MOST));
    view.scrollTo(across * this.#scale - x, down * this.#scale - y);
  }

  #show(scale) {
    this.#scale = scale;
    this.#picture.style.width = `${this.#picture.naturalWidth * scale}px`;
  }

  #wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { left, top } = this.#view.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY / 300), event.clientX - left, event.clientY - top);
  }

  /** With a mouse it is moved by its hand; a finger scrolls anyway. */
  #drag(event) {
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    const view = this.#view;
    const [x, y] = [view.scrollLeft + event.clientX, view.scrollTop + event.clientY];
    const move = (moved) => view.scrollTo(x - moved.clientX, y - moved.clientY);
    view.setPointerCapture(event.pointerId);
    view.addEventListener("pointermove", move);
    view.addEventListener("pointerup", () => view.removeEventListener("pointermove", move), { once: true });
  }
}
