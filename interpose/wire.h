// Made from collector/wire by `go test ./collector/wire -update`. Do not edit.
#ifndef MTRACE_WIRE_H
#define MTRACE_WIRE_H
#include <stdint.h>

#define MT_WIRE_VERSION 2
#define MT_REGION_MAGIC 0x6d74726163650002ull
#define MT_PAGE_SIZE 16384
#define MT_RING_COUNT 256
#define MT_RECORDS_PER_RING 65536
#define MT_CHUNK_RECORDS 512
#define MT_CHUNKS_PER_RING 128
#define MT_FACTS_PER_RING 131072
#define MT_RING_STRIDE 2244608ull
#define MT_REGION_SIZE 574636032ull
#define MT_CHILDREN_SIZE 4096
#define MT_CHILDREN_MOST 1023
#define MT_CHILD_FORKED 0x80000000u
#define MT_RECORD_SIZE 32
#define MT_MAX_FACT_TEXT 4096
#define MT_NESTED_FAMILIES 64
#define MT_UNSEEN_DEVICE 1
#define MT_NOT_TRACED 2
#define MT_WAITS_UNSEEN 3
#define MT_FRAME_MAGIC 0x4652544du
#define MT_FRAME_HEADER_SIZE 24
#define MT_THREAD_TIME_SIZE 32
#define MT_THREAD_TIME_WHOLE_MACHINE 0xffffffffffffffffull
#define MT_THREAD_TIME_WAIT_NOT_KNOWN (-1)

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
#define MT_REGION_FORKS_OFFSET 96
#define MT_REGION_REJECTED_OFFSET 104
#define MT_REGION_ENDED_OFFSET 112
#define MT_REGION_DELAYS_OFFSET 1024
#define MT_REGION_DELAY_KINDS_OFFSET 1028
#define MT_REGION_DELAY_OFFSET 1032
#define MT_REGION_DELAY_UNTIL_OFFSET 1040
#define MT_REGION_DELAY_LOCK_OFFSET 1048
#define MT_REGION_PROGRESS_OFFSET 1056
#define MT_REGION_DELAY_DUE_OFFSET 1088
#define MT_REGION_DELAY_CALLS_OFFSET 1152
#define MT_REGION_BUFFERS_MADE_OFFSET 1280
#define MT_REGION_BUFFERS_MOST_OFFSET 1288
#define MT_REGION_BUFFERS_FREED_OFFSET 1408
#define MT_REGION_ENCODERS_MADE_OFFSET 1536
#define MT_REGION_ENCODERS_MOST_OFFSET 1544
#define MT_REGION_ENCODERS_FREED_OFFSET 1664
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
#define MT_RING_AWAITED_OFFSET 528
#define MT_RING_BLOCKED_OFFSET 640
#define MT_RING_POLLED_OFFSET 768
#define MT_RING_DELAYS_OFFSET 544
#define MT_RING_NESTED_OFFSET 1024
#define MT_RING_COMMITS_OFFSET 1536
#define MT_RING_COMMITS_MISSED_OFFSET 1544
#define MT_RING_COMPLETIONS_OFFSET 1552
#define MT_RING_COMPLETIONS_MISSED_OFFSET 1560
#define MT_RING_DELAYED_OFFSET 1568
#define MT_RING_INJECTED_OFFSET 1576
#define MT_RING_UNITS_OFFSET 1584
#define MT_RING_UNIT_AT_OFFSET 1592
#define MT_RING_PAID_OFFSET 1600
#define MT_RING_CHUNKS_OFFSET 1664

#define MT_MAX_NATIVE_FRAMES 64
#define MT_MAX_PYTHON_FRAMES 64
#define MT_STACK_CUT_NATIVE 256
#define MT_STACK_CUT_PYTHON 512
#define MT_SIGNAL_GIVEN_BACK 1
#define MT_SIGNAL_FETCHED 2
#define MT_INTERPRETER_HELD 1
#define MT_INTERPRETER_KNOWN 2

