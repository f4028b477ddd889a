#include "Words.h"
#include <pango/pangocairo.h>

// The opaque types stand for Pango objects: `media_fonts` for a context with its font map, and `media_words`
// for a layout.
static PangoContext *context_of(media_fonts *fonts) { return (PangoContext *)fonts; }
static PangoLayout *layout_of(media_words *words) { return (PangoLayout *)words; }

static PangoFontDescription *describe(double size, int bold) {
    PangoFontDescription *description = pango_font_description_new();
    pango_font_description_set_family_static(description, "sans-serif");
    pango_font_description_set_weight(description, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    pango_font_description_set_absolute_size(description, size * PANGO_SCALE);
    return description;
}

media_fonts *media_fonts_new(void) {
    // A new font map is created for each context, because the default font map isn't freed before its thread
    // ends.
    PangoFontMap *map = pango_cairo_font_map_new();
    PangoContext *context = pango_font_map_create_context(map);
    g_object_unref(map);  // The context holds a reference to it.
    PangoFontDescription *any = describe(12, 0);
    PangoFont *font = pango_context_load_font(context, any);
    pango_font_description_free(any);
    if (!font) {
        g_object_unref(context);
        return NULL;
    }
    g_object_unref(font);
    return (media_fonts *)context;
}

void media_fonts_free(media_fonts *fonts) { g_object_unref(context_of(fonts)); }

media_words *media_words_new(media_fonts *fonts, const char *utf8) {
    PangoLayout *layout = pango_layout_new(context_of(fonts));
    pango_layout_set_single_paragraph_mode(layout, TRUE);
    pango_layout_set_text(layout, utf8, -1);
    return (media_words *)layout;
}

void media_words_free(media_words *words) { g_object_unref(layout_of(words)); }

void media_words_set_letters(media_words *words, double size, int bold) {
    PangoFontDescription *description = describe(size, bold);
    pango_layout_set_font_description(layout_of(words), description);
    pango_font_description_free(description);
}

void media_words_cut(media_words *words, int width) {
    pango_layout_set_width(layout_of(words), width * PANGO_SCALE);
    pango_layout_set_ellipsize(layout_of(words), PANGO_ELLIPSIZE_MIDDLE);
}

void media_words_measure(media_words *words, int *width, int *height) {
    pango_layout_get_pixel_size(layout_of(words), width, height);
}

void media_words_show(media_words *words, cairo_t *context) { pango_cairo_show_layout(context, layout_of(words)); }
