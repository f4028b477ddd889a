// The script that the web process generates from the program's layouts (`LayoutTable`).

export interface Layout {
    /** Name in commands and profiles. */
    name: string;
    /** Name in English and German. */
    title: [string, string];
    /** Default key; empty if the user must assign one. */
    key: string;
    /** Text between the cameras' numbers in the label of a shot. */
    separator?: string;
    /** Label of a shot, instead of the cameras' numbers. */
    symbol?: string;
    /** Maximum number of visible cameras; any if missing. */
    maximum?: number;
    /** Number of cameras that are shown when the user selects the layout; all if missing. */
    selected?: number;
    /** Whether all cameras but the main one are insets. */
    insets: boolean;
    /** Rectangles as x, y, width and height, by corner and by number of cameras, starting at one. */
    icons: Record<string, number[][][]>;
}

export const layouts: Layout[];
export const corners: string[];
/** Layouts that the page selects without a choice by the user: for one camera, for a second one, and for all. */
export const special: { one: string; inset: string; all: string };
/** Width and height of icons in the units of their rectangles. */
export const iconSize: [number, number];
