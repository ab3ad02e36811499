// The hook table: one row for each hooked selector of a family (a kind of objects), with its exact C prototype. The
// prototypes must be exact, because structs are passed by value and the calling conventions (AAPCS64, System V AMD64)
// differ in where they go. This file is included once for each thing that is generated from it, always by its file
// name: Go rebuilds only for headers that are included by name.
//
//   CALL(family, name, slots, returns, PARAMETERS, ARGUMENTS, BEFORE, AFTER)
//     an ordinary method
//   MAKE(family, name, slots, made, PARAMETERS, ARGUMENTS, BEFORE, AFTER)
//     returns a new object of the family made, which the caller owns
//   MAKE_AUTORELEASED(...)
//     like MAKE, but the returned object is autoreleased: see autorelease.h
//   FREE(family, name, slots, FORGET)
//     releases the receiver; FORGET runs before the call
//   AUDIT(family, name, slots, PARAMETERS, ARGUMENTS, choke, passed)
//     only counts calls: see coverage.h
//   POLL(family, name, slots, returns, PARAMETERS, ARGUMENTS, OVER)
//     a getter that programs poll; OVER says whether its result is final: see polls.h
//   DROP(family, name, slots, returns, NOTE)
//     frees the receiver, and is not recorded; NOTE runs before the call
//   BIND(family, name, slots, returns, PARAMETERS, ARGUMENTS, NOTE)
//     binds arguments, and is not recorded; NOTE runs if the tracer keeps the encoder's bindings, and may
//     use them: see bindings.h
//
// family and name form the call's number, MT_CALL_family_name in wire.h. name is the selector with an underscore for
// each colon. A selector over 99 characters is shortened to its first and last part, with the number of parts between.
// docs/wire.md states what arg and more mean in each record. slots is the number of classes that can have the selector
// hooked, each with its own original. BEFORE runs before the clock is read, AFTER when the call has returned. Both may
// use t, self, a1, a2, ..., AFTER also result, and may set arg, flags and MORE(x0, x1, x2).

// device
MAKE(device, newCommandQueue, FEW, queue, P(), A(), (mt_sampling_see(t, self), mt_capture_see(self)), MORE(0, 0, 0))
MAKE(device, newCommandQueueWithMaxCommandBufferCount_, FEW, queue, P(NSUInteger a1), A(a1),
    (mt_sampling_see(t, self), mt_capture_see(self)), MORE(a1, 0, 0))
MAKE(device, newCommandQueueWithDescriptor_, FEW, queue, P(id a1), A(a1),
    (mt_sampling_see(t, self), mt_capture_see(self)), MORE(mt_send_integer(a1, "maxCommandBufferCount"), 0, 0))
MAKE(device, newBufferWithLength_options_, FEW, resource, P(NSUInteger a1, NSUInteger a2), A(a1, a2), ,
    mt_memory_sample(t, self, end); MORE(a1, a2, contents_of(result, a2)))
MAKE(device, newBufferWithBytes_length_options_, FEW, resource, P(const void *a1, NSUInteger a2, NSUInteger a3),
    A(a1, a2, a3), ,
     mt_memory_sample(t, self, end); MORE(a2, a3, contents_of(result, a3)))
MAKE(device, newBufferWithBytesNoCopy_length_options_deallocator_, FEW, resource,
    P(void *a1, NSUInteger a2, NSUInteger a3, void *a4), A(a1, a2, a3, a4), ,
     mt_memory_sample(t, self, end); MORE(a2, a3, (uintptr_t)a1))
MAKE(device, newLibraryWithSource_options_error_, FEW, library, P(id a1, id a2, id *a3), A(a1, a2, a3), , SOURCE(a1))
CALL(device, newLibraryWithSource_options_completionHandler_, FEW, nothing, P(id a1, id a2, void *a3), A(a1, a2, a3),
    WATCH(a3, library), SOURCE(a1))
MAKE(device, newLibraryWithData_error_, FEW, library, P(void *a1, id *a2), A(a1, a2), ,
    MORE(0, mt_send_integer(a1, "length"), 0))
MAKE(device, newLibraryWithURL_error_, FEW, library, P(id a1, id *a2), A(a1, a2), , MORE(text_from(t, a1, "path"), 0,
    0))
MAKE(device, newLibraryWithFile_error_, FEW, library, P(id a1, id *a2), A(a1, a2), , MORE(mt_text_of(t, a1), 0, 0))
MAKE(device, newDefaultLibrary, FEW, library, P(), A(), , )
MAKE(device, newDefaultLibraryWithBundle_error_, FEW, library, P(id a1, id *a2), A(a1, a2), , )
MAKE(device, newComputePipelineStateWithFunction_error_, FEW, pipeline, P(id a1, id *a2), A(a1, a2), ,
    REFLECTED(NULL, a1); PIPELINE(a1, NULL))
MAKE(device, newComputePipelineStateWithFunction_options_reflection_error_, FEW, pipeline,
    P(id a1, NSUInteger a2, id *a3, id *a4), A(a1, a2, a3, a4), ,
     REFLECTED(a3, a1); PIPELINE(a1, NULL))
CALL(device, newComputePipelineStateWithFunction_completionHandler_, FEW, nothing, P(id a1, void *a2), A(a1, a2),
    WATCH(a2, pipeline), PIPELINE(a1, NULL))
CALL(device, newComputePipelineStateWithFunction_options_completionHandler_, FEW, nothing,
    P(id a1, NSUInteger a2, void *a3), A(a1, a2, a3), WATCH(a3, pipeline),
     PIPELINE(a1, NULL))
MAKE(device, newComputePipelineStateWithDescriptor_options_reflection_error_, FEW, pipeline,
    P(id a1, NSUInteger a2, id *a3, id *a4), A(a1, a2, a3, a4), ,
     REFLECTED(a3, mt_send_id(a1, "computeFunction")); PIPELINE(mt_send_id(a1, "computeFunction"), a1))
CALL(device, newComputePipelineStateWithDescriptor_options_completionHandler_, FEW, nothing,
    P(id a1, NSUInteger a2, void *a3), A(a1, a2, a3), WATCH(a3, pipeline),
     PIPELINE(mt_send_id(a1, "computeFunction"), a1))
MAKE(device, newEvent, FEW, event, P(), A(), , )
MAKE(device, newSharedEvent, FEW, event, P(), A(), , )
MAKE(device, newFence, FEW, fence, P(), A(), , )

// library
MAKE(library, newFunctionWithName_, FEW, functionObject, P(id a1), A(a1), ,
    mt_bindings_function((uint32_t)arg, self, a1); MORE(mt_text_of(t, a1), 0, 0))
MAKE(library, newFunctionWithName_constantValues_error_, FEW, functionObject, P(id a1, id a2, id *a3), A(a1, a2, a3), ,
    MORE(mt_text_of(t, a1), 0, 0))
MAKE(library, newFunctionWithDescriptor_error_, FEW, functionObject, P(id a1, id *a2), A(a1, a2), ,
    MORE(text_from(t, a1, "name"), 0, 0))

// queue
MAKE_AUTORELEASED(queue, commandBuffer, FEW, commandBuffer, P(), A(), , ALIVE)
MAKE_AUTORELEASED(queue, commandBufferWithDescriptor_, FEW, commandBuffer, P(id a1), A(a1), , ALIVE)
MAKE_AUTORELEASED(queue, commandBufferWithUnretainedReferences, FEW, commandBuffer, P(), A(), , ALIVE)
CALL(queue, setLabel_, FEW, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))
AUDIT(queue, commitCommandBuffer_wake_, FEW, P(id a1, BOOL a2), A(a1, a2), MT_CHOKE_COMMIT, mt_audit_commit)
AUDIT(queue, commandBufferDidComplete_startTime_completionTime_error_, FEW, P(id a1, uint64_t a2, uint64_t a3, id a4),
    A(a1, a2, a3, a4),
      MT_CHOKE_COMPLETION, mt_audit_completion)

// command buffer
MAKE_AUTORELEASED(commandBuffer, computeCommandEncoder, FEW, encoder, P(), A(), original = mt_sampling_compute(t, self,
    mt_span_object(&span), original), FOLLOW(0); SAMPLED())
MAKE_AUTORELEASED(commandBuffer, computeCommandEncoderWithDispatchType_, FEW, encoder, P(NSUInteger a1), A(a1),
     original = mt_sampling_compute_of_type(t, self, mt_span_object(&span), a1, original),
         FOLLOW(a1); MORE(a1, mt_sampling_made(t, (uint32_t)arg), 0))
MAKE_AUTORELEASED(commandBuffer, computeCommandEncoderWithDescriptor_, FEW, encoder, P(id a1), A(a1),
     original = mt_sampling_pass(t, self, mt_span_object(&span), MT_SAMPLED_COMPUTE, a1, original),
     uint64_t type = mt_send_integer(a1, "dispatchType"); FOLLOW(type);
     MORE(type, mt_sampling_made(t, (uint32_t)arg), 0))
MAKE_AUTORELEASED(commandBuffer, blitCommandEncoder, FEW, encoder, P(), A(), original = mt_sampling_blit(t, self,
    mt_span_object(&span), original), SAMPLED())
MAKE_AUTORELEASED(commandBuffer, blitCommandEncoderWithDescriptor_, FEW, encoder, P(id a1), A(a1),
     original = mt_sampling_pass(t, self, mt_span_object(&span), MT_SAMPLED_BLIT, a1, original), SAMPLED())
