/* SPDX-License-Identifier: MIT */
/*
 * The plan of a sort by a comparison of the caller's (engine.h): how large its workspace is. by/launches.h makes all of it.
 */
#include "compare/by_plan.h"
#include "tuning_kinds.h"

static_assert(cdp::by::COUNT_MAX == CDP_COMPARE_COUNT_MAX && cdp::by::CONTEXT_BYTES_MAX == CDP_CONTEXT_BYTES_MAX,
              "what the kernels rely on is what the header says");
static_assert(cdp::by::WORKSPACE_ALIGNMENT == CDP_WORKSPACE_ALIGNMENT, "parts are aligned as the whole is");

extern "C" cdp_status cdp_engine_plan_compare(const cdp_settings *resolved, const cdp_compare_request *request,
                                              const cdp_device_facts *facts, bool is_captured, cdp_compare_plan *plan) {
  using namespace cdp;
  by::Plan whole;
  *plan = {};
  plan->asked = *request;
  plan->seed = resolved->seed;
  plan->is_captured = is_captured;
  plan->is_simulated = facts->device_kind == static_cast<uint32_t>(DeviceKind::simulated);
  plan->multiprocessors = facts->multiprocessors;
  const bool is_countable = make_by_plan(*plan, &whole);
  plan->workspace_bytes = whole.workspace_bytes;
  return is_countable ? CDP_OK : CDP_ERROR_SIZE;
}
