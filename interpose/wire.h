// Made from collector/wire by `go test ./collector/wire -update`. Do not edit.
#ifndef MTRACE_WIRE_H
#define MTRACE_WIRE_H
#include <stdint.h>

#define MT_WIRE_VERSION 1
#define MT_REGION_MAGIC 0x6d74726163650001ull
#define MT_PAGE_SIZE 16384
#define MT_RING_COUNT 256
#define MT_RECORDS_PER_RING 65536
#define MT_FACTS_PER_RING 131072
#define MT_RING_STRIDE 2244608ull
#define MT_REGION_SIZE 574636032ull
#define MT_RECORD_SIZE 32
#define MT_MAX_FACT_TEXT 4096
#define MT_FRAME_MAGIC 0x4652544du
#define MT_FRAME_HEADER_SIZE 24

#define MT_REGION_MAGIC_OFFSET 0
#define MT_REGION_VERSION_OFFSET 8
#define MT_REGION_PID_OFFSET 12
#define MT_REGION_CLOCK_KIND_OFFSET 16
#define MT_REGION_TIMEBASE_OFFSET 20
#define MT_REGION_RINGS_USED_OFFSET 28
#define MT_REGION_FIRST_SAMPLE_OFFSET 32
#define MT_REGION_LATEST_SAMPLE_OFFSET 48
#define MT_REGION_UNRINGED_OFFSET 72
#define MT_REGION_UNNUMBERED_OFFSET 80
#define MT_REGION_NESTED_OFFSET 88
#define MT_REGION_FORKS_OFFSET 96
#define MT_REGION_REJECTED_OFFSET 104
#define MT_RING_HEAD_OFFSET 0
#define MT_RING_DROPPED_OFFSET 8
#define MT_RING_FACTS_HEAD_OFFSET 16
#define MT_RING_FACTS_DROPPED_OFFSET 24
#define MT_RING_TAIL_OFFSET 128
#define MT_RING_FACTS_TAIL_OFFSET 136
#define MT_RING_CLAIM_OFFSET 256
#define MT_RING_STATE_OFFSET 384
#define MT_RING_THREAD_OFFSET 392
#define MT_RING_CURRENT_OFFSET 512

#define MT_CLOCK_NANOSECONDS 1
#define MT_CLOCK_TSC 2
#define MT_CLOCK_MACH 3
#define MT_RING_FREE 0
#define MT_RING_LIVE 1
#define MT_RING_EXITED 2
#define MT_CLAIM_NOBODY 0
#define MT_CLAIM_DRAINER 1
#define MT_CLAIM_COLLECTOR 2
#define MT_FLAG_HAS_MORE 1
#define MT_FLAG_FAILED 2
#define MT_FLAG_CLASS_SHIFT 8
#define MT_FACT_STRING 1
#define MT_FACT_CLASS 2
#define MT_FACT_DEVICE 3
#define MT_FACT_THREAD_NAME 4
#define MT_FACT_WARNING 5
#define MT_FRAME_HELLO 1
#define MT_FRAME_RINGS 2
#define MT_FRAME_RECORDS 3
#define MT_FRAME_FACTS 4
#define MT_FRAME_CLOCK 5

enum {
  MT_FAMILY_tracer = 0,
  MT_FAMILY_function = 1,
  MT_FAMILY_device = 2,
  MT_FAMILY_queue = 3,
  MT_FAMILY_commandBuffer = 4,
  MT_FAMILY_encoder = 5,
  MT_FAMILY_library = 6,
  MT_FAMILY_event = 7,
  MT_FAMILY_resource = 8,
  MT_FAMILY_functionObject = 9,
  MT_FAMILY_pipeline = 10,
  MT_FAMILY_fence = 11,
  MT_FAMILY_COUNT = 12
};

