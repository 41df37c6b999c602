package fields

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/line"
)

// Extra returns the optional fields of a record, except those with a column of their own, as one JSON text in canonical
// form. It returns "" if the record has no such field.
func (l List[R]) Extra(r *R) string {
	var all map[string]any
	for i := range l.Fields {
		f := &l.Fields[i]
		if !f.Optional || f.OwnColumn {
			continue
		}
		value, there := jsonOf(f.At(r))
		if !there {
			continue
		}
		if all == nil {
			all = map[string]any{}
		}
		all[f.Name] = value
	}
	if all == nil {
		return ""
	}
	text, _ := json.Marshal(all) // only texts, numbers and truth values
	return string(text)
}

// SetExtra sets the optional fields of a record from a text that Extra returned, and refuses any other.
func (l List[R]) SetExtra(r *R, stored string) error {
	if stored == "" {
		return nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(stored), &all); err != nil {
		return err
	}
	for i := range l.Fields {
		f := &l.Fields[i]
		value, there := all[f.Name]
		if !there || !f.Optional || f.OwnColumn {
			continue
		}
		if err := setJSON(f.At(r), value); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		delete(all, f.Name)
	}
	if len(all) > 0 {
		return fmt.Errorf("a field that this version does not know: %s", slices.Sorted(maps.Keys(all))[0])
	}
	if l.Extra(r) != stored {
		return errNotWritten
	}
	return nil
}

var errNotWritten = errors.New("this is not how it is written")

func jsonOf(at any) (value any, there bool) {
	switch at := at.(type) {
	case *int64:
		return *at, *at != 0
	case *bool:
		return *at, *at
	case *time.Time:
		return at.UnixMilli(), !at.IsZero()
	case *credit.Amount:
		return at.Units(), !at.IsZero()
	case *line.Metadata:
		return maps.Collect(at.All()), !at.IsZero()
	}
	text, is := TextAt(at)
	if !is {
		panic(fmt.Sprintf("no optional field is a %T", at))
	}
	return text, text != ""
}

func setJSON(at any, stored json.RawMessage) error {
	switch at := at.(type) {
	case *int64, *bool:
		return json.Unmarshal(stored, at)
	case *time.Time:
		var milliseconds int64
		err := json.Unmarshal(stored, &milliseconds)
		*at = time.UnixMilli(milliseconds).UTC()
		return err
	case *credit.Amount:
		var units int64
		if err := json.Unmarshal(stored, &units); err != nil {
			return err
		}
		amount, err := credit.FromUnits(units)
		*at = amount
		return err
	case *line.Metadata:
		var members map[string]string
		if err := json.Unmarshal(stored, &members); err != nil {
			return err
		}
		m, err := line.RestoreMetadata(members)
		*at = m
		return err
	}
	var text string
	if err := json.Unmarshal(stored, &text); err != nil {
		return err
	}
	return SetText(at, text)
}
