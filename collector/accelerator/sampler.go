package accelerator

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// Source returns the I/O registry's description of all GPUs, as a property list.
type Source func(context.Context) ([]byte, error)

// ErrNoRegistry is returned on all systems but macOS, because only macOS has an I/O registry.
var ErrNoRegistry = errors.New("GPU use of other processes is known on macOS only")

// Ioreg runs ioreg(8), a tool of macOS that needs no privileges, and returns its output. One call uses about ten
// milliseconds of processor time.
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

// Take takes one sample of all GPUs.
func Take(ctx context.Context, source Source) (Sample, error) {
	list, err := source(ctx)
	if err != nil {
		return Sample{}, err
	}
	at := time.Now()
	devices, err := Parse(list)
	return Sample{At: at, Devices: devices}, err
}

// Watch samples the GPUs at once, then at each interval until ctx is done, and once more at the end. It returns their
// use over that time. It ends at the first error, because later samples would fail, too.
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