enum {
  MT_CALL_tracer_none = 0,
  MT_CALL_tracer_more = 1,
  MT_CALL_tracer_thread_start = 2,
  MT_CALL_tracer_completed = 3,
  MT_CALL_tracer_scheduled = 4,
  MT_CALL_function_MTLCreateSystemDefaultDevice = 5,
  MT_CALL_function_MTLCopyAllDevices = 6,
  MT_CALL_device_newCommandQueue = 7,
  MT_CALL_device_newCommandQueueWithMaxCommandBufferCount_ = 8,
  MT_CALL_device_newCommandQueueWithDescriptor_ = 9,
  MT_CALL_device_newBufferWithLength_options_ = 10,
  MT_CALL_device_newBufferWithBytes_length_options_ = 11,
  MT_CALL_device_newBufferWithBytesNoCopy_length_options_deallocator_ = 12,
  MT_CALL_device_newLibraryWithSource_options_error_ = 13,
  MT_CALL_device_newLibraryWithSource_options_completionHandler_ = 14,
  MT_CALL_device_newLibraryWithData_error_ = 15,
  MT_CALL_device_newLibraryWithURL_error_ = 16,
  MT_CALL_device_newLibraryWithFile_error_ = 17,
  MT_CALL_device_newDefaultLibrary = 18,
  MT_CALL_device_newDefaultLibraryWithBundle_error_ = 19,
  MT_CALL_device_newComputePipelineStateWithFunction_error_ = 20,
  MT_CALL_device_newComputePipelineStateWithFunction_options_reflection_error_ = 21,
  MT_CALL_device_newComputePipelineStateWithFunction_completionHandler_ = 22,
  MT_CALL_device_newComputePipelineStateWithFunction_options_completionHandler_ = 23,
  MT_CALL_device_newComputePipelineStateWithDescriptor_options_reflection_error_ = 24,
  MT_CALL_device_newComputePipelineStateWithDescriptor_options_completionHandler_ = 25,
  MT_CALL_device_newEvent = 26,
  MT_CALL_device_newSharedEvent = 27,
  MT_CALL_device_newFence = 28,
  MT_CALL_library_newFunctionWithName_ = 29,
  MT_CALL_library_newFunctionWithName_constantValues_error_ = 30,
  MT_CALL_library_newFunctionWithDescriptor_error_ = 31,
  MT_CALL_queue_commandBuffer = 32,
  MT_CALL_queue_commandBufferWithDescriptor_ = 33,
  MT_CALL_queue_commandBufferWithUnretainedReferences = 34,
  MT_CALL_queue_setLabel_ = 35,
  MT_CALL_commandBuffer_computeCommandEncoder = 36,
  MT_CALL_commandBuffer_computeCommandEncoderWithDispatchType_ = 37,
  MT_CALL_commandBuffer_computeCommandEncoderWithDescriptor_ = 38,
  MT_CALL_commandBuffer_blitCommandEncoder = 39,
  MT_CALL_commandBuffer_blitCommandEncoderWithDescriptor_ = 40,
  MT_CALL_commandBuffer_renderCommandEncoderWithDescriptor_ = 41,
  MT_CALL_commandBuffer_parallelRenderCommandEncoderWithDescriptor_ = 42,
  MT_CALL_commandBuffer_resourceStateCommandEncoder = 43,
  MT_CALL_commandBuffer_resourceStateCommandEncoderWithDescriptor_ = 44,
  MT_CALL_commandBuffer_accelerationStructureCommandEncoder = 45,
  MT_CALL_commandBuffer_accelerationStructureCommandEncoderWithDescriptor_ = 46,
  MT_CALL_commandBuffer_enqueue = 47,
  MT_CALL_commandBuffer_commit = 48,
  MT_CALL_commandBuffer_waitUntilScheduled = 49,
  MT_CALL_commandBuffer_waitUntilCompleted = 50,
  MT_CALL_commandBuffer_setLabel_ = 51,
  MT_CALL_commandBuffer_encodeSignalEvent_value_ = 52,
  MT_CALL_commandBuffer_encodeWaitForEvent_value_ = 53,
  MT_CALL_commandBuffer_addScheduledHandler_ = 54,
  MT_CALL_commandBuffer_addCompletedHandler_ = 55,
  MT_CALL_encoder_setComputePipelineState_ = 56,
  MT_CALL_encoder_dispatchThreadgroups_threadsPerThreadgroup_ = 57,
  MT_CALL_encoder_dispatchThreads_threadsPerThreadgroup_ = 58,
  MT_CALL_encoder_dispatchThreadgroupsWithIndirectBuffer_indirectBufferOffset_threadsPerThreadgroup_ = 59,
  MT_CALL_encoder_copyFromBuffer_sourceOffset_toBuffer_destinationOffset_size_ = 60,
  MT_CALL_encoder_fillBuffer_range_value_ = 61,
  MT_CALL_encoder_setLabel_ = 62,
  MT_CALL_encoder_endEncoding = 63,
  MT_CALL_event_waitUntilSignaledValue_timeoutMS_ = 64,
  MT_CALL_event_setSignaledValue_ = 65,
  MT_CALL_event_notifyListener_atValue_block_ = 66,
  MT_CALL_COUNT = 67
};

