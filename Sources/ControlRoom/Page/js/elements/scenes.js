// Scenes: shows saved arrangements as thumbnails, saves the current arrangement under a name, and deletes a
// scene after confirmation.

import { chooseScene, deleteScene, isPending, saveScene, scenes } from "./commands.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { compose } from "./composed.js";
import { StudioElement, h, icon, keep, setAttribute, setFlag, setText } from "./dom.js";

const mostScenes = 24;

export class Scenes extends StudioElement {
    /** Whether clicking a scene asks to delete it. */
    isDeleting = false;
    /** The scene whose deletion awaits confirmation. */
    #doomed = "";

    build() {
        this.classList.add("scenes");
        this.list = h("div", { class: "scene-list" });
        this.input = h("input", { type: "text", maxlength: "40", "aria-label": say("scene-name"), placeholder: say("scene-name"), autocomplete: "off" });
        this.form = h("form", { class: "scene-form", hidden: true, onsubmit: (/** @type {Event} */ event) => this.#save(event) }, this.input, h("button", { type: "submit", class: "strong" }, say("save")));
        this.add = h("button", { type: "button", class: "scene-add", "aria-label": say("save-scene"), title: say("save-scene"), "aria-expanded": "false", onclick: () => this.#open() }, "+");
        this.remove_ = h("button", { type: "button", class: "scene-remove", "aria-label": say("delete-scene"), title: say("delete-scene"), "aria-pressed": "false", onclick: () => this.#setDeleting(!this.isDeleting) }, "−");
        this.question = h("span", { class: "scene-question" });
        this.no = h("button", { type: "button", class: "strong scene-no", onclick: () => this.#unask() }, say("keep"));
        this.ask_ = h("div", { class: "scene-form scene-ask", hidden: true, role: "group" }, this.question,
            h("button", { type: "button", class: "outlined scene-yes", onclick: () => this.#delete() }, say("delete")), this.no);
        for (const place of [this.form, this.ask_, this.list]) {
            place.addEventListener("keydown", (/** @type {any} */ event) => {
                if (event.key !== "Escape") return;
                if (!this.form?.hidden || !this.ask_?.hidden || this.isDeleting) event.stopPropagation();
                this.#close();
                this.#unask();
                this.#setDeleting(false);
            });
        }
        this.append(this.list, h("div", { class: "scene-buttons" }, this.add, this.remove_), this.form, this.ask_);
    }

    enter() {
        this.leaving.push(studio.on(["status", "local", "contact"], () => this.update()));
        this.every(() => this.#paint(), 2000);
        this.update();
    }

    #open() {
        if (!this.form || !this.add) return;
        this.#unask();
        this.form.hidden = !this.form.hidden;
        setAttribute(this.add, "aria-expanded", String(!this.form.hidden));
        if (!this.form.hidden) this.input?.focus();
    }

    #close() {
        if (!this.form || !this.add || this.form.hidden) return;
        this.form.hidden = true;
        setAttribute(this.add, "aria-expanded", "false");
        this.add.focus();
    }

    /** @param {Event} event */
    #save(event) {
        event.preventDefault();
        const name = this.input?.value.trim() ?? "";
        if (name === "" || !this.input) return;
        saveScene(name);
        this.input.value = "";
        this.#close();
    }

    /** @param {boolean} isOn */
    #setDeleting(isOn) {
        this.isDeleting = isOn;
        this.update();
    }

    /** @param {string} name */
    #askFor(name) {
        if (!this.ask_ || !this.question || !this.no || !studio.accepts("delete-scene")) return;
        this.#close();
        this.#doomed = name;
        setText(this.question, say("delete-this", { name }));
        setAttribute(this.ask_, "aria-label", say("delete-this", { name }));
        this.ask_.hidden = false;
        this.no.focus();
    }

    #unask() {
        if (!this.ask_ || this.ask_.hidden) return;
        this.ask_.hidden = true;
        const own = [...(this.list?.children ?? [])].find((child) => child.getAttribute("title") === this.#doomed);
        this.#doomed = "";
        if (own instanceof HTMLElement) own.focus();
    }

    #delete() {
        const name = this.#doomed;
        if (!this.ask_ || name === "") return;
        this.ask_.hidden = true;
        this.#doomed = "";
        deleteScene(name);
        this.#setDeleting(false);
        this.add?.focus();
    }

    update() {
        if (!this.list || !this.add || !this.remove_) return;
        setFlag(this, "hidden", studio.local.isInsetShown);
        const all = scenes().slice(0, mostScenes);
        keep(this.list, all, (scene) => (scene.layout === undefined ? `plain/${scene.name}` : scene.name), (scene) => {
            const canvas = h("canvas", { "aria-hidden": "true" });
            canvas.width = 160;
            canvas.height = 90;
            const isDrawn = scene.layout !== undefined;
            const button = h("button", { type: "button", class: "scene", title: scene.name, onclick: () => (this.isDeleting ? this.#askFor(scene.name) : chooseScene(scene.name)) },
                isDrawn ? canvas : undefined, h("span", { class: "scene-name" }, scene.name), h("span", { class: "scene-cross", "aria-hidden": "true" }, icon("cross")));
            button.addEventListener("keydown", (event) => {
                if (event.key === "Delete" && studio.canAct) this.#askFor(scene.name);
            });
            setFlag(button, "data-plain", !isDrawn);
            return button;
        }, (button, scene) => {
            setAttribute(button, "aria-pressed", String(studio.status.scene === scene.name));
            setFlag(button, "data-pending", isPending(`scene/${scene.name}`));
            setAttribute(button, "aria-label", this.isDeleting ? `${say("delete")}: ${scene.name}` : undefined);
            button.disabled = !studio.canAct;
        });
        const mayDelete = studio.canAct && studio.accepts("delete-scene") && all.length > 0;
        if (!mayDelete) this.isDeleting = false;
        this.add.disabled = !studio.canAct || !studio.arrangement;
        setFlag(this.remove_, "hidden", !studio.accepts("delete-scene") || all.length === 0);
        this.remove_.disabled = !mayDelete;
        setAttribute(this.remove_, "aria-pressed", String(this.isDeleting));
        setFlag(this, "data-deleting", this.isDeleting);
        if (this.#doomed !== "" && !all.some((scene) => scene.name === this.#doomed)) this.#unask();
        setFlag(this.list, "data-empty", all.length === 0);
        this.list.dataset.text = say("no-scenes");
    }

    #paint() {
        if (!this.list || document.hidden || this.hidden) return;
        const base = studio.arrangement;
        if (!base) return;
        for (const scene of scenes()) {
            if (!scene.layout || !scene.shown) continue;
            const canvas = /** @type {HTMLElement | undefined} */ ([...this.list.children].find((child) => /** @type {HTMLElement} */ (child).dataset.key === scene.name))?.querySelector("canvas");
            if (canvas) compose(canvas, { ...base, layout: scene.layout, shown: scene.shown, corner: scene.corner ?? base.corner, scale: scene.scale ?? base.scale }, 192, () => this.#paint());
        }
    }
}

customElements.define("mc-scenes", Scenes);
