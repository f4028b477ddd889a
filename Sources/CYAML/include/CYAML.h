// libyaml: reads profiles, with the order and the position of every field.
#pragma once
#include <yaml.h>
