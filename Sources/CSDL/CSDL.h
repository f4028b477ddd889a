// SDL opens a window whose pictures the graphics processor converts and scales. pkg-config says where its headers are. Below is what
// Swift's importer skips: macros with arguments.
#pragma once
// The program has its own main.
#define SDL_MAIN_HANDLED
#include <SDL.h>

// The position that centres a window on a display, counted from 0.
static inline int sdl_window_centered(int display) { return (int)SDL_WINDOWPOS_CENTERED_DISPLAY(display); }