MAKE_AUTORELEASED(commandBuffer, renderCommandEncoderWithDescriptor_, FEW, encoder, P(id a1), A(a1), , )
MAKE_AUTORELEASED(commandBuffer, parallelRenderCommandEncoderWithDescriptor_, FEW, encoder, P(id a1), A(a1), , )
MAKE_AUTORELEASED(commandBuffer, resourceStateCommandEncoder, FEW, encoder, P(), A(), , )
MAKE_AUTORELEASED(commandBuffer, resourceStateCommandEncoderWithDescriptor_, FEW, encoder, P(id a1), A(a1), , )
MAKE_AUTORELEASED(commandBuffer, accelerationStructureCommandEncoder, FEW, encoder, P(), A(), , )
MAKE_AUTORELEASED(commandBuffer, accelerationStructureCommandEncoderWithDescriptor_, FEW, encoder, P(id a1), A(a1), , )
CALL(commandBuffer, enqueue, FEW, nothing, P(), A(), , )
CALL(commandBuffer, commit, FEW, nothing, P(), A(), (mt_handoff_commit(t), mt_completion_watch(t, self)), )
CALL(commandBuffer, waitUntilScheduled, FEW, nothing, P(), A(), WAITS_FOR(0), WAITED)
CALL(commandBuffer, waitUntilCompleted, FEW, nothing, P(), A(), WAITS_FOR(0), WAITED)
CALL(commandBuffer, setLabel_, FEW, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))
CALL(commandBuffer, encodeSignalEvent_value_, FEW, nothing, P(id a1, uint64_t a2), A(a1, a2), ,
    arg = a2; MORE(mt_identity_of(a1), 0, 0))
CALL(commandBuffer, encodeWaitForEvent_value_, FEW, nothing, P(id a1, uint64_t a2), A(a1, a2), ,
    arg = a2; MORE(mt_identity_of(a1), 0, 0))
CALL(commandBuffer, addScheduledHandler_, FEW, nothing, P(void *a1), A(a1), , )
CALL(commandBuffer, addCompletedHandler_, FEW, nothing, P(void *a1), A(a1), , )
DROP(commandBuffer, dealloc, FEW, nothing, mt_alive_freed(self, &mt_region->buffers_freed))
POLL(commandBuffer, status, FEW, integer, P(), A(), result >= 4) // MTLCommandBufferStatusCompleted, or an error

// encoder
CALL(encoder, setComputePipelineState_, FEW, nothing, P(id a1), A(a1), ,
    arg = mt_identity_of(a1); mt_bindings_pipeline(t, self, (uint32_t)arg))
CALL(encoder, dispatchThreadgroups_threadsPerThreadgroup_, FEW, nothing, P(MTLSize a1, MTLSize a2), A(a1, a2), ,
     DISPATCHED(NULL); arg = volume(a1) * volume(a2); DISPATCH(a1, a2))
CALL(encoder, dispatchThreads_threadsPerThreadgroup_, FEW, nothing, P(MTLSize a1, MTLSize a2), A(a1, a2), ,
    DISPATCHED(NULL); arg = volume(a1); DISPATCH(a1, a2))
CALL(encoder, dispatchThreadgroupsWithIndirectBuffer_indirectBufferOffset_threadsPerThreadgroup_, FEW, nothing,
    P(id a1, NSUInteger a2, MTLSize a3), A(a1, a2, a3), ,
     DISPATCHED(a1); DISPATCH(((MTLSize){0, 0, 0}), a3))
CALL(encoder, copyFromBuffer_sourceOffset_toBuffer_destinationOffset_size_, FEW, nothing, P(id a1, NSUInteger a2, id a3,
    NSUInteger a4, NSUInteger a5),
     A(a1, a2, a3, a4, a5), , arg = a5; MORE(mt_identity_of(a1), mt_identity_of(a3), 0))
CALL(encoder, fillBuffer_range_value_, FEW, nothing, P(id a1, NSRange a2, uint8_t a3), A(a1, a2, a3), ,
    arg = a2.length; MORE(0, mt_identity_of(a1), 0))
CALL(encoder, setLabel_, MANY, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))
DROP(encoder, dealloc, MANY, nothing, mt_alive_freed(self, &mt_region->encoders_freed))
CALL(encoder, endEncoding, MANY, nothing, P(), A(), , arg = mt_bindings_end(t, self))
BIND(encoder, setBuffer_offset_atIndex_, FEW, nothing, P(id a1, NSUInteger a2, NSUInteger a3), A(a1, a2, a3),
    mt_bind(bindings, a1, BUFFER(a3)))
BIND(encoder, setBuffer_offset_attributeStride_atIndex_, FEW, nothing,
    P(id a1, NSUInteger a2, NSUInteger a3, NSUInteger a4),
    A(a1, a2, a3, a4), mt_bind(bindings, a1, BUFFER(a4)))
BIND(encoder, setBuffers_offsets_withRange_, FEW, nothing,
    P(const id *a1, const NSUInteger *a2, NSRange a3), A(a1, a2, a3),
    bind_all(bindings, a1, a3, false))
BIND(encoder, setBuffers_offsets_attributeStrides_withRange_, FEW, nothing,
    P(const id *a1, const NSUInteger *a2, const NSUInteger *a3, NSRange a4), A(a1, a2, a3, a4),
    bind_all(bindings, a1, a4, false))
BIND(encoder, setTexture_atIndex_, FEW, nothing, P(id a1, NSUInteger a2), A(a1, a2), mt_bind(bindings, a1, TEXTURE(a2)))
BIND(encoder, setTextures_withRange_, FEW, nothing,
    P(const id *a1, NSRange a2), A(a1, a2), bind_all(bindings, a1, a2, true))

// event
CALL(event, waitUntilSignaledValue_timeoutMS_, FEW, truth, P(uint64_t a1, uint64_t a2), A(a1, a2), WAITS_FOR(a1),
     arg = a1; MORE(a2, 0, 0); FAILED_UNLESS(result); WAITED)
POLL(event, signaledValue, FEW, integer, P(), A(), false)
CALL(event, setSignaledValue_, FEW, nothing, P(uint64_t a1), A(a1), , arg = a1)
CALL(event, notifyListener_atValue_block_, FEW, nothing, P(id a1, uint64_t a2, void *a3), A(a1, a2, a3), , arg = a2)

// device, less often
MAKE(device, newLogStateWithDescriptor_error_, FEW, other, P(id a1, const void *a2), A(a1, a2), , )
MAKE(device, newHeapWithDescriptor_, FEW, heap, P(id a1), A(a1), ,
    mt_memory_sample(t, self, end); MORE(mt_send_integer(result, "size"), mt_send_integer(result, "resourceOptions"),
        0))
MAKE(device, newDepthStencilStateWithDescriptor_, FEW, other, P(id a1), A(a1), , )
MAKE(device, newTextureWithDescriptor_, FEW, resource, P(id a1), A(a1), ,
    mt_memory_sample(t, self, end); RESOURCE(result))
MAKE(device, newTextureWithDescriptor_iosurface_plane_, FEW, resource, P(id a1, void *a2, NSUInteger a3), A(a1, a2, a3),
    , RESOURCE(result))
MAKE(device, newSharedTextureWithDescriptor_, FEW, resource, P(id a1), A(a1), , RESOURCE(result))
MAKE(device, newSharedTextureWithHandle_, FEW, resource, P(id a1), A(a1), , arg = mt_shared_again(t, MT_FAMILY_resource,
    result, arg); RESOURCE(result))
MAKE(device, newSamplerStateWithDescriptor_, FEW, other, P(id a1), A(a1), , )
MAKE(device, newLibraryWithStitchedDescriptor_error_, FEW, library, P(id a1, const void *a2), A(a1, a2), , )
CALL(device, newLibraryWithStitchedDescriptor_completionHandler_, FEW, nothing, P(id a1, void *a2), A(a1, a2),
    WATCH(a2, library), )
MAKE(device, newRenderPipelineStateWithDescriptor_error_, FEW, pipeline, P(id a1, const void *a2), A(a1, a2), ,
    LABELLED(a1))
MAKE(device, newRenderPipelineStateWithDescriptor_options_reflection_error_, FEW, pipeline,
    P(id a1, NSUInteger a2, const void *a3, const void *a4),
     A(a1, a2, a3, a4), , LABELLED(a1))
CALL(device, newRenderPipelineStateWithDescriptor_completionHandler_, FEW, nothing, P(id a1, void *a2), A(a1, a2),
    WATCH(a2, pipeline), LABELLED(a1))
CALL(device, newRenderPipelineStateWithDescriptor_options_completionHandler_, FEW, nothing,
    P(id a1, NSUInteger a2, void *a3),
     A(a1, a2, a3), WATCH(a3, pipeline), LABELLED(a1))
MAKE(device, newRenderPipelineStateWithTileDescriptor_options_reflection_error_, FEW, pipeline,
    P(id a1, NSUInteger a2, const void *a3, const void *a4),
     A(a1, a2, a3, a4), , LABELLED(a1))
CALL(device, newRenderPipelineStateWithTileDescriptor_options_completionHandler_, FEW, nothing,
    P(id a1, NSUInteger a2, void *a3),
     A(a1, a2, a3), WATCH(a3, pipeline), LABELLED(a1))
