package bulk_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"resellerd/domain/bulk"
	"resellerd/domain/line"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/test/expect"
	_ "resellerd/test/rapidflags"
	"resellerd/test/require"
)

// The batches of a job have its lines, each once and in order, however many there are, with the result of each.
func TestBatchesHaveTheResultOfEachLine(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom([]int{1, 99, 100, 101, 100_000, 100_001}).Draw(rt, "lines")
		ids := make([]int64, n)
		last := rapid.Int64Range(0, 1<<40).Draw(rt, "from")
		for i := range ids {
			last += int64(1 + i*i%7)
			ids[i] = last
		}
		var got []int64
		parts := bulk.SplitIntoBatches(3, ids)
		for i, p := range parts {
			if p.Job != 3 || p.Number != int64(i+1) || p.Key() != fmt.Sprintf("3.%d", i+1) || p.Complete() {
				rt.Fatalf("part %d is %+v", i, p)
			}
			lines, err := p.Lines.IDs()
			if err != nil || len(lines) != p.Lines.Len() {
				rt.Fatalf("%q: %d of %d, %v", p.Lines, len(lines), p.Lines.Len(), err)
			}
			got = append(got, lines...)
		}
		if !slices.Equal(got, ids) || len(parts) > bulk.MaxBatches {
			rt.Fatalf("%d parts have %d lines of %d", len(parts), len(got), n)
		}
		p := parts[0]
		lines, _ := p.Lines.IDs()
		var want []bulk.Result
		for _, id := range lines {
			if rapid.Bool().Draw(rt, "refused") {
				p = p.Refuse(bulk.Refusal{Line: id, Code: "why"})
				want = append(want, bulk.Result{Line: id, Code: "why"})
			} else {
				p = p.Succeed()
				want = append(want, bulk.Result{Line: id})
			}
			if len(want) == 20 {
				break
			}
		}
		results, err := p.Results()
		if err != nil || !slices.Equal(results, want) || p.Complete() != (len(want) == len(lines)) ||
			len(parts[0].Refused) > 0 {
			rt.Fatalf("results are %v (%v), want %v", results, err, want)
		}
	})
}

func TestImpossibleBatches(t *testing.T) {
	for _, p := range []bulk.Batch{
		{Lines: "5 3", Decided: 3}, {Lines: "5 3", Decided: -1}, {Lines: "5 0", Decided: 1}, {Lines: "5 x", Decided: 1},
		{Lines: "5 -2", Decided: 1},
		{Lines: "5 3", Decided: 1, Refused: []bulk.Refusal{{Line: 8, Code: "why"}}},
		{Lines: "5 3", Decided: 2, Refused: []bulk.Refusal{{Line: 8}, {Line: 5}}},
	} {
		if results, err := p.Results(); err == nil {
			t.Errorf("%+v has the results %v", p, results)
		}
	}
}

func TestDetailsAreStoredAndReadAgain(t *testing.T) {
	text := func(s string) *profile.Text { return new(profile.RestoreText(s)) }
	metadata := func(of map[string]string) *line.Metadata {
		m, err := line.RestoreMetadata(of)
		require.NoError(t, err)
		return &m
	}
	for _, want := range []line.Description{
		{},
		{Notes: text("a\nb"), Country: text("PT"), Whatsapp: text(""), Telegram: text("@x"), Email: text("a@b.pt"),
			Metadata: metadata(map[string]string{"plan": "gold", "a": "b.c"})},
		{Metadata: metadata(nil)}, {Notes: text("")},
	} {
		got, err := bulk.Change{Details: bulk.DetailsOf(want)}.Description()
		expect.Error(t, err, nil, "%+v", got)
		expect.DeepEqual(t, got, want, "read again")
	}
	for _, d := range []bulk.Detail{{Name: "external_id", Value: "1"}, {Name: "metadata.a", Value: "1"}, {}} {
		if got, err := (bulk.Change{Details: []bulk.Detail{d}}).Description(); err == nil {
			t.Errorf("%+v is %+v", d, got)
		}
	}
}

func TestScopesAndExpectationsOfJobs(t *testing.T) {
	needs := map[bulk.Action]principal.Scope{bulk.Extend: principal.LinesSpend, bulk.Delete: principal.LinesDelete}
	for _, a := range bulk.Actions() {
		want := needs[a]
		if want == "" {
			want = principal.LinesWrite
		}
		expect.Equal(t, a.RequiredScope(), want, "%s needs", a)
	}
	o := bulk.Outcome{Matched: 3, Succeeded: 2, Total: 5_000}
	for _, e := range []bulk.Expected{{2, 5_000}, {3, 5_000}, {2, 4_999}} {
		if err := o.CheckExpected(e); (err == nil) != (e == bulk.Expected{Count: 2, Total: 5_000}) || err != nil &&
			!errors.Is(err, bulk.ErrSelectionChanged) {
			t.Errorf("%+v meets %+v: %v", o, e, err)
		}
	}
}
