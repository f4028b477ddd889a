// libFuzzer as a library (LLVM, compiler-rt/lib/fuzzer/FuzzerInterface.h has no header in the toolchain).
#pragma once
#include <stddef.h>
#include <stdint.h>

// Runs the fuzzer with its own words in argv; does not come back where something is found.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one_input)(const uint8_t *bytes, size_t count));