MAKE(device, newRenderPipelineStateWithMeshDescriptor_options_reflection_error_, FEW, pipeline,
    P(id a1, NSUInteger a2, const void *a3, const void *a4),
     A(a1, a2, a3, a4), , LABELLED(a1))
CALL(device, newRenderPipelineStateWithMeshDescriptor_options_completionHandler_, FEW, nothing,
    P(id a1, NSUInteger a2, void *a3),
     A(a1, a2, a3), WATCH(a3, pipeline), LABELLED(a1))
MAKE(device, newArgumentEncoderWithArguments_, FEW, other, P(id a1), A(a1), , )
MAKE(device, newRasterizationRateMapWithDescriptor_, FEW, other, P(id a1), A(a1), , )
MAKE(device, newIndirectCommandBufferWithDescriptor_maxCommandCount_options_, FEW, resource,
    P(id a1, NSUInteger a2, NSUInteger a3),
     A(a1, a2, a3), , RESOURCE(result))
MAKE(device, newSharedEventWithHandle_, FEW, event, P(id a1), A(a1), , arg = mt_shared_again(t, MT_FAMILY_event, result,
    arg))
MAKE(device, newIOHandleWithURL_error_, FEW, other, P(id a1, const void *a2), A(a1, a2), , )
MAKE(device, newIOCommandQueueWithDescriptor_error_, FEW, ioQueue, P(id a1, const void *a2), A(a1, a2), , )
MAKE(device, newIOHandleWithURL_compressionMethod_error_, FEW, other, P(id a1, long a2, const void *a3), A(a1, a2, a3),
    , )
MAKE(device, newIOFileHandleWithURL_error_, FEW, other, P(id a1, const void *a2), A(a1, a2), , )
MAKE(device, newIOFileHandleWithURL_compressionMethod_error_, FEW, other, P(id a1, long a2, const void *a3),
    A(a1, a2, a3), , )
MAKE(device, newCounterSampleBufferWithDescriptor_error_, FEW, other, P(id a1, const void *a2), A(a1, a2), , )
MAKE(device, newArgumentEncoderWithBufferBinding_, FEW, other, P(id a1), A(a1), , )
MAKE(device, newDynamicLibrary_error_, FEW, dynamicLibrary, P(id a1, const void *a2), A(a1, a2), , )
MAKE(device, newDynamicLibraryWithURL_error_, FEW, dynamicLibrary, P(id a1, const void *a2), A(a1, a2), , )
MAKE(device, newBinaryArchiveWithDescriptor_error_, FEW, archive, P(id a1, const void *a2), A(a1, a2), , )
MAKE(device, newAccelerationStructureWithSize_, FEW, resource, P(NSUInteger a1), A(a1), , RESOURCE(result))
MAKE(device, newAccelerationStructureWithDescriptor_, FEW, resource, P(id a1), A(a1), , RESOURCE(result))
MAKE(device, newResidencySetWithDescriptor_error_, FEW, residencySet, P(id a1, const void *a2), A(a1, a2), , )
MAKE(device, newTensorWithDescriptor_error_, FEW, resource, P(id a1, const void *a2), A(a1, a2), , RESOURCE(result))
MAKE(device, newCommandAllocator, FEW, mtl4Allocator, P(), A(), , )
MAKE(device, newCommandAllocatorWithDescriptor_error_, FEW, mtl4Allocator, P(id a1, const void *a2), A(a1, a2), , )
MAKE(device, newMTL4CommandQueue, FEW, mtl4Queue, P(), A(), , )
MAKE(device, newMTL4CommandQueueWithDescriptor_error_, FEW, mtl4Queue, P(id a1, const void *a2), A(a1, a2), , )
MAKE(device, newCommandBuffer, FEW, mtl4CommandBuffer, P(), A(), , )
MAKE(device, newArgumentTableWithDescriptor_error_, FEW, other, P(id a1, const void *a2), A(a1, a2), , )
MAKE(device, newTextureViewPoolWithDescriptor_error_, FEW, other, P(id a1, const void *a2), A(a1, a2), , )
MAKE(device, newCompilerWithDescriptor_error_, FEW, compiler, P(id a1, const void *a2), A(a1, a2), , )
MAKE(device, newArchiveWithURL_error_, FEW, archive, P(id a1, const void *a2), A(a1, a2), , )
MAKE(device, newPipelineDataSetSerializerWithDescriptor_, FEW, other, P(id a1), A(a1), , )
MAKE(device, newBufferWithLength_options_placementSparsePageSize_, FEW, resource, P(NSUInteger a1, NSUInteger a2,
    long a3),
     A(a1, a2, a3), , MORE(a1, a2, contents_of(result, a2)))
MAKE(device, newCounterHeapWithDescriptor_error_, FEW, other, P(id a1, const void *a2), A(a1, a2), , )

// queue
CALL(queue, insertDebugCaptureBoundary, FEW, nothing, P(), A(), , )
CALL(queue, addResidencySet_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(queue, addResidencySets_count_, FEW, nothing, P(const void *a1, NSUInteger a2), A(a1, a2), , arg = a2)
CALL(queue, removeResidencySet_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(queue, removeResidencySets_count_, FEW, nothing, P(const void *a1, NSUInteger a2), A(a1, a2), , arg = a2)

// command buffer
CALL(commandBuffer, presentDrawable_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(commandBuffer, presentDrawable_atTime_, FEW, nothing, P(id a1, double a2), A(a1, a2), , arg = mt_identity_of(a1))
CALL(commandBuffer, presentDrawable_afterMinimumDuration_, FEW, nothing, P(id a1, double a2), A(a1, a2), ,
    arg = mt_identity_of(a1))
CALL(commandBuffer, pushDebugGroup_, FEW, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))
CALL(commandBuffer, popDebugGroup, FEW, nothing, P(), A(), , )
CALL(commandBuffer, useResidencySet_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(commandBuffer, useResidencySets_count_, FEW, nothing, P(const void *a1, NSUInteger a2), A(a1, a2), , arg = a2)

// encoder
CALL(encoder, barrierAfterQueueStages_beforeStages_, FEW, nothing, P(NSUInteger a1, NSUInteger a2), A(a1, a2), , )
CALL(encoder, insertDebugSignpost_, MANY, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))
CALL(encoder, pushDebugGroup_, MANY, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))
CALL(encoder, popDebugGroup, MANY, nothing, P(), A(), , )

// event
CALL(event, setLabel_, FEW, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))
MAKE(event, newSharedEventHandle, FEW, other, P(), A(), , mt_shared_note(self, mt_span_object(&span)))
FREE(event, dealloc, FEW, mt_shared_forget(self))

// fence
CALL(fence, setLabel_, FEW, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))

