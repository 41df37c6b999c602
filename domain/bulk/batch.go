package bulk

import (
	"fmt"
	"strconv"
	"strings"
)

// Batch is a batch of the lines of a job, in the order of their ids, with the result of each. It is a value: a change
// is made to a copy.
type Batch struct {
	Job     int64
	Number  int64     // from 1 on
	Lines   PackedIDs // one or more
	Decided int       // the number of decided lines, from the first one on
	Refused []Refusal // of the decided lines, in the same order
}

// Refusal is a line that the job did not change.
type Refusal struct {
	Line int64
	Code string // the reason
}

// Key is the key by which a batch is stored.
func (p Batch) Key() string { return BatchKey(p.Job, p.Number) }

// BatchKey is the key of a batch of a job.
func BatchKey(job, number int64) string { return fmt.Sprintf("%d.%d", job, number) }

// MaxBatches is the limit of batches of a job.
const MaxBatches = 1_000

// SplitIntoBatches divides the lines of a job into batches of a hundred, or of more if that makes more than MaxBatches.
func SplitIntoBatches(job int64, lines []int64) (batches []Batch) {
	const least = 100
	size := max(least, (len(lines)+MaxBatches-1)/MaxBatches)
	for number := int64(1); len(lines) > 0; number++ {
		n := min(size, len(lines))
		batches = append(batches, Batch{Job: job, Number: number, Lines: PackIDs(lines[:n])})
		lines = lines[n:]
	}
	return batches
}

// Complete reports whether all lines are decided.
func (p Batch) Complete() bool { return p.Decided >= p.Lines.Len() }

// Succeed returns the batch after its next line succeeded.
func (p Batch) Succeed() Batch {
	p.Decided++
	return p
}

// Refuse returns the batch after its next lines were refused. They are in order.
func (p Batch) Refuse(refused ...Refusal) Batch {
	p.Decided += len(refused)
	p.Refused = append(p.Refused[:len(p.Refused):len(p.Refused)], refused...)
	return p
}

// Result is the result of a line.
type Result struct {
	Line int64
	Code string // of the refusal, "" if the line succeeded
}

// Results returns the results of the decided lines, in their order.
func (p Batch) Results() (all []Result, err error) {
	lines, err := p.Lines.IDs()
	if err != nil {
		return nil, fmt.Errorf("batch %d of job %d: %w", p.Number, p.Job, err)
	}
	if p.Decided > len(lines) || p.Decided < 0 {
		return nil, fmt.Errorf("batch %d of job %d: %d of %d lines are decided", p.Number, p.Job, p.Decided, len(lines))
	}
	refused := p.Refused
	for _, id := range lines[:p.Decided] {
		r := Result{Line: id}
		if len(refused) > 0 && refused[0].Line == id {
			r.Code, refused = refused[0].Code, refused[1:]
		}
		all = append(all, r)
	}
	if len(refused) > 0 {
		return nil, fmt.Errorf("batch %d of job %d: line %d was refused, and is not decided", p.Number,
			p.Job, refused[0].Line)
	}
	return all, nil
}

// PackedIDs are ids of lines as a text: the first id, then the distance of each to the one before.
type PackedIDs string

// PackIDs writes ids, which are in order and differ.
func PackIDs(ids []int64) PackedIDs {
	var b strings.Builder
	last := int64(0)
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.FormatInt(id-last, 10))
		last = id
	}
	return PackedIDs(b.String())
}

// Len returns the number of ids.
func (l PackedIDs) Len() int {
	if l == "" {
		return 0
	}
	return strings.Count(string(l), " ") + 1
}

// IDs reads what PackIDs wrote.
func (l PackedIDs) IDs() (ids []int64, err error) {
	last := int64(0)
	for text := range strings.FieldsSeq(string(l)) {
		more, err := strconv.ParseInt(text, 10, 64)
		if err != nil || more <= 0 {
			return nil, fmt.Errorf("%q is no distance between ids", text)
		}
		last += more
		ids = append(ids, last)
	}
	return ids, nil
}
