// The program page for a monitor that an audience may see. The page shows only the picture, and a plate while the
// picture isn't current.

import "./program-view.js";
import { open } from "./common.js";

document.addEventListener("dblclick", () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void document.documentElement.requestFullscreen?.();
});
document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "f" || event.ctrlKey || event.altKey || event.metaKey) return;
    if (document.fullscreenElement) void document.exitFullscreen();
    else void document.documentElement.requestFullscreen?.();
});
open();
