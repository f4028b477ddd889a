// The view after a recording: the list of recordings, their verdicts, the player, and the available actions.

import { titleOf } from "./arrangement.js";
import { ask } from "./ask.js";
import { sources } from "./conditions.js";
import { note } from "./commands.js";
import { layouts } from "./layout-table.js";
import { lineActions } from "./message-line.js";
import { bytes, clockTime, fixed, leftTime, percent, shortTime, whole } from "./numbers.js";
import { addWords, isGerman, say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, keep, setAttribute, setFlag, setText } from "./dom.js";
import { Player } from "./player.js";
import { projects } from "./profile-form.js";

addWords({
    "no-recordings": ["No recordings yet.", "Noch keine Aufnahmen."],
    complete: ["complete", "vollständig"],
    "cut-off": ["interrupted, not recovered", "unterbrochen, nicht wiederhergestellt"],
    damaged: ["damaged", "beschädigt"],
    empty: ["empty", "leer"],
    "still-recording": ["recording", "wird gerade aufgenommen"],
    today: ["Today", "Heute"],
    yesterday: ["Yesterday", "Gestern"],
    "cut-off-found": ["The recording from {time} was interrupted.", "Die Aufnahme von {time} wurde unterbrochen."],
    "cut-off-more": ["Recover the recording to complete its files in place.", "Wiederherstellen vervollständigt die Dateien, ohne sie zu kopieren."],
    "make-whole": ["Recover", "Wiederherstellen"],
    "take-on": ["Export", "Exportieren"],
    download: ["Download program", "Programm laden"],
    "project-for": ["Export project", "Projekt exportieren"],
    "program-anew": ["Render again", "Neu rendern"],
    "look-closer": ["Check", "Prüfen"],
    "check-files": ["Verify files", "Dateien prüfen"],
    "measure-sync": ["Measure A/V sync", "A/V-Versatz messen"],
    "job-runs": ["{what}: {percent}", "{what}: {percent}"],
    "job-begun": ["{what}…", "{what}…"],
    "job-left": [", about {time} left", ", noch etwa {time}"],
    "job-end": ["Cancel", "Abbrechen"],
    "made-of-it": ["Created files", "Erstellte Dateien"],
    "job-over": ["{what}: done.", "{what}: fertig."],
    "job-failed": ["{what}: failed.", "{what}: fehlgeschlagen."],
    "chosen-recording": ["Selected recording", "Ausgewählte Aufnahme"],
    sound_: ["Sound", "Ton"],
    loudness: ["LUFS", "LUFS"],
    peak: ["peak, dB", "Spitze, dB"],
    clipped: ["clips", "Clips"],
    clock: ["±ms", "±ms"],
    "how-made": ["Settings", "Einstellungen"],
    "made-to": ["Project", "Projekt"],
    "made-cut": ["Cut", "Schnitt"],
    "made-layout": ["Layout", "Anordnung"],
    "made-size": ["Size", "Größe"],
    "made-loudness": ["Loudness", "Lautheit"],
    "to-all": ["all formats", "alle Formate"],
    "to-podcast": ["podcast", "Podcast"],
    "cut-live": ["live cut", "Live-Schnitt"],
    "cut-by-voice": ["active speaker", "aktiver Sprecher"],
    "cut-none": ["first camera only", "nur die erste Kamera"],
    "as-it-was": ["as recorded", "wie aufgenommen"],
    "n-lufs": ["{n} LUFS", "{n} LUFS"],
    "recordings-word": ["Recordings", "Aufnahmen"],
});

/** @typedef {{folder: string, started?: string, duration_ns?: number, bytes?: number, profile?: string, state?: string, verdict?: string}} Recording */
/** @typedef {{job: number, command?: string, folder?: string, progress?: number, text?: string, done?: boolean, ok?: boolean, files?: string[], begunAt?: number, begunWith?: number}} Job */

/**
 * Jobs that run on a recording, with their text keys.
 * @type {Record<string, string>}
 */
const jobWords = { verify: "check-files", recover: "make-whole", "sync-check": "measure-sync", render: "program-anew", export: "project-for" };

