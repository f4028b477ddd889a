// A camera with zoom and torch, which Chromium's test devices lack; `asked` contains the settings requested by the page. It rejects a zoom
// above seven.

window.asked = [];
const usual = MediaStreamTrack.prototype.getCapabilities;
MediaStreamTrack.prototype.getCapabilities = function () {
    return { ...usual.call(this), zoom: { min: 1, max: 8, step: 0.5 }, torch: true };
};
const apply = MediaStreamTrack.prototype.applyConstraints;
MediaStreamTrack.prototype.applyConstraints = async function (constraints) {
    if (!constraints.advanced) return apply.call(this, constraints);
    if (constraints.advanced.some(({ zoom }) => zoom > 7)) throw new Error("no such zoom");
    window.asked.push(...constraints.advanced);
    return undefined;
};
