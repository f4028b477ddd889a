// libqrencode encodes the address of the control room as a QR code for phones.
#pragma once
#include <qrencode.h>
