// Repaints meters and composed pictures, together with the streams' pictures: for the browser, each moment at which
// something changes costs about the same, however little changes.

/** Least and greatest time between two calls, in ms. */
const [leastTime, mostTime] = [50, 100];

/** @type {Set<() => void>} */
const regulars = new Set();
let calledAt = 0;
let timer = 0;

/**
 * Calls `paint` 10 to 20 times per second while the page is visible.
 * @param {() => void} paint
 * @returns {() => void} stops the calls
 */
export function paintRegularly(paint) {
    regulars.add(paint);
    if (timer === 0) timer = window.setInterval(paintIfOverdue, mostTime / 2);
    return () => {
        regulars.delete(paint);
        if (regulars.size > 0) return;
        clearInterval(timer);
        timer = 0;
    };
}

/** Calls the functions that are due. Called when a picture of a stream has been painted. */
export function paintRegulars() {
    const now = performance.now();
    if (now - calledAt < leastTime || document.hidden) return;
    calledAt = now;
    for (const paint of regulars) paint();
}

/** Calls the functions if no stream has done so. */
function paintIfOverdue() {
    if (performance.now() - calledAt > mostTime) paintRegulars();
}
