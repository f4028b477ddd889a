// Preview: the picture that the next cut will show, with Cut, Undo, and the switch for Preview/Program mode.

import { describe } from "./arrangement.js";
import { cut, history, isPending, setPreviewFirst, undo } from "./commands.js";
import { keyTextOf } from "./keys.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { compose } from "./composed.js";
import { layersOf } from "./layers.js";
import { cameraPictures } from "./picture.js";
import { plateOf } from "./plate.js";
import { paintRegularly } from "./painting.js";
import { StudioElement, h, icon, setAttribute, setFlag, setText } from "./dom.js";

export class NextView extends StudioElement {
    /**
     * What the canvas shows: the cameras' positions, and the width and the pictures.
     * @type {{layers?: object, pictures: string}}
     */
    #drawn = { pictures: "" };

    build() {
        this.classList.add("next-view");
        this.canvas = h("canvas", { "aria-hidden": "true", class: "picture" });
        this.canvas.dataset.role = "next";
        this.picture = h("div", { class: "picture-box", role: "img" }, this.canvas);
        this.badge = h("span", { class: "badge" }, say("next-badge"));
        this.nameText = h("span", { class: "name" });
        this.first = h("button", { type: "button", class: "small toggle", "aria-pressed": "false", onclick: () => setPreviewFirst(!studio.local.previewFirst) }, say("preview-first"));
        this.cutKey = h("kbd", {});
        this.cutButton = h("button", { type: "button", class: "cut strong", onclick: () => cut() }, h("span", {}, say("cut")), this.cutKey);
        this.undoText = h("span", {}, say("undo"));
        this.undoButton = h("button", { type: "button", class: "undo", onclick: () => undo() }, icon("undo"), this.undoText);
        this.append(
            h("div", { class: "frame" }, this.picture),
            h("div", { class: "label" }, this.badge, this.nameText, this.first),
            h("div", { class: "cut-row" }, this.cutButton, this.undoButton),
        );
    }

    enter() {
        this.leaving.push(studio.on(["status", "local", "contact"], () => this.update()), paintRegularly(() => this.#paint()));
        this.update();
    }

    #paint() {
        const next = studio.local.next;
        if (!this.canvas || !next || this.clientWidth === 0) return;
        const width = Math.min(960, Math.round(this.clientWidth * Math.min(2, devicePixelRatio || 1)));
        const pictures = next.shown.map((role) => {
            const picture = cameraPictures.get(role);
            return [picture?.frames, plateOf({ of: "camera", role }, picture?.age)?.text];
        });
        const drawn = { layers: layersOf(next), pictures: JSON.stringify([width, pictures]) };
        if (drawn.layers === this.#drawn.layers && drawn.pictures === this.#drawn.pictures) return;
        this.#drawn = drawn;
        compose(this.canvas, next, width);
    }

    update() {
        const { picture, nameText, first, cutButton, cutKey, undoButton, undoText } = this;
        if (!picture || !nameText || !first || !cutButton || !cutKey || !undoButton || !undoText) return;
        const next = studio.local.next;
        setAttribute(this, "data-frame", next && studio.canAct ? "next" : "none");
        setFlag(this, "data-grey", !studio.canAct);
        setText(nameText, describe(next));
        setAttribute(picture, "aria-label", `${say("next-badge")}: ${describe(next)}`);
        setAttribute(first, "aria-pressed", String(studio.local.previewFirst));
        setFlag(cutButton, "data-pending", isPending("cut"));
        cutButton.disabled = !studio.canAct || !next;
        setText(cutKey, keyTextOf("cut"));
        undoButton.disabled = !studio.canAct || !history.canUndo;
        setText(undoText, history.isRedo ? say("redo") : say("undo"));
        setFlag(undoButton, "data-pending", isPending("undo"));
    }
}

customElements.define("mc-next", NextView);
