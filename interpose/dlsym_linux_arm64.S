// dlsym(handle, name) for AArch64: asks mt_dlsym_pick, which also gets the caller's address, then returns its answer
// or jumps to the next dlsym with the arguments and the return address as they came. AAPCS64; the pick comes back in
// x0 (address) and x1 (is it ours).
#if defined(__linux__) && defined(__aarch64__)
	.text
	.globl dlsym
	.type dlsym, %function
	.p2align 4
dlsym:
	.cfi_startproc
	stp x29, x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	mov x29, sp
	stp x0, x1, [sp, #16]
	mov x2, x30
	bl mt_dlsym_pick
	mov x16, x0
	mov x17, x1
	ldp x0, x1, [sp, #16]
	ldp x29, x30, [sp], #32
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	cbnz x17, 1f
	adrp x16, mt_next_dlsym
	ldr x16, [x16, :lo12:mt_next_dlsym]
	br x16
1:	mov x0, x16
	ret
	.cfi_endproc
	.size dlsym, . - dlsym
	.section .note.GNU-stack, "", %progbits
#endif
