// SDL opens a window and uses the graphics processor to convert and scale images. pkg-config provides the location of
// SDL's headers. This header wraps macros with arguments, which Swift's importer skips.
#pragma once
// The program defines its own main function.
#define SDL_MAIN_HANDLED
#include <SDL.h>

// Returns the position that centers a window on a display. Displays are numbered from 0.
static inline int sdl_window_centered(int display) { return (int)SDL_WINDOWPOS_CENTERED_DISPLAY(display); }
