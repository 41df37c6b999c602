package hostile

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/bench/wire"
	"resellerd/test/program"
)

// mostT is how far from 0 Welch's t may be: beyond it the two are told apart with a probability of 99.999 %.
const mostT = 4.5

// welch returns Welch's t of two samples.
func welch(a, b []float64) float64 {
	meanA, varianceA := moments(a)
	meanB, varianceB := moments(b)
	return (meanA - meanB) / math.Sqrt(varianceA/float64(len(a))+varianceB/float64(len(b)))
}

func moments(sample []float64) (mean, variance float64) {
	for _, x := range sample {
		mean += x / float64(len(sample))
	}
	for _, x := range sample {
		variance += (x - mean) * (x - mean) / float64(len(sample)-1)
	}
	return mean, variance
}

// cropped returns t of what is below each of some percentiles of both samples, as dudect has it: what disturbs a
// measurement makes it longer, and hides what is looked for.
func cropped(a, b []float64) map[int]float64 {
	all := slices.Sorted(slices.Values(append(slices.Clone(a), b...)))
	ts := map[int]float64{}
	for _, percent := range []int{50, 75, 90, 95, 99, 100} {
		most := all[(len(all)-1)*percent/100]
		below := func(sample []float64) (kept []float64) {
			for _, x := range sample {
				if x <= most {
					kept = append(kept, x)
				}
			}
			return kept
		}
		ts[percent] = welch(below(a), below(b))
	}
	return ts
}

func said(ts map[int]float64) string {
	var words []string
	for _, percent := range slices.Sorted(maps.Keys(ts)) {
		words = append(words, fmt.Sprintf("%d: %.2f", percent, ts[percent]))
	}
	return strings.Join(words, ", ")
}

// TestWelchTellsApart what differs by a hundredth, and not what is the same.
func TestWelchTellsApart(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	sample := func(longer float64) []float64 {
		all := make([]float64, 10_000)
		for i := range all {
			if all[i] = 100 + longer + 5*random.NormFloat64(); random.IntN(50) == 0 {
				all[i] += 1000 * random.ExpFloat64() // the machine had other things to do
			}
		}
		return all
	}
	for percent, value := range cropped(sample(0), sample(0)) {
		if math.Abs(value) > mostT {
			t.Errorf("at %d %%: t is %.1f for what is the same", percent, value)
		}
	}
	if ts := cropped(sample(1), sample(0)); ts[95] < mostT {
		t.Errorf("t is %v for what differs by a hundredth", ts)
	}
}

// TestNamesAreNotToldByTime measures wrong passwords for names that accounts, or staff, have and for names that there
// are not, in pairs of random order. Passwords cost as little as can be, so that no hash hides what the rest takes.
func TestNamesAreNotToldByTime(t *testing.T) {
	pairs := campaign(t, 3_000, 10_000)
	random := seeded(t)
	p := program.Start(t, map[string]string{"RESELLERD_TRUSTED_PROXIES": "127.0.0.0/8"}, program.CheapPasswords)
	admin := p.Service.Admin(t)
	const names = 50
	name := func(known bool, i int) string {
		if known {
			return fmt.Sprintf("somebody-%04d", i)
		}
		return fmt.Sprintf("somebody-%04d", 9999-i)
	}
	for i := range names {
		if i%2 == 0 {
			admin.Send(t, "POST", "/users", api.NewReseller(api.Fields{"username": name(true, i)})).Is(201)
		} else {
			admin.MakeMember(t, api.Fields{"username": name(true, i)})
		}
	}
	for _, path := range []string{"/auth/static-token", "/auth/session"} {
		c := wire.New(p.Address, patience)
		clients := 0
		// measure returns how long an answer takes, to a client that has never failed before.
		var measure func(known bool) float64
		measure = func(known bool) float64 {
			clients++
			body := fmt.Sprintf(`{"username":"%s","password":"a wrong password"}`, name(known, random.IntN(names)))
			request := fmt.Appendf(nil,
				"POST %s HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 10.%d.%d.%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				path, clients>>16, clients>>8&255, clients&255, len(body), body)
			time.Sleep(100 * time.Microsecond) // a hasher rests as long as it worked
			began := time.Now()
			r, err := c.Do(request)
			took := time.Since(began)
			if err == nil && r.Status == 429 { // the machine stood still, and no hash could begin in time
				time.Sleep(time.Second)
				return measure(known)
			}
			if err != nil || r.Status != 401 {
				t.Fatalf("%s: %d %s, %v", path, r.Status, r.Body, err)
			}
			return float64(took.Nanoseconds())
		}
		for range 200 { // what is first is slow
			measure(true)
			measure(false)
		}
		var known, unknown []float64
		for range pairs {
			first := random.IntN(2) == 0
			for _, is := range []bool{first, !first} {
				if took := measure(is); is {
					known = append(known, took)
				} else {
					unknown = append(unknown, took)
				}
			}
		}
		_ = c.Close()
		ts := cropped(known, unknown)
		middle := func(sample []float64) time.Duration {
			return time.Duration(slices.Sorted(slices.Values(sample))[len(sample)/2]).Round(100 * time.Nanosecond)
		}
		t.Logf("%s: %d pairs, medians %v for known and %v for unknown names; Welch's t by the percentile at which is cropped: %s", path, pairs, middle(known), middle(unknown), said(ts))
		for percent, value := range ts {
			if math.Abs(value) > mostT {
				t.Errorf("%s: below the percentile %d t is %.2f, want at most %v", path, percent, value, mostT)
			}
		}
	}
}
