// Renders lines of text with Pango, in any script that the installed fonts support. Only Words.c includes the
// Pango headers, because modules that import this header are compiled without the search paths of Pango.
#pragma once
#include <cairo/cairo.h>

// Access to the installed fonts, for use on one thread. `media_fonts_new` returns NULL if no font is
// available.
typedef struct media_fonts media_fonts;
media_fonts *media_fonts_new(void);
void media_fonts_free(media_fonts *fonts);

// One line of text. Line breaks in the text are shown as symbols. Free the line before you free the fonts.
typedef struct media_words media_words;
media_words *media_words_new(media_fonts *fonts, const char *utf8);
void media_words_free(media_words *words);
// Sets the font size (the size of an em in pixels) and the font weight.
void media_words_set_letters(media_words *words, double size, int bold);
// Limits the width of the text to the given number of pixels. An ellipsis replaces the middle of a longer
// text.
void media_words_cut(media_words *words, int width);
// Measures the text in pixels. The height includes the ascent and the descent.
void media_words_measure(media_words *words, int *width, int *height);
// Draws the text with its upper left corner at the current point.
void media_words_show(media_words *words, cairo_t *context);
