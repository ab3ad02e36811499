package report

import (
	"math"
	"strconv"
	"testing"
)

// leastDifference is how far two states that touch must be apart in CIELAB (CIE 1976), for all readers.
const leastDifference = 15

// sights maps linear red, green and blue to the colours that readers see: with usual sight, and without the long,
// middle or short wave cones (Machado, Oliveira and Fernandes 2009, severity 1).
var sights = map[string][3][3]float64{
	"usual":        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab is a color as a sight has it, in CIELAB.
func lab(t *testing.T, color string, sight [3][3]float64) (out [3]float64) {
	t.Helper()
	var linear, seen [3]float64
	for i := range linear {
		n, err := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		if x := float64(n) / 255; x <= 0.04045 {
			linear[i] = x / 12.92
		} else {
			linear[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	for i, row := range sight {
		seen[i] = min(1, max(0, row[0]*linear[0]+row[1]*linear[1]+row[2]*linear[2]))
	}
	f := func(x float64) float64 {
		if x > 0.008856 {
			return math.Cbrt(x)
		}
		return 7.787*x + 16.0/116
	}
	x := f((0.4124564*seen[0] + 0.3575761*seen[1] + 0.1804375*seen[2]) / 0.95047)
	y := f(0.2126729*seen[0] + 0.7151522*seen[1] + 0.0721750*seen[2])
	z := f((0.0193339*seen[0] + 0.1191920*seen[1] + 0.9503041*seen[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// TestPalette: any two parts of a thread's time may touch, and are distinguished by every reader, as are the GPU's.
func TestPalette(t *testing.T) {
	states := map[string]string{"waiting for a signal": SignalColor}
	for _, c := range columns {
		states[c.name] = c.color
	}
	gpu := map[string]string{}
	for _, c := range gpuColors {
		gpu[string(c)] = string(c)
	}
	for _, palette := range []map[string]string{states, gpu} {
		for sight, seen := range sights {
			least, between := math.Inf(1), ""
			for a, x := range palette {
				for b, y := range palette {
					if a >= b {
						continue
					}
					p, q := lab(t, x, seen), lab(t, y, seen)
					if d := math.Sqrt(math.Pow(p[0]-q[0], 2) + math.Pow(p[1]-q[1], 2) + math.Pow(p[2]-q[2], 2)); d < least {
						least, between = d, a+" and "+b
					}
				}
			}
			t.Logf("%s: at least %.1f, between %s", sight, least, between)
			if least < leastDifference {
				t.Errorf("with %s, %s differ by %.1f", sight, between, least)
			}
		}
	}
}
