// Plays a recording: shows the program as a video, each track's frame of the same tick next to it, and markers, shots
// and audio below.

import { ask } from "./ask.js";
import { clockTime } from "./numbers.js";
import { addWords, causeText, say } from "./words.js";
import { StudioElement, h, icon, keep, setAttribute, setFlag, setText, token } from "./dom.js";
import { describe, shotText } from "./arrangement.js";

addWords({
    play: ["Play", "Abspielen"],
    pause: ["Pause", "Anhalten"],
    "of-time": ["of {time}", "von {time}"],
    "frame-back": ["Previous frame", "Voriges Bild"],
    "frame-on": ["Next frame", "Nächstes Bild"],
    speed: ["Playback speed", "Wiedergabetempo"],
    position: ["Position", "Position"],
    "player-name": ["Player", "Abspieler"],
    "large-player": ["Full-screen program", "Programm als Vollbild"],
    "waveform-of": ["Level of {name}", "Pegel von {name}"],
});

const speeds = [0.5, 1, 1.5, 2];
const peakCount = 600;
/** Minimum interval between requests for track frames during playback. */
const leastGapMs = 400;

export class Player extends StudioElement {
    folder = "";
    /** @type {any} */
    manifest;
    rate = 30;
    duration = 0;
    #at = 0;
    #askedAt = 0;
    #frame = 0;
    /** Whether playback steps through single frames, because the browser can't play the program. */
    #isStepping = false;
    #steppedAt = 0;
    /** The track shown large when there is no playable video. */
    #large = "program";
    /**
     * Start of each program file, in seconds. A split recording has several files.
     * @type {number[]}
     */
    #parts = [0];
    #part = 0;
    /** Whether playback continues in the next file after it opens. */
    #goesOn = false;
    #startAt = 0;
    /**
     * Whether the browser can play the program. If not, the program's frames are requested like the frames of
     * the tracks.
     */
    #hasFilm = false;

