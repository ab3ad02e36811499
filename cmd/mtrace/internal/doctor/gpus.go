package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"mtrace/collector/accelerator"
)

// displays is what gpus reads of the output of `system_profiler -json SPDisplaysDataType`.
type displays struct {
	GPUs []struct {
		Model  string `json:"sppci_model"`
		Cores  string `json:"sppci_cores"`
		Family string `json:"spdisplays_mtlgpufamilysupport"`
		Older  string `json:"spdisplays_metal"` // before macOS 13
	} `json:"SPDisplaysDataType"`
}

// gpus lists the GPUs with their Metal versions. It fails if no GPU supports Metal.
func (p *Probe) gpus() Check {
	c := Check{ID: "gpu", Status: OK}
	output, err := p.Run("system_profiler", "-json", "SPDisplaysDataType")
	var found displays
	if err == nil {
		err = json.Unmarshal([]byte(output), &found)
	}
	if err != nil {
		c.Status, c.Text = Warn, "system_profiler does not list the GPUs: "+err.Error()
		return c
	}
	var texts []string
	metal := false
	for _, gpu := range found.GPUs {
		family := gpu.Family
		if family == "" {
			family = gpu.Older
		}
		if family == "" {
			continue // a display, not a GPU
		}
		family = strings.TrimPrefix(family, "spdisplays_")
		metal = metal || strings.HasPrefix(strings.ToLower(family), "metal") || strings.Contains(family, "supported")
		text := gpu.Model
		if gpu.Cores != "" {
			text += ", " + gpu.Cores + " cores"
		}
		texts = append(texts, text+", "+family)
	}
	c.Text = strings.Join(texts, "; ")
	c.Data = found.GPUs
	if !metal {
		c.Status, c.Text = Fail, "no GPU with Metal"
		c.Advice = "in a virtual machine, enable its paravirtualised GPU; otherwise trace on another Mac"
	}
	return c
}

// busy lists how many processes use each GPU now, and warns if it is more than 30% busy: a run would then be slow for
// reasons outside of the program.
func (p *Probe) busy() Check {
	c := Check{ID: "gpu-use", Status: Info}
	sample, err := accelerator.Take(context.Background(), func(context.Context) ([]byte, error) {
		output, err := p.Run("/usr/sbin/ioreg", "-a", "-r", "-c", "IOAccelerator")
		return []byte(output), err
	})
	if err != nil {
		c.Status, c.Text = Warn, "cannot read the GPU's utilization from the I/O registry: "+err.Error()
		return c
	}
	var texts []string
	for _, d := range sample.Devices {
		text := fmt.Sprintf("%s: %d processes connected, %s of GPU memory in use", d.Class, len(d.Clients),
			bytesText(d.InUse))
		if d.Utilization >= 0 {
			text += fmt.Sprintf(", %.0f%% busy", d.Utilization*100)
			if d.Utilization > 0.3 {
				c.Status, c.Advice = Warn, "another program is using the GPU: stop it before you measure"
			}
		}
		texts = append(texts, text)
	}
	c.Text, c.Data = strings.Join(texts, "; "), sample.Devices
	if len(texts) == 0 {
		c.Status, c.Text = Warn, "the I/O registry lists no GPU"
	}
	return c
}
