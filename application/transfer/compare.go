package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"resellerd/domain/credit"
	"resellerd/ports"
)

// mostDifferences bounds how many differences are reported: more would add nothing.
const mostDifferences = 20

// errEnough ends a comparison early.
var errEnough = errors.New("enough differences")

// compare reads both sides completely, in order, and reports every record that differs.
func (c *copying) compare(target side) error {
	var done, differences int64
	differs := func(format string, args ...any) error {
		c.Report(fmt.Sprintf(format, args...))
		if differences++; differences == mostDifferences {
			return errEnough
		}
		return nil
	}
	total := c.records() + c.done.Keys
	c.Progress(Compare, 0, total)
	step := func() {
		if done++; done%ports.CopyBatch == 0 || done == total {
			c.Progress(Compare, done, total)
		}
	}
	origin, err := target.Origin(target.ctx)
	if err != nil {
		return err
	}
	if origin.Fingerprint != c.origin.Fingerprint {
		_ = differs("service key: the copy has recorded another one")
	}
	if origin.EarlierKeys != c.origin.EarlierKeys {
		_ = differs("service key: the copy has recorded other data of earlier keys")
	}
	for _, of := range ports.Sequences() {
		if origin.Next[of] != c.origin.Next[of] { // sequences are too few for errEnough
			_ = differs("sequence %s: it goes on with %d in the copy and with %d in the source", of, origin.Next[of],
				c.origin.Next[of])
		}
	}
	compares := []func() error{
		func() error { return resellers.compare(c.source, target, step, differs) },
		func() error { return lines.compare(c.source, target, step, differs) },
		func() error { return tombstones.compare(c.source, target, step, differs) },
		func() error { return movements.compare(c.source, target, step, differs) },
		func() error { return idempotencyKeys.compare(c.source, target, step, differs) },
	}
	for _, k := range copiedKinds() {
		compares = append(compares, func() error { return k.compare(c.source, target, step, differs) })
	}
	compares = append(compares, func() error { return entries.compare(c.source, target, step, differs) })
	for _, compare := range compares {
		if err = compare(); err != nil {
			break
		}
	}
	if err == nil && differences > 0 || errors.Is(err, errEnough) {
		return ErrCopyDiffers
	}
	return err
}

// compare reads the records of the kind on both sides.
func (k kind[R]) compare(source, target side, step func(), differs func(format string, args ...any) error) error {
	from, to := stream[R]{next: k.pages(source)}, stream[R]{next: k.pages(target)}
	for {
		if err := errors.Join(from.fill(), to.fill()); err != nil {
			return err
		}
		var err error
		switch here, there := from.page, to.page; {
		case len(here) == 0 && len(there) == 0:
			return nil
		case len(there) == 0 || len(here) > 0 && k.order(here[0], there[0]) < 0:
			err = differs("%s: it is missing in the copy", k.name(here[0]))
			from.drop()
			step()
		case len(here) == 0 || k.order(here[0], there[0]) > 0:
			err = differs("%s: it is in the copy and not in the source", k.name(there[0]))
			to.drop()
		default:
			if in := k.differences(here[0], there[0]); len(in) > 0 {
				err = differs("%s: it is not in the copy what it is in the source: %s", k.name(here[0]), strings.Join(in, ", "))
			}
			from.drop()
			to.drop()
			step()
		}
		if err != nil {
			return err
		}
	}
}

// differences names the fields in which two records differ, or the damaged side.
func (k kind[R]) differences(a, b R) (in []string) {
	here, err := k.content(a)
	if err != nil {
		return []string{"the source is damaged"}
	}
	there, err := k.content(b)
	if err != nil {
		return []string{"the copy is damaged"}
	}
	return differences("", reflect.ValueOf(here), reflect.ValueOf(there))
}

// stream reads records one by one.
type stream[R any] struct {
	next  pages[R]
	page  []R // its unread records
	ended bool
}

// fill reads the next page once all records of the page are read, unless it was the last one.
func (s *stream[R]) fill() (err error) {
	if len(s.page) == 0 && !s.ended {
		s.page, err = s.next()
		s.ended = len(s.page) == 0
	}
	return err
}

func (s *stream[R]) drop() { s.page = s.page[1:] }

// differences names the fields in which two records of one type differ, of any structure: every field counts, also
// fields that are added later. Amounts and instants count by value, the latter with their zone. Nil and empty are the
// same. Values are not reported: a field may be a secret.
func differences(name string, a, b reflect.Value) (in []string) {
	if a.Kind() == reflect.Struct && a.CanInterface() && a.NumField() > 0 && a.Type().Field(0).IsExported() {
		for i := range a.NumField() {
			of := a.Type().Field(i)
			below := strings.TrimPrefix(name+"."+of.Name, ".")
			if of.Anonymous {
				below = name
			}
			in = append(in, differences(below, a.Field(i), b.Field(i))...)
		}
		return in
	}
	if !same(a, b) {
		in = append(in, name)
	}
	return in
}

// same compares two values of one type.
func same(a, b reflect.Value) bool {
	if a.CanInterface() {
		switch value := a.Interface().(type) {
		case time.Time:
			other := b.Interface().(time.Time) //nolint:forcetypeassert // both have one type
			return value.Equal(other) && value.Location() == other.Location()
		case credit.Amount:
			return value.Equal(b.Interface().(credit.Amount)) //nolint:forcetypeassert // both have one type
		}
	}
	switch a.Kind() { //nolint:exhaustive // all others are compared as values
	case reflect.Pointer:
		return a.IsNil() && b.IsNil() || !a.IsNil() && !b.IsNil() && same(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.Type().Elem().Kind() == reflect.Uint8 {
			return bytes.Equal(a.Bytes(), b.Bytes())
		}
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	default:
		return a.Equal(b)
	}
}
