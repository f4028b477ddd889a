// Keyboard shortcuts dialog: shows, changes and disables shortcuts. The dialog also lists the other pages of
// the control room.

import { actionText, actions, choice, keepChoice, keyOf, keyText, resetKeys } from "./keys.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h } from "./dom.js";

export class KeySheet extends StudioElement {
    build() {
        this.rows = h("tbody", {});
        this.all = h("input", { type: "checkbox", id: "all-keys", onchange: () => this.#allChanged() });
        this.dialog = h("dialog", { class: "sheet", "aria-labelledby": "sheet-title" },
            h("div", { class: "panel-head" }, h("h2", { id: "sheet-title" }, say("keys")), h("button", { type: "button", class: "close", onclick: () => this.dialog?.close() }, say("close"))),
            h("div", { class: "sheet-body", tabindex: "0", role: "region", "aria-label": say("keys") },
                h("p", {}, say("keys-hint"), " ", say("strip-keys"), " ", say("scene-keys"), " ", say("player-keys")),
                h("p", { class: "sheet-all" }, h("label", { for: "all-keys" }, this.all, " ", say("all-keys")), h("button", { type: "button", onclick: () => this.#reset() }, say("reset-keys"))),
                h("table", {}, h("thead", {}, h("tr", {}, ...["on", "key", "does", "change"].map((name) => h("th", { scope: "col" }, say(name))))), this.rows),
                h("h3", {}, say("pages")),
                h("ul", { class: "page-list" }, ...["prepare", "studio", "recordings"].map((view) => h("li", {}, h("button", {
                    type: "button", "data-goes": view, onclick: () => {
                        this.dialog?.close();
                        document.dispatchEvent(new CustomEvent("multicam-view", { detail: view }));
                    },
                }, say(view)))), ...[["/multiview", "page-multiview"], ["/program", "page-program"], ["/remote", "page-remote"]].map(([address, text]) =>
                    h("li", {}, h("a", { href: address ?? "", target: "_blank", rel: "noopener" }, say(text ?? "")))))));
        this.append(this.dialog);
        this.dialog.addEventListener("click", (/** @type {MouseEvent} */ event) => {
            if (event.target === this.dialog) this.dialog?.close();
        });
    }

    open() {
        if (!this.dialog || this.dialog.open) return;
        this.#draw();
        this.dialog.showModal();
    }

    #allChanged() {
        choice.allOff = !(this.all?.checked ?? true);
        this.#changed();
    }

    #reset() {
        resetKeys();
        this.#changed();
        this.#draw();
    }

    #changed() {
        keepChoice();
        studio.tell("local");
    }

    #draw() {
        if (!this.rows || !this.all) return;
        this.all.checked = !choice.allOff;
        this.rows.replaceChildren(...actions.map((action) => {
            const what = actionText(action);
            const key = h("kbd", {}, keyText(action));
            const isOn = h("input", {
                type: "checkbox", "aria-label": what, onchange: (/** @type {any} */ event) => {
                    choice.off = choice.off.filter((id) => id !== action.id);
                    if (!event.target.checked) choice.off.push(action.id);
                    this.#changed();
                },
            });
            isOn.checked = !choice.off.includes(action.id);
            isOn.disabled = action.id === "sheet";
            const change = h("button", { type: "button", class: "small", "aria-label": say("change-of", { what }) }, say("change"));
            change.addEventListener("click", () => this.#change(action, key, change));
            change.disabled = action.isFixed === true || action.id === "sheet";
            return h("tr", { "data-action": action.id }, h("td", {}, isOn), h("td", {}, key), h("td", {}, what), h("td", {}, change));
        }));
    }

    /**
     * Waits for a key press and assigns that key to an action.
     * @param {import("./keys.js").Action} action
     * @param {HTMLElement} key
     * @param {HTMLButtonElement} button
     */
    #change(action, key, button) {
        key.textContent = say("press-key");
        const take = (/** @type {KeyboardEvent} */ event) => {
            if (["Shift", "Control", "Alt", "Meta", "Tab"].includes(event.key)) return;
            event.preventDefault();
            event.stopPropagation();
            window.removeEventListener("keydown", take, true);
            if (event.key !== "Escape" && event.key.length === 1 && !/[1-9?]/.test(event.key)) {
                const wanted = { key: event.key.toLowerCase(), shift: event.shiftKey };
                // If another action had this key, it receives the key that becomes free.
                const other = actions.find((one) => one.id !== action.id && keyOf(one).key === wanted.key && keyOf(one).shift === wanted.shift);
                if (other) choice.keys[other.id] = keyOf(action);
                choice.keys[action.id] = wanted;
                this.#changed();
            }
            this.#draw();
            /** @type {HTMLElement | null | undefined} */ (this.rows?.querySelector(`[data-action="${action.id}"] button`))?.focus();
        };
        window.addEventListener("keydown", take, true);
        button.addEventListener("blur", () => {
            window.removeEventListener("keydown", take, true);
            key.textContent = keyText(action);
        }, { once: true });
    }
}

customElements.define("mc-keys", KeySheet);
