/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* Each fuzzer is one file with these two.  Linked with leat-fuzz.c it is a bounded test that tries the seeds and
 * mutations of them; compiled with clang -fsanitize=fuzzer in its place, libFuzzer drives it (afl++ does the same). */

/* The entry point that libFuzzer calls.  What must hold is checked with g_assert: a failure ends the process. */
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* Words that mutations put in. */
extern const char *const leat_fuzz_words[];
