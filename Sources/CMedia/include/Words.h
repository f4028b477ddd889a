// Renders lines of text with Pango, in any script that the computer's fonts support. Pango's headers are
// included only in Words.c, because importing modules are compiled without the search paths that these
// headers need.
#pragma once
#include <cairo/cairo.h>

// The fonts installed on the computer, for one drawing on one thread. NULL if no font is available.
typedef struct media_fonts media_fonts;
media_fonts *media_fonts_new(void);
void media_fonts_free(media_fonts *fonts);

// One line of text. Line breaks in the text are shown as symbols. The fonts must not be freed before the line.
typedef struct media_words media_words;
media_words *media_words_new(media_fonts *fonts, const char *utf8);
void media_words_free(media_words *words);
// Sets the size of an em in pixels, and the font weight.
void media_words_set_letters(media_words *words, double size, int bold);
// Truncates text that is wider than the given number of pixels, and inserts an ellipsis in the middle.
void media_words_cut(media_words *words, int width);
// Returns the size in pixels, including ascent and descent.
void media_words_measure(media_words *words, int *width, int *height);
// Draws the text with its upper left corner at the current point.
void media_words_show(media_words *words, cairo_t *context);
