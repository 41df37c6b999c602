package mongostore

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/domain/journal"
)

const (
	// leaseTime is how long the sequencer's lease lasts without renewal. renewTime is the interval of renewals, and of
	// the checks of other processes whether the lease is free.
	leaseTime = 3 * time.Second
	renewTime = time.Second
	// mostNumbered bounds the entries that get numbers in one transaction. After a transaction the sequencer pauses
	// restShare times as long as it took, at most mostRest, so that under load many entries share the next one.
	// seekTime is the interval at which it looks for entries of other processes.
	mostNumbered = 500
	mostRead     = 100 // transactions whose entries get numbers in one
	restShare    = 4
	mostRest     = 80 * time.Millisecond
	seekTime     = 40 * time.Millisecond
)

// errDeposed reports that another process has changed the head.
var errDeposed = errors.New("another process assigns the numbers")

// sequencer assigns numbers to entries, in one process at a time: the holder of the lease in the head. Each transaction
// that assigns numbers writes the head on condition that the lease term has not changed. It therefore can't take effect
// once another process has begun a term, however late it arrives. The server's clock decides when a lease ends.
type sequencer struct {
	transactions *transactions
	journal      *mongo.Collection
	pending      *mongo.Collection
	heads        *mongo.Collection
	figures      *mongo.Collection
	holder       string // of the lease: random, of this store
	grown        func(seq int64)
	woken        chan struct{} // this process has appended an entry
	damaged      [][]byte      // the positions of entries that get no number
	// unnumbered is the age of the oldest pending entry.
	unnumbered atomic.Int64
	// Tests block the sequencer before a commit.
	beforeCommit atomic.Pointer[func()]

	stop  context.CancelFunc // nil while it does not run
	ended chan struct{}
}

func newSequencer(db *mongo.Database, t *transactions, grown func(seq int64)) *sequencer {
	return &sequencer{
		transactions: t, holder: rand.Text(), grown: grown, woken: make(chan struct{}, 1),
		journal: db.Collection(journalName), pending: db.Collection(pendingName), heads: db.Collection(journalHeadName),
		figures: db.Collection(figuresName),
	}
}

// start runs the sequencer until close.
func (q *sequencer) start() {
	ctx, stop := context.WithCancel(context.Background())
	q.stop, q.ended = stop, make(chan struct{})
	go func() {
		defer close(q.ended)
		q.work(ctx)
	}()
}

// wake reports that this process has appended an entry.
func (q *sequencer) wake() {
	select {
	case q.woken <- struct{}{}:
	default:
	}
}

// close ends the sequencer. It assigns numbers to pending entries unless another process does, and ends the lease.
func (q *sequencer) close() {
	if q.stop == nil {
		return
	}
	q.stop()
	<-q.ended
	ctx, cancel := context.WithTimeout(context.Background(), stepTime)
	defer cancel()
	_ = q.settle(ctx) // otherwise the next process does
}

func (q *sequencer) settle(ctx context.Context) error {
	pending, err := exists(ctx, q.pending, bson.D{})
	if err != nil {
		return err
	}
	if pending {
		t, err := q.acquire(ctx)
		if err != nil || t == nil {
			return err
		}
		defer t.end(ctx)
		for more := true; more; {
			if more, err = t.assign(ctx); err != nil {
				return err
			}
		}
	}
	_, err = q.heads.UpdateOne(ctx, with(byID(headName), "holder", q.holder), setTo("until", time.Unix(0, 0)))
	return err
}

func setTo(field string, value any) bson.D {
	return bson.D{{Key: "$set", Value: bson.D{{Key: field, Value: value}}}}
}

// work assigns numbers whenever it can get the lease, until ctx ends. Errors mean that servers do not answer, or that
// another process was faster: after a pause it starts again from the stored data.
func (q *sequencer) work(ctx context.Context) {
	_ = inStep(ctx, func(ctx context.Context) error {
		_, err := q.heads.InsertOne(ctx, headDocument{Name: headName, Hash: make([]byte, len(journal.Hash{})),
			Until: time.Unix(0, 0)})
		return err // usually it exists
	})
	for pause := leastPause; ctx.Err() == nil; {
		t, err := q.acquire(ctx)
		switch {
		case err == nil && t != nil:
			pause = leastPause
			err = t.serve(ctx)
			t.end(ctx)
		case err == nil:
			pause = leastPause
			if _, err = q.oldest(ctx); err == nil {
				wait(ctx, renewTime)
			}
		}
		if err != nil {
			rest(ctx, pause)
			pause = min(2*pause, mostPause)
		}
	}
}

// wait waits for d, or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

func pass(point *atomic.Pointer[func()]) {
	if at := point.Load(); at != nil {
		(*at)()
	}
}

