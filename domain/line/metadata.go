package line

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"resellerd/domain/fault"
	"resellerd/domain/profile"
)

// Limits of metadata.
const (
	MaxMetadata      = 20      // members
	MaxMetadataName  = 40      // bytes of a member's name
	MaxMetadataBytes = 4 << 10 // of all members, as JSON without spaces
)

// The reasons for which metadata are refused, besides the reasons of profile for a value.
var (
	ErrMetadataName = fault.New(fault.Invalid, "bad-metadata-name",
		"A name in metadata has 1 to 40 characters a to z, 0 to 9 and _.")
	ErrMetadataSize = fault.New(fault.Invalid, "metadata-too-large",
		"Metadata have at most 20 members and take at most 4 KiB as JSON.")
)

// Metadata are texts by names, from the owner's own systems. The zero value has no members.
type Metadata struct {
	packed string // name, value, name, value ..., each with an end, in the order of the names
}

// end is a character that no name and no value contains.
const end = "\x00"

// ParseMetadata reads metadata from a request.
func ParseMetadata(members map[string]string) (Metadata, error) {
	if len(members) > MaxMetadata {
		return Metadata{}, ErrMetadataSize
	}
	clean, size := make(map[string]string, len(members)), len(`{}`)
	for name, text := range members {
		if name == "" || len(name) > MaxMetadataName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			return Metadata{}, ErrMetadataName
		}
		value, err := profile.ParseValue(text)
		if err != nil {
			return Metadata{}, fmt.Errorf("%s: %w", name, err)
		}
		clean[name] = value.String()
		escaped := strings.Count(value.String(), `"`) + strings.Count(value.String(), `\`) +
			strings.Count(value.String(), "\n")
		size += len(`"":"",`) + len(name) + len(value.String()) + escaped
	}
	if size > MaxMetadataBytes+len(`,`) { // no comma follows the last member
		return Metadata{}, ErrMetadataSize
	}
	return RestoreMetadata(clean)
}

// RestoreMetadata returns stored metadata. It refuses only a text with the character 0.
func RestoreMetadata(members map[string]string) (m Metadata, err error) {
	var packed strings.Builder
	for _, name := range slices.Sorted(maps.Keys(members)) {
		for _, text := range [...]string{name, members[name]} {
			if strings.Contains(text, end) {
				return Metadata{}, fmt.Errorf("metadata have the character 0 in %q", text)
			}
			packed.WriteString(text)
			packed.WriteString(end)
		}
	}
	return Metadata{packed.String()}, nil
}

// All yields the members in the order of their names.
func (m Metadata) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for rest := m.packed; rest != ""; {
			var name, value string
			name, rest, _ = strings.Cut(rest, end)
			value, rest, _ = strings.Cut(rest, end)
			if !yield(name, value) {
				return
			}
		}
	}
}

// IsZero reports whether the metadata have no members.
func (m Metadata) IsZero() bool { return m.packed == "" }

// Equal reports whether both have the same members.
func (m Metadata) Equal(other Metadata) bool { return m == other }
