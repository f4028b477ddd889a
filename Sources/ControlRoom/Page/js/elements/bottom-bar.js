// The bar at the bottom of small screens: Layout, Mark, and Record or Stop.

import { mark } from "./commands.js";
import { arrangementOf } from "./arrangement.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { drawLayout } from "./layout-drawing.js";
import { h, setAttribute, setFlag, setText } from "./dom.js";

export class BottomBar {
    #drawn = "";

    /** @param {HTMLElement} bar @param {boolean} hasLayout */
    constructor(bar, hasLayout) {
        this.bar = bar;
        this.drawing = h("span", { class: "bar-drawing" });
        this.layout = h("button", {
            type: "button", class: "bar-layout", "aria-expanded": "false", onclick: () => {
                document.dispatchEvent(new CustomEvent("multicam-view", { detail: "studio" }));
                const isShown = !document.body.hasAttribute("data-switching");
                setFlag(document.body, "data-switching", isShown);
                setAttribute(this.layout, "aria-expanded", String(isShown));
                if (isShown) document.querySelector(".switching")?.scrollIntoView({ block: "start" });
            },
        }, this.drawing, h("span", {}, say("layout")));
        this.mark = h("button", { type: "button", class: "bar-mark strong", onclick: () => mark() });
        if (hasLayout) bar.append(this.layout);
        bar.append(this.mark, document.createElement("mc-record"));
        studio.on(["status", "local", "contact"], () => this.update());
        this.update();
    }

    update() {
        const arrangement = arrangementOf(studio.status);
        const drawn = JSON.stringify([arrangement, studio.roles]);
        if (drawn !== this.#drawn && arrangement) {
            this.#drawn = drawn;
            this.drawing.replaceChildren(drawLayout(arrangement, (role) => studio.numberOf(role)));
        }
        setText(this.mark, say("marker-n", { n: studio.markerCount + 1 }));
        this.mark.disabled = !studio.isRecording;
        this.layout.disabled = !studio.canAct;
        setFlag(this.bar, "data-ending", studio.local.isEnding && studio.isRecording);
    }
}
