// Results of `multicam doctor` before a recording. `Fix…` shows the command to copy; the page itself doesn't
// run any command.

import { ask } from "./ask.js";
import { addWords, say } from "./words.js";
import { wallTime } from "./numbers.js";
import { StudioElement, h, icon, setText } from "./dom.js";

addWords({
    "before-begin": ["Checks before recording", "Prüfungen vor der Aufnahme"],
    checked: ["at {time}", "um {time}"],
    "check-again": ["Check again", "Erneut prüfen"],
    fix: ["Fix…", "Beheben…"],
    copy: ["Copy", "Kopieren"],
    "fix-hint": ["Run in a terminal:", "In einem Terminal ausführen:"],
    "all-well": ["{n} checks passed.", "{n} Prüfungen bestanden."],
    "doctor-name": ["Checks", "Prüfungen"],
});

/** @typedef {{check: string, level: string, text: string, remedy_command?: string | null, device?: string | null}} Finding */

export class DoctorView extends StudioElement {
    #isLoaded = false;

    build() {
        this.classList.add("doctor-view", "panel");
        this.at = h("span", { class: "quiet-text" });
        this.list = h("ul", { class: "findings" });
        this.append(h("div", { class: "panel-head" }, h("h2", {}, say("before-begin")), this.at, h("button", { type: "button", class: "small quiet", "aria-label": say("check-again"), title: say("check-again"), onclick: () => void this.load() }, icon("again"))), this.list);
    }

    enter() {
        if (!this.#isLoaded) void this.load();
    }

    async load() {
        const answer = await ask("/api/v1/doctor");
        if (!this.list || !this.at) return;
        if (!answer.ok) {
            setText(this.at, "");
            this.list.replaceChildren(h("li", { class: "quiet-text" }, say("cannot-load", { what: say("doctor-name") })));
            return;
        }
        this.#isLoaded = true;
        setText(this.at, say("checked", { time: wallTime(new Date()) }));
        /** @type {Finding[]} */
        const findings = (/** @type {any} */ (answer.value).findings ?? []).slice(0, 60);
        const bad = findings.filter((finding) => finding.level === "problem" || finding.level === "warning");
        const fine = findings.filter((finding) => finding.level === "ok");
        this.list.replaceChildren(...bad.map((finding) => this.#item(finding)), h("li", {}, icon("check"), h("span", {}, say("all-well", { n: fine.length }))));
    }

    /** @param {Finding} finding */
    #item(finding) {
        const item = h("li", { class: "finding-bad" }, icon("warn"), h("span", {}, finding.device ? `${finding.device}: ` : "", finding.text));
        const command = finding.remedy_command;
        if (command) {
            const code = h("code", {}, command);
            const copy = h("button", { type: "button", class: "small", onclick: () => void navigator.clipboard?.writeText(command) }, say("copy"));
            const box = h("div", { class: "fix", hidden: true }, h("span", {}, say("fix-hint")), code, copy);
            const button = h("button", { type: "button", class: "small", "aria-expanded": "false" }, say("fix"));
            button.addEventListener("click", () => {
                box.hidden = !box.hidden;
                button.setAttribute("aria-expanded", String(!box.hidden));
            });
            item.append(button, box);
        }
        return item;
    }
}

customElements.define("mc-doctor", DoctorView);
