// The view after a recording: the list of recordings, their verdicts, the player, and the available actions.

import { titleOf } from "./arrangement.js";
import { ask } from "./ask.js";
import { sources } from "./conditions.js";
import { note } from "./commands.js";
import { layouts } from "./layout-table.js";
import { lineActions } from "./message-line.js";
import { bytes, clockTime, fixed, percent, shortTime, signed, whole } from "./numbers.js";
import { addWords, causeText, isGerman, say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, icon, keep, setAttribute, setFlag, setText } from "./dom.js";
import { Player } from "./player.js";
import { projects } from "./profile-form.js";

addWords({
    "no-recordings": ["No recordings yet.", "Noch keine Aufnahmen."],
    "result-complete": ["Complete", "Vollständig"],
    "result-warnings": ["Complete, with warnings", "Vollständig, mit Warnungen"],
    "result-problems": ["Complete, with problems", "Vollständig, mit Problemen"],
    "result-incomplete": ["Incomplete", "Unvollständig"],
    "result-cut-off": ["Interrupted, not recovered", "Unterbrochen, nicht wiederhergestellt"],
    "result-damaged": ["Damaged", "Beschädigt"],
    "result-empty": ["Empty", "Leer"],
    "result-recording": ["Recording", "Wird gerade aufgenommen"],
    today: ["Today", "Heute"],
    yesterday: ["Yesterday", "Gestern"],
    "cut-off-found": ["The recording from {time} was interrupted.", "Die Aufnahme von {time} wurde unterbrochen."],
    "cut-off-more": ["Recover the recording to complete its files in place.", "Wiederherstellen vervollständigt die Dateien, ohne sie zu kopieren."],
    "make-whole": ["Recover", "Wiederherstellen"],
    "take-on": ["Export", "Exportieren"],
    download: ["Download", "Herunterladen"],
    downloads: ["Downloads", "Downloads"],
    "file-program": ["Program", "Programm"],
    "file-program-parts": ["Program, {n} parts in one file", "Programm, {n} Teile in einer Datei"],
    "file-program-part": ["Program, part {n}", "Programm, Teil {n}"],
    "file-camera": ["Camera {name}", "Kamera {name}"],
    "file-microphone": ["Microphone {name}", "Mikrofon {name}"],
    "file-upload": ["Phone recording {name}", "Aufnahme des Telefons {name}"],
    "file-podcast": ["Podcast", "Podcast"],
    "file-project": ["Project", "Projekt"],
    "file-render": ["Rendered program", "Gerendertes Programm"],
    "file-archive": ["All files (ZIP)", "Alle Dateien (ZIP)"],
    "open-folder": ["Open folder", "Ordner öffnen"],
    "rename-recording": ["Rename…", "Umbenennen…"],
    "delete-recording": ["Delete…", "Löschen…"],
    "recording-title": ["Title", "Titel"],
    "keep-recording": ["Keep recording", "Aufnahme behalten"],
    "to-trash": ["Move to trash", "In den Papierkorb"],
    "delete-now": ["Delete permanently", "Endgültig löschen"],
    "to-trash-text": ["Move “{name}” ({size}) to the trash? You can restore it from there.", "„{name}“ ({size}) in den Papierkorb verschieben? Von dort lässt sich die Aufnahme wiederherstellen."],
    "delete-now-text": ["Delete “{name}” ({size}) and all its files permanently? This computer has no trash for this disk, so this can't be undone.", "„{name}“ ({size}) mit allen Dateien endgültig löschen? Dieser Rechner hat für diese Platte keinen Papierkorb, daher lässt sich das nicht rückgängig machen."],
    "trash-failed-text": ["“{name}” ({size}) can't be moved to the trash. Delete it and all its files permanently instead? This can't be undone.", "„{name}“ ({size}) lässt sich nicht in den Papierkorb verschieben. Stattdessen mit allen Dateien endgültig löschen? Das lässt sich nicht rückgängig machen."],
    "sentence-cut-off": ["The recording was interrupted. Recover it to complete its files.", "Die Aufnahme wurde unterbrochen. Wiederherstellen vervollständigt ihre Dateien."],
    "sentence-empty": ["The recording was interrupted before anything was recorded, so there is nothing to recover.", "Die Aufnahme wurde unterbrochen, bevor etwas aufgenommen war. Es gibt nichts wiederherzustellen."],
    "sort-by": ["Sort by", "Sortieren nach"],
    "sort-newest": ["Newest first", "Neueste zuerst"],
    "sort-oldest": ["Oldest first", "Älteste zuerst"],
    "sort-name": ["Name", "Name"],
    "sort-longest": ["Longest first", "Längste zuerst"],
    "sort-largest": ["Largest first", "Größte zuerst"],
    "cancel-rename": ["Cancel", "Abbrechen"],
    "project-for": ["Export project", "Projekt exportieren"],
    "render-again": ["Render again", "Neu rendern"],
    "look-closer": ["Check", "Prüfen"],
    "check-files": ["Verify files", "Dateien prüfen"],
    "measure-sync": ["Measure A/V sync", "A/V-Versatz messen"],
    "job-runs": ["{what}: {percent}", "{what}: {percent}"],
    "job-begun": ["{what}…", "{what}…"],
    "job-left": [", about {time} left", ", noch etwa {time}"],
    "job-end": ["Cancel", "Abbrechen"],
    "job-over": ["{what}: done.", "{what}: fertig."],
    "job-failed": ["{what}: failed.", "{what}: fehlgeschlagen."],
    "chosen-recording": ["Selected recording", "Ausgewählte Aufnahme"],
    sound_: ["Sound", "Ton"],
    picture_: ["picture", "Bild"],
    "sync-title": ["A/V sync", "A/V-Versatz"],
    "sync-start": ["start, ms", "Anfang, ms"],
    "sync-end": ["end, ms", "Ende, ms"],
    "sync-drift": ["drift, ppm", "Drift, ppm"],
    "sync-verdict": ["result", "Ergebnis"],
    "sync-note-unclear": ["The events in this track don't clearly match those in {name}.", "Die Ereignisse dieser Spur passen nicht eindeutig zu denen von {name}."],
    "sync-reference": ["reference", "Referenz"],
    "sync-aligned": ["in sync", "synchron"],
    "sync-apart": ["out of sync", "versetzt"],
    "sync-unknown": ["not measured", "nicht gemessen"],
    "sync-against": ["Relative to {name}. A positive value means that the track is later.", "Bezogen auf {name}. Ein positiver Wert bedeutet, dass die Spur später kommt."],
    "sync-nothing": ["The tracks don't share a flash, a clap, or enough audio. Clap once in view of all cameras, at the start and at the end.",
        "Die Spuren haben weder Blitz noch Klatschen noch genug Ton gemeinsam. Am Anfang und am Ende einmal im Bild aller Kameras klatschen."],
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

/** File with the measured offsets of the tracks. */
const syncFile = "report/sync.json";
/** Exit status of a measurement that found tracks that are out of sync. */
const apartStatus = 6;
/**
 * The notes of the measurement, in English and German.
 * @type {[string, string][]}
 */
const knownNotes = [
    ["No other track is available for a comparison.", "Es gibt keine andere Spur zum Vergleichen."],
    ["No clap or beep was found, and the audio doesn't clearly match another track.", "Weder Klatschen noch Piepton gefunden, und der Ton passt zu keiner anderen Spur eindeutig."],
    ["No flash or lamp being switched on was found.", "Weder Blitz noch das Einschalten einer Lampe gefunden."],
    ["No event was found near the start, so the drift is unknown.", "Am Anfang wurde kein Ereignis gefunden, daher ist die Drift unbekannt."],
    ["The drift is unknown, because the recording is too short or no event was found near the end.", "Die Drift ist unbekannt, weil die Aufnahme zu kurz ist oder am Ende kein Ereignis gefunden wurde."],
    ["The recording is too short to measure drift.", "Die Aufnahme ist zu kurz, um die Drift zu messen."],
    ["The drift is unknown. To measure the drift of a camera, record more claps.", "Die Drift ist unbekannt. Um die Drift einer Kamera zu messen, öfter klatschen."],
];

/**
 * A note of the measurement in the page's language. Notes of other versions are shown unchanged.
 * @param {unknown} note
 */
function noteOf(note) {
    const text = typeof note === "string" ? note : "";
    const known = knownNotes.find(([english]) => english === text);
    if (known) return known[isGerman ? 1 : 0];
    const name = /^The events in this track don't clearly match those in (.*)\.$/.exec(text)?.[1];
    return name === undefined ? text : say("sync-note-unclear", { name });
}

/** @typedef {{folder: string, started?: string, duration_ns?: number, bytes?: number, profile?: string, title?: string, state?: string, level?: string, verdict?: string, sentences?: string[]}} Recording */
/** @typedef {"show" | "play" | "export" | "render" | "recover"} OpeningAction What happens when a recording is opened. */
/** @typedef {{job: number, command?: string, folder?: string, progress?: number, text?: string, done?: boolean, ok?: boolean, exit?: number, files?: string[], begunAt?: number, begunWith?: number}} Job */

/**
 * Jobs that run on a recording, with their text keys.
 * @type {Record<string, string>}
 */
const jobWords = { verify: "check-files", recover: "make-whole", "sync-check": "measure-sync", render: "render-again", export: "project-for" };

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
    if (job.command === "recover" && job.done === true) void listRecordings();
});
lineActions.set("make-whole", { text: say("make-whole"), run: (folder) => void startJob("recover", folder ?? "") });

