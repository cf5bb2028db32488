/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The contents of the files that a kernel's text is made of.  They are read once, so that what is made of them for one
 * target later fits what was made for another. */

#include "leat-kernel-file-private.h"
#include "leat-kernel-source-private.h"

#include <string.h>
#include <sys/stat.h>

struct _LeatKernelTexts
{
  gatomicrefcount refs;
  GMutex lock;            /* the tables; a text stays where it is */
  GHashTable *texts;      /* char* -> char* */
  GHashTable *identities; /* char* -> char* */
};

LeatKernelTexts *
leat_kernel_texts_new (void)
{
  LeatKernelTexts *self = g_new0 (LeatKernelTexts, 1);

  g_atomic_ref_count_init (&self->refs);
  g_mutex_init (&self->lock);
  self->texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->identities = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return self;
}

LeatKernelTexts *
leat_kernel_texts_ref (LeatKernelTexts *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
leat_kernel_texts_unref (LeatKernelTexts *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_hash_table_unref (self->texts);
  g_hash_table_unref (self->identities);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Some editors put a byte order mark first, and others a carriage return at each line's end. */
static char *
leat_kernel_texts_dup_clean (const char *text)
{
  const char *from = g_str_has_prefix (text, "\xef\xbb\xbf") ? text + 3 : text;
  char *clean = g_malloc (strlen (from) + 1), *to = clean;

  for (; *from != '\0'; from++)
    if (from[0] != '\r' || from[1] != '\n')
      *to++ = *from;
  *to = '\0';
  return clean;
}

void
leat_kernel_texts_add (LeatKernelTexts *self, const char *path, const char *text)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (!g_hash_table_contains (self->texts, path))
    g_hash_table_insert (self->texts, g_strdup (path), leat_kernel_texts_dup_clean (text));
}

static const char *
leat_kernel_texts_peek (LeatKernelTexts *self, const char *path)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return g_hash_table_lookup (self->texts, path);
}

gboolean
leat_kernel_texts_has (LeatKernelTexts *self, const char *path)
{
  return leat_kernel_texts_peek (self, path) != NULL;
}

const char *
leat_kernel_texts_get (LeatKernelTexts *self, const char *path, GError **error)
{
  const char *known = leat_kernel_texts_peek (self, path);
  g_autofree char *text = NULL;
  gsize length;

  if (known != NULL)
    return known;
  text = leat_kernel_file_read (path, &length, error);
  if (text == NULL)
    return NULL;
  if (memchr (text, '\0', length) != NULL)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "it is not text");
      return NULL;
    }
  leat_kernel_texts_add (self, path, text);
  return leat_kernel_texts_peek (self, path);
}

gboolean
leat_kernel_texts_mention (LeatKernelTexts *self, const char *words)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  GHashTableIter iter;
  gpointer text;

  g_hash_table_iter_init (&iter, self->texts);
  while (g_hash_table_iter_next (&iter, NULL, &text))
    if (strstr (text, words) != NULL)
      return TRUE;
  return FALSE;
}

const char *
leat_kernel_texts_identify (LeatKernelTexts *self, const char *path)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  const char *known = g_hash_table_lookup (self->identities, path);
  struct stat facts;
  char *made;

  if (known != NULL)
    return known;
  made = stat (path, &facts) == 0 ? g_strdup_printf ("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT, (guint64) facts.st_dev,
                                                     (guint64) facts.st_ino)
                                  : g_strdup (path);
  g_hash_table_insert (self->identities, g_strdup (path), made);
  return made;
}

/* All files that were read so far; one text may have read more of them for another target. */
static char *
leat_kernel_texts_dup_whole (LeatKernelTexts *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  g_autoptr (GList) paths = g_list_sort (g_hash_table_get_keys (self->texts), (GCompareFunc) strcmp);
  GString *whole = g_string_new (NULL);

  for (GList *link = paths; link != NULL; link = link->next)
    g_string_append_printf (whole, "%s\n%s\n", (char *) link->data,
                            (char *) g_hash_table_lookup (self->texts, link->data));
  return g_string_free (whole, FALSE);
}

gboolean
leat_kernel_texts_equal (LeatKernelTexts *self, LeatKernelTexts *other)
{
  g_autofree char *a = NULL, *b = NULL;

  if (self == other)
    return TRUE;
  a = leat_kernel_texts_dup_whole (self);
  b = leat_kernel_texts_dup_whole (other);
  return g_str_equal (a, b);
}

/**
 * leat_kernel_split_defines: (skip)
 * @list: macros with commas between, as in `A,N=16,F(x,y)=x`
 *
 * Splits the text of a property that has macros. Commas in parentheses and quotes do not separate.
 *
 * Returns: (transfer full) (array zero-terminated=1): the macros, each by itself
 *
 * Since: 0.1
 */
char **
leat_kernel_split_defines (const char *list)
{
  g_autoptr (GPtrArray) defines = g_ptr_array_new ();
  gint depth = 0;
  char quote = '\0';
  const char *begin = list;

  for (const char *p = list;; p++)
    {
      if (*p == '\0' || (*p == ',' && depth <= 0 && quote == '\0'))
        {
          g_autofree char *define = g_strstrip (g_strndup (begin, p - begin));

          if (*define != '\0')
            g_ptr_array_add (defines, g_steal_pointer (&define));
          begin = p + 1;
        }
      if (*p == '\0')
        break;
      if (*p == '\\' && quote != '\0' && p[1] != '\0')
        p++;
      else if (quote != '\0' ? *p == quote : *p == '"' || *p == '\'')
        quote = quote != '\0' ? '\0' : *p;
      else if (quote == '\0')
        depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
    }
  g_ptr_array_add (defines, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&defines), FALSE);
}
