// The script that the web process generates from the program's layouts and the presets of filters (`LayoutTable`).

export interface Layout {
    /** Name of the layout in commands and profiles. */
    name: string;
    /** Display name of the layout in English and German. */
    title: [string, string];
    /** Default keyboard shortcut; empty if the user must assign one. */
    key: string;
    /** Text between the cameras' numbers in the label of a shot. */
    separator?: string;
    /** Label of a shot, instead of the cameras' numbers. */
    symbol?: string;
    /** Maximum number of visible cameras; unlimited if missing. */
    maximum?: number;
    /** Number of cameras that are shown when the user selects the layout; all cameras if missing. */
    selected?: number;
    /** Whether all cameras but the main one are insets. */
    insets: boolean;
    /** Rectangles as x, y, width and height, by corner and by number of cameras, starting at one. */
    icons: Record<string, number[][][]>;
}

export const layouts: Layout[];
export const corners: string[];
/**
 * Layouts that the page selects automatically: for one camera, for a camera with an inset, and for all
 * cameras.
 */
export const special: { one: string; inset: string; all: string };
/** Names of the presets of filters for audio. */
export const processingPresets: string[];
/** Width and height of icons in the units of their rectangles. */
export const iconSize: [number, number];
