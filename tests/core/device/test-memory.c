/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "device-harness.h"

#include "device/leat-device-object-private.h"
#include "device/leat-reserve-private.h"

#include <string.h>

#define MIB (G_GUINT64_CONSTANT (1) << 20)

static LeatMemory *
take (LeatDevice *device, LeatMemoryKind kind, guint64 bytes)
{
  g_autoptr (GError) error = NULL;
  LeatMemory *memory = leat_memory_new (device, kind, bytes, "a test", &error);

  g_assert_no_error (error);
  g_assert_nonnull (memory);
  return memory;
}

static void
assert_refused (LeatDevice *device, LeatMemoryKind kind, guint64 bytes, const char *text)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_memory_new (device, kind, bytes, "weights of n0", &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "weights of n0"));
  g_assert_nonnull (strstr (error->message, text));
}

static void
test_memory_holds_data (void)
{
  g_autoptr (GError) error = NULL;
  DeviceHarness harness;
  g_autoptr (LeatMemory) memory = NULL;
  char read[4] = { 0 };

  device_harness_init (&harness, "100000000");
  memory = take (harness.device, LEAT_MEMORY_DEVICE, 10);
  g_assert_cmpuint (leat_memory_get_bytes (memory), ==, 10);
  g_assert_null (leat_memory_get_host (memory));
  g_assert_cmpuint (leat_memory_get_address (memory) % 256, ==, 0);
  g_assert_true (leat_memory_write (memory, 6, "leat", 4, &error));
  g_assert_true (leat_memory_read (memory, 6, read, 4, &error));
  g_assert_cmpmem (read, 4, "leat", 4);
  g_assert_true (leat_memory_write (memory, 10, "", 0, &error));
  g_assert_no_error (error);

  g_assert_false (leat_memory_write (memory, 7, "leat", 4, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_INVALID);
  g_clear_error (&error);
  g_assert_false (leat_memory_read (memory, G_MAXUINT64, read, 4, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_INVALID);
  g_clear_pointer (&memory, leat_memory_free);
  device_harness_clear (&harness);
}

/* From nothing to all, at the start and up to the end: what was written is there, and nothing else has changed. */
static void
test_memory_writes_what_it_is_given (void)
{
  g_autoptr (GError) error = NULL;
  DeviceHarness harness;
  g_autoptr (LeatMemory) memory = NULL;
  char data[11] = "abcdefghij", all[10];

  device_harness_init (&harness, "100000000");
  memory = take (harness.device, LEAT_MEMORY_DEVICE, 10);
  for (guint bytes = 0; bytes <= 11; bytes++)
    for (guint offset = 0; offset <= 11; offset++)
      {
        gboolean fits = offset + bytes <= 10;
        char part[11] = "??????????", expected[10] = "..........";

        g_assert_true (leat_memory_write (memory, 0, "..........", 10, &error));
        g_assert_cmpint (leat_memory_write (memory, offset, data, bytes, &error), ==, fits);
        if (!fits)
          g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_INVALID);
        g_clear_error (&error);
        if (fits)
          memcpy (expected + offset, data, bytes);
        g_assert_true (leat_memory_read (memory, 0, all, 10, &error));
        g_assert_cmpmem (all, 10, expected, 10);
        g_assert_cmpint (leat_memory_read (memory, offset, part, bytes, &error), ==, fits);
        g_clear_error (&error);
        g_assert_cmpmem (part, bytes, fits ? data : "??????????", bytes);
      }
  g_clear_pointer (&memory, leat_memory_free);
  device_harness_clear (&harness);
}

static void
test_memory_pinned_has_two_addresses (void)
{
  DeviceHarness harness;
  g_autoptr (LeatMemory) memory = NULL;

  device_harness_init (&harness, "100000000");
  memory = take (harness.device, LEAT_MEMORY_PINNED, 4096);
  g_assert_nonnull (leat_memory_get_host (memory));
  g_assert_cmpuint (leat_memory_get_address (memory), !=, 0);
  g_assert_cmpint (leat_memory_get_kind (memory), ==, LEAT_MEMORY_PINNED);
  g_clear_pointer (&memory, leat_memory_free);
  device_harness_clear (&harness);
}

static void
test_memory_pool_rounds (void)
{
  static const guint64 rows[][2] = {
    { 0, 256 },
    { 1, 256 },
    { 256, 256 },
    { 257, 512 },
    { 2048, 2048 },
    { 4095, 4096 },
    { 4096, 4096 },
    { 4097, 4096 + 512 },
    { 5 * MIB, 5 * MIB },
    { 5 * MIB + 1, 5 * MIB + MIB / 2 },
    { 64 * MIB, 64 * MIB },
    { 64 * MIB + 1, 66 * MIB },
    { 1000 * MIB - 5, 1000 * MIB },
    { (guint64) G_MAXINT64 + 1, 0 },
    { G_MAXUINT64, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_cmpuint (leat_memory_pool_round (rows[i][0]), ==, rows[i][1]);
  /* Every size fits, wastes at most an eighth, and is a fixed point. */
  for (guint64 bytes = 2048; bytes < 300 * MIB; bytes += bytes / 37 + 1)
    {
      guint64 block = leat_memory_pool_round (bytes);

      g_assert_cmpuint (block, >=, bytes);
      g_assert_cmpuint (block - bytes, <=, bytes / 8 + 1);
      g_assert_cmpuint (leat_memory_pool_round (block), ==, block);
      g_assert_cmpuint (block % 256, ==, 0);
    }
}

static void
test_memory_pool_reuses_blocks (void)
{
  DeviceHarness harness;
  LeatMemory *memory;
  LeatMemoryCounts counts;
  CUdeviceptr address;

  device_harness_init (&harness, "100000000");
  memory = take (harness.device, LEAT_MEMORY_DEVICE, 5000);
  address = leat_memory_get_address (memory);
  leat_device_get_memory_counts (harness.device, LEAT_MEMORY_DEVICE, &counts);
  g_assert_cmpuint (counts.live_bytes, ==, 5120);
  g_assert_cmpuint (counts.live_count, ==, 1);
  leat_memory_free (memory);
  leat_device_get_memory_counts (harness.device, LEAT_MEMORY_DEVICE, &counts);
  g_assert_cmpuint (counts.live_bytes, ==, 0);
  g_assert_cmpuint (counts.cached_bytes, ==, 5120);

  memory = take (harness.device, LEAT_MEMORY_DEVICE, 5100);
  g_assert_cmpuint (leat_memory_get_address (memory), ==, address);
  g_assert_cmpuint (leat_memory_get_bytes (memory), ==, 5100);
  leat_memory_free (memory);
  leat_device_get_memory_counts (harness.device, LEAT_MEMORY_DEVICE, &counts);
  g_assert_cmpuint (counts.driver_allocations, ==, 1);
  g_assert_cmpuint (counts.driver_frees, ==, 0);
  g_assert_cmpuint (counts.peak_bytes, ==, 5120);

  leat_device_trim (harness.device, 0);
  leat_device_get_memory_counts (harness.device, LEAT_MEMORY_DEVICE, &counts);
  g_assert_cmpuint (counts.cached_bytes, ==, 0);
  g_assert_cmpuint (counts.driver_frees, ==, 1);
  g_assert_cmpuint (harness.fake.get_live_bytes (), ==, 0);
  device_harness_clear (&harness);
}

static void
wait_for_reserve (LeatReserve *reserve)
{
  leat_reserve_begin (reserve);
  while (!leat_reserve_is_done (reserve))
    g_thread_yield ();
}

/* Each block that was reserved is had without a call of the driver, and nobody has it before. */
static void
test_memory_reserve (void)
{
  DeviceHarness harness;
  LeatReserve *reserve;
  LeatMemory *blocks[3];
  LeatMemoryCounts counts;

  device_harness_init (&harness, "100000000");
  reserve = leat_reserve_new (harness.device);
  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    leat_reserve_add (reserve, LEAT_MEMORY_DEVICE, MIB);
  wait_for_reserve (reserve);
  leat_reserve_free (reserve);
  leat_device_get_memory_counts (harness.device, LEAT_MEMORY_DEVICE, &counts);
  g_assert_cmpuint (counts.live_count, ==, 0);
  g_assert_cmpuint (counts.cached_bytes, ==, 3 * MIB);
  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    blocks[i] = take (harness.device, LEAT_MEMORY_DEVICE, MIB);
  leat_device_get_memory_counts (harness.device, LEAT_MEMORY_DEVICE, &counts);
  g_assert_cmpuint (counts.driver_allocations, ==, 3);
  g_assert_cmpuint (counts.cached_bytes, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    leat_memory_free (blocks[i]);
  device_harness_clear (&harness);
}

/* It ends, and says nothing: who asks for the memory is told. */
static void
test_memory_reserve_without_room (void)
{
  DeviceHarness harness;
  LeatReserve *reserve;
  LeatMemoryCounts counts;

  device_harness_init (&harness, "100000000");
  reserve = leat_reserve_new (harness.device);
  leat_reserve_add (reserve, LEAT_MEMORY_DEVICE, MIB);
  leat_reserve_add (reserve, LEAT_MEMORY_DEVICE, G_GUINT64_CONSTANT (1) << 40);
  leat_reserve_add (reserve, LEAT_MEMORY_DEVICE, MIB);
  wait_for_reserve (reserve);
  leat_reserve_free (reserve);
  leat_device_get_memory_counts (harness.device, LEAT_MEMORY_DEVICE, &counts);
  g_assert_cmpuint (counts.live_count, ==, 0);
  g_assert_cmpuint (counts.cached_bytes, ==, MIB);
  reserve = leat_reserve_new (harness.device);
  wait_for_reserve (reserve); /* nothing */
  leat_reserve_free (reserve);
  device_harness_clear (&harness);
}

static void
test_memory_pool_keeps_no_more_than_its_share (void)
{
  DeviceHarness harness;
  LeatMemory *blocks[8];
  LeatMemoryCounts counts;

  /* A budget of 72 MiB: an eighth, 9 MiB, is kept. */
  device_harness_init (&harness, "83886080");
  for (gsize i = 0; i < G_N_ELEMENTS (blocks); i++)
    blocks[i] = take (harness.device, LEAT_MEMORY_DEVICE, 2 * MIB);
  for (gsize i = 0; i < G_N_ELEMENTS (blocks); i++)
    leat_memory_free (blocks[i]);
  leat_device_get_memory_counts (harness.device, LEAT_MEMORY_DEVICE, &counts);
  g_assert_cmpuint (counts.cached_bytes, ==, 8 * MIB);
  g_assert_cmpuint (counts.driver_frees, ==, 4);
  g_assert_cmpuint (counts.peak_bytes, ==, 16 * MIB);
  g_assert_cmpuint (harness.fake.get_live_bytes (), ==, 8 * MIB);
  device_harness_clear (&harness);
}

/* The context cannot be made current when a block is to go: the driver would not take it. */
static void
test_memory_waits_for_the_context (gconstpointer data)
{
  LeatMemoryKind kind = GPOINTER_TO_INT (data);
  DeviceHarness harness;
  LeatMemory *cached, *large;
  LeatMemoryCounts counts;

  device_harness_init (&harness, "83886080");
  cached = take (harness.device, kind, MIB);
  large = take (harness.device, kind, 20 * MIB); /* more than is cached of device memory */
  leat_memory_free (cached);
  harness.fake.plan ("cuCtxPushCurrent", CUDA_ERROR_OUT_OF_MEMORY, 0);
  leat_memory_free (large);
  leat_device_trim (harness.device, 0);
  leat_device_get_memory_counts (harness.device, kind, &counts);
  g_assert_cmpuint (harness.fake.get_live_bytes (), ==, 21 * MIB);
  g_assert_cmpuint (counts.cached_bytes, >=, MIB);

  harness.fake.plan ("cuCtxPushCurrent", CUDA_SUCCESS, 0);
  leat_device_trim (harness.device, 0);
  leat_device_get_memory_counts (harness.device, kind, &counts);
  g_assert_cmpuint (counts.cached_bytes, ==, 0);
  g_assert_true (leat_device_settle (harness.device));
  g_assert_cmpuint (harness.fake.get_live_bytes (), ==, 0);
  device_harness_clear (&harness);
}

static void
test_memory_budget_refuses (void)
{
  g_autoptr (GError) error = NULL;
  DeviceHarness harness;
  g_autoptr (LeatMemory) memory = NULL;

  device_harness_init (&harness, "104857600");
  g_assert_cmpuint (leat_device_get_budget (harness.device), ==, 90 * MIB);
  leat_device_set_budget (harness.device, 8 * MIB);
  memory = take (harness.device, LEAT_MEMORY_DEVICE, 6 * MIB);
  assert_refused (harness.device, LEAT_MEMORY_DEVICE, 3 * MIB,
                  "no room on cuda:0 for weights of n0: 3.0 MiB is needed, 2.0 MiB of the budget of 8.0 MiB is free, "
                  "6.0 MiB in use (LEAT_MEMORY_BUDGET sets");
  g_assert_false (leat_device_check_budget (harness.device, LEAT_MEMORY_DEVICE, 2 * MIB + 1, "a plan", &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  g_assert_true (leat_device_check_budget (harness.device, LEAT_MEMORY_DEVICE, 2 * MIB, "a plan", NULL));
  g_clear_pointer (&memory, leat_memory_free);
  g_clear_pointer (&memory, leat_memory_free);
  device_harness_clear (&harness);
}

static void
test_memory_budget_refuses_pinned (void)
{
  g_autoptr (GError) error = NULL;
  DeviceHarness harness;
  LeatMemory *memory, *other;

  device_harness_init (&harness, "104857600");
  leat_device_set_pinned_budget (harness.device, 8 * MIB);
  g_assert_cmpuint (leat_device_get_pinned_budget (harness.device), ==, 8 * MIB);
  g_assert_cmpuint (leat_device_get_budget (harness.device), ==, 90 * MIB);
  memory = take (harness.device, LEAT_MEMORY_PINNED, 6 * MIB);
  assert_refused (harness.device, LEAT_MEMORY_PINNED, 3 * MIB,
                  "no room on cuda:0 for weights of n0: 3.0 MiB of pinned host memory is needed, 2.0 MiB of the budget "
                  "of 8.0 MiB is free, 6.0 MiB in use (LEAT_PINNED_BUDGET sets the budget)");
  g_assert_false (leat_device_check_budget (harness.device, LEAT_MEMORY_PINNED, 2 * MIB + 1, "a plan", &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  other = take (harness.device, LEAT_MEMORY_PINNED, 2 * MIB);
  leat_memory_free (other);

  /* What a device takes is no part of it, and what is given back may be taken again. */
  other = take (harness.device, LEAT_MEMORY_DEVICE, 20 * MIB);
  leat_memory_free (other);
  leat_memory_free (memory);
  memory = take (harness.device, LEAT_MEMORY_PINNED, 8 * MIB);
  leat_memory_free (memory);
  device_harness_clear (&harness);
}

static void
test_memory_budget_of_pinned_memory_defaults (void)
{
  g_autoptr (GError) error = NULL;
  guint64 budget = 0;

  g_assert_true (leat_device_parse_budget (LEAT_MEMORY_PINNED, NULL, 100000, &budget, &error));
  g_assert_cmpuint (budget, ==, 50000);
  g_assert_true (leat_device_parse_budget (LEAT_MEMORY_PINNED, "25%", 100000, &budget, &error));
  g_assert_cmpuint (budget, ==, 25000);
  g_assert_no_error (error);
  g_assert_false (leat_device_parse_budget (LEAT_MEMORY_PINNED, "lots", 100000, &budget, &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_INVALID);
  g_assert_cmpstr (error->message, ==, "LEAT_PINNED_BUDGET=lots is no size of memory: write 75%, 512M or 2G");
}

/* The cached block goes, so that both together stay within the budget. */
static void
test_memory_budget_counts_cached_blocks_out (gconstpointer data)
{
  LeatMemoryKind kind = GPOINTER_TO_INT (data);
  DeviceHarness harness;
  LeatMemory *memory;

  device_harness_init (&harness, "104857600");
  memory = take (harness.device, kind, 6 * MIB);
  leat_memory_free (memory);
  g_assert_cmpuint (harness.fake.get_live_bytes (), ==, 6 * MIB);
  if (kind == LEAT_MEMORY_PINNED)
    leat_device_set_pinned_budget (harness.device, 8 * MIB);
  else
    leat_device_set_budget (harness.device, 8 * MIB);
  memory = take (harness.device, kind, 7 * MIB);
  g_assert_cmpuint (harness.fake.get_live_bytes (), ==, 7 * MIB);
  leat_memory_free (memory);
  device_harness_clear (&harness);
}

static void
test_memory_budget_reads_environment (void)
{
  static const struct
  {
    const char *text;
    guint64 bytes; /* 0: refused */
  } rows[] = {
    { NULL, 90000 },    { "", 90000 },    { "100", 100 },   { "50%", 50000 }, { "1K", 1024 },
    { "2k", 2048 },     { "2KB", 2048 },  { "1KiB", 1024 }, { "500B", 500 },  { "100%", 100000 },
    { "400%", 100000 }, { "1T", 100000 }, { "0.5G", 0 },    { "0", 0 },       { "0%", 0 },
    { "much", 0 },      { "12X", 0 },     { "-5", 0 },      { "1Kx", 0 },     { "99999999999T", 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      guint64 budget = 0;

      leat_device_parse_budget (LEAT_MEMORY_DEVICE, rows[i].text, 100000, &budget, &error);
      g_assert_cmpuint (budget, ==, rows[i].bytes);
      if (rows[i].bytes == 0)
        g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_INVALID);
      else
        g_assert_no_error (error);
    }
}

/* What a use had at most stays when that is given back, and other uses have no part in it. */
static void
test_memory_account_keeps_the_most (void)
{
  g_autoptr (LeatMemoryAccount) account = leat_memory_account_new (0);
  g_autoptr (LeatMemory) first = NULL;
  g_autoptr (LeatMemory) second = NULL;
  DeviceHarness harness;
  LeatMemoryTally tally;

  device_harness_init (&harness, "100000000");
  first = leat_memory_new_in (account, LEAT_MEMORY_STATE, harness.device, LEAT_MEMORY_DEVICE, 1024, "a test", NULL);
  second = leat_memory_new_in (account, LEAT_MEMORY_STATE, harness.device, LEAT_MEMORY_DEVICE, 512, "a test", NULL);
  g_clear_pointer (&first, leat_memory_free);
  first = leat_memory_new_in (account, LEAT_MEMORY_SCRATCH, harness.device, LEAT_MEMORY_DEVICE, 512, "a test", NULL);
  leat_memory_account_get (account, &tally);
  g_assert_cmpuint (tally.use_live_bytes[LEAT_MEMORY_STATE], ==, 512);
  g_assert_cmpuint (tally.use_most_bytes[LEAT_MEMORY_STATE], ==, 1536);
  g_assert_cmpuint (tally.use_most_bytes[LEAT_MEMORY_SCRATCH], ==, 512);
  g_assert_cmpuint (tally.most_bytes[LEAT_MEMORY_DEVICE], ==, 1536);
  g_clear_pointer (&first, leat_memory_free);
  g_clear_pointer (&second, leat_memory_free);
  device_harness_clear (&harness);
}

static void
test_memory_format_bytes (void)
{
  static const struct
  {
    guint64 bytes;
    const char *text;
  } rows[] = {
    { 0, "0 bytes" },
    { 1023, "1023 bytes" },
    { 1024, "1.0 KiB" },
    { 1536, "1.5 KiB" },
    { 3 * MIB, "3.0 MiB" },
    { 80 * 1024 * MIB - 1, "79.9 GiB" },
    { G_MAXUINT64, "15.9 EiB" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = leat_device_format_bytes (rows[i].bytes);

      g_assert_cmpstr (text, ==, rows[i].text);
    }
}

static void
test_memory_new_reports_a_full_device (void)
{
  DeviceHarness harness;

  device_harness_init (&harness, "104857600");
  harness.fake.plan ("cuMemAlloc", CUDA_ERROR_OUT_OF_MEMORY, 0);
  assert_refused (harness.device, LEAT_MEMORY_DEVICE, 3 * MIB, "3.0 MiB needed, 100.0 MiB of 100.0 MiB free");
  harness.fake.plan ("cuMemHostAlloc", CUDA_ERROR_OUT_OF_MEMORY, 0);
  assert_refused (harness.device, LEAT_MEMORY_PINNED, 3 * MIB, "3.0 MiB of pinned host memory");
  assert_refused (harness.device, LEAT_MEMORY_DEVICE, G_MAXUINT64, "more than any memory holds");
  device_harness_clear (&harness);
}

static void
test_memory_new_retries_without_cached_blocks (void)
{
  DeviceHarness harness;
  LeatMemory *memory;

  device_harness_init (&harness, "104857600");
  memory = take (harness.device, LEAT_MEMORY_DEVICE, 6 * MIB);
  leat_memory_free (memory);
  /* Room for one more only once the cached block is gone; somebody else has the rest. */
  g_setenv ("FAKE_DRIVER_MEMORY", "8388608", TRUE);
  memory = take (harness.device, LEAT_MEMORY_DEVICE, 7 * MIB);
  leat_memory_free (memory);
  device_harness_clear (&harness);
}

static void
test_memory_new_undoes_a_failed_mapping (void)
{
  g_autoptr (GError) error = NULL;
  DeviceHarness harness;
  LeatMemoryCounts counts;

  device_harness_init (&harness, "104857600");
  harness.fake.plan ("cuMemHostGetDevicePointer", CUDA_ERROR_INVALID_VALUE, 0);
  g_assert_null (leat_memory_new (harness.device, LEAT_MEMORY_PINNED, 10, "a test", &error));
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_INVALID);
  g_assert_cmpuint (harness.fake.get_live_bytes (), ==, 0);
  leat_device_get_memory_counts (harness.device, LEAT_MEMORY_PINNED, &counts);
  g_assert_cmpuint (counts.live_bytes, ==, 0);
  g_assert_cmpuint (counts.live_count, ==, 0);
  device_harness_clear (&harness);
}

static gpointer
take_and_give (gpointer data)
{
  for (guint i = 0; i < 2000; i++)
    {
      g_autoptr (LeatMemory) one = take (data, LEAT_MEMORY_DEVICE, 300 + i % 7 * 1000);
      g_autoptr (LeatMemory) other = take (data, LEAT_MEMORY_PINNED, 300 + i % 5 * 1000);

      memset (leat_memory_get_host (other), (int) i, 300);
    }
  return NULL;
}

static void
test_memory_pool_serves_threads (void)
{
  DeviceHarness harness;
  LeatMemoryCounts counts;
  GThread *threads[4];

  device_harness_init (&harness, "104857600");
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("memory", take_and_give, harness.device);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  leat_device_get_memory_counts (harness.device, LEAT_MEMORY_DEVICE, &counts);
  g_assert_cmpuint (counts.live_bytes, ==, 0);
  g_assert_cmpuint (counts.driver_allocations, <=, 4 * 7);
  device_harness_clear (&harness);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/memory/holds-data", test_memory_holds_data);
  g_test_add_func ("/leat/memory/writes-what-it-is-given", test_memory_writes_what_it_is_given);
  g_test_add_func ("/leat/memory/pinned-has-two-addresses", test_memory_pinned_has_two_addresses);
  g_test_add_func ("/leat/memory/pool/rounds", test_memory_pool_rounds);
  g_test_add_func ("/leat/memory/pool/reuses-blocks", test_memory_pool_reuses_blocks);
  g_test_add_func ("/leat/memory/reserve", test_memory_reserve);
  g_test_add_func ("/leat/memory/reserve-without-room", test_memory_reserve_without_room);
  g_test_add_func ("/leat/memory/pool/keeps-no-more-than-its-share", test_memory_pool_keeps_no_more_than_its_share);
  g_test_add_data_func ("/leat/memory/waits-for-the-context/device", GINT_TO_POINTER (LEAT_MEMORY_DEVICE),
                        test_memory_waits_for_the_context);
  g_test_add_data_func ("/leat/memory/waits-for-the-context/pinned", GINT_TO_POINTER (LEAT_MEMORY_PINNED),
                        test_memory_waits_for_the_context);
  g_test_add_func ("/leat/memory/budget/refuses", test_memory_budget_refuses);
  g_test_add_func ("/leat/memory/budget/refuses-pinned", test_memory_budget_refuses_pinned);
  g_test_add_data_func ("/leat/memory/budget/holds-for-cached-pinned-blocks", GINT_TO_POINTER (LEAT_MEMORY_PINNED),
                        test_memory_budget_counts_cached_blocks_out);
  g_test_add_func ("/leat/memory/budget/of-pinned-memory-defaults", test_memory_budget_of_pinned_memory_defaults);
  g_test_add_data_func ("/leat/memory/budget/counts-cached-blocks-out", GINT_TO_POINTER (LEAT_MEMORY_DEVICE),
                        test_memory_budget_counts_cached_blocks_out);
  g_test_add_func ("/leat/memory/budget/reads-environment", test_memory_budget_reads_environment);
  g_test_add_func ("/leat/memory/account/keeps-the-most", test_memory_account_keeps_the_most);
  g_test_add_func ("/leat/memory/format-bytes", test_memory_format_bytes);
  g_test_add_func ("/leat/memory/new/reports-a-full-device", test_memory_new_reports_a_full_device);
  g_test_add_func ("/leat/memory/new/retries-without-cached-blocks", test_memory_new_retries_without_cached_blocks);
  g_test_add_func ("/leat/memory/new/undoes-a-failed-mapping", test_memory_new_undoes_a_failed_mapping);
  g_test_add_func ("/leat/memory/pool/serves-threads", test_memory_pool_serves_threads);
  return g_test_run ();
}
