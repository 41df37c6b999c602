package operate

import (
	"context"
	"io/fs"
	"testing"
	"time"

	"resellerd/ports"
	"resellerd/test/expect"
)

type touched struct {
	ports.Draft
	times []time.Time
}

func (d *touched) Touch(now time.Time) error {
	d.times = append(d.times, now)
	return nil
}

// The copy and the audit touch the draft, so that another process does not take it for abandoned.
func TestADraftIsTouched(t *testing.T) {
	t.Parallel()
	var d touched
	told := 0
	now := time.Unix(1, 0)
	o := Options{Copied: func(int64, int64) { told++ }, Audited: func(int64) { told++ }}.touching(&d, func() time.Time {
		return now
	})
	o.Copied(1, 2)
	o.Audited(1)
	if len(d.times) != 2 || d.times[1] != now || told != 2 {
		t.Errorf("it was touched at %v, and %d steps were reported", d.times, told)
	}
}

// A restore from a file that can't be opened names the reason.
func TestRestoreFromNoFile(t *testing.T) {
	opens := func(context.Context, string) (ports.OpenArchive, error) { return nil, fs.ErrNotExist }
	_, err := Restore{Files: Files{OpenFile: opens}}.fingerprint(t.Context())
	expect.Error(t, err, fs.ErrNotExist)
}

func TestReportHasARowOfAMissingAccount(t *testing.T) {
	a := accounting{rows: map[int64]*AccountReport{}}
	a.row(7).Trials++
	expect.Equal(t, *a.rows[7], AccountReport{ID: 7, Trials: 1})
}
