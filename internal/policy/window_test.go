package policy

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

func aWindow(kind v1alpha1.WindowKind, schedule, duration, zone string) v1alpha1.Window {
	d, err := time.ParseDuration(duration)
	if err != nil {
		panic(err)
	}
	return v1alpha1.Window{Name: strings.ToLower(string(kind)), Kind: kind, Schedule: schedule, Duration: metav1.Duration{Duration: d}, TimeZone: zone}
}

func allow(schedule, duration, zone string) v1alpha1.Window {
	return aWindow(v1alpha1.WindowAllow, schedule, duration, zone)
}

func freeze(schedule, duration, zone string) v1alpha1.Window {
	return aWindow(v1alpha1.WindowFreeze, schedule, duration, zone)
}

func withWindows(windows ...v1alpha1.Window) Selected {
	p := everywhere("w")
	p.Spec.Windows = windows
	return selected(p)
}

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

func TestSelected_Opening(t *testing.T) {
	nights, weekends := allow("0 22 * * *", "4h", ""), freeze("0 18 * * 5", "60h", "Europe/Paris")
	for _, tc := range []struct {
		name    string
		windows []v1alpha1.Window
		now     string
		open    bool
		again   string
		reason  string
	}{
		{"no windows", nil, "2026-03-04T12:00:00Z", true, "", "nobody said when"},
		{"within an allow window", []v1alpha1.Window{nights}, "2026-03-04T23:00:00Z", true, "", "it is from 22 to 2"},
		{"after midnight within an allow window", []v1alpha1.Window{nights}, "2026-03-05T01:59:59Z", true, "", "it is from 22 to 2"},
		{"at the first moment of an allow window", []v1alpha1.Window{nights}, "2026-03-04T22:00:00Z", true, "", "it begins with it"},
		{"just before an allow window", []v1alpha1.Window{nights}, "2026-03-04T21:59:59Z", false, "2026-03-04T22:00:00Z", "it has not begun"},
		{"at the end of an allow window", []v1alpha1.Window{nights}, "2026-03-05T02:00:00Z", false, "2026-03-05T22:00:00Z", "it ends before that moment"},
		{"within a freeze", []v1alpha1.Window{weekends}, "2026-03-07T12:00:00Z", false, "2026-03-09T05:00:00Z", "60 hours from Friday 18:00 in Paris"},
		{"before a freeze, in its zone", []v1alpha1.Window{weekends}, "2026-03-06T16:59:59Z", true, "", "17:59 in Paris"},
		{"at the beginning of a freeze, in its zone", []v1alpha1.Window{weekends}, "2026-03-06T17:00:00Z", false, "2026-03-09T05:00:00Z", "18:00 in Paris"},
		{"the same in summer", []v1alpha1.Window{weekends}, "2026-07-03T16:00:00Z", false, "2026-07-06T04:00:00Z", "18:00 in Paris is an hour earlier"},
		{"a freeze within an allow window", []v1alpha1.Window{nights, weekends}, "2026-03-06T23:00:00Z", false, "2026-03-09T05:00:00Z", "a freeze wins"},
		{"neither window holds", []v1alpha1.Window{nights, weekends}, "2026-03-04T12:00:00Z", false, "2026-03-04T22:00:00Z", "the allow window is waited for"},
		{"a freeze and no allow window now", []v1alpha1.Window{nights, weekends}, "2026-03-07T12:00:00Z", false, "2026-03-09T05:00:00Z", "the later of both"},
		{"one of two allow windows", []v1alpha1.Window{nights, allow("0 12 * * *", "1h", "")}, "2026-03-04T12:30:00Z", true, "", "either will do"},
		{"one of two allow windows, the other way round", []v1alpha1.Window{allow("0 12 * * *", "1h", ""), nights}, "2026-03-04T12:30:00Z", true, "", "either will do"},
		{"occurrences that overlap in the hour that comes twice", []v1alpha1.Window{freeze("*/15 2 * * *", "2h", "Europe/Paris")}, "2026-10-25T01:20:00Z", false, "2026-10-25T03:15:00Z", "the latest begins at 2:15 there, for the second time"},
		{"the nearer of two allow windows", []v1alpha1.Window{nights, allow("0 12 * * *", "1h", "")}, "2026-03-04T11:00:00Z", false, "2026-03-04T12:00:00Z", "either will do"},
		{"overlapping freezes", []v1alpha1.Window{freeze("0 8 * * *", "2h", ""), freeze("0 9 * * *", "4h", "")}, "2026-03-04T09:30:00Z", false, "2026-03-04T13:00:00Z", "the later end"},
		{"occurrences that overlap themselves", []v1alpha1.Window{freeze("0 */6 * * *", "9h", "")}, "2026-03-04T13:00:00Z", false, "2026-03-04T21:00:00Z", "the latest of them"},
		{"a long freeze, days after it began", []v1alpha1.Window{freeze("0 0 24 12 *", "168h", "")}, "2026-12-30T23:59:59Z", false, "2026-12-31T00:00:00Z", "a week from Christmas Eve"},
		{"a window of next year", []v1alpha1.Window{allow("0 0 1 1 *", "1h", "")}, "2026-03-04T00:00:00Z", false, "2027-01-01T00:00:00Z", "it comes once a year"},
		{"a zone a day ahead", []v1alpha1.Window{allow("0 0 * * 1", "1h", "Pacific/Kiritimati")}, "2026-03-08T10:30:00Z", true, "", "it is Monday there already"},
		{"a zone with half hours", []v1alpha1.Window{allow("0 9 * * *", "1h", "Asia/Kolkata")}, "2026-03-08T03:30:00Z", true, "", "9:00 there"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := withWindows(tc.windows...).Opening(at(tc.now), nil)
			if got.Open != tc.open {
				t.Fatalf("Opening() = %+v, want open %v: %s", got, tc.open, tc.reason)
			}
			if !tc.open && (!got.At.Equal(at(tc.again)) || got.Why == "") {
				t.Errorf("Opening() = %+v, want again at %s: %s", got, tc.again, tc.reason)
			}
		})
	}
}

