// The plate on a picture that isn't current, such as NO SIGNAL 0:12. All pages decide with `plateOf`.

import { playTime } from "./numbers.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, setAttribute, setFlag, setText } from "./dom.js";

/** Maximum age of a picture that is shown as live, in milliseconds. */
const maxAgeMs = 1000;
const checkMs = 200;

/**
 * @typedef {object} PlateContent
 * @property {"contact" | "recorder" | "paused" | "signal" | "previews" | "empty" | "frozen" | "late"} id
 * @property {string} name what is wrong, without the time
 * @property {string} text
 */

/**
 * @typedef {object} PictureAge
 * @property {number} sincePaint time since the picture was painted, in ms; `Infinity` if it was never painted
 * @property {number} sinceCapture time since the painted frame was captured, in ms; 0 if it is unknown
 */

/**
 * The plate's content for a source; undefined while its picture is current.
 * @param {{of: "camera" | "program", role?: string}} source
 * @param {PictureAge} [age] age of the picture; undefined where only the source's state is shown
 * @returns {PlateContent | undefined}
 */
export function plateOf(source, age) {
    const { status } = studio;
    const isPaused = (/** @type {string} */ picture) => status.paused?.includes(picture) ?? false;
    if (!studio.contact) return studio.lostContactAt > 0 ? content("contact", (performance.now() - studio.lostContactAt) / 1000) : undefined;
    if (studio.state === "gone") return content(studio.local.isCalibrating ? "previews" : "recorder");
    if (source.of === "program" && isPaused("program")) return content("paused");
    const camera = source.of === "camera" ? studio.cameras.find((camera) => camera.role === source.role) : undefined;
    if (camera?.away) return content("signal", camera.away_ns === undefined ? undefined : camera.away_ns / 1e9);
    if (!age) return undefined;
    // At a low rate, a new frame takes longer than a second.
    const rate = source.of === "program" ? status.arrangement?.rate : camera?.nominal_rate;
    const maxAge = Math.max(maxAgeMs, 2500 / (rate || 30));
    if (age.sincePaint > maxAge) {
        if (isPaused("previews") || status.state === "paused") return content("previews");
        return age.sincePaint === Infinity ? content("empty") : content("frozen", age.sincePaint / 1000);
    }
    const late = age.sinceCapture - (status.delay_ns ?? 0) / 1e6;
    return late > maxAge ? content("late", late / 1000) : undefined;
}

/**
 * @param {PlateContent["id"]} id
 * @param {number} [seconds]
 * @returns {PlateContent}
 */
function content(id, seconds) {
    const name = say(`plate-${id}`);
    return { id, name, text: seconds === undefined ? name : `${name} ${playTime(seconds)}` };
}

/** The plate in a picture's box. While it is shown, the picture is gray. */
export class Plate extends StudioElement {
    /** @type {import("./picture.js").Picture | undefined} */
    picture;
    /** What is wrong with the picture, without the time; empty while it is current. */
    name = "";
    #enteredAt = 0;

    build() {
        this.classList.add("plate");
        this.setAttribute("aria-hidden", "true");
        this.hidden = true;
    }

    enter() {
        this.#enteredAt = performance.now();
        const update = () => this.update();
        this.leaving.push(studio.on(["status", "contact", "local"], update));
        // A picture that wasn't updated while its tab was hidden is marked before it is seen.
        this.every(update, checkMs);
        this.update();
    }

    update() {
        const { picture } = this;
        // A page that has just opened waits for its first picture.
        if (!picture || (picture.frames === 0 && performance.now() - this.#enteredAt < maxAgeMs)) return;
        const plate = plateOf(picture.source, picture.age);
        this.name = plate?.name ?? "";
        setFlag(this, "hidden", plate === undefined);
        setText(this, plate?.text ?? "");
        setAttribute(this, "data-plate", plate?.id);
        if (this.parentElement) setFlag(this.parentElement, "data-stale", plate !== undefined);
    }
}

customElements.define("mc-plate", Plate);
