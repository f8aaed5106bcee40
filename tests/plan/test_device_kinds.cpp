/* SPDX-License-Identifier: MIT */
/*
 * Kinds of devices (device/tuning.h): which architecture is of which, and whether each kind's blocks fit the shared memory that
 * its devices have, and no less.
 */
#include "block/mapped_shape.cuh"

#include "run_suite.h"

namespace cdp {

namespace {

constexpr uint32_t KB = 1024;

/* Of compute capability, times 100. 7.5 has 64 KB, and is refused. */
constexpr struct {
  uint32_t architecture;
  DeviceKind kind;
  uint32_t shared_bytes;
} DEVICES[] = {
    {700, DeviceKind::small, 96 * KB},   {720, DeviceKind::small, 96 * KB},   {750, DeviceKind::small, 64 * KB},
    {800, DeviceKind::medium, 163 * KB}, {860, DeviceKind::small, 99 * KB},   {870, DeviceKind::medium, 163 * KB},
    {890, DeviceKind::small, 99 * KB},   {900, DeviceKind::large, 227 * KB},  {1000, DeviceKind::large, 227 * KB},
    {1030, DeviceKind::large, 227 * KB}, {1100, DeviceKind::large, 227 * KB}, {1200, DeviceKind::small, 99 * KB},
    {1210, DeviceKind::small, 99 * KB},
};

START_TEST(architectures_are_of_their_kind) {
  for (const auto &device : DEVICES) {
#ifdef CDPSORT_FORCED_KIND
    const DeviceKind expected = DeviceKind::CDPSORT_FORCED_KIND;
#else
    const DeviceKind expected = device.kind;
#endif
    ck_assert_msg(device_kind_of(device.architecture) == expected, "compute capability %u.%u", device.architecture / 100,
                  device.architecture / 10 % 10);
  }
}
END_TEST

START_TEST(blocks_fit_the_devices_of_their_kind) {
  for (const auto &device : DEVICES)
    ck_assert_msg((simulated::fat_shared_bytes(device.kind) <= device.shared_bytes) == (device.architecture != 750),
                  "compute capability %u.%u: %u bytes", device.architecture / 100, device.architecture / 10 % 10,
                  simulated::fat_shared_bytes(device.kind));
}
END_TEST

/* What is forced upon a device of a smaller kind is refused there, not launched in vain. */
START_TEST(blocks_do_not_fit_devices_of_a_smaller_kind) {
  for (const auto &device : DEVICES)
    for (const DeviceKind kind : DEVICE_KINDS)
      if (kind > device.kind)
        ck_assert_uint_gt(simulated::fat_shared_bytes(kind), device.shared_bytes);
}
END_TEST

/* Keys of a thread may have to be merged, by twos; tests in C know the kinds by number (planned.h). */
START_TEST(rows_are_as_they_must_be) {
  for (size_t index = 0; index < sizeof DEVICE_KINDS / sizeof *DEVICE_KINDS; index++) {
    const DeviceKind kind = DEVICE_KINDS[index];
    ck_assert_uint_eq(static_cast<uint32_t>(kind), index);
    ck_assert(for_kind(kind, [kind](auto constant) { return decltype(constant)::value == kind; }));
    for (const uint32_t key_bytes : {4u, 8u}) {
      const OnChipRow on_chip = on_chip_row(kind, key_bytes);
      for (const uint32_t items : {on_chip.items_per_thread, on_chip.block_items_per_thread})
        ck_assert_uint_eq(items, greatest_power_of_two(items));
      ck_assert_uint_ge(on_chip_block_items(multiway_row(kind, key_bytes), on_chip),
                        on_chip_items(multiway_row(kind, key_bytes), on_chip));
    }
  }
}
END_TEST

Suite *device_kinds_suite() {
  Suite *suite = suite_create("device_kinds");
  TCase *kinds = tcase_create("kinds");
  tcase_add_test(kinds, architectures_are_of_their_kind);
  tcase_add_test(kinds, blocks_fit_the_devices_of_their_kind);
  tcase_add_test(kinds, blocks_do_not_fit_devices_of_a_smaller_kind);
  tcase_add_test(kinds, rows_are_as_they_must_be);
  suite_add_tcase(suite, kinds);
  return suite;
}

} // namespace

} // namespace cdp

int main() {
  return run_suite(cdp::device_kinds_suite());
}
