/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* How code of a kernel file finds the thread that runs it, behind the struct leat_module.  Each use is written
 * `leat_me (leat_self)`: a parameter of that name is the thread itself, and elsewhere the name is that of the function
 * here, for which there is leat_running. */

namespace {

struct leat_anywhere
{
};

inline void leat_self (leat_anywhere) {}

LEAT_INLINE leat_module *
leat_me (leat_module *self)
{
  return self;
}

#ifdef LEAT_ANYWHERE
LEAT_INLINE leat_module *
leat_find_self ()
{
  return static_cast<leat_module *> (leat_running);
}

LEAT_INLINE leat_module *
leat_me (void (*) (leat_anywhere))
{
  return leat_find_self ();
}
#endif

} // namespace

/* For headers that need the thread itself. */
#define LEAT_THREAD leat_me (leat_self)
