// libqrencode draws the page's address as a code that phones read.
#pragma once
#include <qrencode.h>
