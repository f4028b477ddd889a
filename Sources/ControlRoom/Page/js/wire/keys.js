// Keyboard shortcuts of the control room: their actions, the user's changes, and the handlers to notify.

import { titleOf } from "./arrangement.js";
import { layouts } from "./layout-table.js";
import { store, stored } from "./stored.js";
import { say } from "./words.js";

/**
 * @typedef {object} Action
 * @property {string} id
 * @property {string} key as in `KeyboardEvent.key`, in lower case; `digit` stands for 1 to 9; empty for no key
 * @property {boolean} [shift]
 * @property {string} text text key of the description
 * @property {string} [layout] the layout that the action selects
 * @property {boolean} [isFixed] whether the user can't change the key
 */

/** @type {Action[]} */
export const actions = [
    { id: "main", key: "digit", text: "key-main", isFixed: true },
    { id: "inset", key: "digit", shift: true, text: "key-inset", isFixed: true },
    { id: "cut", key: " ", text: "key-cut" },
    ...layouts.map(({ name, key }) => ({ id: name, key, text: "key-layout", layout: name })),
    { id: "scene", key: "s", text: "key-scene" },
    { id: "undo", key: "u", text: "key-undo" },
    { id: "auto", key: "v", text: "key-auto" },
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
    { id: "false-color", key: "n", text: "key-false" },
    { id: "areas", key: "g", text: "key-areas" },
    { id: "boxes", key: "o", text: "key-boxes" },
    { id: "clips", key: "c", text: "key-clips" },
    { id: "say", key: "y", text: "key-say" },
    { id: "sheet", key: "?", text: "key-sheet" },
];

const choiceName = "multicam.keys";

/** @typedef {{off: string[], keys: Record<string, {key: string, shift: boolean}>, allOff: boolean}} Choice */

/** @returns {Choice} */
function read() {
    try {
        const kept = JSON.parse(stored(choiceName) ?? "{}");
        return { off: Array.isArray(kept.off) ? kept.off.map(String) : [], keys: kept.keys ?? {}, allOff: kept.allOff === true };
    } catch {
        return { off: [], keys: {}, allOff: false };
    }
}

/** The user's changes to the shortcuts. */
export const choice = read();

/** Saves the user's changes to the shortcuts. */
export function keepChoice() {
    store(choiceName, JSON.stringify(choice));
}

export function resetKeys() {
    choice.off = [];
    choice.keys = {};
    choice.allOff = false;
    keepChoice();
}

/**
 * The key assigned to an action.
 * @param {Action} action
 */
export function keyOf(action) {
    return choice.keys[action.id] ?? { key: action.key, shift: action.shift === true };
}

/**
 * The displayed name of an action's key, such as `⇧ M` or `Space`.
 * @param {Action} action
 */
export function keyText(action) {
    const { key, shift } = keyOf(action);
    const name = key === "digit" ? "1–9" : key === " " ? "Space" : key.toUpperCase();
    return (shift ? "⇧" : "") + name;
}

/**
 * The description of an action.
 * @param {Action} action
 */
export function actionText(action) {
    return say(action.text, { name: action.layout === undefined ? "" : titleOf(action.layout) });
}

/** @param {string} id */
export function keyTextOf(id) {
    const action = actions.find((action) => action.id === id);
    return action ? keyText(action) : "";
}

/**
 * The action assigned to the pressed key, and its digit.
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
 * Whether the target accepts typed text.
 * @param {EventTarget | null} target
 */
export function isTyping(target) {
    return target instanceof HTMLElement
        && (target.isContentEditable || target.matches("input:not([type=checkbox]):not([type=range]), textarea, select"));
}
