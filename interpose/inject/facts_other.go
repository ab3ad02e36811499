//go:build !linux && !darwin

package inject

import "os"

func fileFacts(path string) (FileFacts, error) {
	info, err := os.Stat(path)
	if err != nil {
		return FileFacts{}, err
	}
	return FileFacts{Mode: info.Mode()}, nil
}

func describeProcessor(*Host) {}
