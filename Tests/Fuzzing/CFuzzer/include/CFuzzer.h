// libFuzzer as a library. The toolchain doesn't install a header for it (LLVM,
// compiler-rt/lib/fuzzer/FuzzerInterface.h).
#pragma once
#include <stddef.h>
#include <stdint.h>

// Runs the fuzzer with the options in argv. Doesn't return after a finding.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one_input)(const uint8_t *bytes, size_t count));