/** @typedef {{ok: boolean, recordings: Recording[], hasTrash: boolean, opens: boolean}} RecordingList */

/** @type {Promise<RecordingList> | undefined} */
let listing;

/** Requests the list of recordings, and reports interrupted ones in the message line. Callers in the same event share one request. */
export function listRecordings() {
    if (!listing) {
        listing = requestList();
        queueMicrotask(() => (listing = undefined));
    }
    return listing;
}

/** @returns {Promise<RecordingList>} */
async function requestList() {
    const answer = await ask("/api/v1/recordings");
    const value = /** @type {any} */ (answer.value);
    /** @type {Recording[]} */
    const recordings = answer.ok && Array.isArray(value.recordings) ? value.recordings.slice(0, 200) : [];
    if (answer.ok) {
        cutOff = recordings.filter((one) => one.state === "cut-off").slice(0, 5);
        studio.tell("local");
    }
    // The file manager opens on the computer that records.
    const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
    return { ok: answer.ok, recordings, hasTrash: value?.deletion === "trash", opens: isLocal && value?.opens === true };
}

/** @param {string} folder */
export async function openFolder(folder) {
    const answer = await ask(`${addressOf(folder)}/open`, { method: "POST", body: {} });
    if (!answer.ok) note(say("refused", { what: answer.text }), true);
}