/**
 * Interrupted recordings, reported in the message line.
 * @type {Recording[]}
 */
let cutOff = [];
sources.add(() => (studio.state !== "standby" ? [] : cutOff.slice(0, 1)).map((recording) => ({
    id: `cut-off/${recording.folder}`, level: /** @type {"attention"} */ ("attention"),
    text: say("cut-off-found", { time: timeOf(recording) }), more: say("cut-off-more"), action: /** @type {"make-whole"} */ ("make-whole"), argument: recording.folder, since: 0,
})));
studio.on(["job"], (job) => {
    if (job.command === "recover" && job.done === true) void lookForCutOff();
});
lineActions.set("make-whole", { text: say("make-whole"), run: (folder) => void startJob("recover", folder ?? "") });

/** Looks for interrupted recordings. Called when the page opens and after each recording. */
export async function lookForCutOff() {
    const answer = await ask("/api/v1/recordings");
    if (!answer.ok) return;
    const value = /** @type {any} */ (answer.value);
    /** @type {Recording[]} */
    const all = Array.isArray(value) ? value : value.recordings ?? [];
    cutOff = all.filter((one) => one.state === "cut-off").slice(0, 5);
    studio.tell("local");
}

/**
 * Options for export and render: the jobs that each option applies to, and the option's values with their
 * labels. The first value is the default and isn't sent.
 * @type {{name: string, label: string, jobs: string[], choices: {value: string, text: string}[]}[]}
 */
const options = [
    { name: "to", label: say("made-to"), jobs: ["export"], choices: [{ value: "", text: say("to-all") }, ...projects.map(([value = "", text = ""]) => ({ value, text })), { value: "podcast", text: say("to-podcast") }] },
    { name: "cut", label: say("made-cut"), jobs: ["export", "render"], choices: [{ value: "", text: say("cut-live") }, { value: "voice", text: say("cut-by-voice") }, { value: "none", text: say("cut-none") }] },
    { name: "layout", label: say("made-layout"), jobs: ["render"], choices: [{ value: "", text: say("as-it-was") }, ...layouts.map(({ name }) => ({ value: name, text: titleOf(name) }))] },
    { name: "size", label: say("made-size"), jobs: ["render"], choices: [{ value: "", text: say("as-it-was") }, ...["1280x720", "1920x1080", "3840x2160", "1080x1920", "1080x1080"].map((value) => ({ value, text: value.replace("x", "×") }))] },
    { name: "loudness", label: say("made-loudness"), jobs: ["render"], choices: [{ value: "", text: say("as-it-was") }, ...["-14", "-16", "-23"].map((value) => ({ value, text: say("n-lufs", { n: value.replace("-", "−") }) }))] },
];

/** @param {string} command @param {string} folder @param {Record<string, string>} [chosen] */
async function startJob(command, folder, chosen = {}) {
    const own = options.filter((option) => option.jobs.includes(command) && chosen[option.name]);
    const body = { command, folder, options: Object.fromEntries(own.map(({ name }) => [name, chosen[name] ?? ""])) };
    const answer = await ask("/api/v1/jobs", { method: "POST", body });
    if (!answer.ok) note(say("refused", { what: answer.text }), true);
}

/** @param {Recording} recording */
function timeOf(recording) {
    const date = new Date(recording.started ?? "");
    return Number.isNaN(date.getTime()) ? "" : `${date.getHours()}:${String(date.getMinutes()).padStart(2, "0")}`;
}

/**
 * The recording's date, as a heading.
 * @param {Recording} recording
 */
function dayOf(recording) {
    const date = new Date(recording.started ?? "");
    if (Number.isNaN(date.getTime())) return "";
    const day = new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
    const now = new Date();
    const days = Math.round((new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime() - day) / 86_400_000);
    if (days === 0) return say("today");
    if (days === 1) return say("yesterday");
    return new Intl.DateTimeFormat(isGerman ? "de" : "en-GB", { weekday: "short", day: "numeric", month: "long" }).format(date);
}

