// Scenes: named arrangements as small pictures, and keeping the present one under a name.

import { chooseScene, isPending, keepScene, scenes } from "./commands.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { compose } from "./composed.js";
import { StudioElement, h, keep, setAttribute, setFlag } from "./dom.js";

const mostScenes = 24;

export class Scenes extends StudioElement {
    build() {
        this.classList.add("scenes");
        this.list = h("div", { class: "scene-list" });
        this.input = h("input", { type: "text", maxlength: "40", "aria-label": say("scene-name"), placeholder: say("scene-name"), autocomplete: "off" });
        this.form = h("form", { class: "scene-form", hidden: true, onsubmit: (/** @type {Event} */ event) => this.#keep(event) }, this.input, h("button", { type: "submit", class: "strong" }, say("keep")));
        this.add = h("button", { type: "button", class: "scene-add", "aria-label": say("keep-scene"), title: say("keep-scene"), "aria-expanded": "false", onclick: () => this.#open() }, "+");
        this.form.addEventListener("keydown", (event) => {
            if (event.key === "Escape") this.#close();
        });
        this.append(this.list, this.add, this.form);
    }

    enter() {
        this.leaving.push(studio.on(["status", "local", "contact"], () => this.update()));
        const timer = setInterval(() => this.#paint(), 2000);
        this.leaving.push(() => clearInterval(timer));
        this.update();
    }

    #open() {
        if (!this.form || !this.add) return;
        this.form.hidden = !this.form.hidden;
        setAttribute(this.add, "aria-expanded", String(!this.form.hidden));
        if (!this.form.hidden) this.input?.focus();
    }

    #close() {
        if (!this.form || !this.add) return;
        this.form.hidden = true;
        setAttribute(this.add, "aria-expanded", "false");
        this.add.focus();
    }

    /** @param {Event} event */
    #keep(event) {
        event.preventDefault();
        const name = this.input?.value.trim() ?? "";
        if (name === "" || !this.input) return;
        keepScene(name);
        this.input.value = "";
        this.#close();
    }

    update() {
        if (!this.list || !this.add) return;
        this.hidden = studio.local.isInsetShown;
        const all = scenes().slice(0, mostScenes);
        keep(this.list, all, (scene) => (scene.layout === undefined ? `plain/${scene.name}` : scene.name), (scene) => {
            const canvas = h("canvas", { "aria-hidden": "true" });
            canvas.width = 160;
            canvas.height = 90;
            const isDrawn = scene.layout !== undefined;
            const button = h("button", { type: "button", class: "scene", title: scene.name, onclick: () => chooseScene(scene.name) },
                isDrawn ? canvas : undefined, h("span", { class: "scene-name" }, scene.name));
            setFlag(button, "data-plain", !isDrawn);
            return button;
        }, (button, scene) => {
            setAttribute(button, "aria-pressed", String(studio.status.scene === scene.name));
            setFlag(button, "data-pending", isPending(`scene/${scene.name}`));
            button.disabled = !studio.canAct;
        });
        this.add.disabled = !studio.canAct || !studio.arrangement;
        setFlag(this.list, "data-empty", all.length === 0);
        this.list.dataset.text = say("no-scenes");
    }

    #paint() {
        if (!this.list || document.hidden || this.hidden || !studio.contact) return;
        const base = studio.arrangement;
        if (!base) return;
        for (const scene of scenes()) {
            if (!scene.layout || !scene.shown) continue;
            const canvas = /** @type {HTMLElement | undefined} */ ([...this.list.children].find((child) => /** @type {HTMLElement} */ (child).dataset.key === scene.name))?.querySelector("canvas");
            if (canvas) compose(canvas, { ...base, layout: scene.layout, shown: scene.shown, corner: scene.corner ?? base.corner, scale: scene.scale ?? base.scale }, 192);
        }
    }
}

customElements.define("mc-scenes", Scenes);
