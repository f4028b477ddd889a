// Monitoring assists drawn by the page on a canvas over the picture: focus peaking, zebra, false color, areas, and the
// faces and codes that were found.

export const assistNames = ["one-to-one", "peaking", "zebra", "false-color", "areas", "boxes"];

const mostSampleWidth = 480;
/** The zebra threshold, as luma: 95 % of full scale. */
const zebraFrom = 242;
const edgeFrom = 44;

/**
 * False color steps: each color applies to luma below its limit.
 * @type {{below: number, rgb: [number, number, number], name: string}[]}
 */
export const falseColors = [
    { below: 6, rgb: [92, 32, 140], name: "black" },
    { below: 38, rgb: [32, 82, 190], name: "" },
    { below: 97, rgb: [70, 70, 70], name: "" },
    { below: 110, rgb: [60, 160, 80], name: "" },
    { below: 133, rgb: [118, 118, 118], name: "" },
    { below: 148, rgb: [226, 150, 150], name: "skin" },
    { below: 218, rgb: [170, 170, 170], name: "" },
    { below: 242, rgb: [230, 210, 70], name: "" },
    { below: 256, rgb: [226, 52, 40], name: "white" },
];

/** @type {Uint8ClampedArray} */
const falseTable = new Uint8ClampedArray(256 * 3);
for (let luma = 0; luma < 256; luma += 1) {
    const step = falseColors.find((step) => luma < step.below) ?? falseColors[falseColors.length - 1];
    if (step) falseTable.set(step.rgb, luma * 3);
}

export class Assists {
    isPeaking = false;
    isZebra = false;
    isFalseColor = false;
    isAreas = false;
    isBoxes = false;
    /**
     * The found faces and codes, as fractions of the upright frame.
     * @type {{box: import("./studio.js").Box, text: string}[]}
     */
    boxes = [];
    /** Whether the picture is mirrored, so that the boxes have to be mirrored, too. */
    isMirrored = false;

    #sample = document.createElement("canvas");
    /** @type {CanvasRenderingContext2D | null} */
    #sampleContext = null;
    #luma = new Uint8Array(0);
    #isClear = true;

    /** @param {HTMLCanvasElement} overlay */
    constructor(overlay) {
        this.overlay = overlay;
        this.context = overlay.getContext("2d");
    }

    get isOn() {
        return this.isPeaking || this.isZebra || this.isFalseColor || this.isAreas || this.isBoxes;
    }

    /**
     * Draws the enabled assists over a picture.
     * @param {HTMLCanvasElement} picture
     * @param {boolean} isOneToOne hides the areas, because they refer to the whole frame
     */
    paint(picture, isOneToOne) {
        const { context, overlay } = this;
        if (!context) return;
        if (!this.isOn) {
            if (!this.#isClear) context.clearRect(0, 0, overlay.width, overlay.height);
            this.#isClear = true;
            return;
        }
        this.#isClear = false;
        if (overlay.width !== picture.width || overlay.height !== picture.height) {
            overlay.width = picture.width;
            overlay.height = picture.height;
        }
        context.clearRect(0, 0, overlay.width, overlay.height);
        if (this.isPeaking || this.isZebra || this.isFalseColor) this.#analyze(picture);
        if (this.isAreas && !isOneToOne) this.#areas();
        if (this.isBoxes && !isOneToOne) this.#drawBoxes();
    }

    /** Draws a frame around each face and code. */
    #drawBoxes() {
        const { context, overlay } = this;
        if (!context) return;
        const line = Math.max(2, Math.round(overlay.width / 320));
        context.lineWidth = line;
        context.font = `${Math.max(12, Math.round(overlay.width / 40))}px sans-serif`;
        for (const { box, text } of this.boxes) {
            const x = (this.isMirrored ? 1 - box.x - box.width : box.x) * overlay.width;
            const [y, width, height] = [box.y * overlay.height, box.width * overlay.width, box.height * overlay.height];
            context.strokeStyle = "#000";
            context.strokeRect(x - line, y - line, width + 2 * line, height + 2 * line);
            context.strokeText(text, x, Math.max(y - 2 * line, 14));
            context.strokeStyle = context.fillStyle = "#ffe24a";
            context.strokeRect(x, y, width, height);
            context.fillText(text, x, Math.max(y - 2 * line, 14));
        }
    }

    /** @param {HTMLCanvasElement} picture */
    #analyze(picture) {
        const width = Math.min(mostSampleWidth, picture.width);
        const height = Math.max(1, Math.round((picture.height * width) / picture.width));
        const sample = this.#sample;
        if (sample.width !== width || sample.height !== height || !this.#sampleContext) {
            sample.width = width;
            sample.height = height;
            this.#sampleContext = sample.getContext("2d", { willReadFrequently: true });
            this.#luma = new Uint8Array(width * height);
        }
        const context = this.#sampleContext;
        if (!context || !this.context) return;
        context.drawImage(picture, 0, 0, width, height);
        const image = context.getImageData(0, 0, width, height);
        const pixels = image.data;
        const luma = this.#luma;
        for (let at = 0, from = 0; at < luma.length; at += 1, from += 4) {
            luma[at] = ((pixels[from] ?? 0) * 54 + (pixels[from + 1] ?? 0) * 183 + (pixels[from + 2] ?? 0) * 19) >> 8;
        }
        for (let y = 0; y < height; y += 1) {
            for (let x = 0; x < width; x += 1) {
                const at = y * width + x;
                const to = at * 4;
                const value = luma[at] ?? 0;
                let [red, green, blue, alpha] = [0, 0, 0, 0];
                if (this.isFalseColor) {
                    red = falseTable[value * 3] ?? 0;
                    green = falseTable[value * 3 + 1] ?? 0;
                    blue = falseTable[value * 3 + 2] ?? 0;
                    alpha = 255;
                }
                if (this.isZebra && value >= zebraFrom && ((x + y) >> 2) % 2 === 0) {
                    red = green = blue = 0;
                    alpha = 255;
                }
                if (this.isPeaking && x > 0 && y > 0 && x < width - 1 && y < height - 1) {
                    const across = Math.abs((luma[at + 1] ?? 0) - (luma[at - 1] ?? 0));
                    const down = Math.abs((luma[at + width] ?? 0) - (luma[at - width] ?? 0));
                    if (across + down > edgeFrom) {
                        red = 0;
                        green = blue = 255;
                        alpha = 255;
                    }
                }
                pixels[to] = red;
                pixels[to + 1] = green;
                pixels[to + 2] = blue;
                pixels[to + 3] = alpha;
            }
        }
        context.putImageData(image, 0, 0);
        this.context.imageSmoothingEnabled = false;
        this.context.drawImage(sample, 0, 0, this.overlay.width, this.overlay.height);
        context.clearRect(0, 0, width, height);
    }

    /** Draws the safe areas of EBU R 95: action inside 3.5 %, graphics inside 5 %. */
    #areas() {
        const { context, overlay } = this;
        if (!context) return;
        const { width, height } = overlay;
        const line = Math.max(1, Math.round(width / 480));
        for (const [share, dash] of /** @type {[number, number[]][]} */ ([[0.035, []], [0.05, [line * 4, line * 4]]])) {
            for (const [color, thickness] of /** @type {[string, number][]} */ ([["#000", line * 2], ["#fff", line]])) {
                context.strokeStyle = color;
                context.lineWidth = thickness;
                context.setLineDash(dash);
                context.strokeRect(width * share, height * share, width * (1 - 2 * share), height * (1 - 2 * share));
            }
        }
        context.setLineDash([]);
    }
}
