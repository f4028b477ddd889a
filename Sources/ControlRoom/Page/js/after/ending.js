// The card at the end of a recording: whether it is complete, what is missing and why, and the next actions.

import { ask } from "./ask.js";
import { announce } from "./message-line.js";
import { bytes, clockTime } from "./numbers.js";
import { addWords, say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, icon, setAttribute, setFlag, setText } from "./dom.js";
import { listRecordings, nameOf, openFolder, openRecording, resultOf, resultWord, sentencesOf } from "./recordings.js";

addWords({
    "ending-card": ["End of the recording", "Ende der Aufnahme"],
    "all-details": ["All details", "Alle Einzelheiten"],
    "dismiss-card": ["Close", "Schließen"],
    "download-parts": ["Download parts…", "Teile herunterladen…"],
    "download-all": ["Download all (ZIP)", "Alles herunterladen (ZIP)"],
});

/** Interval between status requests for a recording whose files are still being finished, in milliseconds. It increases by this value each time. */
const retryMs = 1000;
/** Maximum number of status requests for a recording. */
const maxRequests = 20;

export class Ending extends StudioElement {
    /** Name of the session folder of the running recording; empty while none is running. */
    #running = "";
    /** Name of the session folder that the card describes; empty while the card is hidden. */
    #shown = "";

    build() {
        this.classList.add("ending-card");
        this.setAttribute("role", "region");
        this.setAttribute("aria-label", say("ending-card"));
        this.hidden = true;
        this.result = h("span", { class: "result-word" });
        this.name = h("strong", { class: "ending-name" });
        this.facts = h("span", { class: "quiet-text" });
        this.sentences = h("p", { class: "ending-sentences" });
        this.download = h("a", { class: "button-link", download: "" }, say("download"));
        this.parts = h("button", { type: "button", class: "ending-parts", hidden: true, onclick: () => openRecording(this.#shown, "show") }, say("download-parts"));
        this.folderButton = h("button", { type: "button", onclick: () => void openFolder(this.#shown) }, say("open-folder"));
        /** @param {string} text @param {import("./recordings.js").OpeningAction} action */
        const action = (text, action) => h("button", { type: "button", "data-action": action, onclick: () => openRecording(this.#shown, action) }, say(text));
        this.play = action("play", "play");
        this.recover = action("make-whole", "recover");
        this.made = [this.play, action("take-on", "export"), action("render-again", "render"), this.download];
        const close = h("button", { type: "button", class: "quiet ending-close", "aria-label": say("dismiss-card"), title: say("dismiss-card"), onclick: () => this.hide() }, icon("cross"));
        this.append(h("div", { class: "ending-head" }, this.result, this.name, this.facts),
            this.sentences, h("div", { class: "ending-actions" }, this.play, this.recover, ...this.made.slice(1), this.parts, this.folderButton, action("all-details", "show")), close);
    }

    enter() {
        this.leaving.push(studio.on(["status", "contact"], () => this.#follow()));
        this.#follow();
    }

    hide() {
        this.#shown = "";
        this.hidden = true;
    }

    #follow() {
        const { state } = studio;
        if (state === "recording" || state === "finishing") {
            this.#running = (studio.status.folder ?? "").split("/").pop() ?? "";
            if (state === "recording") this.hide();
        } else if (this.#running !== "" && (state === "standby" || state === "gone")) {
            const folder = this.#running;
            this.#running = "";
            this.#shown = folder;
            void this.#show(folder);
        }
    }

    /** @param {string} folder @param {number} [attempt] */
    async #show(folder, attempt = 1) {
        const { recordings, opens } = await listRecordings();
        if (this.#shown !== folder) return;
        const recording = recordings.find((one) => one.folder === folder);
        if (!recording || recording.state === "recording") {
            if (attempt < maxRequests) setTimeout(() => this.#shown === folder && void this.#show(folder, attempt + 1), attempt * retryMs);
            return;
        }
        const { result, name, facts, sentences, download, parts, play, recover, folderButton, made } = this;
        if (!result || !name || !facts || !sentences || !download || !parts || !play || !recover || !folderButton || !made) return;
        const level = resultOf(recording);
        setAttribute(this, "data-result", level);
        result.replaceChildren(icon(level === "good" ? "check" : "warn"), resultWord(recording));
        setAttribute(result, "data-result", level);
        setText(name, nameOf(recording));
        setText(facts, [recording.duration_ns === undefined ? "" : clockTime(recording.duration_ns / 1e9), recording.bytes === undefined ? "" : bytes(recording.bytes)].filter(Boolean).join(" · "));
        setText(sentences, sentencesOf(recording).join(" "));
        const isReadable = recording.state === "complete" || recording.state === "incomplete";
        for (const element of made) element.hidden = !isReadable;
        recover.hidden = recording.state !== "cut-off";
        folderButton.hidden = !opens;
        const files = isReadable ? await this.#files(folder) : {};
        if (this.#shown !== folder) return;
        const isOneFile = files.program !== undefined;
        // The parts of the program are listed with the recording's details.
        parts.hidden = isOneFile || files.program_error === undefined;
        setAttribute(parts, "title", files.program_error);
        if (!parts.hidden) download.hidden = true;
        setText(download, isOneFile ? say("download") : say("download-all"));
        setAttribute(download, "href", `/api/v1/recordings/${encodeURIComponent(folder)}/${isOneFile ? "program.mp4" : "archive.zip"}`);
        setAttribute(download, "download", `${folder}.${isOneFile ? "mp4" : "zip"}`);
        if (this.#shown !== folder || studio.state === "recording") return;
        setFlag(this, "hidden", false);
        announce([resultWord(recording), ...sentencesOf(recording)].join(" "));
    }

    /**
     * @param {string} folder
     * @returns {Promise<{program?: object, program_error?: string}>}
     */
    async #files(folder) {
        const { ok, value } = await ask(`/api/v1/recordings/${encodeURIComponent(folder)}/files`);
        return ok ? /** @type {any} */ (value) : {};
    }
}

customElements.define("mc-ending", Ending);
