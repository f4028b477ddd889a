// SDL opens windows, and converts and scales images on the GPU. pkg-config provides the location of the SDL
// headers. This header wraps macros with arguments, which Swift can't import.
#pragma once
// SDL must not replace the main function of the program.
#define SDL_MAIN_HANDLED
#include <SDL.h>

// Returns the position that centers a window on a display. Displays are numbered from 0.
static inline int sdl_window_centered(int display) { return (int)SDL_WINDOWPOS_CENTERED_DISPLAY(display); }