/** @param {string} folder */
function addressOf(folder) {
    return `/api/v1/recordings/${encodeURIComponent(folder)}`;
}

/**
 * The recording to open when the list has loaded, and the action to perform.
 * @type {{folder: string, action: OpeningAction} | undefined}
 */
let opening;

/**
 * Opens a recording in the recordings view.
 * @param {string} folder
 * @param {OpeningAction} action
 */
export function openRecording(folder, action) {
    opening = { folder, action };
    document.dispatchEvent(new CustomEvent("multicam-view", { detail: "recordings" }));
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

/**
 * A recording's name: its title, or else its profile.
 * @param {Recording} recording
 */
export function nameOf(recording) {
    return recording.title ?? recording.profile ?? recording.folder;
}

/**
 * How complete a recording is: `good`, `warning`, `bad`, or `none` while it is running.
 * @param {Recording} recording
 */
export function resultOf(recording) {
    if (recording.state === "recording") return "none";
    return recording.state === "complete" ? recording.level ?? "good" : "bad";
}

/**
 * What the page says about a recording's result. The list's sentences about an interrupted recording refer to the command line.
 * @param {Recording} recording
 */
export function sentencesOf(recording) {
    if (recording.state === "cut-off" || recording.state === "empty") return [say(`sentence-${recording.state}`)];
    return recording.sentences ?? [];
}

/** @param {Recording} recording */
export function resultWord(recording) {
    if (recording.state !== "complete") return say(`result-${recording.state ?? "damaged"}`);
    const words = /** @type {Record<string, string>} */ ({ good: "result-complete", warning: "result-warnings", bad: "result-problems" });
    return say(words[recording.level ?? "good"] ?? "result-complete");
}

/**
 * Fills an element with a recording's result: an icon and a word.
 * @param {HTMLElement} element
 * @param {Recording} recording
 */
function showResult(element, recording) {
    const result = resultOf(recording);
    const word = resultWord(recording);
    if (element.textContent === word && element.dataset.result === result) return;
    element.replaceChildren(...(result === "none" ? [] : [icon(result === "good" ? "check" : "warn")]), word);
    setAttribute(element, "data-result", result);
}

/**
 * The orders of the list, by name.
 * @type {Record<string, (one: Recording, other: Recording) => number>}
 */
const orders = {
    newest: () => 0,
    oldest: () => 0,
    name: (one, other) => nameOf(one).localeCompare(nameOf(other)),
    longest: (one, other) => (other.duration_ns ?? 0) - (one.duration_ns ?? 0),
    largest: (one, other) => (other.bytes ?? 0) - (one.bytes ?? 0),
};

export class Recordings extends StudioElement {
    /** @type {Recording[]} */
    recordings = [];
    chosen = "";
    order = "newest";
    hasTrash = false;
    /** Name of the session folder that couldn't be moved to the trash; empty if there is none. */
    trashFailed = "";
    opens = false;
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
        this.player.hidden = true;
        this.heading = h("h2", {});
        this.when = h("p", { class: "quiet-text" });
        this.place = h("p", { class: "quiet-text recording-folder" });
        this.result = h("p", { class: "result-word" });
        this.verdict = h("ul", { class: "verdict" });
        this.renameInput = h("input", { type: "text", maxlength: "200", autocomplete: "off", "aria-label": say("recording-title") });
        this.renameForm = h("form", { class: "rename-form", hidden: true, onsubmit: (/** @type {Event} */ event) => void this.#rename(event) }, this.renameInput,
            h("button", { type: "submit", class: "small" }, say("save")), h("button", { type: "button", class: "small quiet", onclick: () => this.#endQuestions() }, say("cancel-rename")));
        this.renameInput.addEventListener("keydown", (event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            this.#endQuestions();
        });
        this.deleteText = h("p", {});
        this.deleteNow = h("button", { type: "button", class: "small outlined", onclick: () => void this.#delete() });
        this.deleteKeep = h("button", { type: "button", class: "small strong", onclick: () => this.#endQuestions() }, say("keep-recording"));
        this.deletePlace = h("div", { class: "delete-question", role: "group", hidden: true }, this.deleteText, h("div", { class: "row" }, this.deleteKeep, this.deleteNow));
        this.renameButton = h("button", { type: "button", class: "small", onclick: () => this.#askName() }, say("rename-recording"));
        this.deleteButton = h("button", { type: "button", class: "small", onclick: () => this.#askToDelete() }, say("delete-recording"));
        this.folderButton = h("button", { type: "button", class: "small", onclick: () => void openFolder(this.chosen) }, say("open-folder"));
        this.manage = h("div", { class: "row manage" }, this.folderButton, this.renameButton, this.deleteButton);
        this.sort = h("select", { id: "recording-order" }, ...Object.keys(orders).map((value) => h("option", { value }, say(`sort-${value}`))));
        this.sort.addEventListener("change", () => {
            this.order = this.sort?.value ?? "newest";
            this.#list();
        });
        this.pictureRows = h("tbody", {});
        this.soundRows = h("tbody", {});
        this.jobLine = h("p", { class: "job-line" });
        this.jobSpoken = h("p", { class: "unseen", role: "status" });
        this.filesTitle = h("h3", { hidden: true }, say("downloads"));
        this.files = h("ul", { class: "made-files" });
        this.filesProblem = h("p", { class: "quiet-text", hidden: true });
        this.syncRows = h("tbody", {});
        this.syncText = h("p", { class: "quiet-text" });
        this.syncNotes = h("ul", { class: "quiet-text sync-notes" });
        this.syncPlace = h("div", { class: "table-place sync-place", tabindex: "0", role: "region", "aria-label": say("sync-title"), hidden: true },
            h("table", { class: "ledger" }, h("thead", {}, h("tr", {}, ...["sync-title", "sync-start", "sync-end", "sync-drift", "sync-verdict"].map((name) => h("th", { scope: "col" }, say(name))))), this.syncRows), this.syncText, this.syncNotes);
        this.jobEnd = h("button", { type: "button", class: "small job-end", hidden: true, onclick: () => void this.#endJob() }, say("job-end"));
        this.jobBar = h("progress", { max: "1", hidden: true, "aria-label": say("look-closer") });
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
        this.details = h("section", { class: "recording-details", "aria-label": say("chosen-recording"), hidden: true },
            h("div", { class: "panel" }, this.heading, this.renameForm, this.when, this.place, this.result, this.verdict, this.manage, this.deletePlace),
            h("div", { class: "panel" }, this.filesTitle, this.filesProblem, this.files),
            h("div", { class: "panel table-place", tabindex: "0", role: "region", "aria-label": say("ledger") },
                h("table", { class: "ledger" }, h("thead", {}, h("tr", {}, ...["track", "captured", "duplicated", "lost-column", "clock"].map((name) => h("th", { scope: "col" }, say(name))))), this.pictureRows),
                h("table", { class: "ledger" }, h("thead", {}, h("tr", {}, ...["sound_", "loudness", "peak", "clipped"].map((name) => h("th", { scope: "col" }, say(name))))), this.soundRows)),
            h("div", { class: "panel" }, h("h3", {}, say("take-on")), h("div", { class: "action-grid" }, toEditor, anew, this.repair), this.howMade,
                h("h3", {}, say("look-closer")), h("div", { class: "action-grid" }, verify, sync),
                h("div", { class: "job-place" }, this.jobLine, this.jobEnd), this.jobBar, this.jobSpoken, this.syncPlace));
        this.append(h("section", { class: "panel recording-place", "aria-label": say("recordings") }, h("h2", { class: "unseen" }, say("recordings")), h("div", { class: "sort-row" }, h("label", { for: "recording-order" }, say("sort-by")), this.sort), this.list, this.empty), this.player, this.details);
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
        const { ok, recordings, hasTrash, opens } = await listRecordings();
        if (!this.empty || !this.list || !this.details || !this.player) return;
        if (!ok) {
            this.empty.hidden = false;
            setText(this.empty, say("cannot-load", { what: say("recordings-word") }));
            return;
        }
        [this.recordings, this.hasTrash, this.opens] = [recordings, hasTrash, opens];
        this.empty.hidden = this.recordings.length > 0;
        setText(this.empty, say("no-recordings"));
        const wanted = opening && this.recordings.some((one) => one.folder === opening?.folder) ? opening : undefined;
        opening = undefined;
        const first = wanted?.folder ?? this.recordings[0]?.folder;
        if (first !== undefined && (wanted || !this.recordings.some((one) => one.folder === this.chosen))) await this.choose(first, wanted?.action === "play");
        this.details.hidden = this.recordings.length === 0;
        if (this.recordings.length === 0) this.player.hidden = true;
        this.#list();
        if (wanted && !["show", "play"].includes(wanted.action)) void startJob(wanted.action, wanted.folder, this.wishes);
    }

    #list() {
        if (!this.list) return;
        /** @type {({day: string} | Recording)[]} */
        const rows = [];
        let day = "";
        const compare = orders[this.order] ?? (() => 0);
        const ordered = [...this.recordings].sort(compare);
        if (this.order === "oldest") ordered.reverse();
        const isByDay = this.order === "newest" || this.order === "oldest";
        for (const recording of ordered) {
            const own = isByDay ? dayOf(recording) : "";
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
            setText(name, nameOf(row));
            setText(facts, [timeOf(row), row.duration_ns === undefined ? "" : clockTime(row.duration_ns / 1e9), row.bytes === undefined ? "" : bytes(row.bytes)].filter(Boolean).join(", "));
            showResult(/** @type {HTMLElement} */ (state), row);
        });
    }

    /** @param {string} folder @param {boolean} [plays] whether the program is played */
    async choose(folder, plays = false) {
        if (folder !== this.chosen) {
            this.#endQuestions();
            if (this.syncPlace) this.syncPlace.hidden = true;
        }
        this.chosen = folder;
        this.#list();
        const recording = this.recordings.find((one) => one.folder === folder);
        const answer = await ask(`/api/v1/recordings/${encodeURIComponent(folder)}`);
        if (this.chosen !== folder || !recording) return;
        const manifest = /** @type {any} */ (answer.value)?.manifest;
        if (this.player) {
            this.player.hidden = !manifest;
            if (manifest) this.player.show(folder, manifest, plays);
        }
        this.#details(recording, manifest);
        void this.#loadFiles();
    }

    /** @param {Recording} recording @param {any} manifest */
    #details(recording, manifest) {
        const { heading, when, verdict, result, pictureRows, soundRows, folderButton } = this;
        if (!heading || !when || !verdict || !result || !pictureRows || !soundRows || !folderButton) return;
        setText(heading, nameOf(recording));
        const date = new Date(recording.started ?? "");
        setText(when, [Number.isNaN(date.getTime()) ? "" : new Intl.DateTimeFormat(isGerman ? "de" : "en-GB", { dateStyle: "long", timeStyle: "short" }).format(date),
            recording.duration_ns === undefined ? "" : clockTime(recording.duration_ns / 1e9), recording.bytes === undefined ? "" : bytes(recording.bytes)].filter(Boolean).join(" · "));
        if (this.place) setText(this.place, recording.folder);
        showResult(result, recording);
        const sentences = sentencesOf(recording);
        // The badge already says that everything is complete.
        keep(verdict, sentences[0] === "Complete." ? sentences.slice(1) : sentences, (_, index) => String(index), () => h("li", {}), (item, text) => setText(item, text));
        folderButton.hidden = !this.opens;
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
            fill(row, [String(track.name), whole(track.frames.captured ?? 0), whole(track.frames.duplicated ?? 0), [whole(count), ...lost.map(([cause]) => causeText(cause))].join(", "), clock(String(track.role ?? track.name))]);
        });
        keep(soundRows, tracks.filter((track) => track.loudness), (track) => String(track.name), () => h("tr", {}, h("th", { scope: "row" }), h("td", {}), h("td", {}), h("td", {})), (row, track) => {
            const { integrated_lufs: loud, true_peak_dbtp: peak } = track.loudness;
            fill(row, [String(track.name), loud === undefined ? "–" : fixed(loud), peak === undefined ? "–" : fixed(peak), String(track.samples?.clipped ?? 0)]);
        });
        this.#showJob();
    }

    /** Lists the files that can be downloaded. */
    async #loadFiles() {
        const folder = this.chosen;
        const answer = await ask(`${addressOf(folder)}/files`);
        if (!this.files || !this.filesTitle || !this.filesProblem || folder !== this.chosen) return;
        const value = answer.ok ? /** @type {any} */ (answer.value) : {};
        /** @type {{address: string, text: string, name: string, size: number}[]} */
        const rows = [];
        if (value.program) rows.push({ address: "program.mp4", text: value.program.parts > 1 ? say("file-program-parts", { n: value.program.parts }) : say("file-program"), name: `${folder}.mp4`, size: value.program.bytes });
        const kinds = ["camera", "microphone", "upload", "podcast", "project", "render"];
        /** @type {{path: string, kind: string, track?: string, bytes: number}[]} */
        const files = Array.isArray(value.files) ? value.files : [];
        for (const kind of value.program || !value.program_error ? kinds : ["program", ...kinds]) {
            files.filter((one) => one.kind === kind).slice(0, 200).forEach((file, index) => {
                const base = file.path.split("/").pop() ?? file.path;
                const words = kind === "program" ? say("file-program-part", { n: index + 1 }) : say(`file-${kind}`, { name: file.track ?? "" });
                rows.push({ address: `files/${file.path.split("/").map(encodeURIComponent).join("/")}`, text: `${words} · ${base}`, name: base, size: file.bytes });
            });
        }
        void this.#loadSync(folder, files.some((file) => file.path === syncFile));
        if (value.archive) rows.push({ address: "archive.zip", text: say("file-archive"), name: `${folder}.zip`, size: value.archive.bytes });
        this.filesTitle.hidden = rows.length === 0;
        this.filesProblem.hidden = !value.program_error;
        setText(this.filesProblem, value.program_error ?? "");
        keep(this.files, rows, (row) => `${folder}/${row.address}`, (row) => h("li", {},
            h("a", { href: `${addressOf(folder)}/${row.address}`, download: row.name }, row.text), h("span", { class: "quiet-text" })), (item, row) => {
            if (item.lastElementChild) setText(item.lastElementChild, bytes(row.size));
        });
    }

    /**
     * Shows the measured offsets of the tracks.
     * @param {string} folder
     * @param {boolean} isMeasured
     */
    async #loadSync(folder, isMeasured) {
        const { syncPlace, syncRows, syncText, syncNotes } = this;
        const answer = isMeasured ? await ask(`${addressOf(folder)}/files/${syncFile}`) : undefined;
        if (!syncPlace || !syncRows || !syncText || !syncNotes || folder !== this.chosen) return;
        const findings = answer?.ok ? /** @type {any} */ (answer.value) : undefined;
        /** @type {any[]} */
        const tracks = Array.isArray(findings?.tracks) ? findings.tracks.slice(0, 40) : [];
        syncPlace.hidden = tracks.length === 0;
        /** @param {any} track */
        const nameOfTrack = (track) => (["program-picture", "program-sound"].includes(track.kind) ? `${track.name} (${say(track.kind === "program-sound" ? "sound_" : "picture_")})` : String(track.name));
        /** @param {any} value */
        const offset = (value) => (value ? `${signed(value.offset_ns / 1e6)} ±${fixed(value.uncertainty_ns / 1e6)}` : "–");
        keep(syncRows, tracks, (track) => `${track.name}/${track.kind}`, () => h("tr", {}, h("th", { scope: "row" }), h("td", {}), h("td", {}), h("td", {}), h("td", {})), (row, track) => {
            const drift = track.drift_ppm === null || track.drift_ppm === undefined ? "–" : signed(track.drift_ppm);
            [nameOfTrack(track), offset(track.start), offset(track.end), drift, say(`sync-${track.verdict}`)].forEach((text, index) => {
                const cell = row.children[index];
                if (cell) setText(cell, text);
            });
            setFlag(row, "data-warn", track.verdict === "apart");
        });
        const notes = tracks.filter((track) => track.note).map((track) => `${nameOfTrack(track)}: ${noteOf(track.note)}`);
        keep(syncNotes, notes, (_, index) => String(index), () => h("li", {}), (item, text) => setText(item, text));
        const reference = tracks.find((track) => track.verdict === "reference")?.name;
        setText(syncText, findings?.verdict === "unknown" || !reference ? say("sync-nothing") : say("sync-against", { name: reference }));
        this.#showJob();
    }

    /** Shows the field for the recording's title. */
    #askName() {
        const { renameForm, renameInput } = this;
        if (!renameForm || !renameInput) return;
        this.#endQuestions(false);
        renameInput.value = this.#recording?.title ?? "";
        renameForm.hidden = false;
        renameInput.focus();
    }

    /** @param {Event} event */
    async #rename(event) {
        event.preventDefault();
        const title = this.renameInput?.value.trim() ?? "";
        const answer = await ask(addressOf(this.chosen), { method: "PATCH", body: { title } });
        if (!answer.ok) return note(say("refused", { what: answer.text }), true);
        this.#endQuestions();
        await this.load();
        await this.choose(this.chosen);
    }

    /** Where a deleted recording goes. */
    get #deletionPlace() {
        return this.hasTrash && this.trashFailed !== this.chosen ? "trash" : "permanent";
    }

    /** Asks before a recording is deleted. The question says whether it can be restored. */
    #askToDelete() {
        const { deletePlace, deleteText, deleteNow, deleteKeep } = this;
        const recording = this.#recording;
        if (!deletePlace || !deleteText || !deleteNow || !deleteKeep || !recording) return;
        this.#endQuestions(false);
        const isTrash = this.#deletionPlace === "trash";
        setText(deleteText, say(isTrash ? "to-trash-text" : this.hasTrash ? "trash-failed-text" : "delete-now-text", { name: nameOf(recording), size: bytes(recording.bytes ?? 0) }));
        setText(deleteNow, say(isTrash ? "to-trash" : "delete-now"));
        setAttribute(deletePlace, "aria-label", deleteText.textContent ?? "");
        deletePlace.hidden = false;
        deleteKeep.focus();
    }

    async #delete() {
        const folder = this.chosen;
        const to = this.#deletionPlace;
        const answer = await ask(addressOf(folder), { method: "DELETE", body: { to } });
        if (!answer.ok) {
            note(say("refused", { what: answer.text }), true);
            const job = this.jobs.get(folder);
            const isInUse = this.#recording?.state === "recording" || (job !== undefined && job.done !== true);
            if (to === "trash" && answer.status === 409 && !isInUse && folder === this.chosen) {
                // The trash may be on another file system. The second question says that deleting can't be undone.
                this.trashFailed = folder;
                this.#askToDelete();
            }
            return;
        }
        this.#endQuestions(false);
        note(answer.text);
        await this.load();
        /** @type {HTMLElement | null | undefined} */ (this.list?.querySelector('[aria-pressed="true"]'))?.focus();
    }

    /** Closes the field for the title and the question about deleting. */
    #endQuestions(focuses = true) {
        const button = this.renameForm?.hidden === false ? this.renameButton : this.deletePlace?.hidden === false ? this.deleteButton : undefined;
        if (this.renameForm) this.renameForm.hidden = true;
        if (this.deletePlace) this.deletePlace.hidden = true;
        if (focuses) button?.focus();
    }

    get #recording() {
        return this.recordings.find((one) => one.folder === this.chosen);
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
        const recording = this.#recording;
        const isWritten = recording?.state === "recording";
        for (const button of jobButtons) {
            button.hidden = !this.commands.includes(button.dataset.job ?? "");
            button.disabled = isRunning || isWritten;
        }
        if (this.renameButton) this.renameButton.disabled = isRunning || !["complete", "incomplete"].includes(recording?.state ?? "");
        if (this.deleteButton) this.deleteButton.disabled = isRunning || isWritten;
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
        else if (job?.command === "sync-check" && (job.ok !== false || job.exit === apartStatus) && this.syncPlace?.hidden === false) text = say("job-over", { what });
        else if (job) text = [job.text || say(job.ok === false ? "job-failed" : "job-over", { what }), ...(job.files ?? []).slice(0, 8)].join("\n");
        setText(jobLine, text);
        setAttribute(jobBar, "aria-label", what || say("look-closer"));
        setText(jobSpoken, job && !isRunning ? text : job ? say("job-begun", { what }) : "");
        setFlag(jobLine, "data-warn", job?.done === true && job.ok === false && text !== say("job-over", { what }));
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
