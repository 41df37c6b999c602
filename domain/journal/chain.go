package journal

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
)

// Epoch names the part of a journal between two restores: 8 lower-case hexadecimal digits. After a restore the service
// assigns the numbers that followed the backup again, in another epoch. "" is the epoch of a journal that has not
// begun.
type Epoch string

const epochDigits = 8

// EpochOf returns the epoch of random bits.
func EpochOf(random [4]byte) Epoch {
	return Epoch(fmt.Sprintf("%02x%02x%02x%02x", random[0], random[1], random[2], random[3]))
}

// ParseEpoch reads an epoch, and reports whether the text is one.
func ParseEpoch(text string) (epoch Epoch, ok bool) {
	if len(text) != epochDigits || strings.Trim(text, "0123456789abcdef") != "" {
		return "", false
	}
	return Epoch(text), true
}

// Hash is a SHA-256 that chains entries: over an entry, its number and epoch, and the hash of the entry before it.
type Hash [sha256.Size]byte

// Head is the end of a journal: its epoch, the number of entries, and the hash of the last one. The zero value is the
// head of a journal that has not begun.
type Head struct {
	Epoch Epoch
	Seq   int64
	Hash  Hash
}

// Numbered is an entry with its number: the head right after it.
type Numbered struct {
	Entry
	Head
}

// ID returns the name of the entry, which no other entry ever has: evt_, its epoch and its number. A test of a webhook
// has no number. The webhook's id and the count of its tests name it.
func (n *Numbered) ID() string {
	if n.Type == WebhookTest {
		return fmt.Sprintf("test_%v_%v", n.Datum(Webhook), n.Datum(Test))
	}
	return "evt_" + string(n.Epoch) + "_" + strconv.FormatInt(n.Seq, 10)
}

// Append returns an entry as the next one.
func (h Head) Append(e Entry) Numbered {
	next := Head{Epoch: h.Epoch, Seq: h.Seq + 1}
	next.Hash = hash(h.Hash, next, &e)
	return Numbered{e, next}
}

// AppendInNewEpoch returns an entry as the next one and the first of another epoch.
func (h Head) AppendInNewEpoch(epoch Epoch, e Entry) Numbered {
	h.Epoch = epoch
	return h.Append(e)
}

// Follows reports whether the entry was appended at this head, and is unchanged.
func (n *Numbered) Follows(h Head) bool {
	sameEpoch := n.Epoch == h.Epoch || n.Type == Began || n.Type == Restored
	return n.Seq == h.Seq+1 && sameEpoch && n.Hash == hash(h.Hash, n.Head, &n.Entry)
}

// hash is the SHA-256 over the hash before and every field of an entry, in a fixed order. A text has its length before
// it, a list its number of items, and an optional value whether it is present. So different entries never have the same
// input.
func hash(before Hash, at Head, e *Entry) Hash {
	var room [1024]byte // for most entries
	s := speller{append(room[:0], before[:]...)}
	s.text(string(at.Epoch))
	s.number(at.Seq)
	s.text(e.Type.name)
	s.number(e.At.UnixMilli())
	s.number(e.Account.ID)
	s.number(int64(len(e.Account.Ancestors)))
	for _, id := range e.Account.Ancestors {
		s.number(id)
	}
	s.number(e.Line)
	s.number(e.Actor.Account)
	s.text(e.Actor.Kind.name)
	s.text(e.Actor.Name)
	s.text(e.Actor.Address)
	s.text(e.Request)
	s.movement(e.Movement)
	s.number(int64(len(e.Changes)))
	for _, c := range e.Changes {
		s.text(c.Field)
		s.value(Bool(c.Shown))
		s.value(c.Before)
		s.value(c.After)
	}
	s.text(e.Reason)
	s.number(e.Version)
	s.number(int64(len(e.Data)))
	for _, d := range e.Data {
		s.text(d.Name)
		s.value(d.Value)
	}
	if e.Actor.Principal != 0 { // at the end, where no field can follow: an owner has no principal
		s.number(e.Actor.Principal)
	}
	return sha256.Sum256(s.spelled)
}

type speller struct{ spelled []byte }

func (s *speller) text(value string) {
	s.spelled = append(strconv.AppendInt(s.spelled, int64(len(value)), 10), ':')
	s.spelled = append(s.spelled, value...)
}

func (s *speller) number(n int64) {
	var digits [20]byte
	value := strconv.AppendInt(digits[:0], n, 10)
	s.spelled = append(strconv.AppendInt(s.spelled, int64(len(value)), 10), ':')
	s.spelled = append(s.spelled, value...)
}

func (s *speller) movement(m *Movement) {
	if m == nil {
		s.value(Bool(false))
		return
	}
	s.value(Bool(true))
	s.number(m.ID)
	s.text(m.Operation.String())
	s.number(m.Amount.Units())
	s.text(m.Source.String())
	s.text(m.Target.String())
	s.number(int64(len(m.Balances)))
	for _, b := range m.Balances {
		s.number(b.Reseller)
		s.number(b.Credits.Units())
	}
}

func (s *speller) value(v Value) {
	s.number(int64(v.kind))
	if v.kind == text {
		s.text(v.text)
	} else {
		s.number(v.number)
	}
}
