// libxml2 writes the editors' projects that are XML.
#pragma once
// Debian's libxml2 converts encodings by ICU and shows ICU's types in a structure that nothing here reads. Foundation has an ICU of its own:
// a program that imports Foundation beside this library would have two definitions of the same types.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/tree.h>

// The library's deallocator is a variable, which Swift does not import as safe.
static inline void CXMLFree(void *memory) { xmlFree(memory); }
