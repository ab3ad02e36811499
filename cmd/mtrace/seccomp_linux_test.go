package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// filtered runs a program under a seccomp filter that refuses, or kills for, the system calls of a mask.
const filtered = `
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) {
  unsigned action = !strcmp(argv[1], "kill") ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM;
  int denied[] = {SYS_memfd_create, SYS_socket, SYS_connect, SYS_sendmsg, SYS_recvmsg, SYS_socketpair, SYS_eventfd2};
  int n = atoi(argv[2]) & 0xff;
  struct sock_filter f[64]; int k = 0;
  f[k++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < 7; i++) if (n & 1 << i) {
    f[k++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, denied[i], 0, 1);
    f[k++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
  }
  f[k++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog p = {k, f};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p)) {
    perror("seccomp");
    return 99;
  }
  execvp(argv[3], argv + 3);
  perror("exec"); return 98;
}
`

// threadNumbers match the texts that differ between two runs of a program.
var threadNumbers = regexp.MustCompile(`(?m)^\d+ `)

// TestSeccompFilters: a program whose seccomp filter refuses the tracer's system calls runs as it does alone, and is
// traced or reported as untraced. A filter that kills instead kills the program, and mtrace reports the reason, which
// used to be missing.
func TestSeccompFilters(t *testing.T) {
	t.Parallel()
	needTruth(t)
	client := buildShapesClient(t)
	dir := t.TempDir()
	source, program := filepath.Join(dir, "filter.c"), filepath.Join(dir, "filter")
	if err := os.WriteFile(source, []byte(filtered), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := saidBy(exec.Command("gcc", "-w", "-o", program, source), commandLimit); err != nil {
		t.Skipf("no seccomp filters here: %s", out)
	}
	for mask, calls := range map[string]string{
		"1": "memfd_create", "2": "socket", "4": "connect", "8": "sendmsg", "16": "recvmsg", "32": "socketpair",
		"64": "eventfd2", "127": "all of them",
	} {
		alone := sh(t, dir, nil, program, "refuse", mask, client, "classes", "3")
		if alone.exit != 0 {
			t.Skipf("no seccomp filters here: %+v", alone)
		}
		traced := sh(t, dir, nil, tool.mtrace, "run", "--force", "-o", "t.mtrace", "--", program, "refuse", mask, client,
			"classes", "3")
		if traced.exit != 0 || threadNumbers.ReplaceAllString(traced.stdout, "") != threadNumbers.ReplaceAllString(
			alone.stdout, "") {
			t.Errorf("%s refused: alone %+v, traced %+v", calls, alone, traced)
		}
		if !strings.Contains(traced.stderr, "not traced") && !strings.Contains(traced.stderr, "none lost") {
			t.Errorf("%s refused: neither traced nor said: %s", calls, traced.stderr)
		}
	}
	killed := sh(t, dir, nil, tool.mtrace, "run", "--no-report", "--force", "-o", "t.mtrace", "--", program, "kill", "1",
		client, "classes", "3")
	if killed.exit != 128+31 || !strings.Contains(killed.stderr, "killed by its seccomp filter") {
		t.Errorf("%+v", killed)
	}
}
