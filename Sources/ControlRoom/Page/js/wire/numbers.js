// Formats numbers, times and levels for display.

import { isGerman, say } from "./words.js";

/** The typographic minus sign. */
const minus = "\u2212";

/**
 * Formats a number with a fixed number of decimals and a typographic minus sign.
 * @param {number} value
 * @param {number} [decimals]
 */
export function fixed(value, decimals = 1) {
    const text = Math.abs(value).toFixed(decimals);
    const sign = value < 0 && Number(text) !== 0 ? minus : "";
    return sign + (isGerman ? text.replace(".", ",") : text);
}

/**
 * Formats a number like `fixed`, but with a plus sign for positive numbers.
 * @param {number} value
 */
export function signed(value) {
    return (value > 0 ? "+" : "") + fixed(value, 1);
}

/**
 * Formats a whole number in groups of three digits.
 * @param {number} value
 */
export function whole(value) {
    return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/**
 * Formats a fraction as a percentage.
 * @param {number} share
 */
export function percent(share) {
    return `${Math.round(share * 100)}\u202f%`;
}

/**
 * Formats recorded time, such as 1:12:44.
 * @param {number} seconds
 */
export function clockTime(seconds) {
    const all = Math.max(0, Math.floor(seconds));
    const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
    return `${Math.floor(all / 3600)}:${two(Math.floor(all / 60) % 60)}:${two(all % 60)}`;
}

/**
 * Formats a time in minutes and seconds, such as 0:12.
 * @param {number} seconds
 */
export function playTime(seconds) {
    const all = Math.max(0, Math.floor(seconds));
    return `${Math.floor(all / 60)}:${String(all % 60).padStart(2, "0")}`;
}

/**
 * Formats a duration, such as 14 s or 1:12.
 * @param {number} seconds
 */
export function shortTime(seconds) {
    const all = Math.max(0, Math.round(seconds));
    if (all < 60) return `${all}\u202fs`;
    return `${Math.floor(all / 60)}:${String(all % 60).padStart(2, "0")}\u202fmin`;
}

/**
 * Formats the remaining recording time, such as 5 h 12 min.
 * @param {number} seconds
 */
export function leftTime(seconds) {
    const minutes = Math.floor(seconds / 60);
    if (minutes < 60) return `${minutes}\u202fmin`;
    const hours = Math.floor(minutes / 60);
    if (hours >= 48) return `${hours}\u202fh`;
    return `${hours}\u202fh ${String(minutes % 60).padStart(2, "0")}\u202fmin`;
}

/**
 * Formats a number of bytes, such as 1.9 GB.
 * @param {number} bytes
 */
export function bytes(bytes) {
    if (bytes >= 1e12) return `${fixed(bytes / 1e12, 1)}\u202fTB`;
    if (bytes >= 1e9) return `${fixed(bytes / 1e9, 1)}\u202fGB`;
    if (bytes >= 1e6 || bytes === 0) return `${Math.round(bytes / 1e6)}\u202fMB`;
    return `${Math.ceil(bytes / 1e3)}\u202fkB`;
}

/**
 * Formats the time of day of a date, to the minute or second.
 * @param {Date} date
 * @param {boolean} [seconds]
 */
export function wallTime(date, seconds = false) {
    const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
    const text = `${two(date.getHours())}:${two(date.getMinutes())}`;
    return seconds ? `${text}:${two(date.getSeconds())}` : text;
}

/**
 * Converts a linear magnitude to dBFS; silence is −120.
 * @param {number} linear
 */
export function decibels(linear) {
    return linear > 1e-6 ? 20 * Math.log10(linear) : -120;
}

/**
 * Formats a clock's residual, such as ±0.3 ms.
 * @param {number} microseconds
 */
export function residual(microseconds) {
    return `±${fixed(Math.abs(microseconds) / 1000, 1)}\u202fms`;
}

/**
 * Formats a list of names, such as "a, b and c".
 * @param {string[]} names
 */
export function list(names) {
    if (names.length < 2) return names.join("");
    return `${names.slice(0, -1).join(", ")} ${say("and")} ${names[names.length - 1]}`;
}

/**
 * A resource's display name.
 * @param {string} resource
 */
export function resourceName(resource) {
    const [kind, rest] = resource.split(":");
    if (kind === "usb") return `USB ${rest ?? ""}`.trim();
    if (kind === "disk") return say("disk-resource");
    if (kind === "cpu" || kind === "memory" || kind === "gpu") return say(kind);
    return resource;
}
