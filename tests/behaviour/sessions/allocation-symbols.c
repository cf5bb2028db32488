/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "allocation-symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

/* dladdr () knows exported names alone and gives the nearest for the others, so the symbol tables of the files are
 * read. */

static GMappedFile *
allocation_symbols_get_file (const char *path)
{
  static GHashTable *files;
  GMappedFile *file;

  if (files == NULL)
    files = g_hash_table_new (g_str_hash, g_str_equal);
  if (g_hash_table_lookup_extended (files, path, NULL, (gpointer *) &file))
    return file;
  file = g_mapped_file_new (path, FALSE, NULL);
  g_hash_table_insert (files, g_strdup (path), file);
  return file;
}

static const ElfW (Shdr) * allocation_symbols_find_table (const char *data, gsize size)
{
  const ElfW (Ehdr) *header = (gconstpointer) data;
  const ElfW (Shdr) * sections;

  if (size < sizeof *header || memcmp (data, ELFMAG, SELFMAG) != 0
      || header->e_shoff + (gsize) header->e_shnum * sizeof *sections > size)
    return NULL;
  sections = (gconstpointer) (data + header->e_shoff);
  for (guint i = 0; i < header->e_shnum; i++)
    if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_offset + sections[i].sh_size <= size
        && sections[i].sh_link < header->e_shnum)
      return &sections[i];
  return NULL;
}

static const char *
allocation_symbols_find (const char *path, gsize offset)
{
  GMappedFile *file = allocation_symbols_get_file (path);
  const char *data = file != NULL ? g_mapped_file_get_contents (file) : NULL;
  const ElfW (Ehdr) *header = (gconstpointer) data;
  const ElfW (Shdr) *table =
    data != NULL ? allocation_symbols_find_table (data, g_mapped_file_get_length (file)) : NULL;
  const ElfW (Shdr) * strings;
  const ElfW (Sym) * symbols;

  if (table == NULL)
    return NULL;
  strings = (const ElfW (Shdr) *) (data + header->e_shoff) + table->sh_link;
  symbols = (gconstpointer) (data + table->sh_offset);
  for (gsize i = 0; i < table->sh_size / sizeof *symbols; i++)
    if ((symbols[i].st_info & 0xf) == STT_FUNC && offset >= symbols[i].st_value
        && offset < symbols[i].st_value + symbols[i].st_size)
      return data + strings->sh_offset + symbols[i].st_name;
  return NULL;
}

char *
allocation_symbol_dup_name (void *address, char **object)
{
  /* The call is before the address that it returns to. */
  char *call = (char *) address - 1;
  const char *name = NULL;
  Dl_info info = { NULL };

  if (dladdr (call, &info) == 0 || info.dli_fname == NULL)
    {
      *object = g_strdup ("?");
      return g_strdup ("?");
    }
  *object = g_path_get_basename (info.dli_fname);
  name = allocation_symbols_find (info.dli_fname, (gsize) (call - (char *) info.dli_fbase));
  if (name == NULL)
    name = info.dli_sname;
  return g_strdup (name != NULL ? name : "?");
}
