package collector

// clockAhead is 0: all processes have one clock.
func clockAhead(int) int64 { return 0 }
