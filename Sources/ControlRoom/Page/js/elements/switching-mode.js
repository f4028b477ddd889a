// The switching mode: AUTO shows the current speaker, MANUAL follows only the user. After a manual change, AUTO pauses.

import { isPending, setSwitching } from "./commands.js";
import { shortTime } from "./numbers.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, setAttribute, setFlag, setText } from "./dom.js";

/** Automatic switching as text, such as "AUTO" or "AUTO resumes in 8 s". */
export function automaticText() {
    const left = studio.status.program?.switching_resumes_ns;
    return left === undefined ? say("auto") : say("auto-resumes", { time: shortTime(Math.ceil(left / 1e9)) });
}

/** Turns automatic switching on or off. If it is paused, it resumes. */
export function toggleSwitching() {
    const { switching, switching_resumes_ns: left } = studio.status.program ?? {};
    if (switching !== undefined) setSwitching(switching === "voice" && left === undefined ? "manual" : "voice");
}

export class SwitchingMode extends StudioElement {
    build() {
        this.classList.add("switching-mode");
        this.setAttribute("role", "group");
        this.setAttribute("aria-label", say("switching-mode"));
        this.autoButton = h("button", { type: "button", class: "auto", title: say("auto-title"), onclick: () => setSwitching("voice") });
        this.manualButton = h("button", { type: "button", class: "manual", title: say("manual-title"), onclick: () => setSwitching("manual") }, say("manual"));
        this.append(this.autoButton, this.manualButton);
    }

    enter() {
        this.leaving.push(studio.on(["status", "local", "contact"], () => this.update()));
        this.update();
    }

    update() {
        const { autoButton, manualButton } = this;
        if (!autoButton || !manualButton) return;
        const { switching, switching_resumes_ns: left } = studio.status.program ?? {};
        setFlag(this, "hidden", switching === undefined);
        setText(autoButton, automaticText());
        setAttribute(autoButton, "aria-pressed", String(switching === "voice"));
        setFlag(autoButton, "data-waits", left !== undefined);
        setAttribute(manualButton, "aria-pressed", String(switching === "manual"));
        setFlag(this, "data-pending", isPending("switching"));
        autoButton.disabled = manualButton.disabled = !studio.canAct;
    }
}

customElements.define("mc-switching", SwitchingMode);
