// Names, order and values of camera controls as people know them; those of drivers are V4L2's.

import { fixed, whole } from "./numbers.js";
import { addWords, isGerman, say } from "./words.js";

addWords({
    "control-auto_exposure": ["Exposure by", "Belichtung durch"],
    "control-exposure_time_absolute": ["Exposure", "Belichtung"],
    "control-gain": ["Gain", "Verstärkung"],
    "control-white_balance_automatic": ["White balance automatic", "Weißabgleich automatisch"],
    "control-white_balance_temperature": ["White balance", "Weißabgleich"],
    "control-focus_automatic_continuous": ["Focus automatic", "Fokus automatisch"],
    "control-focus_absolute": ["Focus", "Fokus"],
    "control-exposure_dynamic_framerate": ["Light changes the rate", "Licht ändert die Rate"],
    "control-power_line_frequency": ["Lamps flicker at", "Lampen flimmern mit"],
    "control-brightness": ["Brightness", "Helligkeit"],
    "control-contrast": ["Contrast", "Kontrast"],
    "control-saturation": ["Saturation", "Sättigung"],
    "control-sharpness": ["Sharpness", "Schärfe"],
    "control-hue": ["Hue", "Farbton"],
    "control-gamma": ["Gamma", "Gamma"],
    "control-backlight_compensation": ["Backlight", "Gegenlicht"],
    "control-zoom_absolute": ["Zoom", "Zoom"],
    "control-pan_absolute": ["Pan", "Schwenk"],
    "control-tilt_absolute": ["Tilt", "Neigung"],
    "control-lens": ["Lens", "Objektiv"],
    "control-torch": ["Light", "Licht"],
    "control-resolution": ["Resolution", "Auflösung"],
    "menu-Manual Mode": ["hand", "Hand"],
    "menu-Aperture Priority Mode": ["the camera", "die Kamera"],
    "menu-Auto Mode": ["the camera", "die Kamera"],
    "menu-Disabled": ["not at all", "gar nicht"],
});

/**
 * Older names of drivers.
 * @type {Record<string, string>}
 */
const formerly = {
    exposure_auto: "auto_exposure", exposure_absolute: "exposure_time_absolute", exposure_auto_priority: "exposure_dynamic_framerate",
    white_balance_temperature_auto: "white_balance_automatic", focus_auto: "focus_automatic_continuous",
};

/** What is used most, in this order: what is automatic beside what it governs. The rest stands below. */
const first = ["auto_exposure", "exposure_time_absolute", "white_balance_automatic", "white_balance_temperature", "focus_automatic_continuous", "focus_absolute", "gain", "lens", "zoom_absolute", "torch", "resolution", "exposure_dynamic_framerate"];

/** @param {string} name */
function known(name) {
    return formerly[name] ?? name;
}

/**
 * A control's name for people.
 * @param {string} name
 */
export function controlName(name) {
    const key = `control-${known(name)}`;
    const text = say(key);
    if (text !== key) return text;
    const words = name.replace(/_/g, " ");
    return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/**
 * An item of a menu for people.
 * @param {string} text
 */
export function menuText(text) {
    const own = say(`menu-${text}`);
    return own === `menu-${text}` ? text : own;
}

/**
 * A place in the order; smaller comes first.
 * @param {string} name
 */
export function controlRank(name) {
    const place = first.indexOf(known(name));
    return place < 0 ? first.length : place;
}

/**
 * Whether a control is one of those that are used most.
 * @param {string} name
 */
export function isUsual(name) {
    return controlRank(name) < first.length;
}

/**
 * What a value means, with its unit: `1/60 s`, `4600 K`; empty where the number says all.
 * @param {string} name
 * @param {number} value
 */
export function controlMeaning(name, value) {
    switch (known(name)) {
        case "exposure_time_absolute": {
            // Units of 100 µs.
            const seconds = value / 10_000;
            if (seconds <= 0) return "";
            return seconds >= 0.3 ? `${fixed(seconds, 1)}\u202fs` : `1/${whole(1 / seconds)}\u202fs`;
        }
        case "white_balance_temperature": return `${isGerman ? whole(value) : String(value)}\u202fK`;
        default: return "";
    }
}
