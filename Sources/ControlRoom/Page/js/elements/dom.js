// Small helpers that create elements. Text is inserted only as text, never as HTML.

/** @typedef {Node | string | undefined | false} Child */

/**
 * Creates an element.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | boolean | ((event: any) => void) | undefined>} [attributes] `on…` attributes are event listeners
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") element.addEventListener(name.slice(2), value);
        else if (value === true) element.setAttribute(name, "");
        else if (value !== false && value !== undefined) element.setAttribute(name, value);
    }
    for (const child of children) if (child !== undefined && child !== false) element.append(child);
    return element;
}

const svgSpace = "http://www.w3.org/2000/svg";

/**
 * Creates an SVG element.
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function s(tag, attributes, ...children) {
    const element = document.createElementNS(svgSpace, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    element.append(...children);
    return /** @type {SVGElement} */ (element);
}

/** @type {Record<string, string>} SVG paths in a 24 × 24 box */
const paths = {
    warn: "M12 2 23 21H1zM11 9v6h2V9zm0 8v2h2v-2z",
    full: "M3 3h6v2H5v4H3zm12 0h6v6h-2V5h-4zM3 15h2v4h4v2H3zm16 0h2v6h-6v-2h4z",
    undo: "M8 5 3 10l5 5v-4h7a4 4 0 0 1 0 8h-4v2h4a6 6 0 0 0 0-12H8z",
    headphones: "M12 3a9 9 0 0 0-9 9v7h5v-7H5a7 7 0 0 1 14 0h-3v7h5v-7a9 9 0 0 0-9-9z",
    stop: "M4 4h16v16H4z",
    dot: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z",
    more: "M4 10h4v4H4zm6 0h4v4h-4zm6 0h4v4h-4z",
    still: "M3 6h4l2-2h6l2 2h4v14H3zm9 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
    peaking: "M3 20 9 6l4 8 3-5 5 11h-2.3L16 13l-3 5-4-8-4 10z",
    zebra: "M3 9 9 3h3L3 12zm0 7L16 3h3L3 19zm3 5L21 6v3L9 21zm7 0 8-8v3l-5 5z",
    "false-color": "M3 4h5v16H3zm7 0h4v16h-4zm6 0h5v16h-5z",
    areas: "M2 4h20v16H2zm2 2v12h16V6zm3 3h10v6H7zm1 1v4h8v-4z",
    boxes: "M3 3h6v2H5v4H3zm12 0h6v6h-2V5h-4zM3 15h2v4h4v2H3zm16 0h2v6h-6v-2h4zM9 8h6v8H9zm2 2v4h2v-4z",
    controls: "M4 3h2v6h2v4H6v8H4v-8H2V9h2zm7 0h2v10h2v4h-2v4h-2v-4H9v-4h2zm7 0h2v3h2v4h-2v11h-2V10h-2V6h2z",
    inset: "M2 4h20v16H2zm2 2v12h7v-6h9V6zm8 7v5h8v-5z",
    play: "M6 4v16l14-8z",
    pause: "M6 4h4v16H6zm8 0h4v16h-4z",
    again: "M12 4a8 8 0 1 0 8 8h-2.2a5.8 5.8 0 1 1-1.7-4.1L13 11h8V3l-3.3 3.3A8 8 0 0 0 12 4z",
    cross: "m5 7 2-2 5 5 5-5 2 2-5 5 5 5-2 2-5-5-5 5-2-2 5-5z",
    remove: "M9 3h6v2h5v2H4V5h5zM6 9h12l-1 12H7zm3 2 .5 8h1.5l-.5-8zm4.5 0-.5 8h1.5l.5-8z",
    check: "m4 12 2-2 4 4 8-8 2 2L10 18z",
};

/**
 * Draws an icon.
 * @param {string} name
 * @returns {SVGElement}
 */
