// libyaml reads profiles, including the order and the position of every field.
#pragma once
#include <yaml.h>
