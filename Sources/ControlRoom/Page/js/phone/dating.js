// When a frame or a slice of audio was captured, by `performance.now()`.

/** So long the fastest ones count, in ms: two clocks run apart by less than a millisecond in it. */
const windowMs = 5000;
/** A capture time that lies further back is none. */
const longestWay = 2000;
/** What comes later than usual for so long, in ms, has another clock; before, it has only waited for the page. */
const longestBurst = 1000;
/** Stamps among which that of a capture time is looked for, and offsets of which the middle one counts. */
const mostStamps = 8;
const mostOffsets = 15;

/** Dates what comes with stamps of its own clock: by the browser's capture times where there are any, else by what came fastest. */
export class Dating {
    /** The least time from stamp to arrival, of this window and of the one before. */
    #least = [Infinity, Infinity];
    #windowEnd = 0;
    /** Since when all that came was too late. */
    #lateSince = Infinity;
    /** @type {number[]} the newest stamps */
    #stamps = [];
    /** @type {number[]} from stamps to capture times, as frames have told */
    #offsets = [];
    /** How many were dated, and how many of them by the browser's capture time. */
    count = 0;
    known = 0;
    #late;

    /** @param {number} late by so much, in ms, what comes is later than usual; sooner it is at once what counts */
    constructor(late = longestWay) {
        this.#late = late;
    }

    /**
     * Takes the capture time of a frame, whose stamp is not known: that one of the last which is nearest to what came fastest.
     * @param {number} capture in ms by `performance.now()`
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
     * @param {number} stamp on its own clock, in ms
     * @param {number} arrival when it came, in ms
     * @param {number | undefined} capture when the browser says that it was captured, in ms
     * @param {number} way what the fastest ones take at least from capture to arrival, in ms
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
        // A clock that was set, or stood still, has nothing to do with what came before.
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
