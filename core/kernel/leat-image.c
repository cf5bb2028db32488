/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds or makes the image of a source: shipped with the project, cached on disk, or compiled now. */

#include "leat-image-pack-private.h"
#include "leat-kernel-unit-private.h"

#include "driver/leat-system-folders-private.h"
#include "kernel/leat-kernel-identity.h"
#include "leat-kernel-source-private.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

static guint leat_image_counters[4];

/* Chains stretches of bytes into a key; a length goes before each, so that they cannot be shifted. */
typedef struct
{
  XXH3_state_t *state;
} LeatImageHasher;

static LeatImageHasher *
leat_image_hasher_new (void)
{
  LeatImageHasher *self = g_new (LeatImageHasher, 1);

  self->state = XXH3_createState ();
  XXH3_128bits_reset (self->state);
  return self;
}

static void
leat_image_hasher_add (LeatImageHasher *self, const char *text)
{
  guint64 length = GUINT64_TO_LE (strlen (text));

  XXH3_128bits_update (self->state, &length, sizeof length);
  XXH3_128bits_update (self->state, text, strlen (text));
}

/* Frees @self. */
static LeatImageKey
leat_image_hasher_finish (LeatImageHasher *self)
{
  XXH128_canonical_t canonical;
  LeatImageKey key;

  XXH128_canonicalFromHash (&canonical, XXH3_128bits_digest (self->state));
  memcpy (key.bytes, canonical.digest, sizeof key.bytes);
  XXH3_freeState (self->state);
  g_free (self);
  return key;
}

/* The text behind the preprocessor, which is all that anybody reads of the user's files.  The text for a
 * compiler follows from it and from the code that transforms it, whose identity is in the key too.  To transform takes
 * longer than all else that a start with a warm cache does. */
static void
leat_image_hasher_add_source (LeatImageHasher *self, LeatKernelSource *source)
{
  const LeatKernelText *text = leat_kernel_source_get_text (source);

  leat_image_hasher_add (self, LEAT_KERNEL_IDENTITY);
  leat_image_hasher_add (self, text->text);
  for (guint i = 0; i < text->labels->len; i++)
    leat_image_hasher_add (self, g_ptr_array_index (text->labels, i));
}

/* A CPU knows one freedom alone. */
static void
leat_image_hasher_add_floats (LeatImageHasher *self, LeatKernelSource *source, const LeatImageTarget *target)
{
  LeatFloatFlags floats = leat_kernel_source_get_floats (source);
  g_autofree char *names =
    leat_float_flags_to_string (target->kind == LEAT_IMAGE_HOST ? floats & LEAT_FLOATS_CONTRACT : floats);

  leat_image_hasher_add (self, names);
}

void
leat_image_make_key (LeatKernelSource *source, const LeatImageTarget *target, const char *compiler, LeatImageKey *key)
{
  g_autofree char *target_name = leat_image_target_to_string (target);
  LeatImageHasher *hasher = leat_image_hasher_new ();
  /* One that does not fit its device has no image. */
  LeatKernelSource *made = leat_image_target_get_source (target, source, NULL);

  leat_image_hasher_add (hasher, "leat image 3");
  leat_image_hasher_add_source (hasher, made != NULL ? made : source);
  leat_image_hasher_add (hasher, target_name);
  leat_image_hasher_add_floats (hasher, source, target);
  if (target->timed)
    leat_image_hasher_add (hasher, "timed");
  if (target->indirect)
    leat_image_hasher_add (hasher, "indirect");
  if (target->wide)
    leat_image_hasher_add (hasher, "lanes");
  if (target->persistent)
    leat_image_hasher_add (hasher, "persistent");
  if (target->enclosed)
    leat_image_hasher_add (hasher, "enclosed");
  if (target->whole)
    leat_image_hasher_add (hasher, "whole");
  if (compiler != NULL)
    leat_image_hasher_add (hasher, compiler);
  if (compiler != NULL && target->kind == LEAT_IMAGE_HOST && leat_image_get_sanitizer () != NULL)
    leat_image_hasher_add (hasher, leat_image_get_sanitizer ());
  if (g_str_equal (target->level, "native"))
    {
      g_autofree char *cpu = leat_image_dup_cpu ();

      leat_image_hasher_add (hasher, cpu);
    }
  *key = leat_image_hasher_finish (hasher);
}

