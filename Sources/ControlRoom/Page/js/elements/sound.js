// Sound: a channel strip for each microphone and one for the mix.

import { isPending, processingOf, setGain, setMuted, setProcessing } from "./commands.js";
import { isTyping } from "./keys.js";
import { processingPresets } from "./layout-table.js";
import { fixed, shortTime, signed } from "./numbers.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { toggleListen } from "./listen.js";
import { Ballistics, drawMeter } from "./meter.js";
import { paintRegularly } from "./painting.js";
import { StudioElement, h, icon, keep, setAttribute, setFlag, setText } from "./dom.js";

const mixRole = "program";
const target = -16;

/** A channel strip. The role of the mix is `program`. */
export class Strip extends StudioElement {
    meterRole = "";
    meter = new Ballistics();
    #drawnAt = 0;
    #textAt = 0;
    #spokenAt = 0;

    /** @param {string} role */
    static make(role) {
        const strip = /** @type {Strip} */ (document.createElement("mc-strip"));
        strip.meterRole = role;
        return strip;
    }

    get isMix() {
        return this.meterRole === mixRole;
    }

    get microphone() {
        return studio.microphones.find((microphone) => microphone.role === this.meterRole);
    }

    build() {
        const role = this.meterRole;
        const name = this.isMix ? say("mix") : role;
        this.classList.add("strip");
        this.dataset.role = role;
        setFlag(this, "data-mix", this.isMix);
        this.setAttribute("role", "group");
        this.setAttribute("aria-label", name);
        this.head = h("span", { class: "strip-name", title: name }, name);
        this.max = h("span", { class: "max" });
        this.clip = h("button", { type: "button", class: "alarm", hidden: true, onclick: () => studio.clearClips(role) });
        this.alarm = h("span", { class: "alarm", hidden: true });
        this.canvas = h("canvas", { "aria-hidden": "true" });
        this.scale = h("div", { class: "meter", role: "meter", "aria-label": say("level-of", { role: name }), "aria-valuemin": "-60", "aria-valuemax": "0", "aria-valuenow": "-60" }, this.canvas);
        this.value = h("span", { class: "value" });
        this.append(this.head, h("span", { class: "second" }, this.max, this.clip, this.alarm), this.scale, this.value);
        const filters = say(this.isMix ? "processing-mix" : "processing-of", { role });
        this.processing = h("select", { class: "processing", "aria-label": filters, title: filters, hidden: true, onchange: () => this.#process(), onpointerdown: () => { this.#isPointed = true; }, onkeydown: () => { this.#isPointed = false; } },
            ...processingPresets.map((preset) => h("option", { value: preset }, say(`processing-${preset}`))));
        const own = h("div", { class: "strip-controls" });
        if (this.isMix) {
            this.loudness = h("span", { class: "loudness" });
            this.listenButton = h("button", { type: "button", class: "listen", "aria-pressed": "false", "aria-label": say("listen-mix"), title: say("listen-mix"), onclick: () => toggleListen(mixRole) }, icon("headphones"), say("listen"));
            own.append(h("span", { class: "loudness-row" }, this.loudness, h("span", { class: "unit" }, "LUFS")), this.listenButton, this.processing);
        } else {
            this.gain = h("div", {
                class: "gain", role: "slider", tabindex: "0", "aria-label": say("gain", { role }), "aria-valuemin": "-60", "aria-valuemax": "30",
                ondblclick: () => this.#gainTo(0),
            });
            this.muteButton = h("button", { type: "button", class: "mute", "aria-pressed": "false", "aria-label": say("mute-of", { role }), title: say("mute-of", { role }), onclick: () => this.#mute() }, say("mute"));
            this.soloButton = h("button", { type: "button", class: "solo", "aria-pressed": "false", "aria-label": say("solo-of", { role }), title: say("solo-of", { role }), onclick: () => toggleListen(role) }, say("solo"));
            this.softer = h("button", { type: "button", "aria-label": say("gain-down", { role }), title: say("gain-down", { role }), onclick: () => this.#gainBy(-0.5) }, "−");
            this.louder = h("button", { type: "button", "aria-label": say("gain-up", { role }), title: say("gain-up", { role }), onclick: () => this.#gainBy(0.5) }, "+");
            own.append(h("div", { class: "stepper" }, this.softer, this.gain, this.louder), this.muteButton, this.soloButton, this.processing);
            this.addEventListener("keydown", (event) => this.#key(event));
        }
        this.append(own);
    }

    enter() {
        this.leaving.push(studio.on(["status", "local", "contact"], () => this.update()), studio.on(["levels"], () => this.#levels()));
        this.update();
    }

    /** @param {KeyboardEvent} event */
    #key(event) {
        if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
        const key = event.key.toLowerCase();
        if (key === "arrowup" || key === "arrowdown") this.#gainBy(key === "arrowup" ? 0.5 : -0.5);
        else if (key === "x") this.#mute();
        else if (key === "o") toggleListen(this.meterRole);
        else if (key === "home" && document.activeElement === this.gain) this.#gainTo(0);
        else return;
        event.preventDefault();
        event.stopPropagation();
    }

    /**
     * The gain that was requested but isn't confirmed yet. Further steps in quick succession change this
     * gain.
     * @type {{gain: number, at: number} | undefined}
     */
    #asked;

    /** @param {number} by */
    #gainBy(by) {
        const asked = this.#asked && performance.now() - this.#asked.at < 1500 ? this.#asked.gain : this.microphone?.gain ?? 0;
        this.#gainTo(asked + by);
    }

    /** @param {number} gain */
    #gainTo(gain) {
        if (!studio.canAct || !this.microphone) return;
        this.#asked = { gain: Math.min(30, Math.max(-60, gain)), at: performance.now() };
        setGain(this.meterRole, gain);
    }

    /** Whether the pointer, and not the keyboard, opened the list of presets. */
    #isPointed = false;

    #process() {
        const { processing } = this;
        if (!processing) return;
        // The keys of the control room work again.
        if (this.#isPointed) processing.blur();
        if (studio.canAct) setProcessing(this.meterRole, processing.value);
        this.update();
    }

    /** Shows the recorder's filters, or the requested ones until the recorder confirms them. */
    #updateProcessing() {
        const { processing } = this;
        if (!processing) return;
        const words = processingOf(studio.status, this.meterRole);
        const isWaiting = isPending(`processing/${this.meterRole}`);
        setFlag(processing, "hidden", words === undefined || !studio.accepts("processing"));
        setFlag(processing, "data-pending", isWaiting);
        processing.disabled = !studio.canAct;
        if (words === undefined || isWaiting) return;
        const isCustom = !processingPresets.includes(words);
        const custom = processing.querySelector("[data-custom]");
        if (isCustom && !custom) processing.append(h("option", { value: "custom", "data-custom": true, disabled: true }, say("processing-custom")));
        else if (!isCustom) custom?.remove();
        const value = isCustom ? "custom" : words;
        if (processing.value !== value) processing.value = value;
        const filters = say(this.isMix ? "processing-mix" : "processing-of", { role: this.meterRole });
        setAttribute(processing, "title", isCustom ? `${filters}: ${words.replace(/^off /, "")}` : filters);
    }

    #mute() {
        if (studio.canAct && this.microphone) setMuted(this.meterRole, !this.isMuted);
    }

    get isMuted() {
        const { microphone } = this;
        const mix = studio.status.program?.mix;
        return microphone?.muted ?? (mix !== undefined && !mix.includes(this.meterRole));
    }

    update() {
        const { max, clip, alarm, gain, muteButton, soloButton } = this;
        if (!max || !clip || !alarm) return;
        setFlag(this, "data-grey", !studio.canAct);
        this.#updateProcessing();
        if (this.isMix) {
            this.#loudness();
            if (this.listenButton) this.listenButton.disabled = !studio.contact;
            if (this.listenButton) setAttribute(this.listenButton, "aria-pressed", String(studio.local.listensTo === mixRole));
            return;
        }
        const { microphone } = this;
        if (!microphone || !gain || !muteButton || !soloButton || !this.softer || !this.louder) return;
        const alarms = microphone.alarms ?? [];
        const isNoSignal = alarms.includes("no-signal");
        const isSilent = alarms.includes("silence");
        const clips = studio.clipsOf(microphone);
        const seen = studio.since.get(`silence/${microphone.role}`);
        const silent = microphone.silent_ns !== undefined ? microphone.silent_ns / 1e9 : seen === undefined ? undefined : (performance.now() - seen) / 1000;
        setText(alarm, isNoSignal ? say("no-signal-badge") : isSilent ? say("silent-badge", { time: silent === undefined ? "" : shortTime(silent) }) : "");
        setFlag(alarm, "hidden", !isNoSignal && !isSilent);
        setFlag(clip, "hidden", clips === 0 || !alarm.hidden);
        setText(clip, say("clip", { n: clips }));
        setAttribute(clip, "aria-label", `${say("clip", { n: clips })}: ${say("clear-clip", { n: clips, role: this.meterRole })}`);
        setFlag(this, "data-alarm", isNoSignal || isSilent);
        setFlag(this, "data-muted", this.isMuted);
        const value = microphone.gain ?? 0;
        const text = `${signed(value)} dB`;
        if (gain.dataset.text !== text) {
            gain.dataset.text = text;
            gain.replaceChildren(signed(value), h("span", { class: "unit" }, "\u202fdB"));
        }
        setAttribute(gain, "aria-valuenow", String(value));
        setAttribute(gain, "aria-valuetext", text);
        setAttribute(gain, "aria-disabled", studio.canAct ? undefined : "true");
        for (const button of [muteButton, this.softer, this.louder]) button.disabled = !studio.canAct;
        soloButton.disabled = !studio.contact;
        setAttribute(muteButton, "aria-pressed", String(this.isMuted));
        setAttribute(soloButton, "aria-pressed", String(studio.local.listensTo === this.meterRole));
        this.#texts(performance.now(), true);
    }

    #loudness() {
        const loudness = studio.status.program?.loudness;
        if (!this.loudness) return;
        setText(this.loudness, loudness?.integrated_lufs === undefined ? "–" : fixed(loudness.integrated_lufs));
        const more = [];
        if (loudness?.short_term_lufs !== undefined) more.push(say("range-text", { s: fixed(loudness.short_term_lufs), r: loudness.range_lu === undefined ? "–" : fixed(loudness.range_lu) }));
        setAttribute(this, "title", more.join(" ") || undefined);
    }

    #levels() {
        const level = studio.levels[this.meterRole];
        this.meter.take(level?.peak ?? [], level?.rms ?? [], performance.now());
    }

    /**
     * Draws the meter. Called 10 to 20 times per second.
     * @param {number} now
     * @param {boolean} isLying whether the meter is horizontal
     * @param {boolean} isBare whether to omit the scale, as in the multiview
     */
    draw(now, isLying, isBare = false) {
        if (!this.canvas || !this.scale) return;
        this.meter.move(now);
        if (!this.meter.isMoving && now - this.#drawnAt < 500) return;
        this.#drawnAt = now;
        const { microphone } = this;
        const loudness = studio.status.program?.loudness;
        drawMeter(this.canvas, this.meter, {
            isLying, size: isBare ? 1.6 : 1, isSilent: microphone?.alarms?.includes("no-signal") ?? false, amberFrom: this.isMix ? -1 : -6,
            hasBracket: !this.isMix || (isLying && !isBare), hasScale: !isLying && (!this.isMix || isBare),
            loudness: this.isMix && !isLying && !isBare ? { momentary: loudness?.momentary_lufs, integrated: loudness?.integrated_lufs, target } : undefined,
        });
        this.#texts(now, false);
    }

    /**
     * Updates the numbers, at most twice per second.
     * @param {number} now
     * @param {boolean} isForced
     */
    #texts(now, isForced) {
        if (!this.max || !this.scale || !this.value) return;
        if (now - this.#textAt < 500 && !isForced) return;
        if (now - this.#textAt < 500) return;
        this.#textAt = now;
        const max = studio.maxima.get(this.meterRole);
        setText(this.max, this.isMuted && !this.isMix ? say("not-in-mix") : max === undefined || max < -100 ? "" : say("max", { value: fixed(max) }));
        const hold = Math.max(-120, ...this.meter.channels.map((channel) => channel.hold));
        setText(this.value, hold < -60 ? "–" : fixed(hold, 0));
        if (now - this.#spokenAt < 1000) return;
        this.#spokenAt = now;
        const now10 = Math.max(-60, Math.min(0, Math.round(this.meter.peak)));
        setAttribute(this.scale, "aria-valuenow", String(now10));
        setAttribute(this.scale, "aria-valuetext", say("level-text", { peak: now10 <= -60 ? "−60" : fixed(now10, 0) }));
    }
}

customElements.define("mc-strip", Strip);

export class Sound extends StudioElement {
    build() {
        this.classList.add("sound");
        this.strips = h("div", { class: "strips" });
        this.more = h("button", {
            type: "button", class: "open-controls", "aria-expanded": "false", onclick: () => {
                const isOpen = !this.hasAttribute("data-open");
                setFlag(this, "data-open", isOpen);
                this.more?.setAttribute("aria-expanded", String(isOpen));
            },
        }, say("sound-controls"));
        this.append(this.strips, this.more);
    }

    enter() {
        this.leaving.push(studio.on(["status"], () => this.update()));
        const lying = matchMedia("(max-width: 68.74rem)");
        const isWall = this.hasAttribute("wall");
        this.leaving.push(paintRegularly(() => {
            if (this.clientWidth === 0) return;
            const now = performance.now();
            for (const strip of this.querySelectorAll("mc-strip")) /** @type {Strip} */ (strip).draw(now, lying.matches && !isWall, isWall);
        }));
        this.update();
    }

    update() {
        if (!this.strips) return;
        const roles = studio.microphones.map((microphone) => microphone.role);
        if (studio.status.program && (studio.status.program.mix !== undefined || roles.length > 0)) roles.push(mixRole);
        this.style.setProperty("--strips", String(Math.max(1, roles.length)));
        setFlag(this, "data-many", roles.length > 4);
        keep(this.strips, roles, (role) => role, (role) => Strip.make(role), () => {});
        setFlag(this, "hidden", roles.length === 0);
    }
}

customElements.define("mc-sound", Sound);