// encoder
CALL(encoder, updateFence_, MANY, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(encoder, waitForFence_, MANY, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(encoder, useResource_usage_, FEW, nothing, P(id a1, NSUInteger a2), A(a1, a2), ,
    mt_bindings_unknown(t, mt_span_object(&span)); arg = mt_identity_of(a1))
CALL(encoder, useResources_count_usage_, FEW, nothing, P(const void *a1, NSUInteger a2, NSUInteger a3),
    A(a1, a2, a3), , mt_bindings_unknown(t, mt_span_object(&span)); arg = a2)
CALL(encoder, useHeap_, FEW, nothing, P(id a1), A(a1), ,
    mt_bindings_unknown(t, mt_span_object(&span)); arg = mt_identity_of(a1))
CALL(encoder, useHeaps_count_, FEW, nothing, P(const void *a1, NSUInteger a2), A(a1, a2), ,
    mt_bindings_unknown(t, mt_span_object(&span)); arg = a2)
CALL(encoder, executeCommandsInBuffer_withRange_, FEW, nothing, P(id a1, NSRange a2), A(a1, a2), ,
    mt_bindings_unknown(t, mt_span_object(&span)); arg = a2.length; MORE(mt_identity_of(a1), a2.location, 0))
CALL(encoder, executeCommandsInBuffer_indirectBuffer_indirectBufferOffset_, FEW, nothing,
    P(id a1, id a2, NSUInteger a3), A(a1, a2, a3), ,
    mt_bindings_unknown(t, mt_span_object(&span)); MORE(mt_identity_of(a1), 0, 0))
CALL(encoder, memoryBarrierWithScope_, FEW, nothing, P(NSUInteger a1), A(a1), , arg = a1)
CALL(encoder, memoryBarrierWithResources_count_, FEW, nothing, P(const void *a1, NSUInteger a2), A(a1, a2), , arg = a2)
CALL(encoder, sampleCountersInBuffer_atSampleIndex_withBarrier_, FEW, nothing, P(id a1, NSUInteger a2, BOOL a3),
    A(a1, a2, a3), , )
CALL(encoder, synchronizeResource_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(encoder, synchronizeTexture_slice_level_, FEW, nothing, P(id a1, NSUInteger a2, NSUInteger a3), A(a1, a2, a3), ,
    arg = mt_identity_of(a1))
CALL(encoder, copyFromTexture_7more_destinationOrigin_, FEW, nothing,
    P(id a1, NSUInteger a2, NSUInteger a3, MTLSize a4, MTLSize a5, id a6, NSUInteger a7, NSUInteger a8, MTLSize a9),
    A(a1, a2, a3, a4, a5, a6, a7, a8, a9), , arg = volume(a5); MORE(mt_identity_of(a1), mt_identity_of(a6), 0))
CALL(encoder, copyFromBuffer_7more_destinationOrigin_, FEW, nothing,
    P(id a1, NSUInteger a2, NSUInteger a3, NSUInteger a4, MTLSize a5, id a6, NSUInteger a7, NSUInteger a8, MTLSize a9),
    A(a1, a2, a3, a4, a5, a6, a7, a8, a9), ,
    arg = a3 * a5.height * a5.depth; MORE(mt_identity_of(a1), mt_identity_of(a6), 0))
CALL(encoder, copyFromBuffer_8more_options_, FEW, nothing,
    P(id a1, NSUInteger a2, NSUInteger a3, NSUInteger a4, MTLSize a5, id a6, NSUInteger a7, NSUInteger a8,
      MTLSize a9, NSUInteger a10),
    A(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10), ,
    arg = a3 * a5.height * a5.depth; MORE(mt_identity_of(a1), mt_identity_of(a6), 0))
CALL(encoder, copyFromTexture_7more_destinationBytesPerImage_, FEW, nothing,
    P(id a1, NSUInteger a2, NSUInteger a3, MTLSize a4, MTLSize a5, id a6, NSUInteger a7, NSUInteger a8, NSUInteger a9),
    A(a1, a2, a3, a4, a5, a6, a7, a8, a9), ,
    arg = a8 * a5.height * a5.depth; MORE(mt_identity_of(a1), mt_identity_of(a6), 0))
CALL(encoder, copyFromTexture_8more_options_, FEW, nothing,
    P(id a1, NSUInteger a2, NSUInteger a3, MTLSize a4, MTLSize a5, id a6, NSUInteger a7, NSUInteger a8,
      NSUInteger a9, NSUInteger a10),
    A(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10), ,
    arg = a8 * a5.height * a5.depth; MORE(mt_identity_of(a1), mt_identity_of(a6), 0))
CALL(encoder, generateMipmapsForTexture_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(encoder, copyFromTexture_6more_levelCount_, FEW, nothing,
    P(id a1, NSUInteger a2, NSUInteger a3, id a4, NSUInteger a5, NSUInteger a6, NSUInteger a7, NSUInteger a8),
    A(a1, a2, a3, a4, a5, a6, a7, a8), , MORE(mt_identity_of(a1), mt_identity_of(a4), 0))
CALL(encoder, copyFromTexture_toTexture_, FEW, nothing, P(id a1, id a2), A(a1, a2), ,
    MORE(mt_identity_of(a1), mt_identity_of(a2), 0))
CALL(encoder, optimizeContentsForGPUAccess_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(encoder, optimizeContentsForGPUAccess_slice_level_, FEW, nothing, P(id a1, NSUInteger a2, NSUInteger a3),
    A(a1, a2, a3), , arg = mt_identity_of(a1))
CALL(encoder, optimizeContentsForCPUAccess_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(encoder, optimizeContentsForCPUAccess_slice_level_, FEW, nothing, P(id a1, NSUInteger a2, NSUInteger a3),
    A(a1, a2, a3), , arg = mt_identity_of(a1))
CALL(encoder, resetCommandsInBuffer_withRange_, FEW, nothing, P(id a1, NSRange a2), A(a1, a2), ,
    arg = a2.length; MORE(mt_identity_of(a1), a2.location, 0))
CALL(encoder, copyIndirectCommandBuffer_sourceRange_destination_destinationIndex_, FEW, nothing,
    P(id a1, NSRange a2, id a3, NSUInteger a4),
     A(a1, a2, a3, a4), , arg = a2.length; MORE(mt_identity_of(a1), mt_identity_of(a3),
         (uint32_t)a2.location | (uint64_t)a4 << 32))
CALL(encoder, optimizeIndirectCommandBuffer_withRange_, FEW, nothing, P(id a1, NSRange a2), A(a1, a2), ,
    arg = a2.length; MORE(mt_identity_of(a1), a2.location, 0))
CALL(encoder, resolveCounters_inRange_destinationBuffer_destinationOffset_, FEW, nothing,
    P(id a1, NSRange a2, id a3, NSUInteger a4), A(a1, a2, a3, a4), , )
CALL(encoder, copyFromTensor_sourceOrigin_sourceDimensions_toTensor_destinationOrigin_destinationDimensions_, FEW,
    nothing, P(id a1, id a2, id a3,
     id a4, id a5, id a6), A(a1, a2, a3, a4, a5, a6), , MORE(mt_identity_of(a1), mt_identity_of(a4), 0))

// archive
CALL(archive, setLabel_, FEW, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))
CALL(archive, addComputePipelineFunctionsWithDescriptor_error_, FEW, truth, P(id a1, const void *a2), A(a1, a2), ,
    FAILED_UNLESS(result))
CALL(archive, addRenderPipelineFunctionsWithDescriptor_error_, FEW, truth, P(id a1, const void *a2), A(a1, a2), ,
    FAILED_UNLESS(result))
CALL(archive, addTileRenderPipelineFunctionsWithDescriptor_error_, FEW, truth, P(id a1, const void *a2), A(a1, a2), ,
    FAILED_UNLESS(result))
CALL(archive, addMeshRenderPipelineFunctionsWithDescriptor_error_, FEW, truth, P(id a1, const void *a2), A(a1, a2), ,
    FAILED_UNLESS(result))
CALL(archive, addLibraryWithDescriptor_error_, FEW, truth, P(id a1, const void *a2), A(a1, a2), , FAILED_UNLESS(result))
CALL(archive, serializeToURL_error_, FEW, truth, P(id a1, const void *a2), A(a1, a2), , FAILED_UNLESS(result))
CALL(archive, addFunctionWithDescriptor_library_error_, FEW, truth, P(id a1, id a2, const void *a3), A(a1, a2, a3), ,
    FAILED_UNLESS(result))

// heap
CALL(heap, setLabel_, FEW, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))
MAKE(heap, newBufferWithLength_options_, FEW, resource, P(NSUInteger a1, NSUInteger a2), A(a1, a2), ,
    MORE(a1, a2, contents_of(result, a2)))
MAKE(heap, newTextureWithDescriptor_, FEW, resource, P(id a1), A(a1), , RESOURCE(result))
CALL(heap, setPurgeableState_, FEW, integer, P(NSUInteger a1), A(a1), , arg = a1)
MAKE(heap, newBufferWithLength_options_offset_, FEW, resource, P(NSUInteger a1, NSUInteger a2, NSUInteger a3),
     A(a1, a2, a3), , MORE(a1, a2, contents_of(result, a2)))
MAKE(heap, newTextureWithDescriptor_offset_, FEW, resource, P(id a1, NSUInteger a2), A(a1, a2), , RESOURCE(result))
MAKE(heap, newAccelerationStructureWithSize_, FEW, resource, P(NSUInteger a1), A(a1), , RESOURCE(result))
MAKE(heap, newAccelerationStructureWithDescriptor_, FEW, resource, P(id a1), A(a1), , RESOURCE(result))
MAKE(heap, newAccelerationStructureWithSize_offset_, FEW, resource, P(NSUInteger a1, NSUInteger a2), A(a1, a2), ,
    RESOURCE(result))
MAKE(heap, newAccelerationStructureWithDescriptor_offset_, FEW, resource, P(id a1, NSUInteger a2), A(a1, a2), ,
    RESOURCE(result))

// function
CALL(functionObject, setLabel_, FEW, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))
MAKE(functionObject, newArgumentEncoderWithBufferIndex_, FEW, other, P(NSUInteger a1), A(a1), , )
MAKE(functionObject, newArgumentEncoderWithBufferIndex_reflection_, FEW, other, P(NSUInteger a1, const void *a2),
    A(a1, a2), , )

// library
CALL(library, setLabel_, FEW, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))
CALL(library, newFunctionWithName_constantValues_completionHandler_, FEW, nothing, P(id a1, id a2, void *a3),
     A(a1, a2, a3), WATCH(a3, functionObject), MORE(mt_text_of(t, a1), 0, 0))
CALL(library, newFunctionWithDescriptor_completionHandler_, FEW, nothing, P(id a1, void *a2),
     A(a1, a2), WATCH(a2, functionObject), MORE(text_from(t, a1, "name"), 0, 0))
CALL(library, newIntersectionFunctionWithDescriptor_completionHandler_, FEW, nothing, P(id a1, void *a2),
     A(a1, a2), WATCH(a2, functionObject), MORE(text_from(t, a1, "name"), 0, 0))
MAKE(library, newIntersectionFunctionWithDescriptor_error_, FEW, functionObject, P(id a1, const void *a2), A(a1, a2), ,
    MORE(text_from(t, a1, "name"), 0, 0))

// dynamic library
CALL(dynamicLibrary, setLabel_, FEW, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))
CALL(dynamicLibrary, serializeToURL_error_, FEW, truth, P(id a1, const void *a2), A(a1, a2), , FAILED_UNLESS(result))

// residency set
CALL(residencySet, requestResidency, FEW, nothing, P(), A(), , )
CALL(residencySet, endResidency, FEW, nothing, P(), A(), , )
CALL(residencySet, addAllocation_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(residencySet, addAllocations_count_, FEW, nothing, P(const void *a1, NSUInteger a2), A(a1, a2), , arg = a2)
CALL(residencySet, removeAllocation_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(residencySet, removeAllocations_count_, FEW, nothing, P(const void *a1, NSUInteger a2), A(a1, a2), , arg = a2)
CALL(residencySet, removeAllAllocations, FEW, nothing, P(), A(), , )
CALL(residencySet, commit, FEW, nothing, P(), A(), , )

// I/O queue
CALL(ioQueue, enqueueBarrier, FEW, nothing, P(), A(), , )
MAKE_AUTORELEASED(ioQueue, commandBuffer, FEW, ioCommandBuffer, P(), A(), , )
MAKE_AUTORELEASED(ioQueue, commandBufferWithUnretainedReferences, FEW, ioCommandBuffer, P(), A(), , )
CALL(ioQueue, setLabel_, FEW, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))

// I/O command buffer
CALL(ioCommandBuffer, addCompletedHandler_, FEW, nothing, P(void *a1), A(a1), , )
CALL(ioCommandBuffer, loadBytes_size_sourceHandle_sourceHandleOffset_, FEW, nothing, P(void *a1, NSUInteger a2, id a3,
    NSUInteger a4),
     A(a1, a2, a3, a4), , arg = a2)
CALL(ioCommandBuffer, loadBuffer_offset_size_sourceHandle_sourceHandleOffset_, FEW, nothing,
    P(id a1, NSUInteger a2, NSUInteger a3, id a4, NSUInteger a5),
     A(a1, a2, a3, a4, a5), , arg = a3)
CALL(ioCommandBuffer, loadTexture_7more_sourceHandleOffset_, FEW, nothing,
    P(id a1, NSUInteger a2, NSUInteger a3, MTLSize a4, NSUInteger a5, NSUInteger a6, MTLSize a7, id a8, NSUInteger a9),
    A(a1, a2, a3, a4, a5, a6, a7, a8, a9), , arg = a6 * a4.depth)
CALL(ioCommandBuffer, copyStatusToBuffer_offset_, FEW, nothing, P(id a1, NSUInteger a2), A(a1, a2), , )
CALL(ioCommandBuffer, commit, FEW, nothing, P(), A(), , )
CALL(ioCommandBuffer, waitUntilCompleted, FEW, nothing, P(), A(), WAITS_FOR(0), WAITED)
CALL(ioCommandBuffer, tryCancel, FEW, nothing, P(), A(), , )
CALL(ioCommandBuffer, addBarrier, FEW, nothing, P(), A(), , )
CALL(ioCommandBuffer, pushDebugGroup_, FEW, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))
CALL(ioCommandBuffer, popDebugGroup, FEW, nothing, P(), A(), , )
CALL(ioCommandBuffer, enqueue, FEW, nothing, P(), A(), , )
CALL(ioCommandBuffer, waitForEvent_value_, FEW, nothing, P(id a1, NSUInteger a2), A(a1, a2), ,
    arg = a2; MORE(mt_identity_of(a1), 0, 0))
CALL(ioCommandBuffer, signalEvent_value_, FEW, nothing, P(id a1, NSUInteger a2), A(a1, a2), ,
    arg = a2; MORE(mt_identity_of(a1), 0, 0))
CALL(ioCommandBuffer, setLabel_, FEW, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))

