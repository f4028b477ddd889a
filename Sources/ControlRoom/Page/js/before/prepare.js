// The view before a recording: the choice of a profile, its form and text, its cost, and the results of doctor.

import { ask } from "./ask.js";
import { note } from "./commands.js";
import { addWords, say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, icon, keep, setAttribute, setFlag, setText } from "./dom.js";
import { drawLayout } from "./layout-drawing.js";
import { special } from "./layout-table.js";
import { ProfileForm } from "./profile-form.js";
import { PlanView } from "./plan-view.js";
import { DoctorView } from "./doctor-view.js";
import { CalibrateView } from "./calibrate-view.js";
import { PhonesView } from "./phones-view.js";
import { nodeAt, offsetOf, readYaml, textAt, withValue } from "./yaml-edit.js";

addWords({
    profile: ["Profile", "Profil"],
    profiles: ["Profiles", "Profile"],
    "keep-as": ["Save as…", "Speichern als…"],
    "keep-as-name": ["Profile name", "Name des Profils"],
    changed: ["unsaved changes", "nicht gespeicherte Änderungen"],
    "as-kept": ["Revert", "Zurücksetzen"],
    kept: ["Saved as {name}.", "Als {name} gespeichert."],
    form: ["Form", "Formular"],
    text: ["Text", "Text"],
    "profile-text": ["Profile as text", "Profil als Text"],
    "use-profile": ["Use profile", "Verwenden"],
    "in-use": ["in use", "in Verwendung"],
    "use-changes": ["Save the profile before using it.", "Das Profil vor dem Verwenden speichern."],
    "not-while-recording": ["Not available while recording.", "Während der Aufnahme nicht verfügbar."],
    "line-n": ["Line {n}", "Zeile {n}"],
    "cannot-load": ["Can't load {what}.", "{what}: Laden nicht möglich."],
    "own-profile": ["Custom", "Eigenes"],
    loading: ["Loading…", "Lädt…"],
});

/** @typedef {{line: number, column: number, path: string, text: string}} Fault */
/** @typedef {{ok?: boolean, errors?: Fault[], plan?: any, plan_error?: string}} Check */

const checkAfterMs = 120;

/**
 * The names of the phones that a profile uses.
 * @param {string} text
 */
function phonesOf(text) {
    const root = readYaml(text);
    const paths = ["cameras", "microphones"].flatMap((kind) => [...(nodeAt(root, kind)?.entries.keys() ?? [])].map((role) => `${kind}.${role}.device`));
    const names = paths.map((path) => /^phone:(.+)$/.exec(textAt(root, path) ?? "")?.[1] ?? "").filter((name) => name !== "");
    return [...new Set(names)].slice(0, 16);
}

export class Prepare extends StudioElement {
    name = "";
    text = "";
    kept = "";
    /** @type {{name: string, description?: string, problem?: string | null, own?: boolean, layout?: string | null, shown?: number, cameras?: number}[]} */
    profiles = [];
    current = "";
    /**
     * Unsaved edits by profile, so that selecting another profile doesn't discard them.
     * @type {Map<string, string>}
     */
    drafts = new Map();
    #timer = 0;
    #checks = 0;
    #chosen = "";
    isText = false;

