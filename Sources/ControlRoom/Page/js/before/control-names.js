// Common names, order and values of camera controls. Drivers use the names of V4L2.

import { fixed, whole } from "./numbers.js";
import { addWords, isGerman, say } from "./words.js";

addWords({
    "control-auto_exposure": ["Exposure mode", "Belichtungsmodus"],
    "control-exposure_time_absolute": ["Exposure", "Belichtung"],
    "control-gain": ["Gain", "Verstärkung"],
    "control-white_balance_automatic": ["Automatic white balance", "Automatischer Weißabgleich"],
    "control-white_balance_temperature": ["White balance", "Weißabgleich"],
    "control-focus_automatic_continuous": ["Autofocus", "Autofokus"],
    "control-focus_absolute": ["Focus", "Fokus"],
    "control-exposure_dynamic_framerate": ["Reduce frame rate in low light", "Bildrate bei wenig Licht senken"],
    "control-power_line_frequency": ["Power line frequency", "Netzfrequenz"],
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
    "menu-Manual Mode": ["manual", "manuell"],
    "menu-Aperture Priority Mode": ["automatic", "automatisch"],
    "menu-Auto Mode": ["automatic", "automatisch"],
    "menu-Disabled": ["off", "aus"],
});

/**
 * Control names of older drivers, with their current names.
 * @type {Record<string, string>}
 */
const formerly = {
    exposure_auto: "auto_exposure", exposure_absolute: "exposure_time_absolute", exposure_auto_priority: "exposure_dynamic_framerate",
    white_balance_temperature_auto: "white_balance_automatic", focus_auto: "focus_automatic_continuous",
};

/**
 * The most commonly used controls, in display order. Each automatic mode is next to the controls that it affects. All
 * other controls follow.
 */
const first = ["auto_exposure", "exposure_time_absolute", "white_balance_automatic", "white_balance_temperature", "focus_automatic_continuous", "focus_absolute", "gain", "lens", "zoom_absolute", "torch", "resolution", "exposure_dynamic_framerate"];

/** @param {string} name */
function known(name) {
    return formerly[name] ?? name;
}

/**
 * A control's display name.
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
 * A menu item's display name.
 * @param {string} text
 */
export function menuText(text) {
    const own = say(`menu-${text}`);
    return own === `menu-${text}` ? text : own;
}

/**
 * A control's position in the display order; lower values come first.
 * @param {string} name
 */
export function controlRank(name) {
    const place = first.indexOf(known(name));
    return place < 0 ? first.length : place;
}

/**
 * Whether a control is one of the most commonly used.
 * @param {string} name
 */
export function isUsual(name) {
    return controlRank(name) < first.length;
}

/**
 * A value's meaning, with its unit, such as `1/60 s` or `4600 K`. The text is empty if the number doesn't
 * need an explanation.
 * @param {string} name
 * @param {number} value
 */
export function controlMeaning(name, value) {
    switch (known(name)) {
        case "exposure_time_absolute": {
            // The unit is 100 µs.
            const seconds = value / 10_000;
            if (seconds <= 0) return "";
            return seconds >= 0.3 ? `${fixed(seconds, 1)}\u202fs` : `1/${whole(1 / seconds)}\u202fs`;
        }
        case "white_balance_temperature": return `${isGerman ? whole(value) : String(value)}\u202fK`;
        default: return "";
    }
}
