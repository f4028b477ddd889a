// The keys of the control room: what each does, which a person has changed or turned off, and who is told.

/**
 * @typedef {object} Action
 * @property {string} id
 * @property {string} key as `KeyboardEvent.key` in lower case; `digit` for 1 to 9
 * @property {boolean} [shift]
 * @property {string} text key of the sentence
 * @property {boolean} [isFixed] whether its key cannot be changed
 */

/** @type {Action[]} */
export const actions = [
    { id: "main", key: "digit", text: "key-main", isFixed: true },
    { id: "inset", key: "digit", shift: true, text: "key-inset", isFixed: true },
    { id: "cut", key: " ", text: "key-cut" },
    { id: "pip", key: "q", text: "key-pip" },
    { id: "side-by-side", key: "w", text: "key-side" },
    { id: "grid", key: "e", text: "key-grid" },
    { id: "single", key: "t", text: "key-single" },
    { id: "scene", key: "s", text: "key-scene" },
    { id: "undo", key: "u", text: "key-undo" },
    { id: "mark", key: "m", text: "key-mark" },
    { id: "mark-text", key: "m", shift: true, text: "key-mark-text" },
    { id: "record", key: "r", text: "key-record" },
    { id: "split", key: "b", text: "key-split" },
    { id: "still", key: "i", text: "key-still" },
    { id: "preview", key: "p", text: "key-preview" },
    { id: "health", key: "h", text: "key-health" },
    { id: "seen", key: "a", text: "key-seen" },
    { id: "full", key: "f", text: "key-full" },
    { id: "one-to-one", key: "z", text: "key-one" },
    { id: "peaking", key: "k", text: "key-peaking" },
    { id: "zebra", key: "j", text: "key-zebra" },
    { id: "false-colour", key: "n", text: "key-false" },
    { id: "areas", key: "g", text: "key-areas" },
    { id: "clips", key: "c", text: "key-clips" },
    { id: "say", key: "y", text: "key-say" },
    { id: "sheet", key: "?", text: "key-sheet" },
];

const store = "multicam.keys";

/** @typedef {{off: string[], keys: Record<string, {key: string, shift: boolean}>, allOff: boolean}} Choice */

/** @returns {Choice} */
function read() {
    try {
        const kept = JSON.parse(localStorage.getItem(store) ?? "{}");
        return { off: Array.isArray(kept.off) ? kept.off.map(String) : [], keys: kept.keys ?? {}, allOff: kept.allOff === true };
    } catch {
        return { off: [], keys: {}, allOff: false };
    }
}

/** What a person has changed. */
export const choice = read();

/** Keeps what a person has changed. */
export function keepChoice() {
    localStorage.setItem(store, JSON.stringify(choice));
}

export function resetKeys() {
    choice.off = [];
    choice.keys = {};
    choice.allOff = false;
    keepChoice();
}

/**
 * The key of an action.
 * @param {Action} action
 */
export function keyOf(action) {
    return choice.keys[action.id] ?? { key: action.key, shift: action.shift === true };
}

/**
 * A key in words: `⇧ M`, `Space`.
 * @param {Action} action
 */
export function keyText(action) {
    const { key, shift } = keyOf(action);
    const name = key === "digit" ? "1–9" : key === " " ? "Space" : key.toUpperCase();
    return (shift ? "⇧" : "") + name;
}

/** @param {string} id */
export function keyTextOf(id) {
    const action = actions.find((action) => action.id === id);
    return action ? keyText(action) : "";
}

/**
 * The action that a key means, and its digit.
 * @param {KeyboardEvent} event
 * @returns {{id: string, digit: number} | undefined}
 */
export function actionOf(event) {
    if (choice.allOff && event.key !== "?") return undefined;
    if (event.ctrlKey || event.altKey || event.metaKey) return undefined;
    const digit = /^Digit([1-9])$/.exec(event.code)?.[1] ?? /^Numpad([1-9])$/.exec(event.code)?.[1];
    for (const action of actions) {
        if (choice.off.includes(action.id) && action.id !== "sheet") continue;
        const { key, shift } = keyOf(action);
        if (key === "digit") {
            if (digit && shift === event.shiftKey) return { id: action.id, digit: Number(digit) };
        } else if (event.key.toLowerCase() === key && (shift === event.shiftKey || !/[a-z ]/.test(key))) {
            return { id: action.id, digit: 0 };
        }
    }
    return undefined;
}

/**
 * Whether a person types text there.
 * @param {EventTarget | null} target
 */
export function isTyping(target) {
    return target instanceof HTMLElement
        && (target.isContentEditable || target.matches("input:not([type=checkbox]):not([type=range]), textarea, select"));
}
