// Records calls of Metal's private compiler service, with which programs compile kernels without a device.
#ifndef MTRACE_CODEGEN_H
#define MTRACE_CODEGEN_H
#include <stddef.h>
#include <stdint.h>

typedef void (*mt_build_request)(void *service, void *unused, int32_t type, const void *request, size_t bytes,
    void *block);

// Calls original, the service's MTLCodeGenServiceBuildRequest, with the same arguments, and records the call.
void mt_codegen_build(mt_build_request original, void *service, void *unused, int32_t type, const void *request,
    size_t bytes, void *block);
#endif
