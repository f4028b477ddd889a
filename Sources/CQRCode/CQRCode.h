// libqrencode draws the page's address as a QR code for phones.
#pragma once
#include <qrencode.h>