    build() {
        this.classList.add("prepare");
        this.list = h("div", { class: "profile-list", role: "listbox", "aria-label": say("profiles") });
        this.keepButton = h("button", { type: "button", class: "small", "aria-expanded": "false", onclick: () => this.#openKeep() }, say("keep-as"));
        this.keepInput = h("input", { type: "text", maxlength: "60", "aria-label": say("keep-as-name"), placeholder: say("keep-as-name"), autocomplete: "off", pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]*" });
        this.keepForm = h("form", { class: "keep-form", hidden: true, onsubmit: (/** @type {Event} */ event) => this.#keep(event) }, this.keepInput, h("button", { type: "submit", class: "strong" }, say("save")));
        this.listNote = h("p", { class: "quiet-text", hidden: true });
        this.doctor = new DoctorView();
        this.heading = h("h2", {});
        this.stateText = h("span", { class: "quiet-text" });
        this.backButton = h("button", { type: "button", class: "small", hidden: true, onclick: () => this.edit(this.kept) }, say("as-kept"));
        this.useButton = h("button", { type: "button", class: "small use-profile", onclick: () => void this.#use() }, say("use-profile"));
        this.formButton = h("button", { type: "button", class: "small", "aria-pressed": "true", onclick: () => this.#show(false) }, say("form"));
        this.textButton = h("button", { type: "button", class: "small", "aria-pressed": "false", onclick: () => this.#show(true) }, say("text"));
        this.form = new ProfileForm((change) => this.edit(change(this.text)));
        this.area = h("textarea", { class: "profile-text", spellcheck: "false", wrap: "off", "aria-label": say("profile-text") });
        this.area.addEventListener("input", () => this.edit(this.area?.value ?? ""));
        this.faults = h("ul", { class: "faults", "aria-live": "polite" });
        this.textPlace = h("div", { class: "text-place", hidden: true }, this.area, this.faults);
        this.plan = new PlanView((changes) => {
            let { text } = this;
            for (const [path, value] of Object.entries(changes)) text = withValue(text, path, String(value));
            this.edit(text);
        });
        this.append(
            h("section", { class: "before-left", "aria-label": say("profiles") },
                h("div", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, say("profile")), this.keepButton), this.keepForm, this.list, this.listNote),
                this.phones = new PhonesView(), this.doctor, new CalibrateView()),
            this.middle = h("section", { class: "before-middle panel", "aria-label": say("profile") },
                h("div", { class: "panel-head form-head" }, this.heading, this.stateText, this.backButton, this.useButton, h("div", { class: "two-buttons" }, this.formButton, this.textButton)),
                this.form, this.textPlace),
            this.plan);
    }

    enter() {
        this.leaving.push(studio.on(["status", "contact"], () => this.#states()));
        if (this.profiles.length === 0) void this.load();
        this.#states();
    }

    async load() {
        const answer = await ask("/api/v1/profiles");
        if (!this.listNote) return;
        this.listNote.hidden = answer.ok;
        if (!answer.ok) {
            setText(this.listNote, say("cannot-load", { what: say("profiles") }));
            if (this.middle) this.middle.hidden = true;
            // Even if the profiles can't be loaded, the plan of the running profile can be shown.
            const plan = await this.#showLoad();
            this.plan?.show(plan.ok ? plan.value : undefined, plan.ok ? undefined : say("cannot-load", { what: say("plan-title") }));
            return;
        }
        const value = /** @type {any} */ (answer.value);
        if (this.middle) this.middle.hidden = false;
        this.profiles = Array.isArray(value.profiles) ? value.profiles.slice(0, 100) : [];
        this.current = String(value.current ?? studio.status.profile ?? "");
        this.#list();
        if (this.name === "") {
            const first = this.profiles.find((one) => one.name === this.current) ?? this.profiles[0];
            if (first) await this.choose(first.name);
        }
    }

    /** @param {string} name */
    async choose(name) {
        if (name === this.name) return;
        if (this.name !== "" && this.text !== this.kept) this.drafts.set(this.name, this.text);
        else this.drafts.delete(this.name);
        this.#chosen = name;
        const answer = await ask(`/api/v1/profiles/${encodeURIComponent(name)}`);
        // Another profile may have been chosen while this one was being loaded.
        if (this.#chosen !== name) return;
        if (!answer.ok) {
            note(say("refused", { what: answer.text }), true);
            return;
        }
        this.name = name;
        this.kept = String(/** @type {any} */ (answer.value).text ?? "");
        this.text = this.drafts.get(name) ?? this.kept;
        if (this.area) this.area.value = this.text;
        this.#list();
        this.#checkSoon();
        void this.#showLoad();
        this.form?.show(this.text, []);
        this.#states();
    }

    /** Shows the load of other programs. A check doesn't measure it, because the measurement takes 0.4 s. */
    async #showLoad() {
        const plan = await ask("/api/v1/plan");
        if (plan.ok) this.plan?.showLoad(plan.value);
        return plan;
    }

    /**
     * Applies the edited text of a profile.
     * @param {string} text
     */
    edit(text) {
        if (text === this.text) return;
        this.text = text;
        if (this.area && this.area.value !== text) this.area.value = text;
        this.#checkSoon();
        this.#states();
    }

    #checkSoon() {
        clearTimeout(this.#timer);
        this.#timer = window.setTimeout(() => void this.#check(), checkAfterMs);
    }

    async #check() {
        this.#checks += 1;
        const number = this.#checks;
        const { text } = this;
        const answer = await ask("/api/v1/profiles/check", { method: "POST", body: { text } });
        if (number !== this.#checks) return;
        const check = /** @type {Check} */ (answer.value ?? {});
        const errors = (check.errors ?? []).slice(0, 50);
        this.form?.show(text, errors);
        this.plan?.show(check.plan, check.plan_error ?? (answer.status === 200 ? undefined : answer.text || say("cannot-load", { what: say("plan-title") })));
        if (!this.faults) return;
        keep(this.faults, errors, (fault) => `${fault.line}:${fault.column}:${fault.path}:${fault.text}`, (fault) => h("li", {},
            h("button", { type: "button", class: "fault-button quiet", onclick: () => this.#goTo(fault) }, icon("warn"), h("span", {}, h("strong", {}, `${say("line-n", { n: fault.line })}, ${fault.path}: `), fault.text))), () => {});
    }

    /** @param {Fault} fault */
    #goTo(fault) {
        if (!this.area) return;
        const at = offsetOf(this.text, fault.line, fault.column);
        this.area.focus();
        this.area.setSelectionRange(at, Math.max(at, this.text.indexOf("\n", at)));
    }

    /** @param {boolean} isText */
    #show(isText) {
        this.isText = isText;
        if (!this.form || !this.textPlace || !this.formButton || !this.textButton) return;
        this.form.hidden = isText;
        this.textPlace.hidden = !isText;
        setAttribute(this.formButton, "aria-pressed", String(!isText));
        setAttribute(this.textButton, "aria-pressed", String(isText));
    }

    #openKeep() {
        if (!this.keepForm || !this.keepInput || !this.keepButton) return;
        this.keepForm.hidden = !this.keepForm.hidden;
        setAttribute(this.keepButton, "aria-expanded", String(!this.keepForm.hidden));
        this.keepInput.value = this.name;
        if (!this.keepForm.hidden) this.keepInput.focus();
    }

    /** @param {Event} event */
    async #keep(event) {
        event.preventDefault();
        const name = this.keepInput?.value.trim() ?? "";
        if (name === "") return;
        const answer = await ask(`/api/v1/profiles/${encodeURIComponent(name)}`, { method: "PUT", body: { text: this.text } });
        if (!answer.ok) {
            note(say("refused", { what: answer.text }), true);
            return;
        }
        note(say("kept", { name }));
        this.kept = this.text;
        this.name = name;
        this.#openKeep();
        await this.load();
        this.#states();
    }

    async #use() {
        const answer = await ask("/api/v1/profiles/use", { method: "POST", body: { name: this.name } });
        // The recorder reports the new profile once it uses it.
        if (!answer.ok) note(say("refused", { what: answer.text }), true);
    }

    #list() {
        if (!this.list) return;
        keep(this.list, this.profiles, (profile) => profile.name, (profile) => h("button", { type: "button", class: "profile-item", role: "option", onclick: () => void this.choose(profile.name) },
            h("span", { class: "profile-drawing" }), h("span", { class: "profile-words" }, h("span", { class: "profile-name" }), h("span", { class: "profile-description" }))), (button, profile) => {
            setAttribute(button, "aria-selected", String(profile.name === this.name));
            const [drawing, words] = button.children;
            const [name, description] = words?.children ?? [];
            if (!drawing || !name || !description) return;
            setText(name, profile.name);
            const isUsed = profile.name === this.current;
            setText(description, [profile.problem ?? profile.description ?? "", profile.own ? say("own-profile") : "", isUsed ? say("in-use") : ""].filter(Boolean).join(" · "));
            if (drawing.childElementCount === 0) {
                // A profile without a program is drawn as a grid of its cameras, and a profile without any
                // information as an empty frame.
                const count = (profile.layout ? profile.shown : profile.cameras) ?? 0;
                const shown = ["1", "2", "3", "4", "5", "6", "7", "8", "9"].slice(0, count);
                drawing.append(drawLayout({ layout: profile.layout ?? special.all, shown, corner: "bottom-right" }, Number));
            }
        });
    }

    #states() {
        if (!this.heading || !this.stateText || !this.useButton) return;
        const { profile } = studio.status;
        if (studio.canAct && profile !== undefined && profile !== this.current) {
            this.current = profile;
            this.#list();
        }
        setText(this.heading, this.name);
        if (this.name === this.current && this.kept !== "") this.phones?.expect(phonesOf(this.kept));
        const isChanged = this.text !== this.kept;
        setText(this.stateText, isChanged ? say("changed") : this.name === this.current && this.name !== "" ? say("in-use") : "");
        this.useButton.hidden = this.name === "" || (this.name === this.current && !isChanged);
        // If no recorder is running, the user may select another profile, which may work.
        const isFree = studio.state === "standby" ? studio.canAct : studio.state === "gone" && !studio.local.isCalibrating;
        this.useButton.disabled = !isFree || isChanged;
        setAttribute(this.useButton, "title", studio.state === "recording" ? say("not-while-recording") : isChanged ? say("use-changes") : undefined);
        if (this.backButton) this.backButton.hidden = !isChanged;
        setFlag(this, "data-changed", isChanged);
    }
}

customElements.define("mc-prepare", Prepare);