// resource
CALL(resource, setLabel_, MANY, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))
CALL(resource, setPurgeableState_, MANY, integer, P(NSUInteger a1), A(a1), , arg = a1)
CALL(resource, makeAliasable, MANY, nothing, P(), A(), , )
CALL(resource, didModifyRange_, FEW, nothing, P(NSRange a1), A(a1), , arg = a1.length)
MAKE(resource, newTextureWithDescriptor_offset_bytesPerRow_, FEW, resource, P(id a1, NSUInteger a2, NSUInteger a3),
    A(a1, a2, a3), , RESOURCE(result))
MAKE(resource, newTensorWithDescriptor_offset_error_, FEW, resource, P(id a1, NSUInteger a2, const void *a3),
    A(a1, a2, a3), , RESOURCE(result))

// pipeline state
MAKE(pipeline, newComputePipelineStateWithBinaryFunctions_error_, FEW, pipeline, P(id a1, const void *a2), A(a1, a2), ,
    )
MAKE(pipeline, newComputePipelineStateWithAdditionalBinaryFunctions_error_, FEW, pipeline, P(id a1, const void *a2),
    A(a1, a2), , )
MAKE(pipeline, newVisibleFunctionTableWithDescriptor_, FEW, resource, P(id a1), A(a1), , RESOURCE(result))
MAKE(pipeline, newIntersectionFunctionTableWithDescriptor_, FEW, resource, P(id a1), A(a1), , RESOURCE(result))

// encoder
CALL(encoder, buildAccelerationStructure_descriptor_scratchBuffer_scratchBufferOffset_, FEW, nothing,
    P(id a1, id a2, id a3, NSUInteger a4),
     A(a1, a2, a3, a4), , )
CALL(encoder, refitAccelerationStructure_descriptor_destination_scratchBuffer_scratchBufferOffset_, FEW, nothing,
    P(id a1, id a2, id a3, id a4,
     NSUInteger a5), A(a1, a2, a3, a4, a5), , )
CALL(encoder, refitAccelerationStructure_descriptor_destination_scratchBuffer_scratchBufferOffset_options_, FEW,
    nothing, P(id a1, id a2, id a3,
     id a4, NSUInteger a5, NSUInteger a6), A(a1, a2, a3, a4, a5, a6), , )
CALL(encoder, copyAccelerationStructure_toAccelerationStructure_, FEW, nothing, P(id a1, id a2), A(a1, a2), , )
CALL(encoder, writeCompactedAccelerationStructureSize_toBuffer_offset_, FEW, nothing, P(id a1, id a2, NSUInteger a3),
    A(a1, a2, a3), , )
CALL(encoder, writeCompactedAccelerationStructureSize_toBuffer_offset_sizeDataType_, FEW, nothing,
    P(id a1, id a2, NSUInteger a3, NSUInteger a4),
     A(a1, a2, a3, a4), , )
CALL(encoder, copyAndCompactAccelerationStructure_toAccelerationStructure_, FEW, nothing, P(id a1, id a2), A(a1, a2), ,
    )
CALL(encoder, updateTextureMappings_mode_regions_mipLevels_slices_numRegions_, FEW, nothing,
    P(id a1, NSUInteger a2, void *a3, void *a4, void *a5,
     NSUInteger a6), A(a1, a2, a3, a4, a5, a6), , )
CALL(encoder, updateTextureMapping_mode_region_mipLevel_slice_, FEW, nothing, P(id a1, NSUInteger a2, MTLRegion a3,
    NSUInteger a4, NSUInteger a5),
     A(a1, a2, a3, a4, a5), , )
CALL(encoder, updateTextureMapping_mode_indirectBuffer_indirectBufferOffset_, FEW, nothing,
    P(id a1, NSUInteger a2, id a3, NSUInteger a4),
     A(a1, a2, a3, a4), , )
CALL(encoder, moveTextureMappingsFromTexture_7more_destinationOrigin_, FEW, nothing,
    P(id a1, NSUInteger a2, NSUInteger a3, MTLSize a4, MTLSize a5, id a6, NSUInteger a7, NSUInteger a8, MTLSize a9),
    A(a1, a2, a3, a4, a5, a6, a7, a8, a9), , )
MAKE_AUTORELEASED(encoder, renderCommandEncoder, FEW, encoder, P(), A(), , )

// queue
CALL(mtl4Queue, commit_count_, FEW, nothing, P(const void *a1, NSUInteger a2), A(a1, a2),
     (mt_handoff_commit(t), original = mt_feedback_commit(self, original)), arg = a2; COMMITTED(a1, a2))
CALL(mtl4Queue, commit_count_options_, FEW, nothing, P(const void *a1, NSUInteger a2, id a3), A(a1, a2, a3),
     (mt_handoff_commit(t), mt_feedback_begin(a3, a1, a2)), arg = a2;
     COMMITTED(a1, a2))
CALL(mtl4Queue, signalEvent_value_, FEW, nothing, P(id a1, NSUInteger a2), A(a1, a2), ,
    arg = a2; MORE(mt_identity_of(a1), 0, 0))
CALL(mtl4Queue, waitForEvent_value_, FEW, nothing, P(id a1, NSUInteger a2), A(a1, a2), ,
    arg = a2; MORE(mt_identity_of(a1), 0, 0))