#define MT_CLOCK_NANOSECONDS 1
#define MT_CLOCK_TSC 2
#define MT_CLOCK_MACH 3
#define MT_RING_FREE 0
#define MT_RING_LIVE 1
#define MT_RING_EXITED 2
#define MT_CLAIM_NOBODY 0
#define MT_CLAIM_DRAINER 1
#define MT_CLAIM_COLLECTOR 2
#define MT_DELAY_CALLS 1
#define MT_DELAY_LOCK 2
#define MT_DELAY_WAITS 4
#define MT_DELAY_OWN 8
#define MT_DELAY_HANDLERS 16
#define MT_DELAY_PAUSES 32
#define MT_DELAY_OTHERS 64
#define MT_DELAY_SLEEPS 128
#define MT_DELAY_ITSELF 256
#define MT_DELAY_CALL_WORDS 16
#define MT_DELAY_SHORTEST_SLEEP 120000
#define MT_FIRST_LOCK 2147483648u
#define MT_FLAG_HAS_MORE 1
#define MT_FLAG_FAILED 2
#define MT_FLAG_HOLDS_INTERPRETER 4
#define MT_FLAG_LACKS_INTERPRETER 8
#define MT_FLAG_CLASS_SHIFT 8
#define MT_SAMPLING_OFF 0
#define MT_SAMPLING_MEASURED 1
#define MT_SAMPLING_DEVICE 2
#define MT_SAMPLING_FULL 3
#define MT_SAMPLING_TAKEN 4
#define MT_SAMPLING_MISSING 5
#define MT_SAMPLING_WRONG 6
#define MT_DESCRIPTOR_UNKNOWN 0
#define MT_DESCRIPTOR_FILE 1
#define MT_DESCRIPTOR_PIPE 2
#define MT_DESCRIPTOR_OWN_PIPE 3
#define MT_DESCRIPTOR_PAIR 4
#define MT_DESCRIPTOR_SOCKET 5
#define MT_DESCRIPTOR_NETWORK 6
#define MT_DESCRIPTOR_TERMINAL 7
#define MT_DESCRIPTOR_DEVICE 8
#define MT_DESCRIPTOR_EVENT 9
#define MT_DESCRIPTOR_TIMER 10
#define MT_DESCRIPTOR_OTHER 11
#define MT_DESCRIPTOR_TIMEOUT 12
#define MT_DESCRIPTOR_STANDARD 13
#define MT_FACT_STRING 1
#define MT_FACT_CLASS 2
#define MT_FACT_DEVICE 3
#define MT_FACT_THREAD_NAME 4
#define MT_FACT_WARNING 5
#define MT_FACT_STACK 6
#define MT_FACT_IMAGE 7
#define MT_FACT_SYMBOL 8
#define MT_FACT_UNHOOKED 9
#define MT_FACT_CANARY 10
#define MT_FACT_COST 11
#define MT_FACT_LINE 12
#define MT_FACT_REGISTRY 13
#define MT_FACT_WORKING_SET 14
#define MT_FACT_EXPERIMENT 15
#define MT_FACT_EXPERIMENT_TARGET 16
#define MT_FACT_EXPERIMENT_BLOCK 17
#define MT_FRAME_HELLO 1
#define MT_FRAME_RINGS 2
#define MT_FRAME_RECORDS 3
#define MT_FRAME_FACTS 4
#define MT_FRAME_CLOCK 5
#define MT_FRAME_THREAD_TIMES 6
#define MT_FRAME_PROCESS_FACTS 7
#define MT_FRAME_TOKEN 8
#define MT_TOKEN_SIZE 16
#define MT_TOKEN_VARIABLE "MTRACE_SOCKET_TOKEN"

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
  MT_FAMILY_heap = 12,
  MT_FAMILY_archive = 13,
  MT_FAMILY_dynamicLibrary = 14,
  MT_FAMILY_residencySet = 15,
  MT_FAMILY_ioQueue = 16,
  MT_FAMILY_ioCommandBuffer = 17,
  MT_FAMILY_mtl4Queue = 18,
  MT_FAMILY_mtl4CommandBuffer = 19,
  MT_FAMILY_mtl4Allocator = 20,
  MT_FAMILY_compiler = 21,
  MT_FAMILY_compilerTask = 22,
  MT_FAMILY_other = 23,
  MT_FAMILY_lock = 24,
  MT_FAMILY_signal = 25,
  MT_FAMILY_mpsKernel = 26,
  MT_FAMILY_mpsGraph = 27,
  MT_FAMILY_mpsCommandBuffer = 28,
  MT_FAMILY_indirectCommand = 29,
  MT_FAMILY_layer = 30,
  MT_FAMILY_drawable = 31,
  MT_FAMILY_COUNT = 32
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
  MT_CALL_tracer_made = 67,
  MT_CALL_device_newLogStateWithDescriptor_error_ = 68,
  MT_CALL_device_newHeapWithDescriptor_ = 69,
  MT_CALL_device_newDepthStencilStateWithDescriptor_ = 70,
  MT_CALL_device_newTextureWithDescriptor_ = 71,
  MT_CALL_device_newTextureWithDescriptor_iosurface_plane_ = 72,
  MT_CALL_device_newSharedTextureWithDescriptor_ = 73,
  MT_CALL_device_newSharedTextureWithHandle_ = 74,
  MT_CALL_device_newSamplerStateWithDescriptor_ = 75,
  MT_CALL_device_newLibraryWithStitchedDescriptor_error_ = 76,
  MT_CALL_device_newLibraryWithStitchedDescriptor_completionHandler_ = 77,
  MT_CALL_device_newRenderPipelineStateWithDescriptor_error_ = 78,
  MT_CALL_device_newRenderPipelineStateWithDescriptor_options_reflection_error_ = 79,
  MT_CALL_device_newRenderPipelineStateWithDescriptor_completionHandler_ = 80,
  MT_CALL_device_newRenderPipelineStateWithDescriptor_options_completionHandler_ = 81,
  MT_CALL_device_newRenderPipelineStateWithTileDescriptor_options_reflection_error_ = 82,
  MT_CALL_device_newRenderPipelineStateWithTileDescriptor_options_completionHandler_ = 83,
  MT_CALL_device_newRenderPipelineStateWithMeshDescriptor_options_reflection_error_ = 84,
  MT_CALL_device_newRenderPipelineStateWithMeshDescriptor_options_completionHandler_ = 85,
  MT_CALL_device_newArgumentEncoderWithArguments_ = 86,
  MT_CALL_device_newRasterizationRateMapWithDescriptor_ = 87,
  MT_CALL_device_newIndirectCommandBufferWithDescriptor_maxCommandCount_options_ = 88,
  MT_CALL_device_newSharedEventWithHandle_ = 89,
  MT_CALL_device_newIOHandleWithURL_error_ = 90,
  MT_CALL_device_newIOCommandQueueWithDescriptor_error_ = 91,
  MT_CALL_device_newIOHandleWithURL_compressionMethod_error_ = 92,
  MT_CALL_device_newIOFileHandleWithURL_error_ = 93,
  MT_CALL_device_newIOFileHandleWithURL_compressionMethod_error_ = 94,
  MT_CALL_device_newCounterSampleBufferWithDescriptor_error_ = 95,
  MT_CALL_device_newArgumentEncoderWithBufferBinding_ = 96,
  MT_CALL_device_newDynamicLibrary_error_ = 97,
  MT_CALL_device_newDynamicLibraryWithURL_error_ = 98,
  MT_CALL_device_newBinaryArchiveWithDescriptor_error_ = 99,
  MT_CALL_device_newAccelerationStructureWithSize_ = 100,
  MT_CALL_device_newAccelerationStructureWithDescriptor_ = 101,
  MT_CALL_device_newResidencySetWithDescriptor_error_ = 102,
  MT_CALL_device_newTensorWithDescriptor_error_ = 103,
  MT_CALL_device_newCommandAllocator = 104,
  MT_CALL_device_newCommandAllocatorWithDescriptor_error_ = 105,
  MT_CALL_device_newMTL4CommandQueue = 106,
  MT_CALL_device_newMTL4CommandQueueWithDescriptor_error_ = 107,
  MT_CALL_device_newCommandBuffer = 108,
  MT_CALL_device_newArgumentTableWithDescriptor_error_ = 109,
  MT_CALL_device_newTextureViewPoolWithDescriptor_error_ = 110,
  MT_CALL_device_newCompilerWithDescriptor_error_ = 111,
  MT_CALL_device_newArchiveWithURL_error_ = 112,
  MT_CALL_device_newPipelineDataSetSerializerWithDescriptor_ = 113,
  MT_CALL_device_newBufferWithLength_options_placementSparsePageSize_ = 114,
  MT_CALL_device_newCounterHeapWithDescriptor_error_ = 115,
  MT_CALL_queue_insertDebugCaptureBoundary = 116,
  MT_CALL_queue_addResidencySet_ = 117,
  MT_CALL_queue_addResidencySets_count_ = 118,
  MT_CALL_queue_removeResidencySet_ = 119,
  MT_CALL_queue_removeResidencySets_count_ = 120,
  MT_CALL_commandBuffer_presentDrawable_ = 121,
  MT_CALL_commandBuffer_presentDrawable_atTime_ = 122,
  MT_CALL_commandBuffer_presentDrawable_afterMinimumDuration_ = 123,
  MT_CALL_commandBuffer_pushDebugGroup_ = 124,
  MT_CALL_commandBuffer_popDebugGroup = 125,
  MT_CALL_commandBuffer_useResidencySet_ = 126,
  MT_CALL_commandBuffer_useResidencySets_count_ = 127,
  MT_CALL_encoder_barrierAfterQueueStages_beforeStages_ = 128,
  MT_CALL_encoder_insertDebugSignpost_ = 129,
  MT_CALL_encoder_pushDebugGroup_ = 130,
  MT_CALL_encoder_popDebugGroup = 131,
  MT_CALL_event_setLabel_ = 132,
  MT_CALL_event_newSharedEventHandle = 133,
  MT_CALL_fence_setLabel_ = 134,
  MT_CALL_encoder_updateFence_ = 135,
  MT_CALL_encoder_waitForFence_ = 136,
  MT_CALL_encoder_useResource_usage_ = 137,
  MT_CALL_encoder_useResources_count_usage_ = 138,
  MT_CALL_encoder_useHeap_ = 139,
  MT_CALL_encoder_useHeaps_count_ = 140,
  MT_CALL_encoder_executeCommandsInBuffer_withRange_ = 141,
  MT_CALL_encoder_executeCommandsInBuffer_indirectBuffer_indirectBufferOffset_ = 142,
  MT_CALL_encoder_memoryBarrierWithScope_ = 143,
  MT_CALL_encoder_memoryBarrierWithResources_count_ = 144,
  MT_CALL_encoder_sampleCountersInBuffer_atSampleIndex_withBarrier_ = 145,
  MT_CALL_encoder_synchronizeResource_ = 146,
  MT_CALL_encoder_synchronizeTexture_slice_level_ = 147,
  MT_CALL_encoder_copyFromTexture_7more_destinationOrigin_ = 148,
  MT_CALL_encoder_copyFromBuffer_7more_destinationOrigin_ = 149,
  MT_CALL_encoder_copyFromBuffer_8more_options_ = 150,
  MT_CALL_encoder_copyFromTexture_7more_destinationBytesPerImage_ = 151,
  MT_CALL_encoder_copyFromTexture_8more_options_ = 152,
  MT_CALL_encoder_generateMipmapsForTexture_ = 153,
  MT_CALL_encoder_copyFromTexture_6more_levelCount_ = 154,
  MT_CALL_encoder_copyFromTexture_toTexture_ = 155,
  MT_CALL_encoder_optimizeContentsForGPUAccess_ = 156,
  MT_CALL_encoder_optimizeContentsForGPUAccess_slice_level_ = 157,
  MT_CALL_encoder_optimizeContentsForCPUAccess_ = 158,
  MT_CALL_encoder_optimizeContentsForCPUAccess_slice_level_ = 159,
  MT_CALL_encoder_resetCommandsInBuffer_withRange_ = 160,
  MT_CALL_encoder_copyIndirectCommandBuffer_sourceRange_destination_destinationIndex_ = 161,
  MT_CALL_encoder_optimizeIndirectCommandBuffer_withRange_ = 162,
  MT_CALL_encoder_resolveCounters_inRange_destinationBuffer_destinationOffset_ = 163,
  MT_CALL_encoder_copyFromTensor_sourceOrigin_sourceDimensions_toTensor_destinationOrigin_destinationDimensions_
      = 164,
  MT_CALL_archive_setLabel_ = 165,
  MT_CALL_archive_addComputePipelineFunctionsWithDescriptor_error_ = 166,
  MT_CALL_archive_addRenderPipelineFunctionsWithDescriptor_error_ = 167,
  MT_CALL_archive_addTileRenderPipelineFunctionsWithDescriptor_error_ = 168,
  MT_CALL_archive_addMeshRenderPipelineFunctionsWithDescriptor_error_ = 169,
  MT_CALL_archive_addLibraryWithDescriptor_error_ = 170,
  MT_CALL_archive_serializeToURL_error_ = 171,
  MT_CALL_archive_addFunctionWithDescriptor_library_error_ = 172,
  MT_CALL_heap_setLabel_ = 173,
  MT_CALL_heap_newBufferWithLength_options_ = 174,
  MT_CALL_heap_newTextureWithDescriptor_ = 175,
  MT_CALL_heap_setPurgeableState_ = 176,
  MT_CALL_heap_newBufferWithLength_options_offset_ = 177,
  MT_CALL_heap_newTextureWithDescriptor_offset_ = 178,
  MT_CALL_heap_newAccelerationStructureWithSize_ = 179,
  MT_CALL_heap_newAccelerationStructureWithDescriptor_ = 180,
  MT_CALL_heap_newAccelerationStructureWithSize_offset_ = 181,
  MT_CALL_heap_newAccelerationStructureWithDescriptor_offset_ = 182,
  MT_CALL_functionObject_setLabel_ = 183,
  MT_CALL_functionObject_newArgumentEncoderWithBufferIndex_ = 184,
  MT_CALL_functionObject_newArgumentEncoderWithBufferIndex_reflection_ = 185,
  MT_CALL_library_setLabel_ = 186,
  MT_CALL_library_newFunctionWithName_constantValues_completionHandler_ = 187,
  MT_CALL_library_newFunctionWithDescriptor_completionHandler_ = 188,
  MT_CALL_library_newIntersectionFunctionWithDescriptor_completionHandler_ = 189,
  MT_CALL_library_newIntersectionFunctionWithDescriptor_error_ = 190,
  MT_CALL_dynamicLibrary_setLabel_ = 191,
  MT_CALL_dynamicLibrary_serializeToURL_error_ = 192,
  MT_CALL_residencySet_requestResidency = 193,
  MT_CALL_residencySet_endResidency = 194,
  MT_CALL_residencySet_addAllocation_ = 195,
  MT_CALL_residencySet_addAllocations_count_ = 196,
  MT_CALL_residencySet_removeAllocation_ = 197,
  MT_CALL_residencySet_removeAllocations_count_ = 198,
  MT_CALL_residencySet_removeAllAllocations = 199,
  MT_CALL_residencySet_commit = 200,
  MT_CALL_ioQueue_enqueueBarrier = 201,
  MT_CALL_ioQueue_commandBuffer = 202,
  MT_CALL_ioQueue_commandBufferWithUnretainedReferences = 203,
  MT_CALL_ioQueue_setLabel_ = 204,
  MT_CALL_ioCommandBuffer_addCompletedHandler_ = 205,
  MT_CALL_ioCommandBuffer_loadBytes_size_sourceHandle_sourceHandleOffset_ = 206,
  MT_CALL_ioCommandBuffer_loadBuffer_offset_size_sourceHandle_sourceHandleOffset_ = 207,
  MT_CALL_ioCommandBuffer_loadTexture_7more_sourceHandleOffset_ = 208,
  MT_CALL_ioCommandBuffer_copyStatusToBuffer_offset_ = 209,
  MT_CALL_ioCommandBuffer_commit = 210,
  MT_CALL_ioCommandBuffer_waitUntilCompleted = 211,
  MT_CALL_ioCommandBuffer_tryCancel = 212,
  MT_CALL_ioCommandBuffer_addBarrier = 213,
  MT_CALL_ioCommandBuffer_pushDebugGroup_ = 214,
  MT_CALL_ioCommandBuffer_popDebugGroup = 215,
  MT_CALL_ioCommandBuffer_enqueue = 216,
  MT_CALL_ioCommandBuffer_waitForEvent_value_ = 217,
  MT_CALL_ioCommandBuffer_signalEvent_value_ = 218,
  MT_CALL_ioCommandBuffer_setLabel_ = 219,
  MT_CALL_resource_setLabel_ = 220,
  MT_CALL_resource_setPurgeableState_ = 221,
  MT_CALL_resource_makeAliasable = 222,
  MT_CALL_resource_didModifyRange_ = 223,
  MT_CALL_resource_newTextureWithDescriptor_offset_bytesPerRow_ = 224,
  MT_CALL_resource_newTensorWithDescriptor_offset_error_ = 225,
  MT_CALL_pipeline_newComputePipelineStateWithBinaryFunctions_error_ = 226,
  MT_CALL_pipeline_newComputePipelineStateWithAdditionalBinaryFunctions_error_ = 227,
  MT_CALL_pipeline_newVisibleFunctionTableWithDescriptor_ = 228,
  MT_CALL_pipeline_newIntersectionFunctionTableWithDescriptor_ = 229,
  MT_CALL_encoder_buildAccelerationStructure_descriptor_scratchBuffer_scratchBufferOffset_ = 230,
  MT_CALL_encoder_refitAccelerationStructure_descriptor_destination_scratchBuffer_scratchBufferOffset_ = 231,
  MT_CALL_encoder_refitAccelerationStructure_descriptor_destination_scratchBuffer_scratchBufferOffset_options_
      = 232,
  MT_CALL_encoder_copyAccelerationStructure_toAccelerationStructure_ = 233,
  MT_CALL_encoder_writeCompactedAccelerationStructureSize_toBuffer_offset_ = 234,
  MT_CALL_encoder_writeCompactedAccelerationStructureSize_toBuffer_offset_sizeDataType_ = 235,
  MT_CALL_encoder_copyAndCompactAccelerationStructure_toAccelerationStructure_ = 236,
  MT_CALL_encoder_updateTextureMappings_mode_regions_mipLevels_slices_numRegions_ = 237,
  MT_CALL_encoder_updateTextureMapping_mode_region_mipLevel_slice_ = 238,
  MT_CALL_encoder_updateTextureMapping_mode_indirectBuffer_indirectBufferOffset_ = 239,
  MT_CALL_encoder_moveTextureMappingsFromTexture_7more_destinationOrigin_ = 240,
  MT_CALL_encoder_renderCommandEncoder = 241,
  MT_CALL_mtl4Queue_commit_count_ = 242,
  MT_CALL_mtl4Queue_commit_count_options_ = 243,
  MT_CALL_mtl4Queue_signalEvent_value_ = 244,
  MT_CALL_mtl4Queue_waitForEvent_value_ = 245,
  MT_CALL_mtl4Queue_signalDrawable_ = 246,
  MT_CALL_mtl4Queue_waitForDrawable_ = 247,
  MT_CALL_mtl4Queue_addResidencySet_ = 248,
  MT_CALL_mtl4Queue_addResidencySets_count_ = 249,
  MT_CALL_mtl4Queue_removeResidencySet_ = 250,
  MT_CALL_mtl4Queue_removeResidencySets_count_ = 251,
  MT_CALL_mtl4Queue_updateTextureMappings_heap_operations_count_ = 252,
  MT_CALL_mtl4Queue_copyTextureMappingsFromTexture_toTexture_operations_count_ = 253,
  MT_CALL_mtl4Queue_updateBufferMappings_heap_operations_count_ = 254,
  MT_CALL_mtl4Queue_copyBufferMappingsFromBuffer_toBuffer_operations_count_ = 255,
  MT_CALL_mtl4CommandBuffer_setLabel_ = 256,
  MT_CALL_mtl4CommandBuffer_beginCommandBufferWithAllocator_ = 257,
  MT_CALL_mtl4CommandBuffer_beginCommandBufferWithAllocator_options_ = 258,
  MT_CALL_mtl4CommandBuffer_endCommandBuffer = 259,
  MT_CALL_mtl4CommandBuffer_renderCommandEncoderWithDescriptor_ = 260,
  MT_CALL_mtl4CommandBuffer_renderCommandEncoderWithDescriptor_options_ = 261,
  MT_CALL_mtl4CommandBuffer_computeCommandEncoder = 262,
  MT_CALL_mtl4CommandBuffer_machineLearningCommandEncoder = 263,
  MT_CALL_mtl4CommandBuffer_useResidencySet_ = 264,
  MT_CALL_mtl4CommandBuffer_useResidencySets_count_ = 265,
  MT_CALL_mtl4CommandBuffer_pushDebugGroup_ = 266,
  MT_CALL_mtl4CommandBuffer_popDebugGroup = 267,
  MT_CALL_mtl4CommandBuffer_writeTimestampIntoHeap_atIndex_ = 268,
  MT_CALL_mtl4CommandBuffer_resolveCounterHeap_withRange_intoBuffer_waitFence_updateFence_ = 269,
  MT_CALL_mtl4Allocator_reset = 270,
  MT_CALL_encoder_barrierAfterQueueStages_beforeStages_visibilityOptions_ = 271,
  MT_CALL_encoder_barrierAfterStages_beforeQueueStages_visibilityOptions_ = 272,
  MT_CALL_encoder_barrierAfterEncoderStages_beforeEncoderStages_visibilityOptions_ = 273,
  MT_CALL_encoder_updateFence_afterEncoderStages_ = 274,
  MT_CALL_encoder_waitForFence_beforeEncoderStages_ = 275,
  MT_CALL_encoder_dispatchThreadgroupsWithIndirectBuffer_threadsPerThreadgroup_ = 276,
  MT_CALL_encoder_dispatchThreadsWithIndirectBuffer_ = 277,
  MT_CALL_encoder_executeCommandsInBuffer_indirectBuffer_ = 278,
  MT_CALL_encoder_buildAccelerationStructure_descriptor_scratchBuffer_ = 279,
  MT_CALL_encoder_refitAccelerationStructure_descriptor_destination_scratchBuffer_ = 280,
  MT_CALL_encoder_refitAccelerationStructure_descriptor_destination_scratchBuffer_options_ = 281,
  MT_CALL_encoder_writeCompactedAccelerationStructureSize_toBuffer_ = 282,
  MT_CALL_encoder_writeTimestampWithGranularity_intoHeap_atIndex_ = 283,
  MT_CALL_compiler_newLibraryWithDescriptor_error_ = 284,
  MT_CALL_compiler_newDynamicLibrary_error_ = 285,
  MT_CALL_compiler_newDynamicLibraryWithURL_error_ = 286,
  MT_CALL_compiler_newComputePipelineStateWithDescriptor_compilerTaskOptions_error_ = 287,
  MT_CALL_compiler_newComputePipelineStateWithDescriptor_dynamicLinkingDescriptor_compilerTaskOptions_error_
      = 288,
  MT_CALL_compiler_newRenderPipelineStateWithDescriptor_compilerTaskOptions_error_ = 289,
  MT_CALL_compiler_newRenderPipelineStateWithDescriptor_dynamicLinkingDescriptor_compilerTaskOptions_error_
      = 290,
  MT_CALL_compiler_newRenderPipelineStateBySpecializationWithDescriptor_pipeline_error_ = 291,
  MT_CALL_compiler_newBinaryFunctionWithDescriptor_compilerTaskOptions_error_ = 292,
  MT_CALL_compiler_newLibraryWithDescriptor_completionHandler_ = 293,
  MT_CALL_compiler_newDynamicLibrary_completionHandler_ = 294,
  MT_CALL_compiler_newDynamicLibraryWithURL_completionHandler_ = 295,
  MT_CALL_compiler_newComputePipelineStateWithDescriptor_compilerTaskOptions_completionHandler_ = 296,
  MT_CALL_compiler_newComputePipelineStateWithDescriptor_2more_completionHandler_ = 297,
  MT_CALL_compiler_newRenderPipelineStateWithDescriptor_compilerTaskOptions_completionHandler_ = 298,
  MT_CALL_compiler_newRenderPipelineStateWithDescriptor_2more_completionHandler_ = 299,
  MT_CALL_compiler_newRenderPipelineStateBySpecializationWithDescriptor_pipeline_completionHandler_ = 300,
  MT_CALL_compiler_newBinaryFunctionWithDescriptor_compilerTaskOptions_completionHandler_ = 301,
  MT_CALL_compiler_newMachineLearningPipelineStateWithDescriptor_error_ = 302,
  MT_CALL_compiler_newMachineLearningPipelineStateWithDescriptor_completionHandler_ = 303,
  MT_CALL_compilerTask_waitUntilCompleted = 304,
  MT_CALL_archive_newComputePipelineStateWithDescriptor_error_ = 305,
  MT_CALL_archive_newComputePipelineStateWithDescriptor_dynamicLinkingDescriptor_error_ = 306,
  MT_CALL_archive_newRenderPipelineStateWithDescriptor_error_ = 307,
  MT_CALL_archive_newRenderPipelineStateWithDescriptor_dynamicLinkingDescriptor_error_ = 308,
  MT_CALL_archive_newBinaryFunctionWithDescriptor_error_ = 309,
  MT_CALL_encoder_setPipelineState_ = 310,
  MT_CALL_encoder_dispatchNetworkWithIntermediatesHeap_ = 311,
  MT_CALL_encoder_setRenderPipelineState_ = 312,
  MT_CALL_encoder_drawPrimitives_vertexStart_vertexCount_ = 313,
  MT_CALL_encoder_drawPrimitives_vertexStart_vertexCount_instanceCount_ = 314,
  MT_CALL_encoder_drawPrimitives_vertexStart_vertexCount_instanceCount_baseInstance_ = 315,
  MT_CALL_encoder_drawPrimitives_indirectBuffer_indirectBufferOffset_ = 316,
  MT_CALL_encoder_drawIndexedPrimitives_indexCount_indexType_indexBuffer_indexBufferOffset_ = 317,
  MT_CALL_encoder_drawIndexedPrimitives_indexCount_indexType_indexBuffer_indexBufferOffset_instanceCount_
      = 318,
  MT_CALL_encoder_drawIndexedPrimitives_6more_baseInstance_ = 319,
  MT_CALL_encoder_drawIndexedPrimitives_indexType_indexBuffer_indexBufferOffset_indirectBuffer_indirectBufferOffset_
      = 320,
  MT_CALL_encoder_drawMeshThreadgroups_threadsPerObjectThreadgroup_threadsPerMeshThreadgroup_ = 321,
  MT_CALL_encoder_drawMeshThreads_threadsPerObjectThreadgroup_threadsPerMeshThreadgroup_ = 322,
  MT_CALL_encoder_dispatchThreadsPerTile_ = 323,
  MT_CALL_resource_newTextureViewWithPixelFormat_ = 324,
  MT_CALL_resource_newTextureViewWithPixelFormat_textureType_levels_slices_ = 325,
  MT_CALL_resource_replaceRegion_mipmapLevel_withBytes_bytesPerRow_ = 326,
  MT_CALL_resource_replaceRegion_mipmapLevel_slice_withBytes_bytesPerRow_bytesPerImage_ = 327,
  MT_CALL_resource_getBytes_bytesPerRow_fromRegion_mipmapLevel_ = 328,
  MT_CALL_resource_getBytes_bytesPerRow_bytesPerImage_fromRegion_mipmapLevel_slice_ = 329,
  MT_CALL_resource_dealloc = 330,
  MT_CALL_heap_dealloc = 331,
  MT_CALL_lock_pthread_mutex_lock = 332,
  MT_CALL_lock_pthread_rwlock_rdlock = 333,
  MT_CALL_lock_pthread_rwlock_wrlock = 334,
  MT_CALL_lock_pthread_cond_wait = 335,
  MT_CALL_lock_pthread_cond_timedwait = 336,
  MT_CALL_lock_dispatch_sync = 337,
  MT_CALL_lock_dispatch_sync_f = 338,
  MT_CALL_lock_dispatch_barrier_sync = 339,
  MT_CALL_lock_dispatch_barrier_sync_f = 340,
  MT_CALL_lock_dispatch_semaphore_wait = 341,
  MT_CALL_tracer_mark = 342,
  MT_CALL_tracer_scope = 343,
  MT_CALL_tracer_encoder_times = 344,
  MT_CALL_signal_pthread_cond_wait = 345,
  MT_CALL_signal_pthread_cond_timedwait = 346,
  MT_CALL_signal_pthread_cond_clockwait = 347,
  MT_CALL_signal_pthread_cond_timedwait_relative_np = 348,
  MT_CALL_signal_sem_wait = 349,
  MT_CALL_signal_sem_timedwait = 350,
  MT_CALL_signal_sem_clockwait = 351,
  MT_CALL_signal_dispatch_semaphore_wait = 352,
  MT_CALL_signal_dispatch_group_wait = 353,
  MT_CALL_tracer_stack = 354,
  MT_CALL_queue_commitCommandBuffer_wake_ = 355,
  MT_CALL_queue_commandBufferDidComplete_startTime_completionTime_error_ = 356,
  MT_CALL_tracer_canary = 357,
  MT_CALL_tracer_scope_begins = 358,
  MT_CALL_mpsKernel_encodeToCommandBuffer_leftMatrix_rightMatrix_resultMatrix_ = 359,
  MT_CALL_mpsKernel_encodeToCommandBuffer_inputMatrix_inputVector_resultVector_ = 360,
  MT_CALL_mpsKernel_encodeToCommandBuffer_inputMatrix_resultMatrix_ = 361,
  MT_CALL_mpsKernel_encodeToCommandBuffer_copyDescriptor_ = 362,
  MT_CALL_mpsKernel_encodeToCommandBuffer_sourceMatrix_resultMatrix_status_ = 363,
  MT_CALL_mpsKernel_encodeToCommandBuffer_sourceMatrix_resultMatrix_pivotIndices_status_ = 364,
  MT_CALL_mpsKernel_encodeToCommandBuffer_sourceMatrix_rightHandSideMatrix_solutionMatrix_ = 365,
  MT_CALL_mpsKernel_encodeToCommandBuffer_sourceMatrix_rightHandSideMatrix_pivotIndices_solutionMatrix_ = 366,
  MT_CALL_mpsKernel_encodeToCommandBuffer_inputMatrix_resultIndexMatrix_resultValueMatrix_ = 367,
  MT_CALL_mpsKernel_encodeToCommandBuffer_sourceMatrices_resultMatrix_scaleVector_offsetVector_biasVector_startIndex_
      = 368,
  MT_CALL_mpsKernel_encodeToCommandBuffer_inputMatrix_biasVector_resultMatrix_ = 369,
  MT_CALL_mpsKernel_encodeToCommandBuffer_inputMatrix_weightMatrix_biasVector_resultMatrix_ = 370,
  MT_CALL_mpsKernel_encodeToCommandBuffer_destinationMatrix_ = 371,
  MT_CALL_mpsKernel_encodeToCommandBuffer_destinationVector_ = 372,
  MT_CALL_mpsKernel_encodeToCommandBuffer_sourceTexture_destinationTexture_ = 373,
  MT_CALL_mpsKernel_encodeToCommandBuffer_sourceImage_destinationImage_ = 374,
  MT_CALL_mpsKernel_encodeToCommandBuffer_inPlaceTexture_fallbackCopyAllocator_ = 375,
  MT_CALL_mpsKernel_encodeToCommandBuffer_primaryTexture_secondaryTexture_destinationTexture_ = 376,
  MT_CALL_mpsKernel_encodeToCommandBuffer_primaryImage_secondaryImage_destinationImage_ = 377,
  MT_CALL_mpsKernel_encodeToCommandBuffer_sourceImage_ = 378,
  MT_CALL_mpsKernel_encodeToCommandBuffer_primaryImage_secondaryImage_ = 379,
  MT_CALL_mpsKernel_encodeToCommandBuffer_sourceTexture_histogram_histogramOffset_ = 380,
  MT_CALL_mpsKernel_encodeBatchToCommandBuffer_sourceImages_destinationImages_ = 381,
  MT_CALL_mpsKernel_encodeBatchToCommandBuffer_sourceImages_ = 382,
  MT_CALL_mpsKernel_encodeToCommandBuffer_sourceArrays_ = 383,
  MT_CALL_mpsKernel_encodeToCommandBuffer_sourceArrays_destinationArray_ = 384,
  MT_CALL_mpsKernel_encodeToCommandBuffer_sourceArray_ = 385,
  MT_CALL_mpsKernel_encodeToCommandBuffer_sourceArray_destinationArray_ = 386,
  MT_CALL_mpsKernel_encodeToCommandBuffer_primarySourceArray_secondarySourceArray_ = 387,
  MT_CALL_mpsKernel_encodeToCommandBuffer_primarySourceArray_secondarySourceArray_destinationArray_ = 388,
  MT_CALL_mpsKernel_encodeToCommandBuffer_sourceImages_ = 389,
  MT_CALL_mpsKernel_encodeToCommandEncoder_commandBuffer_sourceArrays_destinationArray_ = 390,
  MT_CALL_mpsGraph_encodeToCommandBuffer_feeds_targetOperations_resultsDictionary_executionDescriptor_ = 391,
  MT_CALL_mpsGraph_encodeToCommandBuffer_feeds_targetTensors_targetOperations_executionDescriptor_ = 392,
  MT_CALL_mpsGraph_runWithMTLCommandQueue_feeds_targetTensors_targetOperations_ = 393,
  MT_CALL_mpsGraph_runWithMTLCommandQueue_feeds_targetOperations_resultsDictionary_ = 394,
  MT_CALL_mpsGraph_runAsyncWithMTLCommandQueue_feeds_targetTensors_targetOperations_executionDescriptor_ = 395,
  MT_CALL_mpsGraph_runAsyncWithMTLCommandQueue_feeds_targetOperations_resultsDictionary_executionDescriptor_
      = 396,
  MT_CALL_mpsGraph_runWithFeeds_targetTensors_targetOperations_ = 397,
  MT_CALL_mpsGraph_runAsyncWithFeeds_targetTensors_targetOperations_executionDescriptor_ = 398,
  MT_CALL_mpsGraph_encodeToCommandBuffer_inputsArray_resultsArray_executionDescriptor_ = 399,
  MT_CALL_mpsGraph_runWithMTLCommandQueue_inputsArray_resultsArray_executionDescriptor_ = 400,
  MT_CALL_mpsGraph_runAsyncWithMTLCommandQueue_inputsArray_resultsArray_executionDescriptor_ = 401,
  MT_CALL_mpsCommandBuffer_commitAndContinue = 402,
  MT_CALL_tracer_layer = 403,
  MT_CALL_tracer_allocated = 404,
  MT_CALL_function_MTLCopyAllDevicesWithObserver = 405,
  MT_CALL_lock_sem_wait = 406,
  MT_CALL_lock_sem_timedwait = 407,
  MT_CALL_lock_sem_clockwait = 408,
  MT_CALL_resource_newSharedTextureHandle = 409,
  MT_CALL_event_dealloc = 410,
  MT_CALL_lock_dispatch_async_and_wait = 411,
  MT_CALL_lock_dispatch_async_and_wait_f = 412,
  MT_CALL_lock_dispatch_barrier_async_and_wait = 413,
  MT_CALL_lock_dispatch_barrier_async_and_wait_f = 414,
  MT_CALL_resource_indirectComputeCommandAtIndex_ = 415,
  MT_CALL_resource_resetWithRange_ = 416,
  MT_CALL_indirectCommand_setComputePipelineState_ = 417,
  MT_CALL_indirectCommand_concurrentDispatchThreadgroups_threadsPerThreadgroup_ = 418,
  MT_CALL_indirectCommand_concurrentDispatchThreads_threadsPerThreadgroup_ = 419,
  MT_CALL_indirectCommand_reset = 420,
  MT_CALL_tracer_failed = 421,
  MT_CALL_resource_indirectRenderCommandAtIndex_ = 422,
  MT_CALL_indirectCommand_setRenderPipelineState_ = 423,
  MT_CALL_indirectCommand_drawPrimitives_vertexStart_vertexCount_instanceCount_baseInstance_ = 424,
  MT_CALL_indirectCommand_drawIndexedPrimitives_6more_baseInstance_ = 425,
  MT_CALL_indirectCommand_drawPatches_8more_tessellationFactorBufferInstanceStride_ = 426,
  MT_CALL_indirectCommand_drawIndexedPatches_10more_tessellationFactorBufferInstanceStride_ = 427,
  MT_CALL_indirectCommand_drawMeshThreadgroups_threadsPerObjectThreadgroup_threadsPerMeshThreadgroup_ = 428,
  MT_CALL_indirectCommand_drawMeshThreads_threadsPerObjectThreadgroup_threadsPerMeshThreadgroup_ = 429,
  MT_CALL_function_MTLCodeGenServiceBuildRequest = 430,
  MT_CALL_signal_waitpid = 431,
  MT_CALL_signal_wait4 = 432,
  MT_CALL_signal_waitid = 433,
  MT_CALL_signal_wait = 434,
  MT_CALL_signal_system = 435,
  MT_CALL_tracer_signpost = 436,
  MT_CALL_layer_nextDrawable = 437,
  MT_CALL_drawable_present = 438,
  MT_CALL_drawable_presentAtTime_ = 439,
  MT_CALL_drawable_presentAfterMinimumDuration_ = 440,
  MT_CALL_signal_read = 441,
  MT_CALL_signal_readv = 442,
  MT_CALL_signal_pread = 443,
  MT_CALL_signal_recv = 444,
  MT_CALL_signal_recvfrom = 445,
  MT_CALL_signal_recvmsg = 446,
  MT_CALL_signal_accept = 447,
  MT_CALL_signal_write = 448,
  MT_CALL_signal_writev = 449,
  MT_CALL_signal_send = 450,
  MT_CALL_signal_sendmsg = 451,
  MT_CALL_signal_poll = 452,
  MT_CALL_signal_ppoll = 453,
  MT_CALL_signal_select = 454,
  MT_CALL_signal_pselect = 455,
  MT_CALL_signal_epoll_wait = 456,
  MT_CALL_signal_epoll_pwait = 457,
  MT_CALL_signal_kevent = 458,
  MT_CALL_signal_fread = 459,
  MT_CALL_signal_fgets = 460,
  MT_CALL_signal_getdelim = 461,
  MT_CALL_signal_nanosleep = 462,
  MT_CALL_signal_clock_nanosleep = 463,
  MT_CALL_signal_usleep = 464,
  MT_CALL_signal_sleep = 465,
  MT_CALL_signal_pthread_join = 466,
  MT_CALL_signal_pthread_barrier_wait = 467,
  MT_CALL_signal_futex = 468,
  MT_CALL_tracer_pipe_writer = 469,
  MT_CALL_commandBuffer_status = 470,
  MT_CALL_event_signaledValue = 471,
  MT_CALL_signal_pwrite = 472,
  MT_CALL_signal_sendto = 473,
  MT_CALL_signal_connect = 474,
  MT_CALL_signal_fsync = 475,
  MT_CALL_signal_fdatasync = 476,
  MT_CALL_signal_fcntl = 477,
  MT_CALL_signal_kevent64 = 478,
  MT_CALL_signal___ulock_wait = 479,
  MT_CALL_signal___ulock_wait2 = 480,
  MT_CALL_signal_os_sync_wait_on_address = 481,
  MT_CALL_signal_os_sync_wait_on_address_with_timeout = 482,
  MT_CALL_signal_os_sync_wait_on_address_with_deadline = 483,
  MT_CALL_lock_os_unfair_lock_lock = 484,
  MT_CALL_encoder_setBuffer_offset_atIndex_ = 485,
  MT_CALL_encoder_setBuffer_offset_attributeStride_atIndex_ = 486,
  MT_CALL_encoder_setBuffers_offsets_withRange_ = 487,
  MT_CALL_encoder_setBuffers_offsets_attributeStrides_withRange_ = 488,
  MT_CALL_encoder_setTexture_atIndex_ = 489,
  MT_CALL_encoder_setTextures_withRange_ = 490,
  MT_CALL_commandBuffer_dealloc = 491,
  MT_CALL_encoder_dealloc = 492,
  MT_CALL_fence_dealloc = 493,
  MT_CALL_queue_dealloc = 494,
  MT_CALL_library_dealloc = 495,
  MT_CALL_pipeline_dealloc = 496,
  MT_CALL_residencySet_dealloc = 497,
  MT_CALL_tracer_alive = 498,
  MT_CALL_COUNT = 499
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
  "made", \
  "newLogStateWithDescriptor:error:", \
  "newHeapWithDescriptor:", \
  "newDepthStencilStateWithDescriptor:", \
  "newTextureWithDescriptor:", \
  "newTextureWithDescriptor:iosurface:plane:", \
  "newSharedTextureWithDescriptor:", \
  "newSharedTextureWithHandle:", \
  "newSamplerStateWithDescriptor:", \
  "newLibraryWithStitchedDescriptor:error:", \
  "newLibraryWithStitchedDescriptor:completionHandler:", \
  "newRenderPipelineStateWithDescriptor:error:", \
  "newRenderPipelineStateWithDescriptor:options:reflection:error:", \
  "newRenderPipelineStateWithDescriptor:completionHandler:", \
  "newRenderPipelineStateWithDescriptor:options:completionHandler:", \
  "newRenderPipelineStateWithTileDescriptor:options:reflection:error:", \
  "newRenderPipelineStateWithTileDescriptor:options:completionHandler:", \
  "newRenderPipelineStateWithMeshDescriptor:options:reflection:error:", \
  "newRenderPipelineStateWithMeshDescriptor:options:completionHandler:", \
  "newArgumentEncoderWithArguments:", \
  "newRasterizationRateMapWithDescriptor:", \
  "newIndirectCommandBufferWithDescriptor:maxCommandCount:options:", \
  "newSharedEventWithHandle:", \
  "newIOHandleWithURL:error:", \
  "newIOCommandQueueWithDescriptor:error:", \
  "newIOHandleWithURL:compressionMethod:error:", \
  "newIOFileHandleWithURL:error:", \
  "newIOFileHandleWithURL:compressionMethod:error:", \
  "newCounterSampleBufferWithDescriptor:error:", \
  "newArgumentEncoderWithBufferBinding:", \
  "newDynamicLibrary:error:", \
  "newDynamicLibraryWithURL:error:", \
  "newBinaryArchiveWithDescriptor:error:", \
  "newAccelerationStructureWithSize:", \
  "newAccelerationStructureWithDescriptor:", \
  "newResidencySetWithDescriptor:error:", \
  "newTensorWithDescriptor:error:", \
  "newCommandAllocator", \
  "newCommandAllocatorWithDescriptor:error:", \
  "newMTL4CommandQueue", \
  "newMTL4CommandQueueWithDescriptor:error:", \
  "newCommandBuffer", \
  "newArgumentTableWithDescriptor:error:", \
  "newTextureViewPoolWithDescriptor:error:", \
  "newCompilerWithDescriptor:error:", \
  "newArchiveWithURL:error:", \
  "newPipelineDataSetSerializerWithDescriptor:", \
  "newBufferWithLength:options:placementSparsePageSize:", \
  "newCounterHeapWithDescriptor:error:", \
  "insertDebugCaptureBoundary", \
  "addResidencySet:", \
  "addResidencySets:count:", \
  "removeResidencySet:", \
  "removeResidencySets:count:", \
  "presentDrawable:", \
  "presentDrawable:atTime:", \
  "presentDrawable:afterMinimumDuration:", \
  "pushDebugGroup:", \
  "popDebugGroup", \
  "useResidencySet:", \
  "useResidencySets:count:", \
  "barrierAfterQueueStages:beforeStages:", \
  "insertDebugSignpost:", \
  "pushDebugGroup:", \
  "popDebugGroup", \
  "setLabel:", \
  "newSharedEventHandle", \
  "setLabel:", \
  "updateFence:", \
  "waitForFence:", \
  "useResource:usage:", \
  "useResources:count:usage:", \
  "useHeap:", \
  "useHeaps:count:", \
  "executeCommandsInBuffer:withRange:", \
  "executeCommandsInBuffer:indirectBuffer:indirectBufferOffset:", \
  "memoryBarrierWithScope:", \
  "memoryBarrierWithResources:count:", \
  "sampleCountersInBuffer:atSampleIndex:withBarrier:", \
  "synchronizeResource:", \
  "synchronizeTexture:slice:level:", \
  "copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toTexture:destinationSlice:destinationLevel:" \
      "destinationOrigin:", \
  "copyFromBuffer:sourceOffset:sourceBytesPerRow:sourceBytesPerImage:sourceSize:toTexture:destinationSlice:" \
      "destinationLevel:destinationOrigin:", \
  "copyFromBuffer:sourceOffset:sourceBytesPerRow:sourceBytesPerImage:sourceSize:toTexture:destinationSlice:" \
      "destinationLevel:destinationOrigin:options:", \
  "copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:destinationOffset:" \
      "destinationBytesPerRow:destinationBytesPerImage:", \
  "copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:destinationOffset:" \
      "destinationBytesPerRow:destinationBytesPerImage:options:", \
  "generateMipmapsForTexture:", \
  "copyFromTexture:sourceSlice:sourceLevel:toTexture:destinationSlice:destinationLevel:sliceCount:levelCount:", \
  "copyFromTexture:toTexture:", \
  "optimizeContentsForGPUAccess:", \
  "optimizeContentsForGPUAccess:slice:level:", \
  "optimizeContentsForCPUAccess:", \
  "optimizeContentsForCPUAccess:slice:level:", \
  "resetCommandsInBuffer:withRange:", \
  "copyIndirectCommandBuffer:sourceRange:destination:destinationIndex:", \
  "optimizeIndirectCommandBuffer:withRange:", \
  "resolveCounters:inRange:destinationBuffer:destinationOffset:", \
  "copyFromTensor:sourceOrigin:sourceDimensions:toTensor:destinationOrigin:destinationDimensions:", \
  "setLabel:", \
  "addComputePipelineFunctionsWithDescriptor:error:", \
  "addRenderPipelineFunctionsWithDescriptor:error:", \
  "addTileRenderPipelineFunctionsWithDescriptor:error:", \
  "addMeshRenderPipelineFunctionsWithDescriptor:error:", \
  "addLibraryWithDescriptor:error:", \
  "serializeToURL:error:", \
  "addFunctionWithDescriptor:library:error:", \
  "setLabel:", \
  "newBufferWithLength:options:", \
  "newTextureWithDescriptor:", \
  "setPurgeableState:", \
  "newBufferWithLength:options:offset:", \
  "newTextureWithDescriptor:offset:", \
  "newAccelerationStructureWithSize:", \
  "newAccelerationStructureWithDescriptor:", \
  "newAccelerationStructureWithSize:offset:", \
  "newAccelerationStructureWithDescriptor:offset:", \
  "setLabel:", \
  "newArgumentEncoderWithBufferIndex:", \
  "newArgumentEncoderWithBufferIndex:reflection:", \
  "setLabel:", \
  "newFunctionWithName:constantValues:completionHandler:", \
  "newFunctionWithDescriptor:completionHandler:", \
  "newIntersectionFunctionWithDescriptor:completionHandler:", \
  "newIntersectionFunctionWithDescriptor:error:", \
  "setLabel:", \
  "serializeToURL:error:", \
  "requestResidency", \
  "endResidency", \
  "addAllocation:", \
  "addAllocations:count:", \
  "removeAllocation:", \
  "removeAllocations:count:", \
  "removeAllAllocations", \
  "commit", \
  "enqueueBarrier", \
  "commandBuffer", \
  "commandBufferWithUnretainedReferences", \
  "setLabel:", \
  "addCompletedHandler:", \
  "loadBytes:size:sourceHandle:sourceHandleOffset:", \
  "loadBuffer:offset:size:sourceHandle:sourceHandleOffset:", \
  "loadTexture:slice:level:size:sourceBytesPerRow:sourceBytesPerImage:destinationOrigin:sourceHandle:" \
      "sourceHandleOffset:", \
  "copyStatusToBuffer:offset:", \
  "commit", \
  "waitUntilCompleted", \
  "tryCancel", \
  "addBarrier", \
  "pushDebugGroup:", \
  "popDebugGroup", \
  "enqueue", \
  "waitForEvent:value:", \
  "signalEvent:value:", \
  "setLabel:", \
  "setLabel:", \
  "setPurgeableState:", \
  "makeAliasable", \
  "didModifyRange:", \
  "newTextureWithDescriptor:offset:bytesPerRow:", \
  "newTensorWithDescriptor:offset:error:", \
  "newComputePipelineStateWithBinaryFunctions:error:", \
  "newComputePipelineStateWithAdditionalBinaryFunctions:error:", \
  "newVisibleFunctionTableWithDescriptor:", \
  "newIntersectionFunctionTableWithDescriptor:", \
  "buildAccelerationStructure:descriptor:scratchBuffer:scratchBufferOffset:", \
  "refitAccelerationStructure:descriptor:destination:scratchBuffer:scratchBufferOffset:", \
  "refitAccelerationStructure:descriptor:destination:scratchBuffer:scratchBufferOffset:options:", \
  "copyAccelerationStructure:toAccelerationStructure:", \
  "writeCompactedAccelerationStructureSize:toBuffer:offset:", \
  "writeCompactedAccelerationStructureSize:toBuffer:offset:sizeDataType:", \
  "copyAndCompactAccelerationStructure:toAccelerationStructure:", \
  "updateTextureMappings:mode:regions:mipLevels:slices:numRegions:", \
  "updateTextureMapping:mode:region:mipLevel:slice:", \
  "updateTextureMapping:mode:indirectBuffer:indirectBufferOffset:", \
  "moveTextureMappingsFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toTexture:destinationSlice:" \
      "destinationLevel:destinationOrigin:", \
  "renderCommandEncoder", \
  "commit:count:", \
  "commit:count:options:", \
  "signalEvent:value:", \
  "waitForEvent:value:", \
  "signalDrawable:", \
  "waitForDrawable:", \
  "addResidencySet:", \
  "addResidencySets:count:", \
  "removeResidencySet:", \
  "removeResidencySets:count:", \
  "updateTextureMappings:heap:operations:count:", \
  "copyTextureMappingsFromTexture:toTexture:operations:count:", \
  "updateBufferMappings:heap:operations:count:", \
  "copyBufferMappingsFromBuffer:toBuffer:operations:count:", \
  "setLabel:", \
  "beginCommandBufferWithAllocator:", \
  "beginCommandBufferWithAllocator:options:", \
  "endCommandBuffer", \
  "renderCommandEncoderWithDescriptor:", \
  "renderCommandEncoderWithDescriptor:options:", \
  "computeCommandEncoder", \
  "machineLearningCommandEncoder", \
  "useResidencySet:", \
  "useResidencySets:count:", \
  "pushDebugGroup:", \
  "popDebugGroup", \
  "writeTimestampIntoHeap:atIndex:", \
  "resolveCounterHeap:withRange:intoBuffer:waitFence:updateFence:", \
  "reset", \
  "barrierAfterQueueStages:beforeStages:visibilityOptions:", \
  "barrierAfterStages:beforeQueueStages:visibilityOptions:", \
  "barrierAfterEncoderStages:beforeEncoderStages:visibilityOptions:", \
  "updateFence:afterEncoderStages:", \
  "waitForFence:beforeEncoderStages:", \
  "dispatchThreadgroupsWithIndirectBuffer:threadsPerThreadgroup:", \
  "dispatchThreadsWithIndirectBuffer:", \
  "executeCommandsInBuffer:indirectBuffer:", \
  "buildAccelerationStructure:descriptor:scratchBuffer:", \
  "refitAccelerationStructure:descriptor:destination:scratchBuffer:", \
  "refitAccelerationStructure:descriptor:destination:scratchBuffer:options:", \
  "writeCompactedAccelerationStructureSize:toBuffer:", \
  "writeTimestampWithGranularity:intoHeap:atIndex:", \
  "newLibraryWithDescriptor:error:", \
  "newDynamicLibrary:error:", \
  "newDynamicLibraryWithURL:error:", \
  "newComputePipelineStateWithDescriptor:compilerTaskOptions:error:", \
  "newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:compilerTaskOptions:error:", \
  "newRenderPipelineStateWithDescriptor:compilerTaskOptions:error:", \
  "newRenderPipelineStateWithDescriptor:dynamicLinkingDescriptor:compilerTaskOptions:error:", \
  "newRenderPipelineStateBySpecializationWithDescriptor:pipeline:error:", \
  "newBinaryFunctionWithDescriptor:compilerTaskOptions:error:", \
  "newLibraryWithDescriptor:completionHandler:", \
  "newDynamicLibrary:completionHandler:", \
  "newDynamicLibraryWithURL:completionHandler:", \
  "newComputePipelineStateWithDescriptor:compilerTaskOptions:completionHandler:", \
  "newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:compilerTaskOptions:completionHandler:", \
  "newRenderPipelineStateWithDescriptor:compilerTaskOptions:completionHandler:", \
  "newRenderPipelineStateWithDescriptor:dynamicLinkingDescriptor:compilerTaskOptions:completionHandler:", \
  "newRenderPipelineStateBySpecializationWithDescriptor:pipeline:completionHandler:", \
  "newBinaryFunctionWithDescriptor:compilerTaskOptions:completionHandler:", \
  "newMachineLearningPipelineStateWithDescriptor:error:", \
  "newMachineLearningPipelineStateWithDescriptor:completionHandler:", \
  "waitUntilCompleted", \
  "newComputePipelineStateWithDescriptor:error:", \
  "newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:error:", \
  "newRenderPipelineStateWithDescriptor:error:", \
  "newRenderPipelineStateWithDescriptor:dynamicLinkingDescriptor:error:", \
  "newBinaryFunctionWithDescriptor:error:", \
  "setPipelineState:", \
  "dispatchNetworkWithIntermediatesHeap:", \
  "setRenderPipelineState:", \
  "drawPrimitives:vertexStart:vertexCount:", \
  "drawPrimitives:vertexStart:vertexCount:instanceCount:", \
  "drawPrimitives:vertexStart:vertexCount:instanceCount:baseInstance:", \
  "drawPrimitives:indirectBuffer:indirectBufferOffset:", \
  "drawIndexedPrimitives:indexCount:indexType:indexBuffer:indexBufferOffset:", \
  "drawIndexedPrimitives:indexCount:indexType:indexBuffer:indexBufferOffset:instanceCount:", \
  "drawIndexedPrimitives:indexCount:indexType:indexBuffer:indexBufferOffset:instanceCount:baseVertex:baseInstance:", \
  "drawIndexedPrimitives:indexType:indexBuffer:indexBufferOffset:indirectBuffer:indirectBufferOffset:", \
  "drawMeshThreadgroups:threadsPerObjectThreadgroup:threadsPerMeshThreadgroup:", \
  "drawMeshThreads:threadsPerObjectThreadgroup:threadsPerMeshThreadgroup:", \
  "dispatchThreadsPerTile:", \
  "newTextureViewWithPixelFormat:", \
  "newTextureViewWithPixelFormat:textureType:levels:slices:", \
  "replaceRegion:mipmapLevel:withBytes:bytesPerRow:", \
  "replaceRegion:mipmapLevel:slice:withBytes:bytesPerRow:bytesPerImage:", \
  "getBytes:bytesPerRow:fromRegion:mipmapLevel:", \
  "getBytes:bytesPerRow:bytesPerImage:fromRegion:mipmapLevel:slice:", \
  "dealloc", \
  "dealloc", \
  "pthread_mutex_lock", \
  "pthread_rwlock_rdlock", \
  "pthread_rwlock_wrlock", \
  "pthread_cond_wait", \
  "pthread_cond_timedwait", \
  "dispatch_sync", \
  "dispatch_sync_f", \
  "dispatch_barrier_sync", \
  "dispatch_barrier_sync_f", \
  "dispatch_semaphore_wait", \
  "mark", \
  "scope", \
  "encoder times", \
  "pthread_cond_wait", \
  "pthread_cond_timedwait", \
  "pthread_cond_clockwait", \
  "pthread_cond_timedwait_relative_np", \
  "sem_wait", \
  "sem_timedwait", \
  "sem_clockwait", \
  "dispatch_semaphore_wait", \
  "dispatch_group_wait", \
  "stack", \
  "commitCommandBuffer:wake:", \
  "commandBufferDidComplete:startTime:completionTime:error:", \
  "canary", \
  "scope begins", \
  "encodeToCommandBuffer:leftMatrix:rightMatrix:resultMatrix:", \
  "encodeToCommandBuffer:inputMatrix:inputVector:resultVector:", \
  "encodeToCommandBuffer:inputMatrix:resultMatrix:", \
  "encodeToCommandBuffer:copyDescriptor:", \
  "encodeToCommandBuffer:sourceMatrix:resultMatrix:status:", \
  "encodeToCommandBuffer:sourceMatrix:resultMatrix:pivotIndices:status:", \
  "encodeToCommandBuffer:sourceMatrix:rightHandSideMatrix:solutionMatrix:", \
  "encodeToCommandBuffer:sourceMatrix:rightHandSideMatrix:pivotIndices:solutionMatrix:", \
  "encodeToCommandBuffer:inputMatrix:resultIndexMatrix:resultValueMatrix:", \
  "encodeToCommandBuffer:sourceMatrices:resultMatrix:scaleVector:offsetVector:biasVector:startIndex:", \
  "encodeToCommandBuffer:inputMatrix:biasVector:resultMatrix:", \
  "encodeToCommandBuffer:inputMatrix:weightMatrix:biasVector:resultMatrix:", \
  "encodeToCommandBuffer:destinationMatrix:", \
  "encodeToCommandBuffer:destinationVector:", \
  "encodeToCommandBuffer:sourceTexture:destinationTexture:", \
  "encodeToCommandBuffer:sourceImage:destinationImage:", \
  "encodeToCommandBuffer:inPlaceTexture:fallbackCopyAllocator:", \
  "encodeToCommandBuffer:primaryTexture:secondaryTexture:destinationTexture:", \
  "encodeToCommandBuffer:primaryImage:secondaryImage:destinationImage:", \
  "encodeToCommandBuffer:sourceImage:", \
  "encodeToCommandBuffer:primaryImage:secondaryImage:", \
  "encodeToCommandBuffer:sourceTexture:histogram:histogramOffset:", \
  "encodeBatchToCommandBuffer:sourceImages:destinationImages:", \
  "encodeBatchToCommandBuffer:sourceImages:", \
  "encodeToCommandBuffer:sourceArrays:", \
  "encodeToCommandBuffer:sourceArrays:destinationArray:", \
  "encodeToCommandBuffer:sourceArray:", \
  "encodeToCommandBuffer:sourceArray:destinationArray:", \
  "encodeToCommandBuffer:primarySourceArray:secondarySourceArray:", \
  "encodeToCommandBuffer:primarySourceArray:secondarySourceArray:destinationArray:", \
  "encodeToCommandBuffer:sourceImages:", \
  "encodeToCommandEncoder:commandBuffer:sourceArrays:destinationArray:", \
  "encodeToCommandBuffer:feeds:targetOperations:resultsDictionary:executionDescriptor:", \
  "encodeToCommandBuffer:feeds:targetTensors:targetOperations:executionDescriptor:", \
  "runWithMTLCommandQueue:feeds:targetTensors:targetOperations:", \
  "runWithMTLCommandQueue:feeds:targetOperations:resultsDictionary:", \
  "runAsyncWithMTLCommandQueue:feeds:targetTensors:targetOperations:executionDescriptor:", \
  "runAsyncWithMTLCommandQueue:feeds:targetOperations:resultsDictionary:executionDescriptor:", \
  "runWithFeeds:targetTensors:targetOperations:", \
  "runAsyncWithFeeds:targetTensors:targetOperations:executionDescriptor:", \
  "encodeToCommandBuffer:inputsArray:resultsArray:executionDescriptor:", \
  "runWithMTLCommandQueue:inputsArray:resultsArray:executionDescriptor:", \
  "runAsyncWithMTLCommandQueue:inputsArray:resultsArray:executionDescriptor:", \
  "commitAndContinue", \
  "layer", \
  "allocated", \
  "MTLCopyAllDevicesWithObserver", \
  "sem_wait", \
  "sem_timedwait", \
  "sem_clockwait", \
  "newSharedTextureHandle", \
  "dealloc", \
  "dispatch_async_and_wait", \
  "dispatch_async_and_wait_f", \
  "dispatch_barrier_async_and_wait", \
  "dispatch_barrier_async_and_wait_f", \
  "indirectComputeCommandAtIndex:", \
  "resetWithRange:", \
  "setComputePipelineState:", \
  "concurrentDispatchThreadgroups:threadsPerThreadgroup:", \
  "concurrentDispatchThreads:threadsPerThreadgroup:", \
  "reset", \
  "failed", \
  "indirectRenderCommandAtIndex:", \
  "setRenderPipelineState:", \
  "drawPrimitives:vertexStart:vertexCount:instanceCount:baseInstance:", \
  "drawIndexedPrimitives:indexCount:indexType:indexBuffer:indexBufferOffset:instanceCount:baseVertex:baseInstance:", \
  "drawPatches:patchStart:patchCount:patchIndexBuffer:patchIndexBufferOffset:instanceCount:baseInstance:" \
      "tessellationFactorBuffer:tessellationFactorBufferOffset:tessellationFactorBufferInstanceStride:", \
  "drawIndexedPatches:patchStart:patchCount:patchIndexBuffer:patchIndexBufferOffset:controlPointIndexBuffer:" \
      "controlPointIndexBufferOffset:instanceCount:baseInstance:tessellationFactorBuffer:" \
      "tessellationFactorBufferOffset:tessellationFactorBufferInstanceStride:", \
  "drawMeshThreadgroups:threadsPerObjectThreadgroup:threadsPerMeshThreadgroup:", \
  "drawMeshThreads:threadsPerObjectThreadgroup:threadsPerMeshThreadgroup:", \
  "MTLCodeGenServiceBuildRequest", \
  "waitpid", \
  "wait4", \
  "waitid", \
  "wait", \
  "system", \
  "signpost", \
  "nextDrawable", \
  "present", \
  "presentAtTime:", \
  "presentAfterMinimumDuration:", \
  "read", \
  "readv", \
  "pread", \
  "recv", \
  "recvfrom", \
  "recvmsg", \
  "accept", \
  "write", \
  "writev", \
  "send", \
  "sendmsg", \
  "poll", \
  "ppoll", \
  "select", \
  "pselect", \
  "epoll_wait", \
  "epoll_pwait", \
  "kevent", \
  "fread", \
  "fgets", \
  "getdelim", \
  "nanosleep", \
  "clock_nanosleep", \
  "usleep", \
  "sleep", \
  "pthread_join", \
  "pthread_barrier_wait", \
  "futex", \
  "pipe writer", \
  "status", \
  "signaledValue", \
  "pwrite", \
  "sendto", \
  "connect", \
  "fsync", \
  "fdatasync", \
  "fcntl", \
  "kevent64", \
  "__ulock_wait", \
  "__ulock_wait2", \
  "os_sync_wait_on_address", \
  "os_sync_wait_on_address_with_timeout", \
  "os_sync_wait_on_address_with_deadline", \
  "os_unfair_lock_lock", \
  "setBuffer:offset:atIndex:", \
  "setBuffer:offset:attributeStride:atIndex:", \
  "setBuffers:offsets:withRange:", \
  "setBuffers:offsets:attributeStrides:withRange:", \
  "setTexture:atIndex:", \
  "setTextures:withRange:", \
  "dealloc", \
  "dealloc", \
  "dealloc", \
  "dealloc", \
  "dealloc", \
  "dealloc", \
  "dealloc", \
  "alive", \
}

