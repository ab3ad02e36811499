package claims

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// A Tolerance is how far a value may miss the target of a claim (a condition to check): a share of the target, or an
// amount with a unit.
type Tolerance struct {
	share  float64
	amount float64
	dim    dimension
	text   string
}

// UnmarshalJSON reads a tolerance: "5%", "10us", or a number such as 0.05, which is a share of the target.
func (t *Tolerance) UnmarshalJSON(b []byte) error {
	var text string
	var share float64
	switch {
	case string(b) == "null":
		return nil
	case json.Unmarshal(b, &share) == nil:
		if t.share, t.text = share, fmt.Sprintf("%g%%", 100*share); share > 1 {
			return fmt.Errorf("tolerance %g: a number without a unit is a share of the target, and 1 is the whole target; "+
				"write \"%g%%\", or \"%s\" if that is meant", share, share, t.text)
		}
	case json.Unmarshal(b, &text) == nil:
		tokens, err := scan(text)
		if err != nil || len(tokens) != 2 || tokens[0].kind != tokenNumber {
			return fmt.Errorf("tolerance %q: write it as \"5%%\" or as an amount with a unit, \"10us\"", text)
		}
		if t.text = text; text[len(text)-1] == '%' {
			t.share = tokens[0].number
		} else {
			t.amount, t.dim = tokens[0].number, tokens[0].dim
		}
	default:
		return errors.New("tolerance: write it as \"5%\" or as an amount with a unit, \"10us\"")
	}
	if t.share < 0 || math.IsInf(t.share, 0) || math.IsInf(t.amount, 0) {
		return fmt.Errorf("tolerance %s: it cannot be negative or infinite", t.text)
	}
	return nil
}

// of returns how far a value may miss the given target.
func (t Tolerance) of(target float64) float64 { return t.amount + t.share*math.Abs(target) }
