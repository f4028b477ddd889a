// Computes capture times of frames and audio slices, on the clock of `performance.now()`.

/**
 * Length of the window in which the smallest delay is determined, in ms. Two clocks drift apart by less than 1 ms in
 * this time.
 */
const windowMs = 5000;
/** A capture time is invalid if it precedes the arrival by more than this number of milliseconds. */
const longestWay = 2000;
/**
 * If items are late for longer than this number of milliseconds, the source's clock has changed. Shorter
 * delays occur while the page is busy.
 */
const longestBurst = 1000;
/**
 * Number of recent timestamps that a capture time is compared with, and number of offsets used to compute the
 * median.
 */
const mostStamps = 8;
const mostOffsets = 15;

/**
 * Computes the capture times of items that are stamped by a different clock. Uses the browser's capture times if
 * available, otherwise the smallest delay.
 */
export class Dating {
    /** Smallest delays from timestamp to arrival, in the current window and in the previous window. */
    #least = [Infinity, Infinity];
    #windowEnd = 0;
    /** Time when the current sequence of late items began. */
    #lateSince = Infinity;
    /** @type {number[]} the most recent stamps */
    #stamps = [];
    /** @type {number[]} offsets from stamps to the capture times reported for frames */
    #offsets = [];
    /** Number of dated items, and how many of them used the browser's capture time. */
    count = 0;
    known = 0;
    #late;

    /**
     * @param {number} late an item is late if its delay exceeds the smallest delay by more than this, in ms
     */
    constructor(late = longestWay) {
        this.#late = late;
    }

    /**
     * Registers the capture time of a frame with an unknown timestamp. Selects the recent timestamp with the
     * offset that is closest to the smallest delay.
     * @param {number} capture capture time in ms, by `performance.now()`
     */
    anchor(capture) {
        const fastest = Math.min(...this.#least);
        const offsets = this.#stamps.map((stamp) => capture - stamp);
        const nearest = offsets.reduce((best, offset) => (Math.abs(offset - fastest) < Math.abs(best - fastest) ? offset : best), Infinity);
        if (Math.abs(nearest - fastest) > longestWay) return;
        this.#offsets.push(nearest);
        if (this.#offsets.length > mostOffsets) this.#offsets.shift();
    }

    /**
     * @param {number} stamp time stamp by the source's clock, in ms
     * @param {number} arrival arrival time, in ms
     * @param {number | undefined} capture capture time reported by the browser, in ms
     * @param {number} way minimum delay from capture to arrival, in ms
     */
    date(stamp, arrival, capture, way) {
        this.count += 1;
        this.#note(stamp, arrival);
        const [middle] = [...this.#offsets].sort((a, b) => a - b).slice(this.#offsets.length >> 1);
        const at = capture ?? (middle === undefined ? undefined : stamp + middle);
        if (at !== undefined && at <= arrival && at > arrival - longestWay) {
            this.known += 1;
            return at;
        }
        return stamp + Math.min(...this.#least) - way;
    }

    /** @param {number} stamp @param {number} arrival */
    #note(stamp, arrival) {
        const distance = arrival - stamp;
        const fastest = Math.min(...this.#least);
        this.#lateSince = distance - fastest > this.#late ? Math.min(this.#lateSince, arrival) : Infinity;
        // If a clock was set or stopped, earlier measurements are invalid.
        if ((Number.isFinite(fastest) && fastest - distance > longestWay) || arrival - this.#lateSince > longestBurst) {
            this.#least = [Infinity, Infinity];
            this.#lateSince = Infinity;
            [this.#stamps, this.#offsets] = [[], []];
        }
        if (arrival > this.#windowEnd) {
            this.#least = [Infinity, this.#least[0] ?? Infinity];
            this.#windowEnd = arrival + windowMs;
        }
        this.#least[0] = Math.min(this.#least[0] ?? Infinity, distance);
        this.#stamps.push(stamp);
        if (this.#stamps.length > mostStamps) this.#stamps.shift();
    }
}