/** @param {Recording} recording */
function stateOf(recording) {
    if (recording.state === "recording") return say("still-recording");
    if (recording.state === "cut-off") return say("cut-off");
    if (recording.state === "damaged") return say("damaged");
    if (recording.state === "empty") return say("empty");
    return say("complete");
}

export class Recordings extends StudioElement {
    /** @type {Recording[]} */
    recordings = [];
    chosen = "";
    /** @type {Map<string, Job>} */
    jobs = new Map();
    /**
     * The selected export and render options, by name.
     * @type {Record<string, string>}
     */
    wishes = {};
    /** Jobs that this server supports. */
    commands = ["verify", "recover"];

    build() {
        this.classList.add("recordings");
        this.list = h("div", { class: "recording-list" });
        this.empty = h("p", { class: "quiet-text", hidden: true });
        this.player = new Player();
        this.heading = h("h2", {});
        this.when = h("p", { class: "quiet-text" });
        this.place = h("p", { class: "quiet-text recording-folder" });
        this.verdict = h("p", { class: "verdict" });
        this.pictureRows = h("tbody", {});
        this.soundRows = h("tbody", {});
        this.jobLine = h("p", { class: "job-line" });
        this.jobSpoken = h("p", { class: "unseen", role: "status" });
        this.madeTitle = h("h3", { hidden: true }, say("made-of-it"));
        this.made = h("ul", { class: "made-files" });
        this.jobEnd = h("button", { type: "button", class: "small job-end", hidden: true, onclick: () => void this.#endJob() }, say("job-end"));
        this.jobBar = h("progress", { max: "1", hidden: true, "aria-label": say("look-closer") });
        this.download = h("a", { class: "button-link", download: "" }, say("download"));
        /** @param {string} command */
        const job = (command) => h("button", { type: "button", "data-job": command, onclick: () => void startJob(command, this.chosen, this.wishes) }, say(jobWords[command] ?? command));
        this.repair = job("recover");
        this.jobButtons = [job("export"), job("render"), this.repair, job("verify"), job("sync-check")];
        const [toEditor, anew, , verify, sync] = this.jobButtons;
        this.howMade = h("details", { class: "job-options" }, h("summary", {}, say("how-made")), h("div", { class: "option-fields" }, ...options.map((option) => {
            /** @type {HTMLSelectElement} */
            const select = h("select", { id: `made-${option.name}` }, ...option.choices.map(({ value, text }) => h("option", { value }, text)));
            select.addEventListener("change", () => (this.wishes[option.name] = select.value));
            return h("div", { class: "field", "data-option": option.name }, h("label", { for: `made-${option.name}` }, option.label), select);
        })));
        this.details = h("section", { class: "recording-details", "aria-label": say("chosen-recording") },
            h("div", { class: "panel" }, this.heading, this.when, this.place, this.verdict),
            h("div", { class: "panel table-place", tabindex: "0", role: "region", "aria-label": say("ledger") },
                h("table", { class: "ledger" }, h("thead", {}, h("tr", {}, ...["track", "captured", "duplicated", "lost-column", "clock"].map((name) => h("th", { scope: "col" }, say(name))))), this.pictureRows),
                h("table", { class: "ledger" }, h("thead", {}, h("tr", {}, ...["sound_", "loudness", "peak", "clipped"].map((name) => h("th", { scope: "col" }, say(name))))), this.soundRows)),
            h("div", { class: "panel" }, h("h3", {}, say("take-on")), h("div", { class: "action-grid" }, this.download, toEditor, anew, this.repair), this.howMade,
                h("h3", {}, say("look-closer")), h("div", { class: "action-grid" }, verify, sync),
                h("div", { class: "job-place" }, this.jobLine, this.jobEnd), this.jobBar, this.jobSpoken, this.madeTitle, this.made));
        this.append(h("section", { class: "panel recording-place", "aria-label": say("recordings") }, h("h2", { class: "unseen" }, say("recordings")), this.list, this.empty), this.player, this.details);
    }

    enter() {
        void this.load();
        void this.#loadJobs();
        this.leaving.push(studio.on(["job"], (job) => this.#job(job)), studio.on(["contact"], () => {
            // Jobs that ended while the connection was down weren't reported to this page.
            if (!studio.contact) return;
            void this.load();
            void this.#loadJobs();
        }));
    }

    /**
     * Loads the running and finished jobs, and the commands that the server supports. If the server doesn't list its
     * commands, all known jobs are assumed.
     */
    async #loadJobs() {
        const answer = await ask("/api/v1/jobs");
        if (answer.ok) {
            const value = /** @type {any} */ (answer.value);
            this.commands = Array.isArray(value.commands) ? value.commands.map(String) : Object.keys(jobWords);
            const before = this.jobs;
            this.jobs = new Map();
            for (const job of Array.isArray(value.jobs) ? value.jobs.slice(-50) : []) {
                if (typeof job?.folder !== "string") continue;
                const known = before.get(job.folder);
                this.jobs.set(job.folder, known?.job === job.job ? { ...known, ...job } : job);
            }
        }
        this.#showJob();
    }

