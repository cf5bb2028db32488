/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* <cuda/pipeline> on the CPU, behind leat-cuda-barrier.h.  Copies are done when they are asked for; what is left is that no
 * stage is filled before all have let go of what it held, and none is read before all have filled it. */

namespace cuda {

enum class pipeline_role
{
  producer,
  consumer
};

/* For each stage how often it was filled, and let go of. */
template <thread_scope Scope, unsigned char Stages> struct pipeline_shared_state
{
  unsigned int leat_filled[Stages], leat_freed[Stages], leat_producers, leat_consumers;
};

template <thread_scope Scope> struct pipeline
{
  leat_module *leat_thread;
  unsigned int *leat_filled, *leat_freed; /* NULL: of one thread alone, which never waits */
  unsigned int leat_stages, leat_producers, leat_consumers;
  unsigned int leat_head, leat_tail;

  LEAT_MEMBER void leat_await (const unsigned int *count, unsigned int least) const
  {
    while (__atomic_load_n (count, __ATOMIC_ACQUIRE) < least)
      leat_thread->__nanosleep (20);
  }
  LEAT_MEMBER void producer_acquire ()
  {
    if (leat_filled != nullptr)
      leat_await (&leat_freed[leat_head % leat_stages], leat_head / leat_stages * leat_consumers);
  }
  LEAT_MEMBER void producer_commit ()
  {
    if (leat_filled != nullptr)
      __atomic_fetch_add (&leat_filled[leat_head % leat_stages], 1u, __ATOMIC_RELEASE);
    leat_head++;
  }
  LEAT_MEMBER void leat_await_stage (unsigned int number) const
  {
    if (leat_filled != nullptr)
      leat_await (&leat_filled[number % leat_stages], (number / leat_stages + 1) * leat_producers);
  }
  LEAT_MEMBER void consumer_wait () { leat_await_stage (leat_tail); }
  LEAT_MEMBER void consumer_release ()
  {
    if (leat_filled != nullptr)
      __atomic_fetch_add (&leat_freed[leat_tail % leat_stages], 1u, __ATOMIC_RELEASE);
    leat_tail++;
  }
};

LEAT_INLINE pipeline<thread_scope_thread>
make_pipeline ()
{
  return { LEAT_THREAD, nullptr, nullptr, 1, 1, 1, 0, 0 };
}

template <class G, thread_scope Scope, unsigned char Stages>
LEAT_INLINE pipeline<Scope>
leat_make_pipeline (const G &g, pipeline_shared_state<Scope, Stages> *state, bool produces, bool consumes)
{
  if (g.thread_rank () == 0)
    *state = {};
  g.sync ();
  __atomic_fetch_add (&state->leat_producers, (unsigned int) produces, __ATOMIC_RELAXED);
  __atomic_fetch_add (&state->leat_consumers, (unsigned int) consumes, __ATOMIC_RELAXED);
  g.sync ();
  return { g.leat_thread, state->leat_filled, state->leat_freed, Stages, state->leat_producers, state->leat_consumers, 0, 0 };
}
template <class G, thread_scope Scope, unsigned char Stages>
LEAT_INLINE pipeline<Scope>
make_pipeline (const G &g, pipeline_shared_state<Scope, Stages> *state)
{
  return leat_make_pipeline (g, state, true, true);
}
template <class G, thread_scope Scope, unsigned char Stages>
LEAT_INLINE pipeline<Scope>
make_pipeline (const G &g, pipeline_shared_state<Scope, Stages> *state, pipeline_role role)
{
  return leat_make_pipeline (g, state, role == pipeline_role::producer, role == pipeline_role::consumer);
}
template <class G, thread_scope Scope, unsigned char Stages>
LEAT_INLINE pipeline<Scope>
make_pipeline (const G &g, pipeline_shared_state<Scope, Stages> *state, size_t producers)
{
  return leat_make_pipeline (g, state, g.thread_rank () < producers, g.thread_rank () >= producers);
}

template <unsigned char Prior, thread_scope Scope>
LEAT_INLINE void
pipeline_consumer_wait_prior (pipeline<Scope> &pipe)
{
  for (unsigned int i = pipe.leat_tail; i + Prior < pipe.leat_head; i++)
    pipe.leat_await_stage (i);
}

template <class T, class N, thread_scope Scope>
LEAT_INLINE void
memcpy_async (T *to, const T *from, const N &bytes, pipeline<Scope> &)
{
  __builtin_memcpy ((void *) to, (const void *) from, (size_t) bytes);
}
template <class G, class T, class N, thread_scope Scope>
LEAT_INLINE void
memcpy_async (const G &g, T *to, const T *from, const N &bytes, pipeline<Scope> &)
{
  leat_copy_by_group (g, to, from, bytes);
}

} // namespace cuda
