package bulk

import (
	"fmt"
	"strings"

	"resellerd/domain/line"
	"resellerd/domain/profile"
)

// Detail is a detail that every line of a job gets: the name of a member and its value, "" to clear it.
type Detail struct{ Name, Value string }

// metadata is the member whose own members have names that begin with it and a dot.
const metadata = "metadata"

// DetailsOf writes a description. It leaves out the external id, which belongs to one line.
func DetailsOf(d line.Description) (all []Detail) {
	for _, m := range d.Texts() {
		if *m.At != nil && !m.OfOne {
			all = append(all, Detail{m.Name, (*m.At).String()})
		}
	}
	if d.Metadata != nil {
		all = append(all, Detail{Name: metadata})
		for name, value := range d.Metadata.All() {
			all = append(all, Detail{metadata + "." + name, value})
		}
	}
	return all
}

// Description reads what DetailsOf wrote.
func (o Change) Description() (d line.Description, err error) {
	var values map[string]string
	for _, detail := range o.Details {
		name, of := strings.CutPrefix(detail.Name, metadata+".")
		switch {
		case of && values != nil:
			values[name] = detail.Value
		case detail.Name == metadata:
			values = map[string]string{}
		case !set(&d, detail):
			return d, fmt.Errorf("a line has no detail %q", detail.Name)
		}
	}
	if values != nil {
		var m line.Metadata
		m, err = line.RestoreMetadata(values)
		d.Metadata = &m
	}
	return d, err
}

func set(d *line.Description, detail Detail) bool {
	for _, m := range d.Texts() {
		if m.Name == detail.Name && !m.OfOne {
			*m.At = new(profile.RestoreText(detail.Value))
			return true
		}
	}
	return false
}
