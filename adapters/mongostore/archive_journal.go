package mongostore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/storekit"
	"resellerd/domain/journal"
	"resellerd/ports"
)

// Head implements ports.Records.
func (e exporter) Head(ctx context.Context) (journal.Head, error) { return e.head(ctx) }

// Entries implements ports.Records. Pending entries come in the order in which they would get numbers.
func (e exporter) Entries(ctx context.Context, after int64,
	limit int) (page []ports.Audited[journal.Numbered], err error) {
	if limit <= 0 { // the server takes 0 for no limit
		return nil, nil
	}
	page, err = auditPage(ctx, audit(e), journalName, journalCodec, numberedOf, after, limit)
	if err != nil {
		return nil, err
	}
	if len(page) > 0 {
		after = page[len(page)-1].ID
	}
	if len(page) < limit {
		err = e.numbered(ctx, after, func(n journal.Numbered) bool {
			page = append(page, ports.Audited[journal.Numbered]{ID: n.Seq, Record: n})
			return len(page) < limit
		})
	}
	return page, err
}

// pendingEnd is how far a view has read the pending entries: the position of the last transaction, and the head with
// its entries.
type pendingEnd struct {
	position pendingPosition
	head     journal.Head
}

// numbered passes the pending entries that would get numbers after this one to more, until more returns false. It
// continues where it ended, if that is before. It skips damaged entries, which would get no numbers.
func (e exporter) numbered(ctx context.Context, after int64, more func(journal.Numbered) bool) error {
	if e.walked.position == (pendingPosition{}) || e.walked.head.Seq > after {
		head, err := e.head(ctx)
		if err != nil {
			return err
		}
		e.walked = pendingEnd{head: head}
	}
	for {
		found, err := e.find(ctx, pendingName, e.walked.position.after(),
			options.Find().SetSort(onlyID).SetLimit(mostRead))
		if err != nil || len(found) == 0 {
			return err
		}
		for _, raw := range found {
			at := pendingEnd{positionIn(raw), e.walked.head}
			pending, _, err := pendingCodec.read(raw)
			for i := 0; err == nil && i < len(pending.all); i++ {
				n := pending.all[i].at(at.head)
				at.head = n.Head
				if n.Seq > after && !more(n) {
					return nil
				}
			}
			e.walked = at
		}
	}
}

// Figures implements ports.Records.
func (e exporter) Figures(ctx context.Context, account int64, day time.Time, limit int) ([]ports.DayFigures, error) {
	if limit <= 0 { // the server takes 0 for no limit
		return nil, nil
	}
	found, err := e.find(ctx, figuresName, byID(beyond(figuresID{account, day})),
		options.Find().SetSort(onlyID).SetLimit(int64(limit)))
	if err != nil {
		return nil, err
	}
	return appendFigures(nil, found)
}

// journalDerived checks the journal for Derived. The lists of an entry, and the movement that finds it, must agree with
// the entry. Otherwise it is damaged.
func (a audit) journalDerived(ctx context.Context, report func(finding string)) error {
	var epoch journal.Epoch
	err := a.visit(ctx, pendingName, nil, func(raw bson.Raw) {
		e, _, err := pendingCodec.read(raw)
		if err != nil {
			report(fmt.Sprintf("journal 0: the pending entries with the _id %s can get no number: %v", raw.Lookup("_id"), err))
		}
		for i := range e.all {
			epoch = cmp.Or(e.all[i].begins, epoch)
		}
	})
	if err != nil {
		return err
	}
	head, err := a.head(ctx)
	if err != nil {
		if errors.Is(err, storekit.ErrDamaged) {
			report(fmt.Sprintf("the head of the journal: %v", err))
			return nil
		}
		return err
	}
	found, err := a.find(ctx, settingsName, byID(epochSetting), options.Find())
	if err != nil {
		return err
	}
	force := journal.Epoch("")
	for _, raw := range found {
		value, _ := raw.Lookup("value").StringValueOK()
		force = journal.Epoch(value)
	}
	if epoch == "" {
		epoch = head.Epoch
	}
	if force != epoch {
		report(fmt.Sprintf("the journal's epoch in force is %q, and the journal is in %q", force, epoch))
	}
	return nil
}

// copyEntries adds entries that have numbers, in a transaction.
func (s *Store) copyEntries(ctx context.Context, entries []journal.Numbered) error {
	if len(entries) == 0 {
		return nil
	}
	var at headDocument
	if err := s.sequencer.heads.FindOne(ctx, byID(headName)).Decode(&at); err != nil {
		return err
	}
	head, err := at.head()
	if err != nil {
		return err
	}
	figures, documents := tally{}, make([]any, len(entries))
	for i := range entries {
		n := &entries[i]
		if !n.Follows(head) {
			return fmt.Errorf("entry %d of the journal does not follow entry %d", n.Seq, head.Seq)
		}
		payload, err := storekit.EncodeEntry(&n.Entry)
		if err != nil {
			return err
		}
		head = n.Head
		figures.count(n)
		documents[i] = journalCodec.write(numberedEntry{*n, payload}, 1)
	}
	if _, err := s.sequencer.journal.InsertMany(ctx, documents); err != nil {
		return err
	}
	if len(figures) > 0 {
		if _, err := s.sequencer.figures.BulkWrite(ctx, figures.models()); err != nil {
			return err
		}
	}
	_, err = s.sequencer.heads.UpdateOne(ctx, byID(headName), bson.D{{Key: "$set", Value: bson.D(headSet(head))}})
	if err != nil {
		return err
	}
	return put(ctx, s.db.Collection(settingsName), epochSetting, settingDocument{epochSetting, string(head.Epoch)})
}
