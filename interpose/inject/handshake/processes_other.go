//go:build !linux && !darwin

package handshake

import "errors"

func allProcesses() ([]Process, error) {
	return nil, errors.New("processes cannot be listed on this system")
}

func executable(int) string { return "" }

func carries(int, string) bool { return false }