char *
leat_image_dup_shipped_name (const char *source_name, const LeatImageTarget *target)
{
  g_autofree char *base = g_path_get_basename (source_name), *target_name = leat_image_target_to_string (target);

  return g_strdup_printf ("%s.%s.img", base, target_name);
}

static void
leat_image_add_folders (GPtrArray *folders, const char *variable, const char *inner)
{
  const char *path = g_getenv (variable);
  g_auto (GStrv) given = path != NULL ? g_strsplit (path, G_SEARCHPATH_SEPARATOR_S, -1) : NULL;

  for (guint i = 0; given != NULL && given[i] != NULL; i++)
    if (*given[i] != '\0')
      g_ptr_array_add (folders, g_build_filename (given[i], inner, NULL));
}

/* The folders that may hold shipped images: beside the plugins. */
static char **
leat_image_list_shipped_folders (void)
{
  GPtrArray *folders = g_ptr_array_new ();
  g_auto (GStrv) installed = leat_system_folders_list ();

  leat_image_add_folders (folders, "LEAT_IMAGE_PATH", NULL);
  leat_image_add_folders (folders, "LEAT_PLUGIN_PATH", "images");
  for (guint i = 0; installed[i] != NULL; i++)
    g_ptr_array_add (folders, g_build_filename (installed[i], "images", NULL));
  g_ptr_array_add (folders, NULL);
  return (char **) g_ptr_array_free (folders, FALSE);
}