    build() {
        this.classList.add("player");
        this.setAttribute("role", "region");
        this.setAttribute("aria-label", say("player-name"));
        this.video = h("video", { playsinline: true, preload: "metadata" });
        this.still = h("img", { alt: "", class: "program-still", hidden: true });
        this.tracks = h("div", { class: "player-tracks" });
        this.playButton = h("button", { type: "button", class: "strong play", "aria-label": say("play"), onclick: () => this.toggle() }, icon("play"));
        this.time = h("span", { class: "player-time" }, "0:00:00");
        this.total = h("span", { class: "quiet-text" });
        this.speedButton = h("button", { type: "button", class: "small", "aria-label": `${say("speed")} 1×`, onclick: () => this.#faster() }, "1×");
        this.range = h("input", { type: "range", min: "0", max: "1", step: "any", value: "0", "aria-label": say("position"), class: "player-range" });
        this.range.addEventListener("input", () => this.seek(Number(this.range?.value ?? 0)));
        this.range.addEventListener("keydown", (event) => this.#rangeKey(event));
        this.caption = h("span", { class: "player-caption" });
        this.fullButton = h("button", { type: "button", class: "quiet small", "aria-label": say("large-player"), title: say("large-player"), onclick: () => void this.box?.requestFullscreen?.() }, icon("full"));
        this.lanes = h("div", { class: "lanes player-lanes", "aria-hidden": "true" }, h("div", { class: "lane markers-lane" }), h("div", { class: "lane shots-lane" }), h("div", { class: "lane faults-lane" }), h("div", { class: "lane times-lane" }), h("span", {}));
        this.head = h("span", { class: "play-head", "aria-hidden": "true" });
        this.waves = h("div", { class: "waves" });
        this.video.addEventListener("timeupdate", () => this.#moved());
        this.video.addEventListener("play", () => this.#playing());
        this.video.addEventListener("pause", () => this.#playing());
        this.video.addEventListener("loadedmetadata", () => {
            this.#hasFilm = true;
            this.#playable(true);
            if (this.video && this.#startAt > 0) this.video.currentTime = this.#startAt;
            if (this.video && this.#goesOn) this.video.play().catch(() => {}); // interrupted by Pause or by another recording
            this.#goesOn = false;
        });
        this.video.addEventListener("ended", () => {
            if (this.#part + 1 < this.#parts.length) this.#open(this.#part + 1, 0, true);
        });
        // Some browsers don't show a video before it plays. Until then, a still image of the current position
        // is shown instead.
        for (const name of ["loadeddata", "playing", "seeked"]) this.video.addEventListener(name, () => {
            if (this.still && this.#hasFilm) this.still.hidden = true;
        });
        this.still.addEventListener("load", () => this.#playable(true));
        this.still.addEventListener("error", () => this.#playable(this.#hasFilm));
        this.video.addEventListener("error", () => {
            this.#hasFilm = false;
            this.#frames(true);
        });
        this.box = h("div", { class: "picture-box player-box" }, this.video, this.still);
        this.scrub = h("div", { class: "player-scrub" }, this.range, this.lanes, this.waves, this.head);
        this.scrub.addEventListener("pointerdown", (event) => this.#grab(event));
        this.append(this.box, h("div", { class: "player-label" }, this.caption, this.fullButton), this.tracks,
            h("div", { class: "panel" },
                h("div", { class: "player-bar" }, this.playButton, this.time, this.total, h("span", { class: "spread" }), this.speedButton,
                    h("button", { type: "button", class: "small frame-back", "aria-label": say("frame-back"), onclick: () => this.step(-1) }, "−1 ", h("kbd", {}, ",")),
                    h("button", { type: "button", class: "small frame-on", "aria-label": say("frame-on"), onclick: () => this.step(1) }, "+1 ", h("kbd", {}, "."))),
                this.scrub));
    }

    enter() {
        const step = () => {
            this.#frame = requestAnimationFrame(step);
            if (this.video && !this.video.paused) this.#moved();
            else if (this.#isStepping) this.#stepOn();
        };
        this.#frame = requestAnimationFrame(step);
        this.leaving.push(() => {
            cancelAnimationFrame(this.#frame);
            this.#isStepping = false;
            this.video?.pause();
        });
    }

    /**
     * Shows a recording.
     * @param {string} folder
     * @param {any} manifest
     */
    show(folder, manifest, plays = false) {
        const isSame = folder === this.folder && Number(manifest?.duration_ns) === Number(this.manifest?.duration_ns);
        this.folder = folder;
        this.manifest = manifest;
        if (isSame) {
            this.#lanes();
            if (plays && this.video?.paused) this.toggle();
            return;
        }
        const { video, tracks, range, waves, total } = this;
        if (!video || !tracks || !range || !waves || !total) return;
        /** @type {any[]} */
        const all = Array.isArray(manifest?.tracks) ? manifest.tracks : [];
        const program = all.find((track) => track.kind === "program");
        this.rate = Number(program?.rate ?? all.find((track) => track.kind === "camera")?.rate ?? 30) || 30;
        this.duration = Math.max(0, Number(manifest?.duration_ns ?? program?.duration_ns ?? all[0]?.duration_ns ?? 0)) / 1e9;
        range.max = String(this.duration || 1);
        setText(total, say("of-time", { time: clockTime(this.duration) }));
        this.#hasFilm = this.#isStepping = false;
        const begins = (Array.isArray(program?.part_details) ? program.part_details : []).map((/** @type {any} */ part) => Number(part.first_ns) / 1e9).filter((/** @type {number} */ at) => at > 0);
        this.#parts = [0, ...begins];
        if (program) this.#open(0, 0, plays);
        else {
            video.removeAttribute("src");
            video.load();
        }
        this.#at = 0;
        const cameras = all.filter((track) => track.kind === "camera");
        this.#large = String(program?.name ?? cameras[0]?.name ?? "");
        if (this.still) this.still.removeAttribute("src");
        keep(tracks, cameras.slice(0, 12), (track) => `${folder}/${track.name}`, (track) => {
            const picture = h("img", { alt: "", class: "track-still" });
            const figure = h("figure", { "data-track": String(track.name), hidden: true }, picture, h("figcaption", {}, String(track.name)));
            // A track stays hidden until a frame has loaded. If loading fails later, the track keeps its last frame.
            picture.addEventListener("load", () => {
                figure.hidden = false;
            });
            return figure;
        }, () => {});
        keep(waves, all.filter((track) => track.kind === "microphone").slice(0, 8), (track) => `${folder}/${track.name}`, (track) => {
            const canvas = h("canvas", { role: "img", "aria-label": say("waveform-of", { name: String(track.name) }) });
            const wave = h("div", { class: "wave", hidden: true }, h("span", { class: "wave-name" }, String(track.name)), canvas);
            void this.#wave(wave, canvas, String(track.name));
            return wave;
        }, () => {});
        this.#lanes();
        this.#moved(true);
    }

    /**
     * Opens one of the program's files.
     * @param {number} part index of the file, from 0
     * @param {number} at position in the file, in seconds
     * @param {boolean} goesOn whether playback starts immediately
     */
    #open(part, at, goesOn) {
        if (!this.video) return;
        const rate = this.video.playbackRate;
        this.#part = part;
        this.#startAt = at;
        this.#goesOn = goesOn;
        this.#hasFilm = false;
        this.video.src = `${this.#address()}/program.mp4?part=${part + 1}`;
        this.video.load();
        this.video.defaultPlaybackRate = this.video.playbackRate = rate;
    }

    #address() {
        return `/api/v1/recordings/${encodeURIComponent(this.folder)}`;
    }

    toggle() {
        if (!this.video) return;
        if (!this.#hasFilm) {
            this.#isStepping = !this.#isStepping;
            this.#steppedAt = performance.now();
            if (this.#isStepping && this.#at >= this.duration - 1 / this.rate) this.#at = 0;
            this.#playing();
        } else if (this.video.paused) this.video.play().catch(() => {}); // interrupted by Pause or by another recording
        else this.video.pause();
    }

    /**
     * Disables playback if there is neither a video nor frames to show.
     * @param {boolean} isPlayable
     */
    #playable(isPlayable) {
        setFlag(this, "data-nothing", !isPlayable);
        if (this.playButton) this.playButton.disabled = !isPlayable;
    }

    /** Advances the position by the elapsed time when there is no playable video. */
    #stepOn() {
        const now = performance.now();
        this.#at = Math.min(this.duration, this.#at + ((now - this.#steppedAt) / 1000) * (this.video?.playbackRate ?? 1));
        this.#steppedAt = now;
        if (this.#at >= this.duration) {
            this.#isStepping = false;
            this.#playing();
        }
        this.#moved();
    }

    /**
     * Starts dragging the timeline: the position follows the pointer until it is released.
     * @param {PointerEvent} event
     */
    #grab(event) {
        const { scrub, lanes, range } = this;
        if (!scrub || !lanes || !range || event.button !== 0 || this.duration <= 0) return;
        event.preventDefault();
        range.focus({ preventScroll: true });
        const follow = (/** @type {PointerEvent} */ now) => {
            const box = lanes.getBoundingClientRect();
            if (box.width > 0) this.seek(((now.clientX - box.left) / box.width) * this.duration);
        };
        const end = () => {
            scrub.removeEventListener("pointermove", follow);
            scrub.removeEventListener("pointerup", end);
            scrub.removeEventListener("pointercancel", end);
        };
        scrub.setPointerCapture(event.pointerId);
        scrub.addEventListener("pointermove", follow);
        scrub.addEventListener("pointerup", end);
        scrub.addEventListener("pointercancel", end);
        follow(event);
    }

    /**
     * Skips forward, or backward if `seconds` is negative.
     * @param {number} seconds
     */
    skip(seconds) {
        this.seek(this.#at + seconds);
    }

    /** @param {KeyboardEvent} event */
    #rangeKey(event) {
        const by = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 })[event.key];
        const to = event.key === "Home" ? 0 : event.key === "End" ? this.duration - 0.5 / this.rate : by === undefined ? undefined : this.#at + by;
        if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        this.seek(to);
    }

    #playing() {
        const isPlaying = this.video?.paused === false || this.#isStepping;
        this.playButton?.replaceChildren(icon(isPlaying ? "pause" : "play"));
        if (this.playButton) setAttribute(this.playButton, "aria-label", say(isPlaying ? "pause" : "play"));
        if (!isPlaying) this.#frames(true);
    }

    #faster() {
        if (!this.video || !this.speedButton) return;
        const next = speeds[(speeds.indexOf(this.video.playbackRate) + 1) % speeds.length] ?? 1;
        this.video.playbackRate = next;
        setText(this.speedButton, `${next}×`);
        setAttribute(this.speedButton, "aria-label", `${say("speed")} ${next}×`);
    }

    /**
     * Steps forward or backward by frames. Seeks to the middle of a frame, so that rounding can't select a
     * neighboring frame.
     * @param {number} count
     */
    step(count) {
        if (!this.video) return;
        this.video.pause();
        if (this.#isStepping) this.toggle();
        const tick = Math.floor(this.#at * this.rate + 1e-6) + count;
        this.seek((Math.max(0, tick) + 0.5) / this.rate);
    }

    /** @param {number} seconds */
    seek(seconds) {
        this.#at = Math.max(0, Math.min(this.duration, seconds));
        let part = this.#parts.length - 1;
        while (part > 0 && (this.#parts[part] ?? 0) > this.#at) part -= 1;
        const within = this.#at - (this.#parts[part] ?? 0);
        if (this.video && this.video.hasAttribute("src")) {
            if (part !== this.#part) this.#open(part, within, !this.video.paused);
            else if (this.#hasFilm) this.video.currentTime = within;
            else this.#startAt = within;
        }
        this.#moved(true);
    }

    /** @param {boolean} [isSought] */
    #moved(isSought = false) {
        const { video, range, time, head, caption } = this;
        if (!video || !range || !time || !head || !caption) return;
        if (this.#hasFilm && !isSought) this.#at = video.currentTime + (this.#parts[this.#part] ?? 0);
        if (document.activeElement !== range || !isSought) range.value = String(this.#at);
        setAttribute(range, "aria-valuetext", clockTime(this.#at));
        const tick = Math.floor((this.#at % 1) * this.rate + 1e-6);
        setText(time, `${clockTime(this.#at)}.${String(tick).padStart(2, "0")}`);
        if (this.duration > 0) head.style.setProperty("--at", String(this.#at / this.duration));
        setText(caption, this.#shotNow());
        this.#frames(isSought);
    }

    /** Describes the program's arrangement at the current position. */
    #shotNow() {
        /** @type {any[]} */
        const all = this.manifest?.arrangements ?? [];
        let shot;
        for (const one of all) {
            if (Number(one.at_ns) / 1e9 > this.#at + 1e-6) break;
            shot = one;
        }
        if (!shot) return this.#large === "program" ? "" : this.#large;
        const shown = [...new Set(/** @type {string[]} */ ((shot.layers ?? []).map((/** @type {any} */ layer) => String(layer.role))))];
        return describe({ layout: String(shot.layout), shown });
    }

    /**
     * Requests the track frames of the current tick.
     * @param {boolean} isForced
     */
    #frames(isForced) {
        const now = performance.now();
        if (!isForced && now - this.#askedAt < leastGapMs) return;
        this.#askedAt = now;
        const at = Math.round((Math.floor(this.#at * this.rate + 1e-6) * 1e9) / this.rate);
        for (const figure of this.tracks?.children ?? []) {
            const picture = figure.querySelector("img");
            // During playback, don't replace a picture that is still loading.
            if (picture && (isForced || picture.complete)) this.#load(picture, /** @type {HTMLElement} */ (figure).dataset.track ?? "", at, 320);
        }
        if (!this.#hasFilm && this.still && this.folder !== "" && this.#large !== "") {
            this.still.hidden = false;
            if (isForced || this.still.complete) this.#load(this.still, this.#large, at, 960);
        }
    }

    /** @param {HTMLImageElement} picture @param {string} track @param {number} at @param {number} width */
    #load(picture, track, at, width) {
        const address = `${this.#address()}/frame.jpg?track=${encodeURIComponent(track)}&at_ns=${at}&width=${width}`;
        if (picture.getAttribute("src") !== address) picture.src = address;
    }

    /** @param {HTMLElement} wave @param {HTMLCanvasElement} canvas @param {string} track */
    async #wave(wave, canvas, track) {
        const answer = await ask(`${this.#address()}/waveform?track=${encodeURIComponent(track)}&count=${peakCount}`);
        if (!answer.ok) return;
        wave.hidden = false;
        /** @type {number[]} */
        const peaks = (/** @type {any} */ (answer.value).peaks ?? []).slice(0, 2000);
        canvas.width = peakCount * 2;
        canvas.height = 48;
        const context = canvas.getContext("2d");
        if (!context || peaks.length === 0) return;
        context.fillStyle = token("rms");
        const width = canvas.width / peaks.length;
        peaks.forEach((peak, index) => {
            const height = Math.max(1, Math.min(1, peak) * canvas.height);
            context.fillRect(index * width, (canvas.height - height) / 2, Math.max(1, width - 0.5), height);
        });
    }

    #lanes() {
        const { lanes, manifest, duration } = this;
        if (!lanes || duration <= 0) return;
        const [markers, shots, faults, times] = lanes.children;
        if (!markers || !shots || !faults || !times) return;
        const place = (/** @type {number} */ seconds) => `${(Math.max(0, Math.min(1, seconds / duration)) * 100).toFixed(3)}%`;
        /** @type {any[]} */
        const allMarkers = (manifest?.markers ?? []).slice(0, 60);
        keep(markers, allMarkers.map((marker, index) => ({ marker, index })), ({ index }) => String(index), () => h("span", { class: "flag" }, h("span", { class: "flag-number" }), h("span", { class: "flag-text" })), (flag, { marker, index }) => {
            const next = allMarkers[index + 1];
            flag.style.left = place(marker.at_ns / 1e9);
            flag.style.width = `calc(${place(((next?.at_ns ?? duration * 1e9) - marker.at_ns) / 1e9)} - 2px)`;
            const [number, text] = flag.children;
            if (number) setText(number, String(index + 1));
            if (text) setText(text, String(marker.text ?? ""));
        });
        const roles = (manifest?.devices ?? []).filter((/** @type {any} */ device) => device.kind === "camera").map((/** @type {any} */ device) => device.role);
        /** @type {any[]} */
        const arrangements = (manifest?.arrangements ?? []).slice(0, 300);
        keep(shots, arrangements.map((one, index) => ({ one, index })), ({ index }) => String(index), () => h("span", { class: "shot" }), (element, { one, index }) => {
            const next = arrangements[index + 1];
            element.style.left = place(one.at_ns / 1e9);
            element.style.width = place(((next?.at_ns ?? duration * 1e9) - one.at_ns) / 1e9);
            setText(element, shotText(String(one.layout), (one.layers ?? []).map((/** @type {any} */ layer) => roles.indexOf(layer.role) + 1)));
        });
        /** @type {any[]} */
        const gaps = (manifest?.gaps ?? []).slice(0, 300);
        keep(faults, gaps.map((gap, index) => ({ gap, index })), ({ index }) => String(index), () => h("span", { class: "fault" }), (element, { gap }) => {
            element.style.left = place(gap.from_ns / 1e9);
            element.style.width = place((gap.to_ns - gap.from_ns) / 1e9);
            setAttribute(element, "title", `${clockTime(gap.from_ns / 1e9)} ${gap.track}: ${causeText(String(gap.cause))}`);
        });
        const step = [10, 30, 60, 300, 600, 900, 1800, 3600, 7200].find((step) => duration / step <= 6) ?? 14_400;
        const ticks = [];
        for (let at = 0; at < duration * 0.97 && ticks.length < 12; at += step) ticks.push(at);
        keep(times, ticks, String, () => h("span", { class: "tick" }), (element, at) => {
            element.style.left = place(at);
            setText(element, clockTime(at).replace(duration < 3600 ? /^0:0?/ : "", ""));
        });
    }
}

customElements.define("mc-player", Player);
