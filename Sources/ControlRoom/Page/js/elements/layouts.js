// The layouts as diagrams, and the corner and size of the inset.

import { hasInsets, titleOf, withLayout } from "./arrangement.js";
import { chooseLayout, isPending, setCorner, stepScale } from "./commands.js";
import { percent } from "./numbers.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, setAttribute, setFlag, setText } from "./dom.js";
import { drawCorners, drawLayout } from "./layout-drawing.js";
import { corners, layouts } from "./layout-table.js";

export class Layouts extends StudioElement {
    /** @type {Map<string, HTMLButtonElement>} */
    buttons = new Map();
    /** @type {Map<string, HTMLButtonElement>} */
    corners = new Map();
    #drawn = "";

    build() {
        this.classList.add("layouts");
        const row = h("div", { class: "layout-row", role: "group", "aria-label": say("layouts") });
        for (const { name } of layouts) {
            const button = h("button", { type: "button", class: "layout", "data-layout": name, title: titleOf(name), onclick: () => chooseLayout(name) });
            this.buttons.set(name, button);
            row.append(button);
        }
        this.insetButton = h("button", {
            type: "button", class: "layout", "data-layout": "inset", title: say("inset-place"), "aria-label": say("inset-place"), "aria-expanded": "false",
            onclick: () => {
                studio.local.isInsetShown = !studio.local.isInsetShown;
                studio.tell("local");
            },
        });
        row.append(this.insetButton);
        this.panel = h("div", { class: "inset-panel", role: "group", "aria-label": say("inset-place"), hidden: true });
        for (const corner of corners) {
            const button = h("button", { type: "button", class: "layout", "data-corner": corner, "aria-label": say(corner), title: say(corner), onclick: () => setCorner(corner) }, drawCorners(corner));
            this.corners.set(corner, button);
            this.panel.append(button);
        }
        this.size = h("output", { class: "inset-share" });
        this.panel.append(h("div", { class: "stepper" },
            h("button", { type: "button", "aria-label": say("smaller"), title: say("smaller"), "data-size": "smaller", onclick: () => this.#step(-0.05) }, "−"),
            this.size,
            h("button", { type: "button", "aria-label": say("larger"), title: say("larger"), "data-size": "larger", onclick: () => this.#step(0.05) }, "+")));
        this.append(row, this.panel);
    }

    enter() {
        this.leaving.push(studio.on(["status", "local", "contact"], () => this.update()));
        this.update();
    }

    /** @param {number} by */
    #step(by) {
        stepScale(by);
    }

    update() {
        const air = studio.arrangement;
        const now = studio.local.previewFirst ? studio.local.next ?? air : air;
        const roles = studio.roles;
        const drawn = JSON.stringify([now, roles]);
        const isNew = drawn !== this.#drawn;
        this.#drawn = drawn;
        for (const layout of layouts) {
            const { name } = layout;
            const button = this.buttons.get(name);
            if (!button) continue;
            if (isNew) {
                const would = !now ? { layout: name, shown: roles, corner: "bottom-right" } : now.layout === name ? now : withLayout(now, layout, roles);
                button.replaceChildren(drawLayout(would, (role) => studio.numberOf(role)));
                setAttribute(button, "aria-label", `${say("layout")} ${titleOf(name)}: ${would.shown.join(", ")}`);
            }
            setAttribute(button, "aria-pressed", String(now?.layout === name));
            setFlag(button, "data-pending", isPending(`layout/${name}`));
            button.disabled = !studio.canAct || !now;
        }
        const { insetButton, panel, size } = this;
        if (!insetButton || !panel || !size) return;
        if (isNew) insetButton.replaceChildren(drawCorners(air?.corner ?? "bottom-right"));
        const isShown = studio.local.isInsetShown;
        setAttribute(insetButton, "aria-expanded", String(isShown));
        setFlag(panel, "hidden", !isShown);
        const isInset = air !== undefined && hasInsets(air);
        insetButton.disabled = !studio.canAct || !air;
        for (const [corner, button] of this.corners) {
            setAttribute(button, "aria-pressed", String(isInset && air?.corner === corner));
            setFlag(button, "data-pending", isPending(`corner/${corner}`));
            button.disabled = !studio.canAct || !isInset;
        }
        setText(size, percent(air?.scale ?? 0.25));
        for (const button of panel.querySelectorAll(".stepper button")) /** @type {HTMLButtonElement} */ (button).disabled = !studio.canAct || !isInset;
    }
}

customElements.define("mc-layouts", Layouts);