// Initializes an array that says of each call, by number, whether its stack is recorded when stacks are.
#define MT_CALLS_WITH_STACK { \
  [MT_CALL_device_newCommandQueue] = 1, \
  [MT_CALL_device_newCommandQueueWithMaxCommandBufferCount_] = 1, \
  [MT_CALL_device_newCommandQueueWithDescriptor_] = 1, \
  [MT_CALL_device_newBufferWithLength_options_] = 1, \
  [MT_CALL_device_newBufferWithBytes_length_options_] = 1, \
  [MT_CALL_device_newBufferWithBytesNoCopy_length_options_deallocator_] = 1, \
  [MT_CALL_device_newLibraryWithSource_options_error_] = 1, \
  [MT_CALL_device_newLibraryWithSource_options_completionHandler_] = 1, \
  [MT_CALL_device_newLibraryWithData_error_] = 1, \
  [MT_CALL_device_newLibraryWithURL_error_] = 1, \
  [MT_CALL_device_newLibraryWithFile_error_] = 1, \
  [MT_CALL_device_newDefaultLibrary] = 1, \
  [MT_CALL_device_newDefaultLibraryWithBundle_error_] = 1, \
  [MT_CALL_device_newComputePipelineStateWithFunction_error_] = 1, \
  [MT_CALL_device_newComputePipelineStateWithFunction_options_reflection_error_] = 1, \
  [MT_CALL_device_newComputePipelineStateWithFunction_completionHandler_] = 1, \
  [MT_CALL_device_newComputePipelineStateWithFunction_options_completionHandler_] = 1, \
  [MT_CALL_device_newComputePipelineStateWithDescriptor_options_reflection_error_] = 1, \
  [MT_CALL_device_newComputePipelineStateWithDescriptor_options_completionHandler_] = 1, \
  [MT_CALL_device_newEvent] = 1, \
  [MT_CALL_device_newSharedEvent] = 1, \
  [MT_CALL_device_newFence] = 1, \
  [MT_CALL_library_newFunctionWithName_] = 1, \
  [MT_CALL_library_newFunctionWithName_constantValues_error_] = 1, \
  [MT_CALL_library_newFunctionWithDescriptor_error_] = 1, \
  [MT_CALL_queue_commandBuffer] = 1, \
  [MT_CALL_queue_commandBufferWithDescriptor_] = 1, \
  [MT_CALL_queue_commandBufferWithUnretainedReferences] = 1, \
  [MT_CALL_commandBuffer_computeCommandEncoder] = 1, \
  [MT_CALL_commandBuffer_computeCommandEncoderWithDispatchType_] = 1, \
  [MT_CALL_commandBuffer_computeCommandEncoderWithDescriptor_] = 1, \
  [MT_CALL_commandBuffer_blitCommandEncoder] = 1, \
  [MT_CALL_commandBuffer_blitCommandEncoderWithDescriptor_] = 1, \
  [MT_CALL_commandBuffer_renderCommandEncoderWithDescriptor_] = 1, \
  [MT_CALL_commandBuffer_parallelRenderCommandEncoderWithDescriptor_] = 1, \
  [MT_CALL_commandBuffer_resourceStateCommandEncoder] = 1, \
  [MT_CALL_commandBuffer_resourceStateCommandEncoderWithDescriptor_] = 1, \
  [MT_CALL_commandBuffer_accelerationStructureCommandEncoder] = 1, \
  [MT_CALL_commandBuffer_accelerationStructureCommandEncoderWithDescriptor_] = 1, \
  [MT_CALL_commandBuffer_enqueue] = 1, \
  [MT_CALL_commandBuffer_commit] = 1, \
  [MT_CALL_commandBuffer_waitUntilScheduled] = 1, \
  [MT_CALL_commandBuffer_waitUntilCompleted] = 1, \
  [MT_CALL_encoder_dispatchThreadgroups_threadsPerThreadgroup_] = 1, \
  [MT_CALL_encoder_dispatchThreads_threadsPerThreadgroup_] = 1, \
  [MT_CALL_encoder_dispatchThreadgroupsWithIndirectBuffer_indirectBufferOffset_threadsPerThreadgroup_] = 1, \
  [MT_CALL_event_waitUntilSignaledValue_timeoutMS_] = 1, \
  [MT_CALL_device_newHeapWithDescriptor_] = 1, \
  [MT_CALL_device_newTextureWithDescriptor_] = 1, \
  [MT_CALL_device_newTextureWithDescriptor_iosurface_plane_] = 1, \
  [MT_CALL_device_newSharedTextureWithDescriptor_] = 1, \
  [MT_CALL_device_newLibraryWithStitchedDescriptor_error_] = 1, \
  [MT_CALL_device_newLibraryWithStitchedDescriptor_completionHandler_] = 1, \
  [MT_CALL_device_newRenderPipelineStateWithDescriptor_error_] = 1, \
  [MT_CALL_device_newRenderPipelineStateWithDescriptor_options_reflection_error_] = 1, \
  [MT_CALL_device_newRenderPipelineStateWithDescriptor_completionHandler_] = 1, \
  [MT_CALL_device_newRenderPipelineStateWithDescriptor_options_completionHandler_] = 1, \
  [MT_CALL_device_newRenderPipelineStateWithTileDescriptor_options_reflection_error_] = 1, \
  [MT_CALL_device_newRenderPipelineStateWithTileDescriptor_options_completionHandler_] = 1, \
  [MT_CALL_device_newRenderPipelineStateWithMeshDescriptor_options_reflection_error_] = 1, \
  [MT_CALL_device_newRenderPipelineStateWithMeshDescriptor_options_completionHandler_] = 1, \
  [MT_CALL_device_newIndirectCommandBufferWithDescriptor_maxCommandCount_options_] = 1, \
  [MT_CALL_device_newDynamicLibrary_error_] = 1, \
  [MT_CALL_device_newDynamicLibraryWithURL_error_] = 1, \
  [MT_CALL_device_newBinaryArchiveWithDescriptor_error_] = 1, \
  [MT_CALL_device_newAccelerationStructureWithSize_] = 1, \
  [MT_CALL_device_newAccelerationStructureWithDescriptor_] = 1, \
  [MT_CALL_device_newResidencySetWithDescriptor_error_] = 1, \
  [MT_CALL_device_newTensorWithDescriptor_error_] = 1, \
  [MT_CALL_device_newMTL4CommandQueue] = 1, \
  [MT_CALL_device_newMTL4CommandQueueWithDescriptor_error_] = 1, \
  [MT_CALL_device_newArchiveWithURL_error_] = 1, \
  [MT_CALL_device_newBufferWithLength_options_placementSparsePageSize_] = 1, \
  [MT_CALL_queue_addResidencySet_] = 1, \
  [MT_CALL_queue_addResidencySets_count_] = 1, \
  [MT_CALL_queue_removeResidencySet_] = 1, \
  [MT_CALL_queue_removeResidencySets_count_] = 1, \
  [MT_CALL_encoder_executeCommandsInBuffer_withRange_] = 1, \
  [MT_CALL_encoder_executeCommandsInBuffer_indirectBuffer_indirectBufferOffset_] = 1, \
  [MT_CALL_archive_addComputePipelineFunctionsWithDescriptor_error_] = 1, \
  [MT_CALL_archive_addRenderPipelineFunctionsWithDescriptor_error_] = 1, \
  [MT_CALL_archive_addTileRenderPipelineFunctionsWithDescriptor_error_] = 1, \
  [MT_CALL_archive_addMeshRenderPipelineFunctionsWithDescriptor_error_] = 1, \
  [MT_CALL_archive_addLibraryWithDescriptor_error_] = 1, \
  [MT_CALL_archive_addFunctionWithDescriptor_library_error_] = 1, \
  [MT_CALL_heap_newBufferWithLength_options_] = 1, \
  [MT_CALL_heap_newTextureWithDescriptor_] = 1, \
  [MT_CALL_heap_setPurgeableState_] = 1, \
  [MT_CALL_heap_newBufferWithLength_options_offset_] = 1, \
  [MT_CALL_heap_newTextureWithDescriptor_offset_] = 1, \
  [MT_CALL_heap_newAccelerationStructureWithSize_] = 1, \
  [MT_CALL_heap_newAccelerationStructureWithDescriptor_] = 1, \
  [MT_CALL_heap_newAccelerationStructureWithSize_offset_] = 1, \
  [MT_CALL_heap_newAccelerationStructureWithDescriptor_offset_] = 1, \
  [MT_CALL_library_newFunctionWithName_constantValues_completionHandler_] = 1, \
  [MT_CALL_library_newFunctionWithDescriptor_completionHandler_] = 1, \
  [MT_CALL_library_newIntersectionFunctionWithDescriptor_completionHandler_] = 1, \
  [MT_CALL_library_newIntersectionFunctionWithDescriptor_error_] = 1, \
  [MT_CALL_residencySet_requestResidency] = 1, \
  [MT_CALL_residencySet_endResidency] = 1, \
  [MT_CALL_residencySet_removeAllAllocations] = 1, \
  [MT_CALL_residencySet_commit] = 1, \
  [MT_CALL_resource_setPurgeableState_] = 1, \
  [MT_CALL_resource_makeAliasable] = 1, \
  [MT_CALL_resource_newTextureWithDescriptor_offset_bytesPerRow_] = 1, \
  [MT_CALL_resource_newTensorWithDescriptor_offset_error_] = 1, \
  [MT_CALL_pipeline_newComputePipelineStateWithBinaryFunctions_error_] = 1, \
  [MT_CALL_pipeline_newComputePipelineStateWithAdditionalBinaryFunctions_error_] = 1, \
  [MT_CALL_pipeline_newVisibleFunctionTableWithDescriptor_] = 1, \
  [MT_CALL_pipeline_newIntersectionFunctionTableWithDescriptor_] = 1, \
  [MT_CALL_encoder_renderCommandEncoder] = 1, \
  [MT_CALL_mtl4Queue_commit_count_] = 1, \
  [MT_CALL_mtl4Queue_commit_count_options_] = 1, \
  [MT_CALL_mtl4Queue_addResidencySet_] = 1, \
  [MT_CALL_mtl4Queue_addResidencySets_count_] = 1, \
  [MT_CALL_mtl4Queue_removeResidencySet_] = 1, \
  [MT_CALL_mtl4Queue_removeResidencySets_count_] = 1, \
  [MT_CALL_mtl4CommandBuffer_beginCommandBufferWithAllocator_] = 1, \
  [MT_CALL_mtl4CommandBuffer_beginCommandBufferWithAllocator_options_] = 1, \
  [MT_CALL_mtl4CommandBuffer_renderCommandEncoderWithDescriptor_] = 1, \
  [MT_CALL_mtl4CommandBuffer_renderCommandEncoderWithDescriptor_options_] = 1, \
  [MT_CALL_mtl4CommandBuffer_computeCommandEncoder] = 1, \
  [MT_CALL_mtl4CommandBuffer_machineLearningCommandEncoder] = 1, \
  [MT_CALL_encoder_dispatchThreadgroupsWithIndirectBuffer_threadsPerThreadgroup_] = 1, \
  [MT_CALL_encoder_dispatchThreadsWithIndirectBuffer_] = 1, \
  [MT_CALL_encoder_executeCommandsInBuffer_indirectBuffer_] = 1, \
  [MT_CALL_compiler_newLibraryWithDescriptor_error_] = 1, \
  [MT_CALL_compiler_newDynamicLibrary_error_] = 1, \
  [MT_CALL_compiler_newDynamicLibraryWithURL_error_] = 1, \
  [MT_CALL_compiler_newComputePipelineStateWithDescriptor_compilerTaskOptions_error_] = 1, \
  [MT_CALL_compiler_newComputePipelineStateWithDescriptor_dynamicLinkingDescriptor_compilerTaskOptions_error_] = 1, \
  [MT_CALL_compiler_newRenderPipelineStateWithDescriptor_compilerTaskOptions_error_] = 1, \
  [MT_CALL_compiler_newRenderPipelineStateWithDescriptor_dynamicLinkingDescriptor_compilerTaskOptions_error_] = 1, \
  [MT_CALL_compiler_newRenderPipelineStateBySpecializationWithDescriptor_pipeline_error_] = 1, \
  [MT_CALL_compiler_newBinaryFunctionWithDescriptor_compilerTaskOptions_error_] = 1, \
  [MT_CALL_compiler_newLibraryWithDescriptor_completionHandler_] = 1, \
  [MT_CALL_compiler_newDynamicLibrary_completionHandler_] = 1, \
  [MT_CALL_compiler_newDynamicLibraryWithURL_completionHandler_] = 1, \
  [MT_CALL_compiler_newComputePipelineStateWithDescriptor_compilerTaskOptions_completionHandler_] = 1, \
  [MT_CALL_compiler_newComputePipelineStateWithDescriptor_2more_completionHandler_] = 1, \
  [MT_CALL_compiler_newRenderPipelineStateWithDescriptor_compilerTaskOptions_completionHandler_] = 1, \
  [MT_CALL_compiler_newRenderPipelineStateWithDescriptor_2more_completionHandler_] = 1, \
  [MT_CALL_compiler_newRenderPipelineStateBySpecializationWithDescriptor_pipeline_completionHandler_] = 1, \
  [MT_CALL_compiler_newBinaryFunctionWithDescriptor_compilerTaskOptions_completionHandler_] = 1, \
  [MT_CALL_compiler_newMachineLearningPipelineStateWithDescriptor_error_] = 1, \
  [MT_CALL_compiler_newMachineLearningPipelineStateWithDescriptor_completionHandler_] = 1, \
  [MT_CALL_compilerTask_waitUntilCompleted] = 1, \
  [MT_CALL_archive_newComputePipelineStateWithDescriptor_error_] = 1, \
  [MT_CALL_archive_newComputePipelineStateWithDescriptor_dynamicLinkingDescriptor_error_] = 1, \
  [MT_CALL_archive_newRenderPipelineStateWithDescriptor_error_] = 1, \
  [MT_CALL_archive_newRenderPipelineStateWithDescriptor_dynamicLinkingDescriptor_error_] = 1, \
  [MT_CALL_archive_newBinaryFunctionWithDescriptor_error_] = 1, \
  [MT_CALL_encoder_dispatchNetworkWithIntermediatesHeap_] = 1, \
  [MT_CALL_encoder_dispatchThreadsPerTile_] = 1, \
  [MT_CALL_resource_newTextureViewWithPixelFormat_] = 1, \
  [MT_CALL_resource_newTextureViewWithPixelFormat_textureType_levels_slices_] = 1, \
  [MT_CALL_lock_pthread_mutex_lock] = 1, \
  [MT_CALL_lock_pthread_rwlock_rdlock] = 1, \
  [MT_CALL_lock_pthread_rwlock_wrlock] = 1, \
  [MT_CALL_lock_pthread_cond_wait] = 1, \
  [MT_CALL_lock_pthread_cond_timedwait] = 1, \
  [MT_CALL_lock_dispatch_sync] = 1, \
  [MT_CALL_lock_dispatch_sync_f] = 1, \
  [MT_CALL_lock_dispatch_barrier_sync] = 1, \
  [MT_CALL_lock_dispatch_barrier_sync_f] = 1, \
  [MT_CALL_lock_dispatch_semaphore_wait] = 1, \
  [MT_CALL_signal_pthread_cond_wait] = 1, \
  [MT_CALL_signal_pthread_cond_timedwait] = 1, \
  [MT_CALL_signal_pthread_cond_clockwait] = 1, \
  [MT_CALL_signal_pthread_cond_timedwait_relative_np] = 1, \
  [MT_CALL_signal_sem_wait] = 1, \
  [MT_CALL_signal_sem_timedwait] = 1, \
  [MT_CALL_signal_sem_clockwait] = 1, \
  [MT_CALL_signal_dispatch_semaphore_wait] = 1, \
  [MT_CALL_signal_dispatch_group_wait] = 1, \
  [MT_CALL_mpsCommandBuffer_commitAndContinue] = 1, \
  [MT_CALL_lock_sem_wait] = 1, \
  [MT_CALL_lock_sem_timedwait] = 1, \
  [MT_CALL_lock_sem_clockwait] = 1, \
  [MT_CALL_lock_dispatch_async_and_wait] = 1, \
  [MT_CALL_lock_dispatch_async_and_wait_f] = 1, \
  [MT_CALL_lock_dispatch_barrier_async_and_wait] = 1, \
  [MT_CALL_lock_dispatch_barrier_async_and_wait_f] = 1, \
  [MT_CALL_resource_indirectComputeCommandAtIndex_] = 1, \
  [MT_CALL_indirectCommand_concurrentDispatchThreadgroups_threadsPerThreadgroup_] = 1, \
  [MT_CALL_indirectCommand_concurrentDispatchThreads_threadsPerThreadgroup_] = 1, \
  [MT_CALL_resource_indirectRenderCommandAtIndex_] = 1, \
  [MT_CALL_function_MTLCodeGenServiceBuildRequest] = 1, \
  [MT_CALL_signal_waitpid] = 1, \
  [MT_CALL_signal_wait4] = 1, \
  [MT_CALL_signal_waitid] = 1, \
  [MT_CALL_signal_wait] = 1, \
  [MT_CALL_signal_system] = 1, \
  [MT_CALL_layer_nextDrawable] = 1, \
  [MT_CALL_signal_read] = 1, \
  [MT_CALL_signal_readv] = 1, \
  [MT_CALL_signal_pread] = 1, \
  [MT_CALL_signal_recv] = 1, \
  [MT_CALL_signal_recvfrom] = 1, \
  [MT_CALL_signal_recvmsg] = 1, \
  [MT_CALL_signal_accept] = 1, \
  [MT_CALL_signal_write] = 1, \
  [MT_CALL_signal_writev] = 1, \
  [MT_CALL_signal_send] = 1, \
  [MT_CALL_signal_sendmsg] = 1, \
  [MT_CALL_signal_poll] = 1, \
  [MT_CALL_signal_ppoll] = 1, \
  [MT_CALL_signal_select] = 1, \
  [MT_CALL_signal_pselect] = 1, \
  [MT_CALL_signal_epoll_wait] = 1, \
  [MT_CALL_signal_epoll_pwait] = 1, \
  [MT_CALL_signal_kevent] = 1, \
  [MT_CALL_signal_fread] = 1, \
  [MT_CALL_signal_fgets] = 1, \
  [MT_CALL_signal_getdelim] = 1, \
  [MT_CALL_signal_nanosleep] = 1, \
  [MT_CALL_signal_clock_nanosleep] = 1, \
  [MT_CALL_signal_usleep] = 1, \
  [MT_CALL_signal_sleep] = 1, \
  [MT_CALL_signal_pthread_join] = 1, \
  [MT_CALL_signal_pthread_barrier_wait] = 1, \
  [MT_CALL_signal_futex] = 1, \
  [MT_CALL_commandBuffer_status] = 1, \
  [MT_CALL_event_signaledValue] = 1, \
  [MT_CALL_signal_pwrite] = 1, \
  [MT_CALL_signal_sendto] = 1, \
  [MT_CALL_signal_connect] = 1, \
  [MT_CALL_signal_fsync] = 1, \
  [MT_CALL_signal_fdatasync] = 1, \
  [MT_CALL_signal_fcntl] = 1, \
  [MT_CALL_signal_kevent64] = 1, \
  [MT_CALL_signal___ulock_wait] = 1, \
  [MT_CALL_signal___ulock_wait2] = 1, \
  [MT_CALL_signal_os_sync_wait_on_address] = 1, \
  [MT_CALL_signal_os_sync_wait_on_address_with_timeout] = 1, \
  [MT_CALL_signal_os_sync_wait_on_address_with_deadline] = 1, \
  [MT_CALL_lock_os_unfair_lock_lock] = 1, \
}
#endif
