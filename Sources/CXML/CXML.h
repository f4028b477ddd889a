// libxml2 writes the editors' projects that are XML.
#pragma once
#include <libxml/tree.h>

// The library's deallocator is a variable, which Swift does not import as safe.
static inline void CXMLFree(void *memory) { xmlFree(memory); }
