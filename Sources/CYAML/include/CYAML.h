// libyaml parses profiles and reports the order and position of all fields.
#pragma once
#include <yaml.h>