CALL(mtl4Queue, signalDrawable_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(mtl4Queue, waitForDrawable_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(mtl4Queue, addResidencySet_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(mtl4Queue, addResidencySets_count_, FEW, nothing, P(const void *a1, NSUInteger a2), A(a1, a2), , arg = a2)
CALL(mtl4Queue, removeResidencySet_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(mtl4Queue, removeResidencySets_count_, FEW, nothing, P(const void *a1, NSUInteger a2), A(a1, a2), , arg = a2)
CALL(mtl4Queue, updateTextureMappings_heap_operations_count_, FEW, nothing, P(id a1, id a2, void *a3, NSUInteger a4),
    A(a1, a2, a3, a4), , arg = a4)
CALL(mtl4Queue, copyTextureMappingsFromTexture_toTexture_operations_count_, FEW, nothing,
    P(id a1, id a2, void *a3, NSUInteger a4),
     A(a1, a2, a3, a4), , arg = a4)
CALL(mtl4Queue, updateBufferMappings_heap_operations_count_, FEW, nothing, P(id a1, id a2, void *a3, NSUInteger a4),
    A(a1, a2, a3, a4), , arg = a4)
CALL(mtl4Queue, copyBufferMappingsFromBuffer_toBuffer_operations_count_, FEW, nothing,
    P(id a1, id a2, void *a3, NSUInteger a4), A(a1, a2, a3, a4), , arg = a4)

// command buffer
CALL(mtl4CommandBuffer, setLabel_, FEW, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))
CALL(mtl4CommandBuffer, beginCommandBufferWithAllocator_, FEW, nothing, P(id a1), A(a1), mt_span_forget(&span),
     arg = mt_identity_new(t, self); MORE(mt_identity_of(a1), 0, 0))
CALL(mtl4CommandBuffer, beginCommandBufferWithAllocator_options_, FEW, nothing, P(id a1, id a2), A(a1, a2),
    mt_span_forget(&span),
     arg = mt_identity_new(t, self); MORE(mt_identity_of(a1), 0, 0))
CALL(mtl4CommandBuffer, endCommandBuffer, FEW, nothing, P(), A(), , )
MAKE_AUTORELEASED(mtl4CommandBuffer, renderCommandEncoderWithDescriptor_, FEW, encoder, P(id a1), A(a1), , )
MAKE_AUTORELEASED(mtl4CommandBuffer, renderCommandEncoderWithDescriptor_options_, FEW, encoder, P(id a1, NSUInteger a2),
    A(a1, a2), , )
MAKE_AUTORELEASED(mtl4CommandBuffer, computeCommandEncoder, FEW, encoder, P(), A(), , )
MAKE_AUTORELEASED(mtl4CommandBuffer, machineLearningCommandEncoder, FEW, encoder, P(), A(), , )
CALL(mtl4CommandBuffer, useResidencySet_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(mtl4CommandBuffer, useResidencySets_count_, FEW, nothing, P(const void *a1, NSUInteger a2), A(a1, a2), , arg = a2)
CALL(mtl4CommandBuffer, pushDebugGroup_, FEW, nothing, P(id a1), A(a1), , arg = mt_text_of(t, a1))
CALL(mtl4CommandBuffer, popDebugGroup, FEW, nothing, P(), A(), , )
CALL(mtl4CommandBuffer, writeTimestampIntoHeap_atIndex_, FEW, nothing, P(id a1, NSUInteger a2), A(a1, a2), , )
CALL(mtl4CommandBuffer, resolveCounterHeap_withRange_intoBuffer_waitFence_updateFence_, FEW, nothing,
    P(id a1, NSRange a2, NSRange a3, id a4, id a5),
     A(a1, a2, a3, a4, a5), , )

// allocator
CALL(mtl4Allocator, reset, FEW, nothing, P(), A(), , )

// encoder
CALL(encoder, barrierAfterQueueStages_beforeStages_visibilityOptions_, FEW, nothing, P(NSUInteger a1, NSUInteger a2,
    NSUInteger a3), A(a1, a2, a3), , )
CALL(encoder, barrierAfterStages_beforeQueueStages_visibilityOptions_, FEW, nothing, P(NSUInteger a1, NSUInteger a2,
    NSUInteger a3), A(a1, a2, a3), , )
CALL(encoder, barrierAfterEncoderStages_beforeEncoderStages_visibilityOptions_, FEW, nothing,
    P(NSUInteger a1, NSUInteger a2, NSUInteger a3), A(a1, a2, a3), , )
CALL(encoder, updateFence_afterEncoderStages_, FEW, nothing, P(id a1, NSUInteger a2), A(a1, a2), ,
    arg = mt_identity_of(a1))
CALL(encoder, waitForFence_beforeEncoderStages_, FEW, nothing, P(id a1, NSUInteger a2), A(a1, a2), ,
    arg = mt_identity_of(a1))
CALL(encoder, dispatchThreadgroupsWithIndirectBuffer_threadsPerThreadgroup_, FEW, nothing, P(NSUInteger a1, MTLSize a2),
     A(a1, a2), , DISPATCH(((MTLSize){0, 0, 0}), a2))
CALL(encoder, dispatchThreadsWithIndirectBuffer_, FEW, nothing, P(NSUInteger a1), A(a1), , )
CALL(encoder, executeCommandsInBuffer_indirectBuffer_, FEW, nothing, P(id a1, NSUInteger a2), A(a1, a2), ,
    MORE(mt_identity_of(a1), 0, 0))
CALL(encoder, buildAccelerationStructure_descriptor_scratchBuffer_, FEW, nothing, P(id a1, id a2, NSRange a3),
    A(a1, a2, a3), , )
CALL(encoder, refitAccelerationStructure_descriptor_destination_scratchBuffer_, FEW, nothing,
    P(id a1, id a2, id a3, NSRange a4), A(a1, a2, a3, a4), , )
CALL(encoder, refitAccelerationStructure_descriptor_destination_scratchBuffer_options_, FEW, nothing,
    P(id a1, id a2, id a3, NSRange a4, NSUInteger a5),
     A(a1, a2, a3, a4, a5), , )
CALL(encoder, writeCompactedAccelerationStructureSize_toBuffer_, FEW, nothing, P(id a1, NSRange a2), A(a1, a2), , )
CALL(encoder, writeTimestampWithGranularity_intoHeap_atIndex_, FEW, nothing, P(long a1, id a2, NSUInteger a3),
    A(a1, a2, a3), , )

// compiler
MAKE(compiler, newLibraryWithDescriptor_error_, FEW, library, P(id a1, const void *a2), A(a1, a2), , SOURCE_OF(a1))
MAKE(compiler, newDynamicLibrary_error_, FEW, dynamicLibrary, P(id a1, const void *a2), A(a1, a2), , )
MAKE(compiler, newDynamicLibraryWithURL_error_, FEW, dynamicLibrary, P(id a1, const void *a2), A(a1, a2), , )
MAKE(compiler, newComputePipelineStateWithDescriptor_compilerTaskOptions_error_, FEW, pipeline,
    P(id a1, id a2, const void *a3), A(a1, a2, a3), , LABELLED(a1))
MAKE(compiler, newComputePipelineStateWithDescriptor_dynamicLinkingDescriptor_compilerTaskOptions_error_, FEW, pipeline,
    P(id a1, id a2, id a3,
     const void *a4), A(a1, a2, a3, a4), , LABELLED(a1))
MAKE(compiler, newRenderPipelineStateWithDescriptor_compilerTaskOptions_error_, FEW, pipeline,
    P(id a1, id a2, const void *a3), A(a1, a2, a3), , LABELLED(a1))
MAKE(compiler, newRenderPipelineStateWithDescriptor_dynamicLinkingDescriptor_compilerTaskOptions_error_, FEW, pipeline,
    P(id a1, id a2, id a3,
     const void *a4), A(a1, a2, a3, a4), , LABELLED(a1))
MAKE(compiler, newRenderPipelineStateBySpecializationWithDescriptor_pipeline_error_, FEW, pipeline,
    P(id a1, id a2, const void *a3),
     A(a1, a2, a3), , LABELLED(a1))
MAKE(compiler, newBinaryFunctionWithDescriptor_compilerTaskOptions_error_, FEW, functionObject,
    P(id a1, id a2, const void *a3), A(a1, a2, a3), , )
MAKE(compiler, newLibraryWithDescriptor_completionHandler_, FEW, compilerTask, P(id a1, void *a2), A(a1, a2),
    WATCH(a2, library), SOURCE_OF(a1))
MAKE(compiler, newDynamicLibrary_completionHandler_, FEW, compilerTask, P(id a1, void *a2), A(a1, a2),
    WATCH(a2, dynamicLibrary), )
MAKE(compiler, newDynamicLibraryWithURL_completionHandler_, FEW, compilerTask, P(id a1, void *a2), A(a1, a2),
    WATCH(a2, dynamicLibrary), )
MAKE(compiler, newComputePipelineStateWithDescriptor_compilerTaskOptions_completionHandler_, FEW, compilerTask,
    P(id a1, id a2, void *a3),
     A(a1, a2, a3), WATCH(a3, pipeline), LABELLED(a1))
MAKE(compiler, newComputePipelineStateWithDescriptor_2more_completionHandler_, FEW, compilerTask,
    P(id a1, id a2, id a3, void *a4), A(a1, a2, a3, a4), WATCH(a4, pipeline), LABELLED(a1))
MAKE(compiler, newRenderPipelineStateWithDescriptor_compilerTaskOptions_completionHandler_, FEW, compilerTask,
    P(id a1, id a2, void *a3),
     A(a1, a2, a3), WATCH(a3, pipeline), LABELLED(a1))
MAKE(compiler, newRenderPipelineStateWithDescriptor_2more_completionHandler_, FEW, compilerTask,
    P(id a1, id a2, id a3, void *a4), A(a1, a2, a3, a4), WATCH(a4, pipeline), LABELLED(a1))
MAKE(compiler, newRenderPipelineStateBySpecializationWithDescriptor_pipeline_completionHandler_, FEW, compilerTask,
    P(id a1, id a2, void *a3),
     A(a1, a2, a3), WATCH(a3, pipeline), LABELLED(a1))
MAKE(compiler, newBinaryFunctionWithDescriptor_compilerTaskOptions_completionHandler_, FEW, compilerTask,
    P(id a1, id a2, void *a3),
     A(a1, a2, a3), WATCH(a3, functionObject), )
MAKE(compiler, newMachineLearningPipelineStateWithDescriptor_error_, FEW, pipeline, P(id a1, const void *a2), A(a1, a2),
    , LABELLED(a1))
MAKE(compiler, newMachineLearningPipelineStateWithDescriptor_completionHandler_, FEW, compilerTask, P(id a1, void *a2),
     A(a1, a2), WATCH(a2, pipeline), LABELLED(a1))

// task
CALL(compilerTask, waitUntilCompleted, FEW, nothing, P(), A(), WAITS_FOR(0), WAITED)

// archive
MAKE(archive, newComputePipelineStateWithDescriptor_error_, FEW, pipeline, P(id a1, const void *a2), A(a1, a2), ,
    LABELLED(a1))
MAKE(archive, newComputePipelineStateWithDescriptor_dynamicLinkingDescriptor_error_, FEW, pipeline,
    P(id a1, id a2, const void *a3),
     A(a1, a2, a3), , LABELLED(a1))
MAKE(archive, newRenderPipelineStateWithDescriptor_error_, FEW, pipeline, P(id a1, const void *a2), A(a1, a2), ,
    LABELLED(a1))
MAKE(archive, newRenderPipelineStateWithDescriptor_dynamicLinkingDescriptor_error_, FEW, pipeline,
    P(id a1, id a2, const void *a3),
     A(a1, a2, a3), , LABELLED(a1))
MAKE(archive, newBinaryFunctionWithDescriptor_error_, FEW, functionObject, P(id a1, const void *a2), A(a1, a2), , )

// encoder
CALL(encoder, setPipelineState_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(encoder, dispatchNetworkWithIntermediatesHeap_, FEW, nothing, P(id a1), A(a1), , )
CALL(encoder, setRenderPipelineState_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(encoder, drawPrimitives_vertexStart_vertexCount_, FEW, nothing, P(NSUInteger a1, NSUInteger a2, NSUInteger a3),
    A(a1, a2, a3), , arg = a3)
CALL(encoder, drawPrimitives_vertexStart_vertexCount_instanceCount_, FEW, nothing, P(NSUInteger a1, NSUInteger a2,
    NSUInteger a3, NSUInteger a4),
     A(a1, a2, a3, a4), , arg = a3 * a4)
CALL(encoder, drawPrimitives_vertexStart_vertexCount_instanceCount_baseInstance_, FEW, nothing,
    P(NSUInteger a1, NSUInteger a2, NSUInteger a3,
     NSUInteger a4, NSUInteger a5), A(a1, a2, a3, a4, a5), , arg = a3 * a4)
CALL(encoder, drawPrimitives_indirectBuffer_indirectBufferOffset_, FEW, nothing, P(NSUInteger a1, id a2, NSUInteger a3),
    A(a1, a2, a3), , )
CALL(encoder, drawIndexedPrimitives_indexCount_indexType_indexBuffer_indexBufferOffset_, FEW, nothing,
    P(NSUInteger a1, NSUInteger a2, NSUInteger a3,
     id a4, NSUInteger a5), A(a1, a2, a3, a4, a5), , arg = a2)
CALL(encoder, drawIndexedPrimitives_indexCount_indexType_indexBuffer_indexBufferOffset_instanceCount_, FEW, nothing,
    P(NSUInteger a1, NSUInteger a2,
     NSUInteger a3, id a4, NSUInteger a5, NSUInteger a6), A(a1, a2, a3, a4, a5, a6), , arg = a2 * a6)
CALL(encoder, drawIndexedPrimitives_6more_baseInstance_, FEW, nothing,
    P(NSUInteger a1, NSUInteger a2, NSUInteger a3, id a4, NSUInteger a5, NSUInteger a6, long a7, NSUInteger a8),
    A(a1, a2, a3, a4, a5, a6, a7, a8), , arg = a2 * a6)
CALL(encoder, drawIndexedPrimitives_indexType_indexBuffer_indexBufferOffset_indirectBuffer_indirectBufferOffset_, FEW,
    nothing, P(NSUInteger a1,
     NSUInteger a2, id a3, NSUInteger a4, id a5, NSUInteger a6), A(a1, a2, a3, a4, a5, a6), , )
CALL(encoder, drawMeshThreadgroups_threadsPerObjectThreadgroup_threadsPerMeshThreadgroup_, FEW, nothing,
    P(MTLSize a1, MTLSize a2, MTLSize a3),
     A(a1, a2, a3), , arg = volume(a1) * volume(a3))
CALL(encoder, drawMeshThreads_threadsPerObjectThreadgroup_threadsPerMeshThreadgroup_, FEW, nothing,
    P(MTLSize a1, MTLSize a2, MTLSize a3),
     A(a1, a2, a3), , arg = volume(a1))
CALL(encoder, dispatchThreadsPerTile_, FEW, nothing, P(MTLSize a1), A(a1), , )

// resource
MAKE(resource, newTextureViewWithPixelFormat_, FEW, resource, P(NSUInteger a1), A(a1), , RESOURCE(result))
MAKE(resource, newTextureViewWithPixelFormat_textureType_levels_slices_, FEW, resource, P(NSUInteger a1, NSUInteger a2,
    NSRange a3, NSRange a4),
     A(a1, a2, a3, a4), , RESOURCE(result))
CALL(resource, replaceRegion_mipmapLevel_withBytes_bytesPerRow_, FEW, nothing, P(MTLRegion a1, NSUInteger a2, void *a3,
    NSUInteger a4),
     A(a1, a2, a3, a4), , arg = a4 * a1.size.height * a1.size.depth)
CALL(resource, replaceRegion_mipmapLevel_slice_withBytes_bytesPerRow_bytesPerImage_, FEW, nothing,
    P(MTLRegion a1, NSUInteger a2, NSUInteger a3,
     void *a4, NSUInteger a5, NSUInteger a6), A(a1, a2, a3, a4, a5, a6), , arg = a5 * a1.size.height * a1.size.depth)
CALL(resource, getBytes_bytesPerRow_fromRegion_mipmapLevel_, FEW, nothing, P(void *a1, NSUInteger a2, MTLRegion a3,
    NSUInteger a4),
     A(a1, a2, a3, a4), , arg = a2 * a3.size.height * a3.size.depth)
CALL(resource, getBytes_bytesPerRow_bytesPerImage_fromRegion_mipmapLevel_slice_, FEW, nothing,
    P(void *a1, NSUInteger a2, NSUInteger a3,
     MTLRegion a4, NSUInteger a5, NSUInteger a6), A(a1, a2, a3, a4, a5, a6), ,
         arg = a2 * a4.size.height * a4.size.depth)
FREE(resource, dealloc, MANY, mt_shared_forget(self))
MAKE(resource, newSharedTextureHandle, FEW, other, P(), A(), , mt_shared_note(self, mt_span_object(&span)))

// heap
FREE(heap, dealloc, FEW, )

// objects that few programs free often
FREE(queue, dealloc, FEW, )
FREE(library, dealloc, FEW, )
FREE(pipeline, dealloc, FEW, )
FREE(fence, dealloc, FEW, )
FREE(residencySet, dealloc, FEW, )

// Kernels of Metal Performance Shaders. Each row begins with LAYER, which records that the kernel encodes.
CALL(mpsKernel, encodeToCommandBuffer_leftMatrix_rightMatrix_resultMatrix_, FEW, nothing, P(id a1, id a2, id a3, id a4),
    A(a1, a2, a3, a4), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_inputMatrix_inputVector_resultVector_, FEW, nothing,
    P(id a1, id a2, id a3, id a4), A(a1, a2, a3, a4), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_inputMatrix_resultMatrix_, FEW, nothing, P(id a1, id a2, id a3), A(a1, a2, a3),
    LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_copyDescriptor_, FEW, nothing, P(id a1, id a2), A(a1, a2), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_sourceMatrix_resultMatrix_status_, FEW, nothing, P(id a1, id a2, id a3, id a4),
    A(a1, a2, a3, a4), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_sourceMatrix_resultMatrix_pivotIndices_status_, FEW, nothing,
    P(id a1, id a2, id a3, id a4, id a5), A(a1, a2, a3, a4, a5), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_sourceMatrix_rightHandSideMatrix_solutionMatrix_, FEW, nothing,
    P(id a1, id a2, id a3, id a4), A(a1, a2, a3, a4), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_sourceMatrix_rightHandSideMatrix_pivotIndices_solutionMatrix_, FEW, nothing,
    P(id a1, id a2, id a3, id a4, id a5), A(a1, a2, a3, a4, a5), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_inputMatrix_resultIndexMatrix_resultValueMatrix_, FEW, nothing,
    P(id a1, id a2, id a3, id a4), A(a1, a2, a3, a4), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_sourceMatrices_resultMatrix_scaleVector_offsetVector_biasVector_startIndex_, FEW,
    nothing, P(id a1, id a2, id a3, id a4, id a5, id a6, NSUInteger a7), A(a1, a2, a3, a4, a5, a6, a7), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_inputMatrix_biasVector_resultMatrix_, FEW, nothing, P(id a1, id a2, id a3, id a4),
    A(a1, a2, a3, a4), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_inputMatrix_weightMatrix_biasVector_resultMatrix_, FEW, nothing,
    P(id a1, id a2, id a3, id a4, id a5), A(a1, a2, a3, a4, a5), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_destinationMatrix_, FEW, nothing, P(id a1, id a2), A(a1, a2), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_destinationVector_, FEW, nothing, P(id a1, id a2), A(a1, a2), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_sourceTexture_destinationTexture_, MANY, nothing, P(id a1, id a2, id a3),
    A(a1, a2, a3), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_sourceImage_destinationImage_, MANY, nothing, P(id a1, id a2, id a3),
    A(a1, a2, a3), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_inPlaceTexture_fallbackCopyAllocator_, FEW, truth, P(id a1, void *a2, void *a3),
    A(a1, a2, a3), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_primaryTexture_secondaryTexture_destinationTexture_, FEW, nothing,
    P(id a1, id a2, id a3, id a4), A(a1, a2, a3, a4), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_primaryImage_secondaryImage_destinationImage_, FEW, nothing,
    P(id a1, id a2, id a3, id a4), A(a1, a2, a3, a4), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_sourceImage_, FEW, autoreleased, P(id a1, id a2), A(a1, a2), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_primaryImage_secondaryImage_, FEW, autoreleased, P(id a1, id a2, id a3),
    A(a1, a2, a3), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_sourceTexture_histogram_histogramOffset_, FEW, nothing,
    P(id a1, id a2, id a3, NSUInteger a4), A(a1, a2, a3, a4), LAYER, )
CALL(mpsKernel, encodeBatchToCommandBuffer_sourceImages_destinationImages_, FEW, nothing, P(id a1, id a2, id a3),
    A(a1, a2, a3), LAYER, )
CALL(mpsKernel, encodeBatchToCommandBuffer_sourceImages_, FEW, autoreleased, P(id a1, id a2), A(a1, a2), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_sourceArrays_, MANY, autoreleased, P(id a1, id a2), A(a1, a2), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_sourceArrays_destinationArray_, MANY, nothing, P(id a1, id a2, id a3),
    A(a1, a2, a3), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_sourceArray_, FEW, autoreleased, P(id a1, id a2), A(a1, a2), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_sourceArray_destinationArray_, FEW, nothing, P(id a1, id a2, id a3),
    A(a1, a2, a3), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_primarySourceArray_secondarySourceArray_, FEW, autoreleased,
    P(id a1, id a2, id a3), A(a1, a2, a3), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_primarySourceArray_secondarySourceArray_destinationArray_, FEW, nothing,
    P(id a1, id a2, id a3, id a4), A(a1, a2, a3, a4), LAYER, )
CALL(mpsKernel, encodeToCommandBuffer_sourceImages_, FEW, autoreleased, P(id a1, id a2), A(a1, a2), LAYER, )
CALL(mpsKernel, encodeToCommandEncoder_commandBuffer_sourceArrays_destinationArray_, MANY, nothing,
    P(id a1, id a2, id a3, id a4), A(a1, a2, a3, a4), LAYER, )

// graphs
CALL(mpsGraph, encodeToCommandBuffer_feeds_targetOperations_resultsDictionary_executionDescriptor_, FEW, nothing,
    P(id a1, id a2, id a3, id a4, id a5), A(a1, a2, a3, a4, a5), LAYER, )
CALL(mpsGraph, encodeToCommandBuffer_feeds_targetTensors_targetOperations_executionDescriptor_, FEW, autoreleased,
    P(id a1, id a2, id a3, id a4, id a5), A(a1, a2, a3, a4, a5), LAYER, )
CALL(mpsGraph, runWithMTLCommandQueue_feeds_targetTensors_targetOperations_, FEW, autoreleased,
    P(id a1, id a2, id a3, id a4), A(a1, a2, a3, a4), LAYER, )
CALL(mpsGraph, runWithMTLCommandQueue_feeds_targetOperations_resultsDictionary_, FEW, nothing,
    P(id a1, id a2, id a3, id a4), A(a1, a2, a3, a4), LAYER, )
CALL(mpsGraph, runAsyncWithMTLCommandQueue_feeds_targetTensors_targetOperations_executionDescriptor_, FEW, autoreleased,
    P(id a1, id a2, id a3, id a4, id a5), A(a1, a2, a3, a4, a5), LAYER, )
CALL(mpsGraph, runAsyncWithMTLCommandQueue_feeds_targetOperations_resultsDictionary_executionDescriptor_, FEW, nothing,
    P(id a1, id a2, id a3, id a4, id a5), A(a1, a2, a3, a4, a5), LAYER, )
CALL(mpsGraph, runWithFeeds_targetTensors_targetOperations_, FEW, autoreleased, P(id a1, id a2, id a3), A(a1, a2, a3),
    LAYER, )
CALL(mpsGraph, runAsyncWithFeeds_targetTensors_targetOperations_executionDescriptor_, FEW, autoreleased,
    P(id a1, id a2, id a3, id a4), A(a1, a2, a3, a4), LAYER, )
CALL(mpsGraph, encodeToCommandBuffer_inputsArray_resultsArray_executionDescriptor_, FEW, autoreleased,
    P(id a1, id a2, id a3, id a4), A(a1, a2, a3, a4), LAYER, )
CALL(mpsGraph, runWithMTLCommandQueue_inputsArray_resultsArray_executionDescriptor_, FEW, autoreleased,
    P(id a1, id a2, id a3, id a4), A(a1, a2, a3, a4), LAYER, )
CALL(mpsGraph, runAsyncWithMTLCommandQueue_inputsArray_resultsArray_executionDescriptor_, FEW, autoreleased,
    P(id a1, id a2, id a3, id a4), A(a1, a2, a3, a4), LAYER, )

// the proxy
CALL(mpsCommandBuffer, commitAndContinue, FEW, nothing, P(), A(), , )

// layers, and what is drawn in them
MAKE_AUTORELEASED(layer, nextDrawable, FEW, drawable, P(), A(), , )
CALL(drawable, present, FEW, nothing, P(), A(), , )
CALL(drawable, presentAtTime_, FEW, nothing, P(double a1), A(a1), , )
CALL(drawable, presentAfterMinimumDuration_, FEW, nothing, P(double a1), A(a1), , )

// Indirect command buffers, which are resources, and the commands in them.
MAKE_AUTORELEASED(resource, indirectComputeCommandAtIndex_, FEW, indirectCommand, P(NSUInteger a1), A(a1), ,
    MORE(a1, 0, 0))
CALL(resource, resetWithRange_, FEW, nothing, P(NSRange a1), A(a1), , arg = a1.length; MORE(a1.location, 0, 0))
CALL(indirectCommand, setComputePipelineState_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(indirectCommand, concurrentDispatchThreadgroups_threadsPerThreadgroup_, FEW, nothing, P(MTLSize a1, MTLSize a2),
    A(a1, a2), ,
     arg = volume(a1) * volume(a2); DISPATCH(a1, a2))
CALL(indirectCommand, concurrentDispatchThreads_threadsPerThreadgroup_, FEW, nothing, P(MTLSize a1, MTLSize a2),
    A(a1, a2), , arg = volume(a1); DISPATCH(a1, a2))
CALL(indirectCommand, reset, FEW, nothing, P(), A(), , )
MAKE_AUTORELEASED(resource, indirectRenderCommandAtIndex_, FEW, indirectCommand, P(NSUInteger a1), A(a1), ,
    MORE(a1, 0, 0))
CALL(indirectCommand, setRenderPipelineState_, FEW, nothing, P(id a1), A(a1), , arg = mt_identity_of(a1))
CALL(indirectCommand, drawPrimitives_vertexStart_vertexCount_instanceCount_baseInstance_, FEW, nothing,
    P(NSUInteger a1, NSUInteger a2, NSUInteger a3,
     NSUInteger a4, NSUInteger a5), A(a1, a2, a3, a4, a5), , arg = a3 * a4)
CALL(indirectCommand, drawIndexedPrimitives_6more_baseInstance_, FEW, nothing,
    P(NSUInteger a1, NSUInteger a2, NSUInteger a3, id a4, NSUInteger a5, NSUInteger a6, long a7, NSUInteger a8),
    A(a1, a2, a3, a4, a5, a6, a7, a8), , arg = a2 * a6)
CALL(indirectCommand, drawPatches_8more_tessellationFactorBufferInstanceStride_, FEW, nothing,
    P(NSUInteger a1, NSUInteger a2, NSUInteger a3, id a4, NSUInteger a5, NSUInteger a6, NSUInteger a7, id a8,
      NSUInteger a9, NSUInteger a10),
    A(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10), , arg = a1 * a3 * a6)
CALL(indirectCommand, drawIndexedPatches_10more_tessellationFactorBufferInstanceStride_, FEW, nothing,
    P(NSUInteger a1, NSUInteger a2, NSUInteger a3, id a4, NSUInteger a5, id a6, NSUInteger a7, NSUInteger a8,
      NSUInteger a9, id a10, NSUInteger a11, NSUInteger a12),
    A(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12), , arg = a1 * a3 * a8)
CALL(indirectCommand, drawMeshThreadgroups_threadsPerObjectThreadgroup_threadsPerMeshThreadgroup_, FEW, nothing,
    P(MTLSize a1, MTLSize a2, MTLSize a3),
     A(a1, a2, a3), , arg = volume(a1) * volume(a3))
CALL(indirectCommand, drawMeshThreads_threadsPerObjectThreadgroup_threadsPerMeshThreadgroup_, FEW, nothing,
    P(MTLSize a1, MTLSize a2, MTLSize a3),
     A(a1, a2, a3), , arg = volume(a1))
