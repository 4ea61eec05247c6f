package v1alpha1_test

import (
	"math"
	"regexp"
	"testing"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

func TestNewDecimal(t *testing.T) {
	cases := []struct {
		number float64
		want   v1alpha1.Decimal
		reason string
	}{
		{0, "0", "zero is zero"},
		{1, "1", "a whole number has no places"},
		{0.7, "0.7", "a short number stays as it is"},
		{0.29, "0.29", "binary fractions do not show"},
		{0.69999999, "0.699999", "what is strictly below a threshold stays below it"},
		{0.6999, "0.6999", "as does what is just below it"},
		{1e-9, "0.000000", "what is too small for six places is cut off"},
		{123456.5, "123456.5", "large numbers keep their places"},
		{-0.5, "0", "there are no negative amounts"},
		{math.NaN(), "0", "what is no number is nothing"},
		{math.Inf(1), "0", "infinity is no number either"},
	}
	for _, tc := range cases {
		if got := v1alpha1.NewDecimal(tc.number); got != tc.want {
			t.Errorf("NewDecimal(%v) = %q, want %q: %s", tc.number, got, tc.want, tc.reason)
		}
	}
}

func FuzzNewDecimal(f *testing.F) {
	// The pattern and the length that the API server holds a Decimal to.
	pattern := regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]{1,6})?$`)
	f.Add(0.93)
	f.Add(1e11 + 0.123456789)
	f.Fuzz(func(t *testing.T, number float64) {
		if got := string(v1alpha1.NewDecimal(number)); len(got) > 20 || !pattern.MatchString(got) {
			t.Errorf("NewDecimal(%v) = %q, which the API server refuses", number, got)
		}
	})
}
