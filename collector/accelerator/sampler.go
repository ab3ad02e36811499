package accelerator

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// Source reads the registry's property list of all GPUs.
type Source func(context.Context) ([]byte, error)

// ErrNoRegistry is returned on systems without an I/O registry, which only macOS has.
var ErrNoRegistry = errors.New("GPU use of other processes is known on macOS only")

// Ioreg runs ioreg(8), which is part of macOS and needs no privileges. One call takes about ten milliseconds of another
// process's time.
func Ioreg(ctx context.Context) ([]byte, error) {
	const tool = "/usr/sbin/ioreg"
	command := exec.CommandContext(ctx, tool, "-a", "-r", "-c", "IOAccelerator")
	list, err := command.Output()
	if errors.Is(err, exec.ErrNotFound) || command.ProcessState == nil && err != nil {
		return nil, ErrNoRegistry
	}
	if err != nil {
		return nil, fmt.Errorf("asking the I/O registry: %w", err)
	}
	return list, nil
}

// Take takes one sample.
func Take(ctx context.Context, source Source) (Sample, error) {
	list, err := source(ctx)
	if err != nil {
		return Sample{}, err
	}
	at := time.Now()
	devices, err := Parse(list)
	return Sample{At: at, Devices: devices}, err
}

// Watch takes a sample at once, one per interval and one at the end, until ctx is done, and returns their sum. It ends
// at the first failure, because the next sample would fail too.
func Watch(ctx context.Context, interval time.Duration, source Source) (Usage, error) {
	var meter Meter
	take := func(ctx context.Context) error {
		sample, err := Take(ctx, source)
		if err == nil {
			meter.Add(sample)
		}
		return err
	}
	if err := take(ctx); err != nil {
		return meter.Usage(), err
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if err := take(ctx); err != nil && ctx.Err() == nil {
				return meter.Usage(), err
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			err := take(last)
			return meter.Usage(), err
		}
	}
}
