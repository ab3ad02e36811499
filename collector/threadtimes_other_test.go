//go:build !linux

package collector

import "mtrace/fixtures/wiretest"

// live is for a collector that looks into other processes.
func (task) live(wiretest.Region) { panic("the collector does not look at threads here") }