// TestSelected_Opening_clocksChange is about the nights on which the clock on the wall jumps: Paris on 29 March (2:00 to
// 3:00, at 1:00 UTC) and 25 October 2026 (3:00 to 2:00, at 1:00 UTC), New York on 8 March (2:00 to 3:00, at 7:00 UTC).
func TestSelected_Opening_clocksChange(t *testing.T) {
	for _, tc := range []struct {
		name   string
		window v1alpha1.Window
		now    string
		open   bool
		reason string
	}{
		{"a freeze that the clock jumps over, before it", freeze("30 2 * * *", "1h", "Europe/Paris"), "2026-03-29T00:59:59Z", true, "1:59 there"},
		{"a freeze that the clock jumps over, at the jump", freeze("30 2 * * *", "1h", "Europe/Paris"), "2026-03-29T01:00:00Z", false, "3:00 there, and half past two is past"},
		{"a freeze that the clock jumps over, at its end", freeze("30 2 * * *", "1h", "Europe/Paris"), "2026-03-29T02:00:00Z", true, "an hour later"},
		{"a freeze that the clock jumps over, west of Greenwich", freeze("30 2 * * *", "1h", "America/New_York"), "2026-03-08T07:00:00Z", false, "3:00 there"},
		{"a freeze that the clock jumps over, west of Greenwich, before it", freeze("30 2 * * *", "1h", "America/New_York"), "2026-03-08T06:59:59Z", true, "1:59 there"},
		{"a freeze across the jump", freeze("0 1 * * *", "2h", "Europe/Paris"), "2026-03-29T01:59:59Z", false, "two hours are two hours"},
		{"a freeze in the hour that comes twice, first", freeze("30 2 * * *", "30m", "Europe/Paris"), "2026-10-25T00:45:00Z", false, "2:45 there"},
		{"a freeze in the hour that comes twice, between", freeze("30 2 * * *", "30m", "Europe/Paris"), "2026-10-25T01:15:00Z", true, "2:15 there, for the second time"},
		{"a freeze in the hour that comes twice, again", freeze("30 2 * * *", "30m", "Europe/Paris"), "2026-10-25T01:45:00Z", false, "2:45 there, for the second time"},
		{"an allow window on the day after the jump", allow("30 2 * * *", "1h", "Europe/Paris"), "2026-03-30T00:30:00Z", true, "2:30 there"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := withWindows(tc.window).Opening(at(tc.now), nil); got.Open != tc.open {
				t.Errorf("Opening() = %+v, want open %v: %s", got, tc.open, tc.reason)
			}
		})
	}
}

