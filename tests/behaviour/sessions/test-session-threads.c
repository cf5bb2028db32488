/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat.h"

#include "driver/leat-thread-private.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A user who may have no more threads. */

/* From now on this thread can start no other: the calls fail as they do at the limit.  FALSE where the kernel lets
 * nobody say so. */
static gboolean
refuse_threads (void)
{
  struct sock_filter rules[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 1, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { G_N_ELEMENTS (rules), rules };

  return prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Without what is done at a program's end: a sanitizer starts a thread there. */
static void
leave (void)
{
  _exit (EXIT_SUCCESS);
}

static gpointer
do_nothing (gpointer data)
{
  return NULL;
}

static void
assert_refused (const GError *error, const char *name)
{
  g_test_message ("%s", error->message);
  g_assert_error (error, G_THREAD_ERROR, G_THREAD_ERROR_AGAIN);
  g_assert_nonnull (strstr (error->message, "cannot start the thread \""));
  g_assert_nonnull (strstr (error->message, name));
}

/* A stream through two lanes has two threads of its own. */
static void
subprocess_stream (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;

  pipeline = leat_parse_text ("leat 1\nio:file path=/dev/zero out=u8[64] -> upload -> readback -> discard\n",
                              LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  session = leat_session_new (pipeline, "cpu");
  g_object_set (session, "lanes", 2u, NULL);
  g_assert_true (leat_session_open (session, NULL, &error));
  if (!refuse_threads ())
    return;
  g_assert_false (leat_session_run (session, NULL, &error));
  assert_refused (error, "leat-writer");
  leave ();
}

static void
subprocess_start (void)
{
  g_autoptr (GError) error = NULL;

  if (!refuse_threads ())
    return;
  g_assert_null (leat_thread_start ("some", do_nothing, NULL, &error));
  assert_refused (error, "some");
  leave ();
}

static void
test_threads_apart (gconstpointer name)
{
  g_test_trap_subprocess (name, 0, 0);
  g_test_trap_assert_passed ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/session/threads/start", "/leat/session/threads/subprocess/start", test_threads_apart);
  g_test_add_func ("/leat/session/threads/subprocess/start", subprocess_start);
  g_test_add_data_func ("/leat/session/threads/stream", "/leat/session/threads/subprocess/stream", test_threads_apart);
  g_test_add_func ("/leat/session/threads/subprocess/stream", subprocess_stream);
  return g_test_run ();
}
