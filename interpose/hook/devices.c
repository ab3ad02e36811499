// Metal's C functions that return devices, and the facts about a device. Each program calls one of these functions
// before it can use Metal. Metal returns the same device object each time, so a device keeps its number.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "core/feature.h"
#include "core/process.h"
#include "hook/canary.h"
#include "hook/classes.h"
#include "hook/devices.h"
#include "hook/hooks.h"
#include "hook/interpose.h"
#include "hook/span.h"
#include "core/text.h"

enum { MOST_DEVICES = 64 };
#ifdef __APPLE__
enum { SOFTWARE = 0 };
#else
enum { SOFTWARE = 1 }; // Apple's Metal does not exist on Linux
#endif

uint32_t mt_device_seen(struct thread *t, id device) {
  static _Atomic uint32_t told[MOST_DEVICES];
  if (!device) return 0;
  int saved = errno;
  mt_class_see(t, device, MT_FAMILY_device);
  MT_FEATURES(look, t);
  uint32_t number = mt_identity_of(device);
  mt_made_layers(t, MT_FAMILY_device, device, number);
  for (int i = 0; i < MOST_DEVICES; i++) {
    uint32_t other = 0;
    if (atomic_compare_exchange_strong(&told[i], &other, number)) {
      void *pool = mt_pool_push();
      char name[256] = "";
      id text = mt_send_id(device, "name");
      const char *utf8 = (const char *)mt_send_integer(text, "UTF8String");
      if (utf8) strncpy(name, utf8, sizeof name - 1);
      mt_fact(t, MT_FACT_DEVICE, SOFTWARE, number, name, strlen(name));
      snprintf(name, sizeof name, "%llu", (unsigned long long)mt_send_integer(device, "registryID"));
      mt_fact(t, MT_FACT_REGISTRY, 0, number, name, strlen(name));
      snprintf(name, sizeof name, "%llu", (unsigned long long)mt_send_integer(device, "recommendedMaxWorkingSetSize"));
      mt_fact(t, MT_FACT_WORKING_SET, 0, number, name, strlen(name));
      mt_pool_pop(pool);
      break;
    }
    if (other == number) break;
  }
  mt_canary_fly(t, device);
  errno = saved;
  return number;
}

static uint64_t seen_all(struct thread *t, id devices) {
  uint64_t count = mt_send_integer(devices, "count");
  IMP at = mt_implementation(devices, "objectAtIndex:");
  for (uint64_t i = 0; at && i < count; i++) mt_device_seen(t, ((id(*)(id, SEL, NSUInteger))at)(devices,
      mt_selector("objectAtIndex:"), i));
  return count;
}

#define FUNCTION(symbol, call, expression) \
  if (!mt_activate()) return call; \
  struct span span; \
  if (!SPAN_BY(mt_span_begin, &span, MT_FAMILY_function, MT_CALL_function_##symbol, NULL)) return call; \
  id result = call; \
  uint64_t end = mt_ticks(), arg = expression; \
  mt_span_end(&span, end, MT_FAMILY_function, result ? 0 : MT_FLAG_FAILED, arg); \
  return result

id mt_create_default_device(id (*original)(void)) { FUNCTION(MTLCreateSystemDefaultDevice, original(),
    mt_device_seen(span.thread, result)); }
id mt_copy_all_devices(id (*original)(void)) { FUNCTION(MTLCopyAllDevices, original(), seen_all(span.thread, result)); }
// Records the devices that are returned now. Devices that the handler receives later are not recorded: they would be
// external GPUs, which Macs with Apple's own GPUs do not support.
id mt_copy_observed_devices(id (*original)(id *, void *), id *observer, void *handler) {
  FUNCTION(MTLCopyAllDevicesWithObserver, original(observer, handler), seen_all(span.thread, result));
}
