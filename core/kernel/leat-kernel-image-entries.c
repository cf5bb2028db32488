/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The kernels of a compiled image: from the text of PTX, and from the symbols of a cubin.  Reads the bytes that it is
 * given, and trusts none of them. */

#include "leat-kernel-image-private.h"

#include <elf.h>
#include <string.h>

#define LEAT_PTX_BEGINS       ".version"
#define LEAT_IMAGE_ENTRY_FLAG 0x10 /* of a symbol's st_other: a kernel, and no function that kernels call */

static const char *
leat_ptx_skip (const char *at, const char *end)
{
  while (at < end)
    {
      const char *stop = NULL;

      if (g_ascii_isspace (*at))
        at++;
      else if (end - at > 1 && at[0] == '/' && at[1] == '/')
        at = (stop = memchr (at, '\n', end - at)) != NULL ? stop + 1 : end;
      else if (end - at > 1 && at[0] == '/' && at[1] == '*')
        at = (stop = g_strstr_len (at + 2, end - at - 2, "*/")) != NULL ? stop + 2 : end;
      else
        break;
    }
  return at;
}

LeatKernelImageKind
leat_kernel_image_find_kind (gconstpointer data, gsize size)
{
  const char *text = data, *at;

  if (size >= SELFMAG && memcmp (data, ELFMAG, SELFMAG) == 0)
    return LEAT_KERNEL_IMAGE_CUBIN;
  if (size >= 4 && memcmp (data, "\x50\xed\x55\xba", 4) == 0)
    return LEAT_KERNEL_IMAGE_FATBIN;
  at = leat_ptx_skip (text, text + size);
  return size - (gsize) (at - text) >= strlen (LEAT_PTX_BEGINS)
             && memcmp (at, LEAT_PTX_BEGINS, strlen (LEAT_PTX_BEGINS)) == 0
           ? LEAT_KERNEL_IMAGE_PTX
           : LEAT_KERNEL_IMAGE_NONE;
}

const char *
leat_kernel_image_get_title (LeatKernelImageKind kind)
{
  static const char *const titles[] = { "nothing that is known", "PTX", "machine code (a cubin)",
                                        "machine code (a fatbin)" };

  return titles[kind];
}

static void
leat_kernel_image_entry_free (gpointer data)
{
  LeatKernelImageEntry *self = data;

  g_free (self->name);
  g_array_unref (self->sizes);
  g_free (self);
}

static LeatKernelImageEntry *
leat_kernel_image_add (GPtrArray *entries, const char *name, gsize length)
{
  LeatKernelImageEntry *entry = g_new0 (LeatKernelImageEntry, 1);

  entry->name = g_strndup (name, length);
  entry->sizes = g_array_new (FALSE, FALSE, sizeof (guint));
  g_ptr_array_add (entries, entry);
  return entry;
}

/* A word of PTX: letters, digits, `_`, `$`, `%` and `.`, or one other character. */
static gsize
leat_ptx_measure (const char *at, const char *end)
{
  const char *from = at;

  while (at < end && (g_ascii_isalnum (*at) || strchr ("_$%.", *at) != NULL))
    at++;
  return at > from ? at - from : at < end;
}

static gboolean
leat_ptx_next (const char **at, const char *end, const char **word, gsize *length)
{
  *word = leat_ptx_skip (*at, end);
  *length = leat_ptx_measure (*word, end);
  *at = *word + *length;
  return *length > 0;
}

static gboolean
leat_ptx_is (const char *word, gsize length, const char *wanted)
{
  return length == strlen (wanted) && memcmp (word, wanted, length) == 0;
}

/* ".u64" has 8 bytes; 0 for what is no type. */
static guint
leat_ptx_get_type_bytes (const char *word, gsize length)
{
  guint bits = 0;

  if (length < 3 || length > 5 || word[0] != '.' || strchr ("usfb", word[1]) == NULL)
    return 0;
  for (gsize i = 2; i < length; i++)
    {
      if (!g_ascii_isdigit (word[i]))
        return 0;
      bits = bits * 10 + (guint) (word[i] - '0');
    }
  return bits / 8;
}

/* At most 65535, which is more than a kernel takes. */
static guint
leat_ptx_read_number (const char *word, gsize length)
{
  guint number = 0;

  for (gsize i = 0; i < length && g_ascii_isdigit (word[i]); i++)
    number = MIN (number * 10 + (guint) (word[i] - '0'), G_MAXUINT16);
  return number;
}

