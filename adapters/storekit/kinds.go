package storekit

import (
	"context"
	"fmt"

	"resellerd/ports"
	"resellerd/ports/record"
)

// Indexes are the records of kinds and their index entries in a store.
type Indexes interface {
	// OfKind is that of ports.Records.
	OfKind(ctx context.Context, of *record.Kind, after string, limit int) ([]record.Found, error)
	// LeadTo returns the keys to which these entries lead, if they exist.
	LeadTo(ctx context.Context, entries []string) (keys map[string]string, err error)
	// IndexEntries returns how many entries there are.
	IndexEntries(ctx context.Context) (int64, error)
}

// ExamineIndexes does what ports.Records.Derived has to for records of kinds.
func ExamineIndexes(ctx context.Context, in Indexes, report func(finding string)) error {
	const page = 500
	due, damaged := int64(0), false
	for _, of := range ports.Kinds() {
		for after := ""; ; {
			found, err := in.OfKind(ctx, of, after, page)
			if err != nil {
				return err
			}
			if len(found) == 0 {
				break
			}
			after = found[len(found)-1].Key
			var entries, keys []string
			for _, f := range found {
				kept, err := of.Examine(f.Payload)
				damaged = damaged || f.Damage != nil || err != nil
				for _, entry := range kept.Entries {
					entries, keys = append(entries, entry), append(keys, f.Key)
				}
			}
			due += int64(len(entries))
			lead, err := in.LeadTo(ctx, entries)
			if err != nil {
				return err
			}
			for i, entry := range entries {
				if led, is := lead[entry]; !is || led != keys[i] {
					report(of.Show(keys[i]) + ": an index does not lead to it where it belongs")
				}
			}
		}
	}
	there, err := in.IndexEntries(ctx)
	if err == nil && there != due && !damaged {
		report(fmt.Sprintf("indexes: there are %d entries, and records make %d", there, due))
	}
	return err
}