func TestSelected_Opening_notBefore(t *testing.T) {
	nights, late, early := allow("0 22 * * *", "4h", ""), at("2026-03-04T23:30:00Z"), at("2026-03-04T12:00:00Z")
	for _, tc := range []struct {
		name      string
		now       string
		notBefore *time.Time
		want      Opening
	}{
		{"a wish later than the window", "2026-03-04T23:00:00Z", &late, Opening{At: late, Why: "spec.notBefore"}},
		{"a wish that has come", "2026-03-04T23:30:00Z", &late, Opening{Open: true}},
		{"a wish earlier than the window", "2026-03-04T11:00:00Z", &early, Opening{At: at("2026-03-04T22:00:00Z"), Why: "policy w: window allow"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := withWindows(nights).Opening(at(tc.now), tc.notBefore); got.Open != tc.want.Open || !got.At.Equal(tc.want.At) || got.Why != tc.want.Why {
				t.Errorf("Opening() = %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	for _, tc := range []struct {
		name   string
		window v1alpha1.Window
		says   string
		reason string
	}{
		{"a schedule of five fields", allow("*/15 9-17 1,15 JAN-MAR MON", "1h", "UTC"), "", "CronJobs have it"},
		{"no time zone", allow("0 9 * * *", "1h", ""), "", "it is UTC"},
		{"a schedule of six fields", allow("0 0 9 * * *", "1h", ""), "expected exactly 5 fields", "CronJobs have no seconds"},
		{"a schedule in words", allow("@every 1h", "1h", ""), "does not accept descriptors", "it would depend on when the operator started"},
		{"a zone within the schedule", allow("TZ=Europe/Paris 0 9 * * *", "1h", ""), "belongs into timeZone", "it would be read in two places"},
		{"a zone instead of a schedule", allow("TZ=Europe/Paris", "1h", ""), "belongs into timeZone", "the parser would panic"},
		{"another zone instead of a schedule", allow("CRON_TZ=UTC", "1h", ""), "belongs into timeZone", "the parser would panic"},
		{"an hour that does not exist", allow("0 25 * * *", "1h", ""), "above maximum", "a day has 24"},
		{"a day that does not exist", freeze("0 0 31 2 *", "1h", ""), "there is no such day", "a freeze that never comes protects nothing"},
		{"a leap day", freeze("0 0 29 2 *", "24h", ""), "", "it comes, if seldom"},
		{"a place that does not exist", allow("0 9 * * *", "1h", "Europe/Atlantis"), "is not known", "no clock shows its time"},
		{"the operator's own zone", allow("0 9 * * *", "1h", "Local"), "is not known", "it differs from machine to machine"},
		{"a path instead of a zone", allow("0 9 * * *", "1h", "../../etc/passwd"), "is not known", "it is a file"},
		{"no length", allow("0 9 * * *", "0s", ""), "more than 0s", "it is never open"},
		{"a kind that is not known", aWindow("Maybe", "0 9 * * *", "1h", ""), "neither Allow nor Freeze", "it would be passed over"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := everywhere("w")
			p.Spec.Windows = []v1alpha1.Window{tc.window}
			err := Validate(p)
			if tc.says == "" {
				if err != nil {
					t.Errorf("Validate() = %v: %s", err, tc.reason)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), "spec.windows") {
				t.Errorf("Validate() = %v, want %q: %s", err, tc.says, tc.reason)
			}
			if o := selected(p).Opening(at("2026-03-04T09:30:00Z"), nil); o.Open || o.Why == "" {
				t.Errorf("a window that cannot be read opens the gate: %+v", o)
			}
		})
	}
}

func anyWindow(t *rapid.T) v1alpha1.Window {
	return aWindow(
		rapid.SampledFrom([]v1alpha1.WindowKind{v1alpha1.WindowAllow, v1alpha1.WindowFreeze}).Draw(t, "kind"),
		rapid.SampledFrom([]string{"0 22 * * *", "30 2 * * *", "0 0 * * 6", "15 */5 * * *", "0 9 1 * *", "0 12 29 3 *"}).Draw(t, "schedule"),
		rapid.SampledFrom([]string{"30m", "4h", "60h", "168h"}).Draw(t, "duration"),
		rapid.SampledFrom([]string{"", "Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"}).Draw(t, "zone"),
	)
}

// TestSelected_Opening_neverSkipsAnOpening proves that a change that looks again when it is told to misses no opening, and
// that it is told to at some time.
func TestSelected_Opening_neverSkipsAnOpening(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := withWindows(rapid.SliceOfN(rapid.Custom(anyWindow), 1, 3).Draw(t, "windows")...)
		now := at("2026-01-01T00:00:00Z").Add(time.Duration(rapid.IntRange(0, 365*24*4).Draw(t, "quarter")) * 15 * time.Minute)
		o := s.Opening(now, nil)
		if o.Open {
			return
		}
		if !o.At.After(now) {
			t.Fatalf("closed at %s, and to be looked at again at %s", now, o.At)
		}
		for moment := now; moment.Before(o.At) && moment.Before(now.Add(48*time.Hour)); moment = moment.Add(5 * time.Minute) {
			if s.Opening(moment, nil).Open {
				t.Fatalf("%+v at %s, but open at %s", o, now, moment)
			}
		}
	})
}