static GBytes *
leat_image_find_shipped_for (LeatKernelSource *source, const LeatImageTarget *target)
{
  g_auto (GStrv) folders = leat_image_list_shipped_folders ();
  g_autofree char *name = leat_image_dup_shipped_name (leat_kernel_source_get_name (source), target);
  GBytes *image = NULL;
  LeatImageKey key;

  for (guint i = 0; image == NULL && folders[i] != NULL; i++)
    {
      int folder = open (folders[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

      if (folder < 0)
        continue;
      if (faccessat (folder, name, R_OK, 0) == 0)
        {
          leat_image_make_key (source, target, NULL, &key);
          image = leat_image_store_read (folder, name, &key, NULL);
        }
      close (folder);
    }
  return image;
}

/* One that was compiled when Leat was built, as plugins have for their few files. */
static GBytes *
leat_image_find_built (LeatKernelSource *source, const LeatImageTarget *target)
{
  static const char *const levels[] = { "x86-64-v3", "x86-64" };
  GBytes *image = NULL;

  if (!g_str_equal (target->level, "native"))
    return leat_image_target_runs (target, target) ? leat_image_find_shipped_for (source, target) : NULL;
  for (guint i = 0; image == NULL && i < G_N_ELEMENTS (levels); i++)
    {
      LeatImageTarget level = { LEAT_IMAGE_HOST, "", 0 };

      g_strlcpy (level.level, levels[i], sizeof level.level);
      if (leat_image_target_runs (&level, target))
        image = leat_image_find_shipped_for (source, &level);
    }
  return image;
}

/* The best shipped image for @target. */
static GBytes *
leat_image_find_shipped (LeatKernelSource *source, const LeatImageTarget *target)
{
  g_auto (GStrv) folders = leat_image_list_shipped_folders ();
  GBytes *image = leat_image_packs_find (folders, source, target);

  if (image == NULL && (leat_image_target_get_form (target) & ~LEAT_KERNEL_WHOLE) == LEAT_KERNEL_PLAIN)
    image = leat_image_find_built (source, target);
  if (image != NULL)
    g_atomic_int_inc (&leat_image_counters[0]);
  return image;
}

/* The newest PTX that becomes what @target needs.  For want of a compiler only: a driver older than the NVRTC that made
 * it refuses it. */
static GBytes *
leat_image_find_shipped_ptx (LeatKernelSource *source, const LeatImageTarget *target)
{
  static const guint versions[] = { 120, 100, 90, 89, 86, 80, 75, 70 };
  GBytes *image = NULL;

  for (guint i = 0; image == NULL && target->kind == LEAT_IMAGE_CUBIN && i < G_N_ELEMENTS (versions); i++)
    {
      LeatImageTarget older = { LEAT_IMAGE_PTX, "", versions[i] };

      if (versions[i] <= target->capability)
        image = leat_image_find_shipped_for (source, &older);
    }
  return image;
}

GBytes *
leat_image_compile (LeatKernelSource *source, const LeatImageTarget *target, GError **error)
{
  g_return_val_if_fail (source != NULL && target != NULL, NULL);
  return target->kind == LEAT_IMAGE_HOST ? leat_image_host_compile (source, target, error)
                                         : leat_image_nvrtc_compile (source, target, error);
}

/* From the cache, else from the compiler whose identity is @compiler. */
static GBytes *
leat_image_make (LeatKernelSource *source, const LeatImageTarget *target, const char *compiler, GError **error)
{
  gboolean damaged = FALSE;
  LeatImageKey key, plain;
  GBytes *image;

  leat_image_make_key (source, target, compiler, &key);
  image = leat_image_cache_lookup (&key, &damaged);
  if (damaged)
    g_atomic_int_inc (&leat_image_counters[3]);
  if (image != NULL)
    {
      g_atomic_int_inc (&leat_image_counters[1]);
      return image;
    }
  image = leat_image_compile (source, target, error);
  if (image == NULL)
    return NULL;
  g_atomic_int_inc (&leat_image_counters[2]);
  leat_image_make_key (source, target, NULL, &plain);
  leat_image_cache_insert (&key, &plain, image);
  return image;
}

/* For want of a compiler. */
static GBytes *
leat_image_find_cached (LeatKernelSource *source, const LeatImageTarget *target)
{
  LeatImageKey plain;
  GBytes *image;

  if (target->kind == LEAT_IMAGE_HOST && leat_image_get_sanitizer () != NULL)
    return NULL;
  leat_image_make_key (source, target, NULL, &plain);
  image = leat_image_cache_lookup_last (&plain);
  if (image != NULL)
    g_atomic_int_inc (&leat_image_counters[1]);
  return image;
}

GBytes *
leat_image_get_shipped_here (LeatKernelSource *source, const LeatImageTarget *target)
{
  return leat_kernel_source_get_image (source) == NULL ? leat_image_find_shipped (source, target) : NULL;
}

GBytes *
leat_image_get_here (LeatKernelSource *source, const LeatImageTarget *target, GError **error)
{
  gboolean may_ship = ((leat_image_target_get_form (target) & ~LEAT_KERNEL_WHOLE) == LEAT_KERNEL_PLAIN);
  LeatImageTarget asked = leat_image_target_get_compiled (target);
  g_autoptr (GBytes) image = NULL;
  g_autoptr (GError) local = NULL;
  g_autofree char *compiler = NULL;

  if (leat_kernel_source_get_image (source) != NULL)
    return leat_kernel_source_take_image (source, target->kind == LEAT_IMAGE_HOST, may_ship, error);
  image = leat_image_find_shipped (source, target);
  if (image != NULL)
    return g_steal_pointer (&image);
  compiler = target->kind == LEAT_IMAGE_HOST ? leat_image_host_dup_identity (&local)
                                             : leat_image_nvrtc_dup_identity (source, &local);
  if (compiler != NULL)
    return leat_image_make (source, &asked, compiler, error);
  image = leat_image_find_cached (source, &asked);
  if (image != NULL)
    return g_steal_pointer (&image);
  if (may_ship)
    image = leat_image_find_shipped_ptx (source, target);
  if (image == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return NULL;
    }
  g_atomic_int_inc (&leat_image_counters[0]);
  return g_steal_pointer (&image);
}

char *
leat_image_dup_plain_symbol (const char *entry)
{
  return leat_kernel_dup_symbol (entry);
}

char *
leat_image_dup_symbol (const char *entry)
{
  g_autofree char *symbol = leat_image_dup_plain_symbol (entry);

  return g_strconcat ("leat_wrap_", symbol, NULL);
}

char *
leat_image_dup_timed_symbol (const char *entry, gboolean wrapped)
{
  g_autofree char *symbol = leat_image_dup_plain_symbol (entry);

  return g_strconcat (wrapped ? "leat_time_" : "leat_clock_", symbol, NULL);
}

char *
leat_image_dup_wide_symbol (const char *entry)
{
  g_autofree char *symbol = leat_image_dup_plain_symbol (entry);

  return g_strconcat ("leat_wide_", symbol, NULL);
}

LeatImageCounts
leat_image_get_counts (void)
{
  return (LeatImageCounts){
    g_atomic_int_get (&leat_image_counters[0]),
    g_atomic_int_get (&leat_image_counters[1]),
    g_atomic_int_get (&leat_image_counters[2]),
    g_atomic_int_get (&leat_image_counters[3]),
  };
}