/* `.param .align 8 .b8 k_param_2[16], ...` up to the closing parenthesis.  Goes on from @at, and leaves it behind. */
static void
leat_ptx_read_params (LeatKernelImageEntry *entry, const char **at, const char *end)
{
  const char *word;
  gsize length;
  guint bytes = 0, none = 0;

  entry->tells_sizes = leat_ptx_next (at, end, &word, &length) && leat_ptx_is (word, length, "(");
  while (entry->tells_sizes && leat_ptx_next (at, end, &word, &length) && !leat_ptx_is (word, length, ")"))
    {
      guint type = leat_ptx_get_type_bytes (word, length);

      if (leat_ptx_is (word, length, ".param"))
        g_array_append_val (entry->sizes, none);
      if (entry->sizes->len == 0)
        continue;
      if (type > 0)
        g_array_index (entry->sizes, guint, entry->sizes->len - 1) = bytes = type;
      if (leat_ptx_is (word, length, "[") && leat_ptx_next (at, end, &word, &length))
        g_array_index (entry->sizes, guint, entry->sizes->len - 1) = bytes * leat_ptx_read_number (word, length);
    }
}

static GPtrArray *
leat_ptx_list (const char *text, gsize size)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func (leat_kernel_image_entry_free);
  const char *at = text, *end = text + size, *word;
  gsize length;

  while (leat_ptx_next (&at, end, &word, &length))
    if (leat_ptx_is (word, length, ".entry") && leat_ptx_next (&at, end, &word, &length))
      leat_ptx_read_params (leat_kernel_image_add (entries, word, length), &at, end);
  return entries;
}

/* The bytes of a section; NULL where they are not all within the image. */
static const char *
leat_cubin_get_section (const char *data, gsize size, guint64 number, Elf64_Shdr *section)
{
  Elf64_Ehdr head;
  guint64 at;

  memcpy (&head, data, sizeof head);
  at = head.e_shoff + number * sizeof *section;
  if (number >= head.e_shnum || head.e_shentsize != sizeof *section || head.e_shoff > size || at > size
      || size - at < sizeof *section)
    return NULL;
  memcpy (section, data + at, sizeof *section);
  return section->sh_offset <= size && section->sh_size <= size - section->sh_offset ? data + section->sh_offset : NULL;
}

static void
leat_cubin_add_symbols (GPtrArray *entries, const char *data, gsize size, guint64 number)
{
  Elf64_Shdr table, texts;
  const char *symbols = leat_cubin_get_section (data, size, number, &table);
  const char *names =
    symbols != NULL && table.sh_type == SHT_SYMTAB ? leat_cubin_get_section (data, size, table.sh_link, &texts) : NULL;

  for (guint64 at = 0; names != NULL && at + sizeof (Elf64_Sym) <= table.sh_size; at += sizeof (Elf64_Sym))
    {
      Elf64_Sym symbol;
      const char *stop;

      memcpy (&symbol, symbols + at, sizeof symbol);
      if (ELF64_ST_TYPE (symbol.st_info) != STT_FUNC || !(symbol.st_other & LEAT_IMAGE_ENTRY_FLAG)
          || symbol.st_name >= texts.sh_size)
        continue;
      stop = memchr (names + symbol.st_name, '\0', texts.sh_size - symbol.st_name);
      if (stop != NULL)
        leat_kernel_image_add (entries, names + symbol.st_name, stop - (names + symbol.st_name));
    }
}

static GPtrArray *
leat_cubin_list (const char *data, gsize size)
{
  Elf64_Ehdr head;
  GPtrArray *entries;

  if (size < sizeof head)
    return NULL;
  memcpy (&head, data, sizeof head);
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB)
    return NULL;
  entries = g_ptr_array_new_with_free_func (leat_kernel_image_entry_free);
  for (guint64 i = 0; i < head.e_shnum; i++)
    leat_cubin_add_symbols (entries, data, size, i);
  return entries;
}

GPtrArray *
leat_kernel_image_list (LeatKernelImageKind kind, gconstpointer data, gsize size)
{
  return kind == LEAT_KERNEL_IMAGE_PTX     ? leat_ptx_list (data, size)
         : kind == LEAT_KERNEL_IMAGE_CUBIN ? leat_cubin_list (data, size)
                                           : NULL;
}

char *
leat_kernel_image_dup_plain (const char *name)
{
  char *rest = NULL;
  guint64 length;

  if (!g_str_has_prefix (name, "_Z"))
    return NULL;
  length = g_ascii_strtoull (name + 2, &rest, 10);
  return length > 0 && length < strlen (rest) ? g_strndup (rest, length) : NULL;
}
