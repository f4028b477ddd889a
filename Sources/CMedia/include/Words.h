// Lines of words by Pango, in any script that one of the machine's fonts has. Pango's own headers stay in Words.c: they need
// search paths that the compilers of importing modules are not given.
#pragma once
#include <cairo/cairo.h>

// The machine's fonts, for one drawing on one thread. NULL where there is no font at all.
typedef struct media_fonts media_fonts;
media_fonts *media_fonts_new(void);
void media_fonts_free(media_fonts *fonts);

// One line; line breaks in the text are shown as signs. The fonts must not be freed before it.
typedef struct media_words media_words;
media_words *media_words_new(media_fonts *fonts, const char *utf8);
void media_words_free(media_words *words);
// Sets the size of an em in pixels, and the weight.
void media_words_set_letters(media_words *words, double size, int bold);
// Cuts what is wider than so many pixels out of the middle, with an ellipsis in its place.
void media_words_cut(media_words *words, int width);
// In pixels, ascent and descent included.
void media_words_measure(media_words *words, int *width, int *height);
// Draws with the upper left corner at the current point.
void media_words_show(media_words *words, cairo_t *context);
