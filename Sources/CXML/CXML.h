// libxml2 writes the editor projects that use XML.
#pragma once
// Debian's libxml2 converts encodings with ICU and exposes ICU's types in a structure that this program doesn't use.
// Foundation contains a separate ICU. A program that imports both Foundation and this library would have two
// definitions of the same types.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/tree.h>

// xmlFree is a mutable global variable, which Swift can't import safely.
static inline void CXMLFree(void *memory) { xmlFree(memory); }