// acquire begins a term if the lease is free or belongs to this store. Otherwise it returns nil.
func (q *sequencer) acquire(ctx context.Context) (*term, error) {
	free := with(byID(headName), "$or", bson.A{
		bson.D{{Key: "holder", Value: q.holder}},
		bson.D{{Key: "$expr", Value: bson.D{{Key: "$lt", Value: bson.A{"$until", "$$NOW"}}}}},
	})
	var held headDocument
	err := inStep(ctx, func(ctx context.Context) error { return q.transactions.Read(ctx) })
	if err == nil {
		err = inStep(ctx, func(ctx context.Context) error { return q.heads.FindOne(ctx, free).Decode(&held) })
	}
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if held.Session.Type != 0 {
		_ = inStep(ctx, func(ctx context.Context) error { return q.abort(ctx, held.Session) }) // otherwise it ends by itself
	}
	session, err := q.heads.Database().Client().StartSession()
	if err != nil {
		return nil, err
	}
	t := &term{sequencer: q, session: session}
	err = inStep(ctx, func(ctx context.Context) error {
		return q.heads.FindOneAndUpdate(ctx, free, bson.A{stage("$set", bson.D{
			{Key: "term", Value: bson.D{{Key: "$add", Value: bson.A{"$term", 1}}}}, {Key: "holder", Value: q.holder}, leased,
			{Key: "session", Value: session.ID().Lookup("id")},
		})}, options.FindOneAndUpdate().SetReturnDocument(options.After)).Decode(&held)
	})
	if err == nil {
		t.number = held.Term
		t.head, err = held.head()
	}
	if err != nil {
		t.end(ctx)
	}
	if errors.Is(err, mongo.ErrNoDocuments) { // another process was faster
		return nil, nil
	}
	return t, err
}

// abort ends the transaction of a session, if it has one. The transaction of a stopped or killed process would lock the
// head for a minute. The server does not find a session of other credentials.
func (q *sequencer) abort(ctx context.Context, session bson.RawValue) error {
	return q.heads.Database().RunCommand(ctx,
		bson.D{{Key: "killSessions", Value: bson.A{bson.D{{Key: "id", Value: session}}}}}).Err()
}

// leased is the end of a lease that begins now.
var leased = bson.E{Key: "until", Value: bson.D{{Key: "$add", Value: bson.A{"$$NOW", leaseTime.Milliseconds()}}}}

// oldest reports whether there is a pending entry, and records the age of the first.
func (q *sequencer) oldest(ctx context.Context) (there bool, err error) {
	var found bson.Raw
	err = inStep(ctx, func(ctx context.Context) (err error) {
		found, err = q.pending.FindOne(ctx, bson.D{},
			options.FindOne().SetSort(onlyID).SetHint(onlyID).SetProjection(onlyID)).Raw()
		return err
	})
	if errors.Is(err, mongo.ErrNoDocuments) {
		q.unnumbered.Store(0)
		return false, nil
	}
	if err == nil {
		q.unnumbered.Store(int64(positionIn(found).age()))
	}
	return err == nil, err
}

// term is a lease term of this process.
type term struct {
	*sequencer

	session *mongo.Session
	number  int64
	head    journal.Head // as stored
}

// end ends the session, and with it a transaction in progress.
func (t *term) end(ctx context.Context) { t.transactions.end(ctx, t.session) }

