// Package accelerator watches the GPU from outside the traced program, through data that macOS publishes in the I/O
// registry without requiring privileges: how busy the device is, and how much GPU time each process has had. This data
// distinguishes a GPU that another process occupies from a program that waits for itself.
package accelerator

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"howett.net/plist"
)

// Device is one GPU as macOS's I/O registry (the kernel's tree of devices and drivers) describes it at one moment.
type Device struct {
	// Class is the driver's class, for instance AGXAcceleratorG13X.
	Class string `json:"class"`
	Model string `json:"model,omitempty"`
	Cores int    `json:"cores,omitempty"`
	// Utilization is the share of time, 0 to 1, in which the device was busy recently. The driver chooses the length
	// of that period. Utilization is negative if the driver does not report it.
	Utilization float64 `json:"utilization_share"`
	// InUse and Allocated are the bytes of system memory that the driver uses and has allocated.
	InUse     int64 `json:"in_use_bytes"`
	Allocated int64 `json:"allocated_bytes"`
	// Clients are the connections of processes to the device.
	Clients []Client `json:"-"`
}

// Client is one connection of a process to the device; a process may have several. GPU is the device time that the
// process used through this connection so far.
type Client struct {
	PID  int
	Name string // name of the process, truncated by the kernel
	GPU  time.Duration
}

// maxRegistry is the maximum size of a property list, in bytes; Parse refuses larger ones. A machine with 150 GPU
// clients has less than one megabyte.
const maxRegistry = 16 << 20

// entry is one device or client in the property lists that `ioreg -a` writes. The drivers choose the names of the
// keys: AGXAccelerator on Apple silicon keeps GPU times in AppUsage, one element for each API; Intel's and AMD's
// drivers keep one number on the client.
type entry struct {
	Class      string         `plist:"IOObjectClass"`
	Model      any            `plist:"model"`
	Cores      any            `plist:"gpu-core-count"`
	Statistics map[string]any `plist:"PerformanceStatistics"`
	Creator    string         `plist:"IOUserClientCreator"`
	Usage      []struct {
		GPU any `plist:"accumulatedGPUTime"`
	} `plist:"AppUsage"`
	GPU      any     `plist:"accumulatedGPUTime"`
	Children []entry `plist:"IORegistryEntryChildren"`
}

// Parse reads the output of `ioreg -a -r -c IOAccelerator`. On a machine without a GPU it returns no device and no
// error.
func Parse(list []byte) ([]Device, error) {
	switch {
	case len(list) == 0:
		return nil, nil // without a match ioreg prints nothing
	case len(list) > maxRegistry:
		return nil, fmt.Errorf("the I/O registry's property list has %d bytes, more than the limit of %d",
			len(list), maxRegistry)
	}
	var roots []entry
	if _, err := plist.Unmarshal(list, &roots); err != nil {
		return nil, fmt.Errorf("reading the registry's property list: %w", err)
	}
	var devices []Device
	for _, root := range roots {
		if root.Statistics == nil && root.Class == "" {
			return nil, errors.New("reading the I/O registry's property list: an entry has neither class nor statistics")
		}
		device := Device{
			Class: root.Class, Model: text(root.Model), Cores: int(unsigned(root.Cores)),
			Utilization: utilization(root.Statistics),
			InUse:       int64(unsigned(root.Statistics["In use system memory"])),
			Allocated:   int64(unsigned(root.Statistics["Alloc system memory"])),
		}
		device.addClients(root.Children)
		devices = append(devices, device)
	}
	return devices, nil
}

// utilization returns the device's share of busy time, 0 to 1, or -1 if the driver reports none. Some drivers report
// only the utilization of the renderer, which is then returned.
func utilization(statistics map[string]any) float64 {
	for _, key := range []string{"Device Utilization %", "Renderer Utilization %"} {
		if value, ok := statistics[key]; ok {
			if percent := unsigned(value); percent <= 100 {
				return float64(percent) / 100
			}
		}
	}
	return -1
}

func (d *Device) addClients(children []entry) {
	for _, child := range children {
		if pid, name, ok := creator(child.Creator); ok {
			gpu := unsigned(child.GPU)
			for _, usage := range child.Usage {
				gpu += unsigned(usage.GPU)
			}
			d.Clients = append(d.Clients, Client{PID: pid, Name: name, GPU: time.Duration(gpu)})
		}
		d.addClients(child.Children)
	}
}

// creator reads the process id and the process name from a text such as "pid 378, WindowServer". ok is false for
// other texts.
func creator(text string) (pid int, name string, ok bool) {
	rest, ok := strings.CutPrefix(text, "pid ")
	if !ok {
		return 0, "", false
	}
	digits, name, _ := strings.Cut(rest, ",")
	pid, err := strconv.Atoi(digits)
	return pid, strings.TrimSpace(name), err == nil && pid >= 0
}

// unsigned returns an integer of a property list. It returns 0 for a value of another type, a negative integer, or one
// beyond 63 bits, because such a value cannot be a time or a size.
func unsigned(value any) uint64 {
	switch v := value.(type) {
	case uint64:
		if v < 1<<63 {
			return v
		}
	case int64:
		if v > 0 {
			return uint64(v)
		}
	case float64:
		if v > 0 && v < 1<<62 {
			return uint64(v)
		}
	}
	return 0
}

// text returns a string of a property list; some drivers publish strings as bytes with a zero at the end.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []byte:
		return strings.TrimRight(string(v), "\x00")
	}
	return ""
}
