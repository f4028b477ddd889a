// The remote control page for a phone: tally, layouts, markers, live outputs, record and stop. The page
// doesn't show pictures, so it needs little bandwidth.

import "./message-line.js";
import "./record.js";
import "./vitals.js";
import "./layouts.js";
import "./live.js";
import "./switching-mode.js";
import { cutTo, insetTo, isPending, mark, nextFraming } from "./commands.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { BottomBar } from "./bottom-bar.js";
import { plateOf } from "./plate.js";
import { open } from "./common.js";
import { h, keep, setAttribute, setFlag, setText } from "./dom.js";

const list = document.getElementById("tiles");
const framings = document.getElementById("framings");
const bar = document.getElementById("bottom-bar");
const form = document.getElementById("marker-form");

if (bar) new BottomBar(bar, false);

const input = h("input", { type: "text", maxlength: "120", autocomplete: "off", "aria-label": say("marker-named"), placeholder: say("marker-named") });
/** Time of the marker: when the user began to type its name. */
let markerAtNs = 0;
let hadText = false;
input.addEventListener("input", () => {
    if (!hadText) markerAtNs = studio.seconds * 1e9;
    hadText = input.value !== "";
});
const send = h("button", { type: "submit" }, say("marker-n", { n: "" }).trim());
form?.append(input, send);
form?.addEventListener("submit", (event) => {
    event.preventDefault();
    mark(input.value, hadText ? markerAtNs : undefined);
    input.value = "";
    hadText = false;
});

function update() {
    if (!list) return;
    send.disabled = input.disabled = !studio.isRecording;
    keep(list, studio.cameras.slice(0, 16), (camera) => camera.role, (camera) => h("button", {
        type: "button", class: "tally", onclick: (/** @type {MouseEvent} */ event) => studio.canAct && (event.shiftKey ? insetTo : cutTo)(camera.role),
    }, h("span", {}), h("span", {}), h("span", { class: "tally-word" }), h("span", { class: "tally-plate" })), (button, camera) => {
        const [number, name, word, plateText] = button.children;
        if (!number || !name || !word || !plateText) return;
        const tally = studio.contact ? studio.tallyOf(camera.role) : "off";
        const frame = tally === "off" ? "none" : studio.isRecording ? "air" : "program";
        setText(number, String(studio.numberOf(camera.role)));
        setText(name, camera.role);
        const isInset = tally === "inset";
        const words = frame === "air" ? say(isInset ? "on-air-inset" : "on-air") : frame === "program" ? say(isInset ? "in-program-inset" : "in-program") : "";
        const plate = !studio.canAct ? undefined
            : plateOf({ of: "camera", role: camera.role }) ?? (tally === "off" ? undefined : plateOf({ of: "program" }));
        setText(word, words);
        setText(plateText, plate?.text ?? "");
        setAttribute(button, "data-frame", frame);
        setFlag(button, "data-pending", isPending(`camera/${camera.role}`));
        button.dataset.role = camera.role;
        button.disabled = !studio.canAct;
    });
    if (framings) {
        const framed = studio.cameras.filter((camera) => camera.framing !== undefined).slice(0, 16);
        framings.hidden = framed.length === 0;
        keep(framings, framed, (camera) => camera.role, (camera) => h("button", {
            type: "button", class: "framing", title: say("framing"), onclick: () => studio.canAct && nextFraming(camera.role),
        }), (button, camera) => {
            setText(button, `${camera.role} · ${say(`framing-${camera.framing ?? "off"}`)}`);
            setAttribute(button, "aria-pressed", String(camera.framing !== "off"));
            setFlag(button, "data-pending", isPending(`framing/${camera.role}`));
            button.dataset.role = camera.role;
            button.disabled = !studio.canAct;
        });
    }
}

studio.on(["status", "contact", "local"], update);
open();
