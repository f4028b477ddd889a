// A camera with a zoom and a light, which Chromium's test devices have not; `asked` has what the page has set.

window.asked = [];
const usual = MediaStreamTrack.prototype.getCapabilities;
MediaStreamTrack.prototype.getCapabilities = function () {
    return { ...usual.call(this), zoom: { min: 1, max: 8, step: 0.5 }, torch: true };
};
MediaStreamTrack.prototype.applyConstraints = async (constraints) => {
    window.asked.push(...constraints.advanced);
};
