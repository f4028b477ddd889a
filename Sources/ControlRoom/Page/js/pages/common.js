// Startup code shared by all pages of the control room.

import { say } from "./words.js";
import { studio } from "./studio.js";
import { setAttribute } from "./dom.js";

/** Inserts the texts in the user's language, and connects to the web process. */
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
    // Opening a new link in the same tab changes only the fragment.
    addEventListener("hashchange", () => {
        if (location.hash.includes("token=")) location.reload();
    });
    studio.start();
}
