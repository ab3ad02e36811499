package cli

import (
	"fmt"
	"strconv"
	"strings"
)

// A SizeValue is a number of bytes as a flag's value, such as 512M or 4G. The units K, M, G and T are powers of 1024,
// also when written as KB or KiB.
type SizeValue int64

// sizeUnits has the unit for 1024^(i+1) at index i.
const sizeUnits = "KMGT"

// Set implements pflag.Value.
func (v *SizeValue) Set(text string) error {
	number := strings.ToUpper(text)
	number = strings.TrimSuffix(strings.TrimSuffix(number, "B"), "I")
	shift := 0
	if n := len(number); n > 0 {
		if unit := strings.IndexByte(sizeUnits, number[n-1]); unit >= 0 {
			number, shift = number[:n-1], 10*(unit+1)
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > (1<<62)>>shift {
		return fmt.Errorf("not a size like 512M or 4G")
	}
	*v = SizeValue(n << shift)
	return nil
}

// Type implements pflag.Value.
func (v *SizeValue) Type() string { return "size" }

// String implements pflag.Value.
func (v *SizeValue) String() string {
	n, unit := int64(*v), ""
	for i := 0; n > 0 && n%1024 == 0 && i < len(sizeUnits); i++ {
		n, unit = n/1024, sizeUnits[i:i+1]
	}
	return strconv.FormatInt(n, 10) + unit
}
