// GnuTLS generates the certificates of the control room and of groups. libsoup also uses GnuTLS for TLS.
#pragma once
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

// Frees memory that GnuTLS allocated. The wrapper is needed because gnutls_free is a variable.
static inline void tls_free(void *memory) { gnutls_free(memory); }
