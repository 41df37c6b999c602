package bulk

import (
	"fmt"
	"strconv"
	"strings"
)

// Part is some of the lines of a job, in the order of their ids, with what became of each. It is a value: a change is
// made to a copy.
type Part struct {
	Job     int64
	Number  int64     // from 1 on
	Lines   Lines     // one or more
	Decided int       // how many of the lines, from the first one on
	Refused []Refusal // of these, in the same order
}

// Refusal is that nothing was done to a line.
type Refusal struct {
	Line int64
	Code string // why
}

// Key is the text by which a part is kept.
func (p Part) Key() string { return PartKey(p.Job, p.Number) }

// PartKey is the key of a part of a job.
func PartKey(job, number int64) string { return fmt.Sprintf("%d.%d", job, number) }

// MostParts is how many parts a job has at most.
const MostParts = 1_000

// Parts divides the lines of a job: into parts of a hundred, or of more if they would be more than MostParts.
func Parts(job int64, lines []int64) (parts []Part) {
	const least = 100
	size := max(least, (len(lines)+MostParts-1)/MostParts)
	for number := int64(1); len(lines) > 0; number++ {
		n := min(size, len(lines))
		parts = append(parts, Part{Job: job, Number: number, Lines: PackLines(lines[:n])})
		lines = lines[n:]
	}
	return parts
}

// Complete reports whether all lines are decided.
func (p Part) Complete() bool { return p.Decided >= p.Lines.Len() }

// Succeed returns the part once its next line has succeeded.
func (p Part) Succeed() Part {
	p.Decided++
	return p
}

// Refuse returns the part once its next lines were refused. They are in order.
func (p Part) Refuse(refused ...Refusal) Part {
	p.Decided += len(refused)
	p.Refused = append(p.Refused[:len(p.Refused):len(p.Refused)], refused...)
	return p
}

// Result is what became of a line.
type Result struct {
	Line int64
	Code string // why it was refused, "" if it succeeded
}

// Results returns what became of the lines that are decided, in their order.
func (p Part) Results() (all []Result, err error) {
	lines, err := p.Lines.IDs()
	if err != nil {
		return nil, fmt.Errorf("part %d of job %d: %w", p.Number, p.Job, err)
	}
	if p.Decided > len(lines) || p.Decided < 0 {
		return nil, fmt.Errorf("part %d of job %d: %d lines are decided of %d", p.Number, p.Job, p.Decided, len(lines))
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
		return nil, fmt.Errorf("part %d of job %d: line %d was refused, and is not among those that are decided", p.Number,
			p.Job, refused[0].Line)
	}
	return all, nil
}

// Lines are ids of lines as a text: the first one, then by how much each is larger than the one before.
type Lines string

// PackLines writes ids, which are in order and differ.
func PackLines(ids []int64) Lines {
	var b strings.Builder
	last := int64(0)
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.FormatInt(id-last, 10))
		last = id
	}
	return Lines(b.String())
}

// Len returns how many there are.
func (l Lines) Len() int {
	if l == "" {
		return 0
	}
	return strings.Count(string(l), " ") + 1
}

// IDs reads what PackLines wrote.
func (l Lines) IDs() (ids []int64, err error) {
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
