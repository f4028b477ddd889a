// Paints the streams' pictures, meters, and composed pictures together: for the browser, each moment at which something
// changes costs about the same, however little changes.

/** Least and greatest time between two calls of the functions that paint regularly, in ms. */
const [leastTime, mostTime] = [50, 100];
/**
 * Longest time for which a picture waits for those of other streams, in ms. The wait adds to the latency, 5 ms at the
 * median with four cameras.
 */
const mostWait = 20;

/** @type {Set<() => void>} */
const regulars = new Set();
let calledAt = 0;
let timer = 0;

/**
 * Streams whose pictures wait, with the functions that continue.
 * @type {Map<object, () => void>}
 */
const waiting = new Map();
let waitTimer = 0;
/**
 * Times when each stream's next picture is expected, from `performance.now()`.
 * @type {Map<object, number>}
 */
const expected = new Map();

/**
 * The moment to paint a picture that is ready: when the pictures of other streams that are expected soon are ready, too.
 * @param {object} stream
 * @param {number} rate the stream's pictures per second
 * @returns {Promise<void>}
 */
export function momentToPaint(stream, rate) {
    return new Promise((resolve) => {
        const now = performance.now();
        expected.set(stream, now + 1000 / rate);
        waiting.set(stream, resolve);
        const isAwaited = [...expected].some(([other, time]) => !waiting.has(other) && Math.abs(time - now) < mostWait);
        if (!isAwaited) paintWaiting();
        else if (waitTimer === 0) waitTimer = window.setTimeout(paintWaiting, mostWait);
    });
}

/**
 * Stops waiting for a stream's pictures.
 * @param {object} stream
 */
export function forgetStream(stream) {
    expected.delete(stream);
}

function paintWaiting() {
    clearTimeout(waitTimer);
    waitTimer = 0;
    for (const resolve of waiting.values()) resolve();
    waiting.clear();
    // Those who wait for the moment paint first.
    queueMicrotask(paintRegulars);
}

/**
 * Calls `paint` 10 to 20 times per second while the page is visible.
 * @param {() => void} paint
 * @returns {() => void} stops the calls
 */
export function paintRegularly(paint) {
    regulars.add(paint);
    startOrStop();
    return () => {
        regulars.delete(paint);
        startOrStop();
    };
}

/** Checks regularly whether to paint while the page is visible and there is something to paint. */
function startOrStop() {
    const isOn = regulars.size > 0 && !document.hidden;
    if (isOn === timer > 0) return;
    clearInterval(timer);
    timer = isOn ? window.setInterval(paintIfOverdue, mostTime / 2) : 0;
}

document.addEventListener("visibilitychange", startOrStop);

/** Calls the functions that are due. Called when pictures have been painted. */
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
