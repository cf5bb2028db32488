/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A signal handler that says which kernel crashed on the CPU, and how to find the line.  Touches the process's signal
 * handlers only. */

#include "leat-launch-crash.h"

#include "kernel/leat-installed-private.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define LEAT_CRASH_DRIVER   "libleat-cpu.so.1"
#define LEAT_CRASH_SYMBOL   "leat_cpu_get_running_kernel"
#define LEAT_CRASH_OVERFLOW "leat_cpu_describe_overflow"
#define LEAT_CRASH_WRAPPER  "leat_wrap_"

typedef const char *(*LeatCrashGetKernel) (void);
typedef gsize (*LeatCrashDescribeOverflow) (gconstpointer address, char *text, gsize size);

static const struct
{
  int number;
  const char *name;
} leat_crash_signals[] = { { SIGSEGV, "SIGSEGV" }, { SIGBUS, "SIGBUS" }, { SIGFPE, "SIGFPE" }, { SIGILL, "SIGILL" } };

/* Documents lie beside the tree that a tool was built in, or where Leat is installed; the folder is found before. */
static char *leat_crash_documents;

static const char leat_crash_advice[] =
  "debugging.md):\n"
  "  LEAT_KERNEL_SANITIZE=address ASAN_OPTIONS=detect_leaks=0 \\\n"
  "    LD_PRELOAD=$(gcc -print-file-name=libasan.so) leat-launch --device=cpu ...\n";

static const char leat_crash_fused[] =
  "leat-launch: several nodes are one kernel here; whether what they say by access= is so, check=true on a megakernel\n"
  "leat-launch: around them tells (";

/* The names of kernels that were made of several. */
static const char *const leat_crash_fused_names[] = { "megakernel", "fused_loop" };

static LeatCrashGetKernel leat_crash_get_kernel;
static LeatCrashDescribeOverflow leat_crash_describe_overflow;
static gboolean leat_crash_at_terminal;
static int leat_crash_begun;

/* A text put together with nothing that a signal handler may not call. */
typedef struct
{
  char text[1024];
  gsize used;
} LeatCrashText;

static void
leat_crash_text_add (LeatCrashText *self, const char *part)
{
  gsize size = MIN (strlen (part), sizeof self->text - self->used);

  memcpy (self->text + self->used, part, size);
  self->used += size;
}

static const char *
leat_crash_get_name (int number)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_crash_signals); i++)
    if (leat_crash_signals[i].number == number)
      return leat_crash_signals[i].name;
  return "a signal";
}

static gboolean
leat_crash_is_fused (const char *kernel)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_crash_fused_names); i++)
    if (strcmp (kernel, leat_crash_fused_names[i]) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
leat_crash_add_overflow (LeatCrashText *text, gconstpointer address)
{
  gsize size = 0;

  if (leat_crash_describe_overflow != NULL)
    size = leat_crash_describe_overflow (address, text->text + text->used, sizeof text->text - text->used);
  text->used += size;
  return size > 0;
}

static void
leat_crash_describe (LeatCrashText *text, int number, gconstpointer address)
{
  const char *kernel = leat_crash_get_kernel != NULL ? leat_crash_get_kernel () : NULL;
  gsize prefix = strlen (LEAT_CRASH_WRAPPER);

  if (leat_crash_at_terminal)
    leat_crash_text_add (text, "\r\033[K"); /* where progress was shown */
  if (number == SIGSEGV && leat_crash_add_overflow (text, address))
    return;
  leat_crash_text_add (text, "leat-launch: ended by ");
  leat_crash_text_add (text, leat_crash_get_name (number));
  if (kernel == NULL)
    {
      leat_crash_text_add (text, ", and not in a kernel: a mistake of Leat, of a plugin or of a library\n");
      return;
    }
  leat_crash_text_add (text, " in kernel ");
  kernel += strncmp (kernel, LEAT_CRASH_WRAPPER, prefix) == 0 ? prefix : 0;
  leat_crash_text_add (text, kernel);
  leat_crash_text_add (text, number == SIGFPE ? ": most likely it divides an integer by zero\n"
                                              : ": most likely it reads or writes outside its buffers\n");
  if (leat_crash_is_fused (kernel))
    {
      leat_crash_text_add (text, leat_crash_fused);
      leat_crash_text_add (text, leat_crash_documents);
      leat_crash_text_add (text, "nodes/megakernel.md)\n");
    }
  leat_crash_text_add (text, "leat-launch: this names the line in the kernel (");
  leat_crash_text_add (text, leat_crash_documents);
  leat_crash_text_add (text, leat_crash_advice);
}

static void
leat_crash_handle (int number, siginfo_t *info, gpointer context)
{
  LeatCrashText text = { .used = 0 };
  const char *at = text.text;

  /* Several threads may run into the same mistake; the first speaks for all. */
  if (__atomic_exchange_n (&leat_crash_begun, 1, __ATOMIC_SEQ_CST) != 0)
    for (;;)
      pause ();
  leat_crash_describe (&text, number, info->si_addr);
  while (text.used > 0)
    {
      gssize n = write (STDERR_FILENO, at, text.used);

      if (n <= 0)
        break;
      at += n;
      text.used -= (gsize) n;
    }
  /* The instruction is tried again when this returns, and a core file then shows it; what another process sent is sent
   * again. */
  signal (number, SIG_DFL);
  if (info->si_code <= 0)
    raise (number);
}

/* A sanitizer's handler knows more.  The driver's, which tells overflows only, is there when something has run. */
static gboolean
leat_crash_may_replace (const struct sigaction *before)
{
  Dl_info handler, driver;

  if (before->sa_handler == SIG_DFL)
    return TRUE;
  return before->sa_handler != SIG_IGN && leat_crash_describe_overflow != NULL
         && dladdr ((gpointer) before->sa_sigaction, &handler) != 0
         && dladdr ((gpointer) leat_crash_describe_overflow, &driver) != 0 && handler.dli_fbase == driver.dli_fbase;
}

static char *
leat_crash_find_documents (void)
{
  g_autofree char *folder = leat_installed_find ("doc/leat/docs");

  return folder != NULL ? g_strconcat (folder, "/reference/", NULL) : g_strdup ("docs/reference/");
}

void
leat_launch_explain_crashes (void)
{
  gpointer driver = dlopen (LEAT_CRASH_DRIVER, RTLD_LAZY | RTLD_NOLOAD);
  struct sigaction action = { .sa_sigaction = leat_crash_handle, .sa_flags = SA_SIGINFO | SA_ONSTACK };
  struct sigaction before;

  if (driver == NULL)
    return;
  if (g_once_init_enter (&leat_crash_documents))
    g_once_init_leave (&leat_crash_documents, leat_crash_find_documents ());
  leat_crash_get_kernel = (LeatCrashGetKernel) dlsym (driver, LEAT_CRASH_SYMBOL);
  leat_crash_describe_overflow = (LeatCrashDescribeOverflow) dlsym (driver, LEAT_CRASH_OVERFLOW);
  leat_crash_at_terminal = isatty (STDERR_FILENO);
  sigemptyset (&action.sa_mask);
  for (guint i = 0; i < G_N_ELEMENTS (leat_crash_signals); i++)
    if (sigaction (leat_crash_signals[i].number, NULL, &before) == 0 && leat_crash_may_replace (&before))
      sigaction (leat_crash_signals[i].number, &action, NULL);
}
