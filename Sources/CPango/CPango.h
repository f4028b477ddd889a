// Pango and Cairo draw the text on slates. pkg-config provides the location of their headers.
#pragma once
#include <pango/pangocairo.h>