    async #endJob() {
        const job = this.jobs.get(this.chosen);
        if (!job || job.done) return;
        const answer = await ask(`/api/v1/jobs/${job.job}/cancel`, { method: "POST", body: {} });
        if (!answer.ok) note(say("refused", { what: answer.text }), true);
    }

    async load() {
        const answer = await ask("/api/v1/recordings");
        if (!this.empty || !this.list || !this.details || !this.player) return;
        if (!answer.ok) {
            this.empty.hidden = false;
            setText(this.empty, say("cannot-load", { what: say("recordings-word") }));
            return;
        }
        const value = /** @type {any} */ (answer.value);
        this.recordings = (Array.isArray(value) ? value : Array.isArray(value.recordings) ? value.recordings : []).slice(0, 200);
        cutOff = this.recordings.filter((one) => one.state === "cut-off").slice(0, 5);
        this.empty.hidden = this.recordings.length > 0;
        setText(this.empty, say("no-recordings"));
        const first = this.recordings[0];
        if (first && !this.recordings.some((one) => one.folder === this.chosen)) await this.choose(first.folder);
        this.details.hidden = this.recordings.length === 0;
        if (this.recordings.length === 0) this.player.hidden = true;
        this.#list();
    }

    #list() {
        if (!this.list) return;
        /** @type {({day: string} | Recording)[]} */
        const rows = [];
        let day = "";
        for (const recording of this.recordings) {
            const own = dayOf(recording);
            if (own !== day) rows.push({ day: own });
            day = own;
            rows.push(recording);
        }
        keep(this.list, rows, (row) => ("day" in row ? `day/${row.day}` : row.folder), (row) => {
            if ("day" in row) return /** @type {HTMLElement} */ (h("h3", { class: "day" }, row.day));
            const picture = h("img", { alt: "", loading: "lazy", class: "recording-picture" });
            if (row.state !== "damaged" && row.state !== "empty") picture.src = `/api/v1/recordings/${encodeURIComponent(row.folder)}/frame.jpg?track=program&at_ns=${Math.round((row.duration_ns ?? 0) / 3)}&width=160`;
            // Without a frame, the thumbnail stays black.
            picture.addEventListener("error", () => setFlag(picture, "data-none", true));
            return h("button", { type: "button", class: "recording-item", onclick: () => void this.choose(row.folder) }, picture,
                h("span", { class: "recording-words" }, h("span", { class: "recording-name" }), h("span", { class: "recording-facts" }), h("span", { class: "recording-state" })));
        }, (element, row) => {
            if ("day" in row) return;
            setAttribute(element, "aria-pressed", String(row.folder === this.chosen));
            const [name, facts, state] = element.querySelector(".recording-words")?.children ?? [];
            if (!name || !facts || !state) return;
            setText(name, row.profile ?? row.folder);
            setText(facts, [timeOf(row), row.duration_ns === undefined ? "" : leftTime(Math.max(60, row.duration_ns / 1e9)), row.bytes === undefined ? "" : bytes(row.bytes)].filter(Boolean).join(", "));
            setText(state, stateOf(row));
            setFlag(state, "data-warn", row.state === "cut-off" || row.state === "damaged" || row.state === "empty");
        });
    }

    /** @param {string} folder */
    async choose(folder) {
        this.chosen = folder;
        this.#list();
        const recording = this.recordings.find((one) => one.folder === folder);
        const answer = await ask(`/api/v1/recordings/${encodeURIComponent(folder)}`);
        if (this.chosen !== folder || !recording) return;
        const manifest = /** @type {any} */ (answer.value)?.manifest;
        if (this.player) {
            this.player.hidden = !manifest;
            if (manifest) this.player.show(folder, manifest);
        }
        this.#details(recording, manifest);
        void this.#loadMade();
    }

    /** @param {Recording} recording @param {any} manifest */
    #details(recording, manifest) {
        const { heading, when, verdict, pictureRows, soundRows, download, repair } = this;
        if (!heading || !when || !verdict || !pictureRows || !soundRows || !download || !repair) return;
        setText(heading, recording.profile ?? recording.folder);
        const date = new Date(recording.started ?? "");
        setText(when, [Number.isNaN(date.getTime()) ? "" : new Intl.DateTimeFormat(isGerman ? "de" : "en-GB", { dateStyle: "long", timeStyle: "short" }).format(date),
            recording.duration_ns === undefined ? "" : clockTime(recording.duration_ns / 1e9)].filter(Boolean).join(" · "));
        if (this.place) setText(this.place, recording.folder);
        setText(verdict, recording.verdict ?? manifest?.verdict ?? stateOf(recording));
        setFlag(verdict, "data-warn", recording.state === "cut-off" || recording.state === "damaged" || recording.state === "empty");
        const hasProgram = Array.isArray(manifest?.tracks) && manifest.tracks.some((/** @type {any} */ track) => track.kind === "program");
        download.hidden = !hasProgram;
        const address = `/api/v1/recordings/${encodeURIComponent(recording.folder)}/program.mp4`;
        setAttribute(download, "href", address);
        setAttribute(download, "download", `${recording.folder}.mp4`);
        /** @type {any[]} */
        const tracks = Array.isArray(manifest?.tracks) ? manifest.tracks.slice(0, 40) : [];
        /** @param {string} role */
        const clock = (role) => {
            const device = (manifest?.devices ?? []).find((/** @type {any} */ one) => one.role === role);
            return device?.clock?.residual_us === undefined ? "–" : fixed(device.clock.residual_us / 1000);
        };
        /** @type {(row: HTMLElement, texts: string[]) => void} */
        const fill = (row, texts) => texts.forEach((text, index) => {
            const cell = row.children[index];
            if (cell) setText(cell, text);
        });
        keep(pictureRows, tracks.filter((track) => track.frames), (track) => String(track.name), () => h("tr", {}, h("th", { scope: "row" }), h("td", {}), h("td", {}), h("td", {}), h("td", {})), (row, track) => {
            const lost = Object.entries(track.frames.lost ?? {}).filter(([, count]) => Number(count) > 0);
            const count = lost.reduce((sum, [, one]) => sum + Number(one), 0);
            fill(row, [String(track.name), whole(track.frames.captured ?? 0), whole(track.frames.duplicated ?? 0), [whole(count), ...lost.map(([cause]) => cause)].join(", "), clock(String(track.role ?? track.name))]);
        });
        keep(soundRows, tracks.filter((track) => track.loudness), (track) => String(track.name), () => h("tr", {}, h("th", { scope: "row" }), h("td", {}), h("td", {}), h("td", {})), (row, track) => {
            const { integrated_lufs: loud, true_peak_dbtp: peak } = track.loudness;
            fill(row, [String(track.name), loud === undefined ? "–" : fixed(loud), peak === undefined ? "–" : fixed(peak), String(track.samples?.clipped ?? 0)]);
        });
        this.#showJob();
    }

    /** Lists the files that export and render have created. */
    async #loadMade() {
        const folder = this.chosen;
        const address = `/api/v1/recordings/${encodeURIComponent(folder)}/edit`;
        const answer = await ask(address);
        if (!this.made || !this.madeTitle || folder !== this.chosen) return;
        /** @type {{name: string, bytes?: number}[]} */
        const files = answer.ok && Array.isArray(/** @type {any} */ (answer.value).files) ? /** @type {any} */ (answer.value).files.slice(0, 40) : [];
        this.madeTitle.hidden = files.length === 0;
        keep(this.made, files, (file) => `${folder}/${file.name}`, (file) => h("li", {},
            h("a", { href: `${address}/${file.name.split("/").map(encodeURIComponent).join("/")}`, download: file.name.split("/").pop() ?? "" }, file.name), h("span", { class: "quiet-text" })), (item, file) => {
            if (item.lastElementChild) setText(item.lastElementChild, file.bytes === undefined ? "" : bytes(file.bytes));
        });
    }

    /** @param {Job} job */
    #job(job) {
        if (typeof job.folder !== "string") return;
        const before = this.jobs.get(job.folder);
        const isSame = before?.job === job.job && before.begunAt !== undefined;
        this.jobs.set(job.folder, { ...job, begunAt: isSame ? before.begunAt : performance.now(), begunWith: isSame ? before.begunWith : job.progress ?? 0 });
        if (this.jobs.size > 50) this.jobs.delete(this.jobs.keys().next().value ?? "");
        if (job.done) void this.load().then(() => (job.folder === this.chosen ? this.choose(this.chosen) : undefined));
        this.#showJob();
    }

    #showJob() {
        const { jobLine, jobBar, jobEnd, jobSpoken, jobButtons, repair } = this;
        if (!jobLine || !jobBar || !jobEnd || !jobSpoken || !jobButtons || !repair) return;
        const job = this.jobs.get(this.chosen);
        const isRunning = job !== undefined && job.done !== true;
        const recording = this.recordings.find((one) => one.folder === this.chosen);
        const isWritten = recording?.state === "recording";
        for (const button of jobButtons) {
            button.hidden = !this.commands.includes(button.dataset.job ?? "");
            button.disabled = isRunning || isWritten;
        }
        if (this.howMade) {
            this.howMade.hidden = !this.commands.includes("export") && !this.commands.includes("render");
            for (const field of this.howMade.querySelectorAll("[data-option]")) {
                const option = options.find(({ name }) => name === field.getAttribute("data-option"));
                setFlag(field, "hidden", !option?.jobs.some((command) => this.commands.includes(command)));
            }
        }
        // An undamaged recording doesn't need recovery.
        const isBroken = recording?.state === "cut-off" || recording?.state === "damaged";
        if (!isBroken) repair.hidden = true;
        setFlag(repair, "data-wanted", isBroken);
        jobBar.hidden = !isRunning;
        // A recovery can't be canceled because it writes files that can't be created in any other way.
        jobEnd.hidden = !isRunning || job.command === "recover";
        if (job?.progress === undefined) jobBar.removeAttribute("value");
        else jobBar.value = job.progress;
        const what = job ? say(jobWords[job.command ?? ""] ?? job.command ?? "") : "";
        let text = "";
        if (job && isRunning) text = job.progress === undefined ? say("job-begun", { what }) : say("job-runs", { what, percent: percent(job.progress) }) + timeLeft(job);
        else if (job) text = [job.text || say(job.ok === false ? "job-failed" : "job-over", { what }), ...(job.files ?? []).slice(0, 8)].join("\n");
        setText(jobLine, text);
        setAttribute(jobBar, "aria-label", what || say("look-closer"));
        setText(jobSpoken, job && !isRunning ? text : job ? say("job-begun", { what }) : "");
        setFlag(jobLine, "data-warn", job?.done === true && job.ok === false);
    }
}

/**
 * The remaining time of a job. Available only after the job has run long enough for an estimate.
 * @param {Job} job
 */
function timeLeft(job) {
    const { progress = 0, begunAt, begunWith = 0 } = job;
    if (begunAt === undefined || progress - begunWith < 0.05 || progress >= 1) return "";
    const seconds = ((performance.now() - begunAt) / 1000 / (progress - begunWith)) * (1 - progress);
    return seconds < 2 ? "" : say("job-left", { time: shortTime(seconds) });
}

customElements.define("mc-recordings", Recordings);
