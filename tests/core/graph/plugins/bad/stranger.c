/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A library that is no plugin.
 */
int stranger_answer (void);

__attribute__ ((visibility ("default"))) int
stranger_answer (void)
{
  return 42;
}