export function icon(name) {
    return s("svg", { viewBox: "0 0 24 24", class: `icon icon-${name}`, "aria-hidden": "true" },
        s("path", { d: paths[name] ?? "", "fill-rule": "evenodd" }));
}

/**
 * Sets text only if it has changed, to avoid repeated screen reader announcements and layout.
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
    if (node.textContent !== text) node.textContent = text;
}

/**
 * Sets an attribute only if it has changed; undefined removes it.
 * @param {Element} element
 * @param {string} name
 * @param {string | undefined} value
 */
export function setAttribute(element, name, value) {
    if (value === undefined) {
        if (element.hasAttribute(name)) element.removeAttribute(name);
    } else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * Adds or removes an attribute without a value, such as `hidden`. If it already has the state, the browser has nothing to
 * do, whereas each assignment of `element.hidden` makes it calculate styles again.
 * @param {Element} element
 * @param {string} name
 * @param {boolean} isOn
 */
export function setFlag(element, name, isOn) {
    setAttribute(element, name, isOn ? "" : undefined);
}

/**
 * Updates a parent's children to match a list of items, and reuses existing elements by key.
 * @template T
 * @template {HTMLElement} E
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T, index: number) => string} key should be unique; an element with a duplicate key is recreated on each update
 * @param {(item: T) => E} make
 * @param {(element: E, item: T, index: number) => void} update
 */
export function keep(parent, items, key, make, update) {
    const ids = items.map(key);
    const wanted = new Set(ids);
    /** @type {Map<string, E>} */
    const old = new Map();
    // Removed first, so that the other elements don't move: an element that is moved loses the focus.
    for (const child of /** @type {E[]} */ ([...parent.children])) {
        const id = child.dataset.key ?? "";
        if (wanted.has(id) && !old.has(id)) old.set(id, child);
        else child.remove();
    }
    items.forEach((item, index) => {
        const id = ids[index] ?? "";
        let element = old.get(id);
        old.delete(id);
        if (!element) {
            element = make(item);
            element.dataset.key = id;
        }
        if (parent.children[index] !== element) parent.insertBefore(element, parent.children[index] ?? null);
        update(element, item, index);
    });
}

/**
 * Cached token colors. The cache is cleared when the theme changes.
 * @type {Map<string, string>}
 */
const tokens = new Map();
for (const query of ["(prefers-color-scheme: light)", "(forced-colors: active)", "(prefers-contrast: more)"]) {
    matchMedia(query).addEventListener("change", () => tokens.clear());
}

/**
 * A token's color.
 * @param {string} name
 */
export function token(name) {
    let value = tokens.get(name);
    if (value === undefined) {
        value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
        tokens.set(name, value);
    }
    return value;
}

/** Clears the cached token colors after the user has changed the theme. */
export function forgetTokens() {
    tokens.clear();
}

/** An element that subscribes to the studio's changes while it is on the page. */
export class StudioElement extends HTMLElement {
    /** @type {(() => void)[]} */
    leaving = [];
    #isBuilt = false;

    connectedCallback() {
        if (!this.#isBuilt) {
            this.#isBuilt = true;
            this.build();
        }
        this.enter();
    }

    disconnectedCallback() {
        for (const leave of this.leaving) leave();
        this.leaving = [];
    }

    /**
     * Calls a function now and at an interval, while the element is on the page and the page is visible.
     * @param {() => void} call
     * @param {number} interval in ms
     */
    every(call, interval) {
        let timer = 0;
        const startOrStop = () => {
            clearInterval(timer);
            if (document.hidden) return;
            timer = window.setInterval(call, interval);
            call();
        };
        document.addEventListener("visibilitychange", startOrStop);
        this.leaving.push(() => clearInterval(timer), () => document.removeEventListener("visibilitychange", startOrStop));
        startOrStop();
    }

    /** Creates the children. Called only once. */
    build() {}

    /** Subscribes to changes. Called each time the element is added to the page. */
    enter() {}
}
