package audit

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"resellerd/application/internal/auditing"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
)

// A checkpoint is a text: a title, the end of the journal, and a line for each reseller. The line has its id, the
// number of its movements, its balance and the hash of the last movement. The last line counts the resellers, so that a
// truncated checkpoint is refused.
const (
	checkpointTitle   = "resellerd checkpoint 1"
	checkpointJournal = "journal %d %x\n" // number and hash of the last entry
	checkpointEnd     = "end %d\n"
)

var errCheckpoint = errors.New("the checkpoint is damaged, or the file is not a checkpoint")

// vouched is a checkpoint's entry for a reseller.
type vouched struct {
	reseller, seq int64
	balance       string
	hash          credit.Hash
}

// String returns the line of a checkpoint.
func (v vouched) String() string {
	return fmt.Sprintf("%d %d %s %x", v.reseller, v.seq, v.balance, v.hash)
}

// parseVouched reads exactly what reseller wrote: a damaged line is no evidence of forgery.
func parseVouched(text string) (v vouched, err error) {
	var digits string
	if _, err := fmt.Sscan(text, &v.reseller, &v.seq, &v.balance, &digits); err != nil || len(strings.Fields(text)) != 4 {
		return vouched{}, errCheckpoint
	}
	raw, err := hex.DecodeString(digits)
	if err != nil || len(raw) != len(v.hash) {
		return vouched{}, errCheckpoint
	}
	copy(v.hash[:], raw)
	unmoved := v.hash == credit.Hash{} && v.balance == "0"
	if !isBalance(v.balance) || v.reseller <= 0 || v.seq < 0 || v.seq == 0 && !unmoved || v.String() != text {
		return vouched{}, errCheckpoint
	}
	return v, nil
}

// vouchForJournal writes the end of the journal.
func (a *auditor) vouchForJournal(checkpoint io.Writer) error {
	end := a.history.head
	if a.options.AsCopied {
		end = a.history.last
	}
	_, err := fmt.Fprintf(checkpoint, checkpointJournal, end.Seq, end.Hash)
	return err
}

// compareJournal checks that the journal still has the last entry of the checkpoint.
func (a *auditor) compareJournal(ctx context.Context, text string) error {
	var seq int64
	var digits string
	if _, err := fmt.Sscanf(text, "journal %d %s", &seq, &digits); err != nil || seq < 0 {
		return fmt.Errorf("%w: line 2", errCheckpoint)
	}
	var hash journal.Hash
	raw, err := hex.DecodeString(digits)
	if copy(hash[:], raw); err != nil || text+"\n" != fmt.Sprintf(checkpointJournal, seq, hash) ||
		(seq == 0) != (hash == journal.Hash{}) {
		return fmt.Errorf("%w: line 2", errCheckpoint)
	}
	if seq == 0 {
		return nil
	}
	found, err := a.stored.Entries(ctx, seq-1, 1)
	switch {
	case err != nil:
		return err
	case len(found) == 0 || found[0].ID != seq:
		a.Find("entry %d: it was there at the checkpoint and is missing", seq)
	case found[0].Damage == nil && found[0].Record.Hash != hash:
		a.Find("entry %d: it, or one before it, is not what it was at the checkpoint", seq)
	}
	return nil
}

// isBalance reports whether a text is a balance in the form of a checkpoint. A balance may be larger than the largest
// movement.
func isBalance(text string) bool {
	whole, fraction, _ := strings.Cut(text, ".")
	units, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", max(0, credit.Scale-len(fraction))), 10, 64)
	if err != nil {
		return false
	}
	balance, err := credit.FromUnits(units)
	return err == nil && balance.String() == text
}

// compare checks that every chain still has the last movement of the checkpoint: a hash proves everything before it.
func (a *auditor) compare(ctx context.Context, checkpoint io.Reader) error {
	if checkpoint == nil {
		return nil
	}
	lines := bufio.NewScanner(checkpoint)
	if !lines.Scan() || lines.Text() != checkpointTitle {
		return errors.Join(errCheckpoint, lines.Err())
	}
	if !lines.Scan() {
		return fmt.Errorf("%w: it has no end", errors.Join(errCheckpoint, lines.Err()))
	}
	if err := a.compareJournal(ctx, lines.Text()); err != nil {
		return err
	}
	var resellers int64
	var ended error
	for ended == nil {
		var page []vouched
		for len(page) < auditing.PageSize {
			var v vouched
			if v, ended = nextVouched(lines, resellers); ended != nil {
				break
			}
			resellers++
			page = append(page, v)
			a.namedByCheckpoint(v)
		}
		if err := a.readNamed(ctx); err != nil {
			return err
		}
		for _, v := range page {
			a.compareOne(v)
		}
	}
	if errors.Is(ended, io.EOF) {
		return nil
	}
	return ended
}

// nextVouched reads the next line of a checkpoint, after those of this many resellers. At the end it returns io.EOF.
func nextVouched(lines *bufio.Scanner, resellers int64) (vouched, error) {
	if !lines.Scan() {
		return vouched{}, fmt.Errorf("%w: it has no end", errors.Join(errCheckpoint, lines.Err()))
	}
	if lines.Text()+"\n" == fmt.Sprintf(checkpointEnd, resellers) && !lines.Scan() {
		return vouched{}, cmp.Or(lines.Err(), io.EOF)
	}
	v, err := parseVouched(lines.Text())
	if err != nil {
		return vouched{}, fmt.Errorf("%w: line %d", err, resellers+3)
	}
	return v, nil
}

func (a *auditor) namedByCheckpoint(v vouched) {
	if v.seq == 0 {
		a.resellers.name(v.reseller)
	} else {
		a.postings.name(number(v.reseller, v.seq))
	}
}

func (a *auditor) compareOne(v vouched) {
	if v.seq == 0 {
		if _, is := a.resellers.get(v.reseller); is == auditing.Missing {
			a.Find("account %d: it was there at the checkpoint and is missing", v.reseller)
		}
		return
	}
	m, is := a.postings.get(number(v.reseller, v.seq))
	switch is {
	case auditing.Missing:
		a.Find("account %d: its movement number %d was there at the checkpoint and is missing", v.reseller, v.seq)
	case auditing.There:
		if e, _ := m.Posting(v.reseller); e.Hash != v.hash || e.Balance.String() != v.balance {
			a.Find("movement %d: number %d of account %d is not what it was at the checkpoint", m.ID, v.seq, v.reseller)
		}
	case auditing.Damaged: // reported where the movements are audited
	}
}
