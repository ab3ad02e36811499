// dlsym(handle, name) for x86-64: asks mt_dlsym_pick, which also gets the caller's address, then returns its answer
// or jumps to the next dlsym with the arguments and the return address as they came. System V calling convention; the
// pick comes back in rax (address) and rdx (is it ours).
#if defined(__linux__) && defined(__x86_64__)
	.text
	.globl dlsym
	.type dlsym, @function
	.p2align 4
dlsym:
	.cfi_startproc
	endbr64
	pushq %rdi
	.cfi_adjust_cfa_offset 8
	pushq %rsi
	.cfi_adjust_cfa_offset 8
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	movq 24(%rsp), %rdx
	call mt_dlsym_pick
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	popq %rsi
	.cfi_adjust_cfa_offset -8
	popq %rdi
	.cfi_adjust_cfa_offset -8
	testq %rdx, %rdx
	jne 1f
	jmp *mt_next_dlsym(%rip)
1:	ret
	.cfi_endproc
	.size dlsym, . - dlsym
	.section .note.GNU-stack, "", @progbits
#endif
