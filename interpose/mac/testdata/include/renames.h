// Read before each file of the library and of the fakes. Rule: what the library replaces has another name there, so that the program's calls
// and the library's own go to different functions, as dyld has it: the image that holds a table of pairs is not bound by it
// (dyld/DyldRuntimeState.cpp). What GCC's Objective-C runtime has under the same name with another meaning has another name, too. fakes/bind.c has the program's side.
#ifndef FAKE_RENAMES_H
#define FAKE_RENAMES_H

// The compiler writes Mach-O's sections by their segment, too, which ELF has not. MAC_SECTION is the file's.
#ifdef MAC_SECTION
#define MAC_TEXT_OF(name) #name
#define MAC_TEXT(name) MAC_TEXT_OF(name)
#define section(name) section(MAC_TEXT(MAC_SECTION))
#endif

// A symbol that may be missing: another attribute here.
#define weak_import weak

#define pthread_mutex_lock original_pthread_mutex_lock
#define pthread_mutex_trylock original_pthread_mutex_trylock
#define pthread_mutex_unlock original_pthread_mutex_unlock
#define pthread_rwlock_rdlock original_pthread_rwlock_rdlock
#define pthread_rwlock_wrlock original_pthread_rwlock_wrlock
#define pthread_rwlock_unlock original_pthread_rwlock_unlock
#define pthread_cond_wait original_pthread_cond_wait
#define pthread_cond_timedwait original_pthread_cond_timedwait
#define pthread_cond_timedwait_relative_np original_pthread_cond_timedwait_relative_np
#define pthread_cond_signal original_pthread_cond_signal
#define pthread_cond_broadcast original_pthread_cond_broadcast
#define dispatch_sync_f original_dispatch_sync_f
#define dispatch_barrier_sync_f original_dispatch_barrier_sync_f
#define dispatch_sync original_dispatch_sync
#define dispatch_barrier_sync original_dispatch_barrier_sync
#define dispatch_async_and_wait_f original_dispatch_async_and_wait_f
#define dispatch_barrier_async_and_wait_f original_dispatch_barrier_async_and_wait_f
#define dispatch_async_and_wait original_dispatch_async_and_wait
#define dispatch_barrier_async_and_wait original_dispatch_barrier_async_and_wait
#define dispatch_block_create original_dispatch_block_create
#define dispatch_block_create_with_qos_class original_dispatch_block_create_with_qos_class
#define dispatch_semaphore_wait original_dispatch_semaphore_wait
#define dispatch_semaphore_signal original_dispatch_semaphore_signal
#define dispatch_group_wait original_dispatch_group_wait
#define dispatch_group_leave original_dispatch_group_leave
#define MTLCreateSystemDefaultDevice original_MTLCreateSystemDefaultDevice
#define MTLCopyAllDevices original_MTLCopyAllDevices
#define MTLCopyAllDevicesWithObserver original_MTLCopyAllDevicesWithObserver

#define class_getMethodImplementation mac_class_getMethodImplementation
#define class_replaceMethod mac_class_replaceMethod
#define method_getName mac_method_getName
#define object_getClass mac_object_getClass
#define objc_lookUpClass mac_objc_lookUpClass
#define sel_registerName mac_sel_registerName
#endif
