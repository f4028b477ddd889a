// The multiview page for a monitor that is viewed from a distance.

import "./record.js";
import "./program-view.js";
import "./sound.js";
import { conditions } from "./conditions.js";
import { fixed, leftTime, wallTime } from "./numbers.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { Tile } from "./tile.js";
import { open } from "./common.js";
import { h, keep, setFlag, setText } from "./dom.js";

const tiles = document.getElementById("tiles");
const numbers = document.getElementById("wall-numbers");
const alarm = document.getElementById("wall-alarm");

studio.on(["status"], () => {
    if (!tiles) return;
    keep(tiles, studio.cameras.slice(0, 16), (camera) => camera.role, (camera) => Tile.make(camera.role, { isButton: false }), () => {});
    setFlag(tiles, "data-many", studio.cameras.length > 4);
});

function update() {
    if (!numbers || !alarm) return;
    const { disk, program } = studio.status;
    const left = disk?.seconds_left;
    const loudness = program?.loudness?.integrated_lufs;
    const all = [
        { name: "disk", label: say("disk"), value: left === undefined || !studio.contact ? "–" : leftTime(left), isWarn: left !== undefined && left <= 600 },
        { name: "mix", label: say("mix"), value: loudness === undefined || !studio.contact ? "–" : `${fixed(loudness)} LUFS`, isWarn: false },
        { name: "time", label: say("time"), value: wallTime(new Date()), isWarn: false },
    ];
    keep(numbers, all, (one) => one.name, () => h("div", {}, h("dt", {}), h("dd", {})), (element, one) => {
        const [label, value] = element.children;
        if (label) setText(label, one.label);
        if (value) setText(value, one.value);
        setFlag(element, "data-warn", one.isWarn);
    });
    setFlag(numbers, "data-grey", !studio.canAct);
    const worst = conditions()[0];
    const isShown = worst !== undefined && (worst.level === "act" || worst.id === "no-contact");
    setFlag(alarm, "hidden", !isShown);
    if (isShown) setText(alarm, worst.text);
    document.documentElement.dataset.level = worst?.level ?? "state";
}

studio.on(["status", "contact"], update);
setInterval(update, 500);
open();
