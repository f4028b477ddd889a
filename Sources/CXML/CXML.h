// libxml2 writes editing projects in XML-based formats.
#pragma once
// In Debian, libxml2 uses ICU and exposes ICU types in a structure that this program doesn't use. Foundation
// contains its own copy of ICU. If these types weren't hidden, a program that imports both Foundation and
// libxml2 would have two definitions of the same types.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/tree.h>

// xmlFree is a mutable global variable, which Swift can't import safely.
static inline void CXMLFree(void *memory) { xmlFree(memory); }
