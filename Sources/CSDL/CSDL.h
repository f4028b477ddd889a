// SDL opens a window. The graphics processor converts and scales its images. pkg-config provides the location of its
// headers. This header contains definitions that Swift's importer skips: macros with arguments.
#pragma once
// The program defines its own main function.
#define SDL_MAIN_HANDLED
#include <SDL.h>

// Returns the position that centers a window on a display, counted from 0.
static inline int sdl_window_centered(int display) { return (int)SDL_WINDOWPOS_CENTERED_DISPLAY(display); }
