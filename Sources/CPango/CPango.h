// Pango and Cairo draw the words on slates. pkg-config says where their headers are.
#pragma once
#include <pango/pangocairo.h>
