// Phones as cameras: the QR code that adds a phone, and the phones already added.

import { ask } from "./ask.js";
import { addWords, say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, keep, s, setFlag, setText } from "./dom.js";

addWords({
    phones: ["Phones", "Telefone"],
    "add-phone": ["Add a phone", "Telefon hinzufügen"],
    "phone-awaited": ["Waiting for phone {name}: scan this code.", "Warten auf Telefon {name}: diesen Code scannen."],
    "phone-code": ["Scan this code with the phone, or open the link on the phone. The link only lets the phone act as a camera.",
        "Diesen Code mit dem Telefon scannen oder den Link dort öffnen. Mit dem Link kann das Telefon nur als Kamera dienen."],
    "phone-code-name": ["QR code for the link", "QR-Code des Links"],
    "phone-link": ["Link for the phone", "Link für das Telefon"],
    "phone-unreachable": ["Other devices can't open this link. To allow access from phones, restart the studio with --listen 0.0.0.0.",
        "Andere Geräte können diesen Link nicht öffnen. Das Studio mit --listen 0.0.0.0 neu starten, damit Telefone es erreichen."],
    "phone-is": ["camera {role}", "Kamera {role}"],
    "phone-is-free": ["connected; add {selector} to a profile to use this phone", "verbunden; zum Verwenden {selector} in ein Profil eintragen"],
    "phone-is-away": ["disconnected", "getrennt"],
});

/** @typedef {{name: string, selector: string, there: boolean, format: string, audio: boolean, role?: string, text?: string, error_us?: number}} Phone */

const lookEveryMs = 2000;
/** Width of the quiet zone around a code, in modules (ISO/IEC 18004, section 6.3.8). */
const quiet = 4;

/**
 * Draws a QR code, dark on light in every theme so that cameras can read it.
 * @param {string[]} rows
 */
function drawCode(rows) {
    const side = rows.length + 2 * quiet;
    const path = rows.flatMap((row, y) => [...row].map((module, x) => (module === "1" ? `M${x + quiet} ${y + quiet}h1v1h-1z` : ""))).join("");
    return s("svg", { viewBox: `0 0 ${side} ${side}`, class: "phone-code", role: "img", "aria-label": say("phone-code-name"), "shape-rendering": "crispEdges" },
        s("rect", { width: side, height: side, fill: "#fff" }), s("path", { d: path, fill: "#000" }));
}

export class PhonesView extends StudioElement {
    /** @type {string[]} */
    expected = [];
    /** @type {Phone[]} */
    phones = [];
    isOpen = false;

    build() {
        this.classList.add("phones-view", "panel");
        this.button = h("button", { type: "button", class: "small", "aria-expanded": "false", onclick: () => void this.#open() }, say("add-phone"));
        this.awaitedText = h("p", { class: "phone-awaited", role: "status" });
        this.place = h("div", { class: "phone-invitation", hidden: true });
        this.list = h("ul", { class: "phone-list" });
        this.append(h("div", { class: "panel-head" }, h("h2", {}, say("phones")), this.button), this.awaitedText, this.place, this.list);
    }

    enter() {
        const timer = setInterval(() => {
            if (this.offsetParent !== null) void this.#look();
        }, lookEveryMs);
        this.leaving.push(() => clearInterval(timer), studio.on(["status"], () => this.#draw()));
        void this.#look();
    }

    /**
     * Sets the phones that the profile in use names, in the order in which they are awaited.
     * @param {string[]} names
     */
    expect(names) {
        if (names.join() === this.expected.join()) return;
        this.expected = names;
        void this.#look();
    }

    /**
     * The name of the first phone that the recorder is waiting for. Without a status, the recorder hasn't opened its
     * devices. With a status, it has had all phones, so a missing phone is one that has been lost.
     */
    #awaited() {
        const isRunning = studio.state === "standby" || studio.state === "recording";
        return this.expected.find((name) => {
            const phone = this.phones.find((one) => one.name === name);
            return isRunning ? phone?.role !== undefined && !phone.there : !phone?.there;
        });
    }

    async #open() {
        this.isOpen = !this.isOpen;
        this.#draw();
        if (this.isOpen) await this.#look();
    }

    async #look() {
        const awaited = this.#awaited();
        const answer = await ask(`/api/v1/phones${awaited === undefined ? "" : `?name=${encodeURIComponent(awaited)}`}`);
        if (!answer.ok || !this.place) return;
        const value = /** @type {any} */ (answer.value);
        this.phones = Array.isArray(value.phones) ? value.phones.slice(0, 32) : [];
        this.#draw();
        if (!this.place.hidden && this.place.dataset.url !== value.url) {
            this.place.dataset.url = String(value.url);
            const link = h("input", { type: "text", readonly: true, "aria-label": say("phone-link"), onfocus: (/** @type {any} */ event) => event.target.select() });
            link.value = String(value.url);
            const copy = h("button", { type: "button", class: "small", onclick: () => void navigator.clipboard?.writeText(link.value) }, say("copy"));
            this.place.replaceChildren(drawCode(Array.isArray(value.code) ? value.code.map(String) : []), h("p", {}, say(value.reachable ? "phone-code" : "phone-unreachable")), h("div", { class: "phone-link" }, link, copy));
        }
    }

    #draw() {
        if (!this.list || !this.place || !this.button || !this.awaitedText) return;
        const awaited = this.#awaited();
        setFlag(this, "data-awaits", awaited !== undefined);
        setText(this.awaitedText, awaited === undefined ? "" : say("phone-awaited", { name: awaited }));
        this.place.hidden = !this.isOpen && awaited === undefined;
        this.button.hidden = awaited !== undefined;
        this.button.setAttribute("aria-expanded", String(!this.place.hidden));
        keep(this.list, this.phones, (phone) => phone.name, () => h("li", {},
            h("span", { class: "phone-name" }), h("span", { class: "quiet-text" })), (item, phone) => {
            const [name, words] = item.children;
            if (!name || !words) return;
            setText(name, phone.name);
            const what = phone.role ? say("phone-is", { role: phone.role }) : say("phone-is-free", { selector: phone.selector });
            setText(words, [phone.there ? what : say("phone-is-away"), phone.format, phone.error_us === undefined ? "" : `± ${Math.ceil(phone.error_us / 1000)} ms`, phone.text ?? ""].filter(Boolean).join(" · "));
        });
    }
}

customElements.define("mc-phones", PhonesView);