// The selectors and symbols, by call: initializes an array of MT_CALL_COUNT strings.
#define MT_SELECTORS { \
  "", \
  "more", \
  "thread start", \
  "completed", \
  "scheduled", \
  "MTLCreateSystemDefaultDevice", \
  "MTLCopyAllDevices", \
  "newCommandQueue", \
  "newCommandQueueWithMaxCommandBufferCount:", \
  "newCommandQueueWithDescriptor:", \
  "newBufferWithLength:options:", \
  "newBufferWithBytes:length:options:", \
  "newBufferWithBytesNoCopy:length:options:deallocator:", \
  "newLibraryWithSource:options:error:", \
  "newLibraryWithSource:options:completionHandler:", \
  "newLibraryWithData:error:", \
  "newLibraryWithURL:error:", \
  "newLibraryWithFile:error:", \
  "newDefaultLibrary", \
  "newDefaultLibraryWithBundle:error:", \
  "newComputePipelineStateWithFunction:error:", \
  "newComputePipelineStateWithFunction:options:reflection:error:", \
  "newComputePipelineStateWithFunction:completionHandler:", \
  "newComputePipelineStateWithFunction:options:completionHandler:", \
  "newComputePipelineStateWithDescriptor:options:reflection:error:", \
  "newComputePipelineStateWithDescriptor:options:completionHandler:", \
  "newEvent", \
  "newSharedEvent", \
  "newFence", \
  "newFunctionWithName:", \
  "newFunctionWithName:constantValues:error:", \
  "newFunctionWithDescriptor:error:", \
  "commandBuffer", \
  "commandBufferWithDescriptor:", \
  "commandBufferWithUnretainedReferences", \
  "setLabel:", \
  "computeCommandEncoder", \
  "computeCommandEncoderWithDispatchType:", \
  "computeCommandEncoderWithDescriptor:", \
  "blitCommandEncoder", \
  "blitCommandEncoderWithDescriptor:", \
  "renderCommandEncoderWithDescriptor:", \
  "parallelRenderCommandEncoderWithDescriptor:", \
  "resourceStateCommandEncoder", \
  "resourceStateCommandEncoderWithDescriptor:", \
  "accelerationStructureCommandEncoder", \
  "accelerationStructureCommandEncoderWithDescriptor:", \
  "enqueue", \
  "commit", \
  "waitUntilScheduled", \
  "waitUntilCompleted", \
  "setLabel:", \
  "encodeSignalEvent:value:", \
  "encodeWaitForEvent:value:", \
  "addScheduledHandler:", \
  "addCompletedHandler:", \
  "setComputePipelineState:", \
  "dispatchThreadgroups:threadsPerThreadgroup:", \
  "dispatchThreads:threadsPerThreadgroup:", \
  "dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:", \
  "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:", \
  "fillBuffer:range:value:", \
  "setLabel:", \
  "endEncoding", \
  "waitUntilSignaledValue:timeoutMS:", \
  "setSignaledValue:", \
  "notifyListener:atValue:block:", \
}
#endif
