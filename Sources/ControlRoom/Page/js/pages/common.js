// What every page of the control room does when it opens.

import { say } from "./words.js";
import { studio } from "./studio.js";
import { setAttribute } from "./dom.js";

/** Puts the words of the language into the page and connects. */
export function open() {
    for (const element of document.querySelectorAll("[data-say]")) element.textContent = say(/** @type {HTMLElement} */ (element).dataset.say ?? "");
    for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", say(/** @type {HTMLElement} */ (element).dataset.label ?? ""));
    const { dataset } = document.documentElement;
    studio.on(["status", "contact", "locked"], () => {
        dataset.state = studio.state;
        dataset.contact = studio.contact ? "yes" : "no";
        setAttribute(document.documentElement, "data-locked", studio.isLocked ? "" : undefined);
        dataset.shown = (studio.arrangement?.shown ?? []).join(" ");
        dataset.layout = studio.arrangement?.layout ?? "";
    });
    // A new link in the same tab changes the fragment alone.
    addEventListener("hashchange", () => {
        if (location.hash.includes("token=")) location.reload();
    });
    studio.start();
}
