// The live outputs, each with its state and a button. One press starts an output, and two presses end it.

import { isPending, setPublished } from "./commands.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, icon, keep, setAttribute, setFlag, setText } from "./dom.js";

const mostOutputs = 12;
/** A second press within this time, in milliseconds, ends the output. */
const armedMs = 4000;

/** @param {string | undefined} state */
function isWanted(state) {
    return state !== undefined && state !== "off" && state !== "ended";
}

export class LiveOutputs extends StudioElement {
    /** The output that a second press ends, and the time of the first press. */
    #armed = { name: "", at: -1e9 };

    build() {
        this.classList.add("live-outputs");
        this.setAttribute("role", "group");
        this.setAttribute("aria-label", say("live-outputs"));
    }

    enter() {
        this.leaving.push(studio.on(["status", "local", "contact"], () => this.update()));
        this.update();
    }

    /** @param {string} name */
    #press(name) {
        const output = studio.status.live_outputs?.find((one) => one.name === name);
        if (!isWanted(output?.state)) {
            setPublished(name, true);
        } else if (this.#isArmed(name)) {
            this.#armed.name = "";
            setPublished(name, false);
        } else {
            this.#armed = { name, at: performance.now() };
            setTimeout(() => this.update(), armedMs + 50);
        }
        this.update();
    }

    /** @param {string} name */
    #isArmed(name) {
        return this.#armed.name === name && performance.now() - this.#armed.at < armedMs;
    }

    update() {
        const all = (studio.status.live_outputs ?? []).slice(0, mostOutputs);
        setFlag(this, "hidden", all.length === 0);
        keep(this, all, (output) => output.name, (output) => h("div", { class: "live-output", "data-name": output.name },
            icon("warn"), h("span", { class: "live-name" }, output.name), h("span", { class: "live-state" }), h("button", { type: "button", class: "live-action", onclick: () => this.#press(output.name) })), (element, output) => {
            const [, , stateText, button] = element.children;
            if (!stateText || !(button instanceof HTMLButtonElement)) return;
            const state = output.state ?? "off";
            const action = !isWanted(state) ? "start" : this.#isArmed(output.name) ? "end" : "stop";
            setText(stateText, say(`live-${state}`));
            setText(button, say(`live-${action}`));
            setAttribute(button, "aria-label", say(`live-${action}-name`, { name: output.name }));
            setAttribute(element, "data-state", state);
            setAttribute(element, "title", output.text || undefined);
            setFlag(button, "data-asks", action === "end");
            setFlag(button, "data-pending", isPending(`live/${output.name}`));
            button.disabled = !studio.canAct;
        });
    }
}

customElements.define("mc-live", LiveOutputs);
