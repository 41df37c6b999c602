package storekit

import (
	"context"
	"fmt"

	"resellerd/ports"
	"resellerd/ports/record"
)

// Indexes reads the records of kinds, and their index entries, in a store.
type Indexes interface {
	// OfKind works like OfKind of ports.Records.
	OfKind(ctx context.Context, of *record.Kind, after string, limit int) ([]record.Found, error)
	// KeysOf returns the keys that these entries refer to. An entry that does not exist has no key.
	KeysOf(ctx context.Context, entries []string) (keys map[string]string, err error)
	// IndexEntries returns the number of entries.
	IndexEntries(ctx context.Context) (int64, error)
	// EntriesWithin calls each for the entries from one on and before another, with the keys that they refer to.
	EntriesWithin(ctx context.Context, from, before string, each func(entry, key string)) error
}

// ExamineIndexes checks the indexes of the records of kinds, for Derived of ports.Records.
func ExamineIndexes(ctx context.Context, in Indexes, report func(finding string)) error {
	due, damaged := int64(0), false
	for _, of := range ports.Kinds() {
		err := pagesOfKind(ctx, in, of, func(found []record.Found) error {
			var entries, keys []string
			for _, f := range found {
				kept, err := of.Examine(f.Payload)
				damaged = damaged || f.Damage != nil || err != nil
				for _, entry := range kept.Entries {
					entries, keys = append(entries, entry), append(keys, f.Key)
				}
			}
			due += int64(len(entries))
			lead, err := in.KeysOf(ctx, entries)
			if err != nil {
				return err
			}
			for i, entry := range entries {
				if led, is := lead[entry]; !is || led != keys[i] {
					report(of.Show(keys[i]) + ": an index entry is missing or refers to another record")
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	there, err := in.IndexEntries(ctx)
	if err == nil && there != due && !damaged {
		report(fmt.Sprintf("indexes: there are %d entries, but the records require %d", there, due))
	}
	return err
}

// pagesOfKind calls each for the records of a kind, a page at a time.
func pagesOfKind(ctx context.Context, in Indexes, of *record.Kind, each func(found []record.Found) error) error {
	const page = 500
	for after := ""; ; {
		found, err := in.OfKind(ctx, of, after, page)
		if err != nil || len(found) == 0 {
			return err
		}
		if err := each(found); err != nil {
			return err
		}
		after = found[len(found)-1].Key
	}
}

// IndexRepairs returns the index entries to remove, because they refer to a wrong record, and the missing entries, with
// their keys. Entries that refer to a damaged record remain, because its right entries are unknown.
func IndexRepairs(ctx context.Context, in Indexes) (strays []string, missing map[string]string, err error) {
	missing = map[string]string{}
	for _, of := range ports.Kinds() {
		damaged := map[string]bool{}
		err := pagesOfKind(ctx, in, of, func(found []record.Found) error {
			for _, f := range found {
				kept, err := of.Examine(f.Payload)
				if f.Damage != nil || err != nil {
					damaged[f.Key] = true
					continue
				}
				for _, entry := range kept.Entries {
					missing[entry] = f.Key
				}
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
		from, before := of.Bounds()
		err = in.EntriesWithin(ctx, from, before, func(entry, key string) {
			switch due, is := missing[entry]; {
			case is && due == key:
				delete(missing, entry)
			case is || !damaged[key]:
				strays = append(strays, entry)
			}
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return strays, missing, nil
}