// serve assigns numbers until it fails: at once to entries of this process, and soon to those of others.
func (t *term) serve(ctx context.Context) error {
	due := time.Now().Add(renewTime)
	for woken := true; ; {
		there := woken
		if !woken {
			var err error
			if there, err = t.oldest(ctx); err != nil {
				return err
			}
		}
		if began := time.Now(); there {
			more, err := t.assign(ctx)
			if err != nil {
				return err
			}
			if more {
				t.wake()
			} else {
				wait(ctx, min(restShare*time.Since(began), mostRest))
			}
		}
		if time.Now().After(due) {
			if err := inStep(ctx, func(ctx context.Context) error { return t.transactions.Read(ctx) }); err != nil {
				return err
			}
			if err := inStep(ctx, func(ctx context.Context) error { return t.write(ctx, inTerm(t.number)) }); err != nil {
				return err
			}
			if _, err := t.oldest(ctx); err != nil {
				return err
			}
			due = time.Now().Add(renewTime)
		}
		select {
		case <-t.woken:
			woken = true
		case <-time.After(seekTime):
			woken = false
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// assign assigns the next numbers to pending entries, and reports whether more are left. It reads all data in the same
// transaction.
func (t *term) assign(ctx context.Context) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, retryTime)
	defer cancel()
	var head journal.Head
	err = transact(ctx, t.session, func(ctx context.Context) error {
		defer pass(&t.beforeCommit)
		return inStep(ctx, func(ctx context.Context) error {
			var next []pendingEntries
			if next, more, err = t.next(ctx); err != nil || len(next) == 0 {
				return err
			}
			head = t.head
			figures, positions := tally{}, make([][]byte, len(next))
			var numbered []any
			var of []pendingPosition
			for i := range next {
				positions[i] = next[i].position[:]
				for k := range next[i].all {
					n := next[i].all[k].at(head)
					head = n.Head
					figures.count(&n)
					numbered, of = append(numbered, journalCodec.write(numberedEntry{n, next[i].all[k].payload}, 1)),
						append(of, next[i].position)
				}
			}
			// The condition proves that the snapshot is current: an older one has another number.
			if err := t.write(ctx, with(inTerm(t.number), seqName, t.head.Seq), headSet(head)...); err != nil {
				return err
			}
			if _, err := t.journal.InsertMany(ctx, numbered); err != nil {
				return t.refused(err, of)
			}
			removed, err := t.pending.DeleteMany(ctx, byIDs(positions))
			if err == nil && removed.DeletedCount != int64(len(positions)) {
				err = errDeposed
			}
			if err == nil && len(figures) > 0 {
				_, err = t.figures.BulkWrite(ctx, figures.models(), options.BulkWrite().SetOrdered(false))
			}
			return err
		})
	})
	if err == nil && head.Seq > t.head.Seq {
		t.head = head
		t.grown(head.Seq)
	}
	return more, err
}

// refused excludes entries of which one names a movement that a numbered entry already names. No work appends such an
// entry.
func (t *term) refused(err error, of []pendingPosition) error {
	refused, is := errors.AsType[mongo.BulkWriteException](err)
	if is && len(refused.WriteErrors) > 0 && refused.WriteErrors[0].Code == duplicateKey &&
		strings.Contains(refused.WriteErrors[0].Message, "index: movement") {
		t.damaged = append(t.damaged, bytes.Clone(of[refused.WriteErrors[0].Index][:]))
	}
	return err
}

// headSet returns the members of the head document for a head.
func headSet(h journal.Head) []bson.E {
	return []bson.E{{Key: "epoch", Value: string(h.Epoch)}, {Key: "hash", Value: h.Hash[:]}, {Key: seqName, Value: h.Seq}}
}

// next returns the entries that get numbers next, and whether more are left. It skips damaged entries, so that they do
// not delay others.
func (t *term) next(ctx context.Context) (next []pendingEntries, more bool, err error) {
	filter := bson.D{}
	if len(t.damaged) > 0 {
		filter = byID(bson.D{{Key: "$nin", Value: t.damaged}})
	}
	cursor, err := t.pending.Find(ctx, filter,
		options.Find().SetSort(onlyID).SetHint(onlyID).SetLimit(mostRead).SetBatchSize(batchSize))
	if err != nil {
		return nil, false, err
	}
	read, entries := 0, 0
	err = visit(ctx, cursor, func(raw bson.Raw) error {
		if read++; entries >= mostNumbered {
			more = true
			return nil
		}
		e, _, damage := pendingCodec.read(raw)
		if damage == nil {
			next = append(next, e)
			entries += len(e.all)
		} else if _, id, is := raw.Lookup("_id").BinaryOK(); is {
			t.damaged = append(t.damaged, bytes.Clone(id))
		}
		return nil
	})
	return next, more || read == mostRead, err
}

// inTerm is the condition of each write in a term.
func inTerm(number int64) bson.D { return with(byID(headName), "term", number) }

// write changes the head, which renews the lease, or returns errDeposed.
func (t *term) write(ctx context.Context, condition bson.D, set ...bson.E) error {
	result, err := t.heads.UpdateOne(ctx, condition, bson.A{stage("$set", bson.D(append(set, leased)))})
	if err == nil && result.MatchedCount == 0 {
		err = errDeposed
	}
	return err
}

// withhold sets the head to that of an empty journal and prevents the assignment of numbers until free, in a
// transaction.
func (q *sequencer) withhold(ctx context.Context) error {
	never := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	_, err := q.heads.UpdateOne(ctx, byID(headName), bson.A{stage("$replaceWith", bson.D{
		{Key: "_id", Value: headName}, {Key: "epoch", Value: ""}, {Key: seqName, Value: int64(0)},
		{Key: "hash", Value: make([]byte, len(journal.Hash{}))},
		{Key: "term",
			Value: bson.D{{Key: "$add", Value: bson.A{bson.D{{Key: "$ifNull", Value: bson.A{"$term", int64(0)}}}, int64(1)}}}},
		{Key: "holder", Value: ""}, {Key: "until", Value: never},
	})}, options.UpdateOne().SetUpsert(true))
	return err
}

func (q *sequencer) free(ctx context.Context) error {
	_, err := q.heads.UpdateOne(ctx, byID(headName), setTo("until", time.Unix(0, 0)))
	return err
}
