// Texts that this browser stores. If it stores nothing, as with cookies turned off, texts last until the page is reloaded.

/** @type {Map<string, string>} */
const unsaved = new Map();

/**
 * A stored text; undefined if there is none.
 * @param {string} name
 * @returns {string | undefined}
 */
export function stored(name) {
    try {
        return unsaved.get(name) ?? localStorage.getItem(name) ?? undefined;
    } catch {
        return unsaved.get(name);
    }
}

/**
 * Stores a text.
 * @param {string} name
 * @param {string} text
 */
export function store(name, text) {
    try {
        localStorage.setItem(name, text);
        unsaved.delete(name);
    } catch {
        unsaved.set(name, text);
    }
}
