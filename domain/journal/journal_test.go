package journal_test

import (
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// full is an entry with every part.
func full() journal.Entry {
	return journal.Entry{
		Type: journal.ResellerReclaimed, At: fixture.Noon, Account: reseller.Position{ID: 7, Ancestors: []int64{1, 3}},
		Line:    70,
		Actor:   journal.Actor{Account: 3, Kind: journal.BySession, Name: "maria", Address: "192.0.2.1"},
		Request: "request",
		Movement: &journal.Movement{
			ID: 9, Operation: credit.Reclaim, Amount: fixture.Credits("2.5"), Source: credit.Reseller(7),
			Target: credit.Reseller(3),
			Balances: []journal.Balance{{Reseller: 7, Credits: fixture.Credits("1")},
				{Reseller: 3, Credits: fixture.Credits("4")}},
		},
		Changes: []journal.Change{
			{Field: "expDate", Shown: true, Before: journal.Instant(fixture.Noon),
				After: journal.Instant(fixture.Noon.Add(time.Hour))},
			{Field: "notes"},
			{Field: "username", Shown: true, Before: journal.Text("a"), After: journal.Text("b")},
		},
		Reason: "reason", Version: 5,
		Data: []journal.Datum{{Name: "a", Value: journal.Number(1)}, {Name: "b", Value: journal.Bool(true)}},
	}
}

func chained(entries ...journal.Entry) (all []journal.Numbered) {
	head := journal.Head{}.AppendInNewEpoch("00c0ffee", journal.Entry{Type: journal.Began, At: fixture.Noon})
	all = append(all, head)
	for _, e := range entries {
		all = append(all, all[len(all)-1].Append(e))
	}
	return all
}

func breaks(all []journal.Numbered) (at []int64) {
	var head journal.Head
	for _, n := range all {
		if !n.Follows(head) {
			at = append(at, n.Seq)
		}
		head = n.Head
	}
	return at
}

func TestEntriesOfAJournalFollowEachOther(t *testing.T) {
	all := chained(full(), full(), full())
	restored := all[3].AppendInNewEpoch("0badf00d", journal.Entry{Type: journal.Restored, At: fixture.Noon})
	all = append(all, restored, restored.Append(full()))
	if at := breaks(all); at != nil {
		t.Errorf("the entries %d do not follow", at)
	}
	for i, want := range []string{"evt_00c0ffee_1", "evt_00c0ffee_2", "evt_00c0ffee_3", "evt_00c0ffee_4", "evt_0badf00d_5",
		"evt_0badf00d_6"} {
		expect.Equal(t, all[i].ID(), want, "entry %d is called", i+1)
	}
	for how, broken := range map[string][]journal.Numbered{
		"without the first":  all[1:],
		"with one left out":  slices.Delete(slices.Clone(all), 2, 3),
		"with two exchanged": {all[0], all[2], all[1], all[3]},
		"with one twice":     {all[0], all[1], all[1]},
		"with one renumbered": {all[0],
			{Entry: all[1].Entry, Head: journal.Head{Epoch: all[1].Epoch, Seq: 3, Hash: all[1].Hash}}},
		"of another epoch": {all[0],
			{Entry: all[1].Entry, Head: journal.Head{Epoch: "0badf00d", Seq: 2, Hash: all[1].Hash}}},
		"in an epoch not begun": {all[0], all[0].AppendInNewEpoch("0badf00d", full())},
		"with another hash": {all[0],
			{Entry: all[1].Entry, Head: journal.Head{Epoch: all[1].Epoch, Seq: 2, Hash: journal.Hash{1}}}},
		"with another one before": {all[0], all[0].Append(journal.Entry{Type: journal.LineDeleted}), all[2]},
	} {
		if breaks(broken) == nil {
			t.Errorf("a journal %s is taken for whole", how)
		}
	}
}

// places are the addresses of all parts of an entry, each with a function that changes the value.
func places(e *journal.Entry) map[string]func() {
	all := map[string]func(){}
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		switch at := v.Addr().Interface().(type) {
		case *journal.Type:
			all[path] = func() { *at = journal.LineDeleted }
		case *journal.ActorKind:
			all[path] = func() { *at = journal.BySystem }
		case *journal.Value:
			all[path] = func() { *at = journal.Text("another") }
		case *credit.Operation:
			all[path] = func() { *at = credit.Opening }
		case *credit.Party:
			all[path] = func() { *at = credit.Consumption }
		case *credit.Amount:
			all[path] = func() { *at = fixture.Units(at.Units() + 1) }
		case *time.Time:
			all[path] = func() { *at = at.Add(time.Millisecond) }
		case *string:
			all[path] = func() { *at += "?" }
		case *int64:
			all[path] = func() { *at++ }
		case *bool:
			all[path] = func() { *at = !*at }
		default:
			switch v.Kind() { //nolint:exhaustive // an entry has no others
			case reflect.Struct:
				for i := range v.NumField() {
					walk(path+"."+v.Type().Field(i).Name, v.Field(i))
				}
			case reflect.Pointer:
				all[path+" left out"] = func() { v.SetZero() }
				walk(path, v.Elem())
			case reflect.Slice:
				last := v.Len() - 1
				all[path+" cut"] = func() { v.Set(v.Slice(0, last)) }
				all[path+" grown"] = func() { v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem()))) }
				for i := range v.Len() {
					walk(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
				}
			default:
				panic(path + " is of a type that no test changes")
			}
		}
	}
	walk("entry", reflect.ValueOf(e).Elem())
	return all
}

// A change of any part of an entry, also of a new part, breaks the chain.
func TestTheChainIsOverEverythingInAnEntry(t *testing.T) {
	one := full()
	for _, path := range slices.Sorted(maps.Keys(places(&one))) {
		all := chained(full(), full())
		places(&all[1].Entry)[path]()
		expect.Elements(t, breaks(all), []int64{2}, "with another %s, the entries", path)
	}
}

// Hashes are stored, and other programs check them: no hash ever changes.
func TestHashesAreWhatTheyHaveAlwaysBeen(t *testing.T) {
	all := chained(full(), journal.Entry{Type: journal.LineUpdated, At: fixture.Noon, Actor: journal.Actor{
		Account: 3, Kind: journal.ByKey, Principal: 4}, Changes: []journal.Change{{Field: "notes"}}})
	for i, want := range []string{
		"e89166bce3dd7eda12ab517db603c57191244c22dcfdd9c178be6c1852b7c508",
		"e71f3631041a37ac4b878fc0901ad9731afe242285dc4678e8837ea335ab66aa",
		"4f2af4c92c857f9dc64875170ddb9ef9e3f30197c876e04d348e99b97b951f3f",
	} {
		expect.Equal(t, fmt.Sprintf("%x", all[i].Hash), want, "the hash of entry %d is", i+1)
	}
}

func TestEpochs(t *testing.T) {
	for _, random := range [][4]byte{{}, {0, 0xc0, 0xff, 0xee}, {255, 255, 255, 255}} {
		epoch := journal.EpochOf(random)
		parsed, ok := journal.ParseEpoch(string(epoch))
		if !ok || parsed != epoch || string(parsed) != hex.EncodeToString(random[:]) {
			t.Errorf("%v is the epoch %q, which is read as %q, %t", random, epoch, parsed, ok)
		}
	}
	for _, text := range []string{"", "00c0ffe", "00c0ffee0", "00C0FFEE", "00c0ffeg", " 0c0ffee", "00c0ffe\n", "0x00c0ff",
		"00c0ff-e", "٠٠٠٠"} {
		if epoch, ok := journal.ParseEpoch(text); ok || epoch != "" {
			t.Errorf("%q is read as the epoch %q", text, epoch)
		}
	}
}

// An account sees entries of accounts in its tree and of its own movements; an admin sees all. Only an admin sees
// balances, names, addresses and requests of accounts that are neither its own nor between it and the entry's account.
func TestWhatAResellerSeesOfAnEntry(t *testing.T) {
	admin, other := fixture.Admin(1), fixture.Admin(2)
	master := fixture.Master(admin, 10)
	below := fixture.Master(master, 20)
	deep, sibling := fixture.Reseller(below, 30), fixture.Reseller(master, 21)
	stranger := fixture.Reseller(other, 11)
	credits := func(source, target *reseller.Reseller) *journal.Movement {
		m := &journal.Movement{ID: 1, Operation: credit.Recharge, Amount: fixture.Credits("1"),
			Source: credit.Reseller(source.ID()), Target: credit.Reseller(target.ID())}
		for _, side := range []*reseller.Reseller{source, target} {
			m.Balances = append(m.Balances, journal.Balance{Reseller: side.ID(), Credits: fixture.Units(side.ID())})
		}
		return m
	}
	for how, c := range map[string]struct {
		by       *reseller.Reseller
		of       reseller.Position
		actor    *reseller.Reseller // none: an operator
		movement *journal.Movement
		want     string // "" for nothing: the actor, the request, and the accounts with balances
	}{
		"its own":                        {below, below.Position(), below, nil, "a name 192.0.2.1 request []"},
		"by one above":                   {below, below.Position(), master, nil, "[]"},
		"of one below, by itself":        {master, deep.Position(), master, nil, "a name 192.0.2.1 request []"},
		"of one below, by one between":   {master, deep.Position(), below, nil, "a name 192.0.2.1 request []"},
		"of one below, by one beside":    {master, deep.Position(), sibling, nil, "[]"},
		"of one below, by an operator":   {master, deep.Position(), nil, nil, "a name 192.0.2.1 request []"},
		"of one above":                   {below, master.Position(), master, nil, ""},
		"of one beside":                  {sibling, below.Position(), below, nil, ""},
		"of a stranger, by an admin":     {admin, stranger.Position(), other, nil, "a name 192.0.2.1 request []"},
		"of no account":                  {master, reseller.Position{}, nil, nil, ""},
		"of no account, by an admin":     {admin, reseller.Position{}, nil, nil, "a name 192.0.2.1 request []"},
		"credits that one above gives":   {deep, deep.Position(), master, credits(master, deep), "[30]"},
		"credits of one below":           {master, deep.Position(), below, credits(below, deep), "a name 192.0.2.1 request [20 30]"},
		"credits that it gave":           {below, sibling.Position(), master, credits(below, sibling), "[20]"},
		"credits of others":              {stranger, deep.Position(), below, credits(below, deep), ""},
		"credits of others, by an admin": {other, deep.Position(), below, credits(below, deep), "a name 192.0.2.1 request [20 30]"},
	} {
		e := journal.Entry{Type: journal.ResellerCredited, At: fixture.Noon, Account: c.of, Request: "request",
			Movement: c.movement, Actor: journal.Actor{Kind: journal.ByOperator, Name: "a name", Address: "192.0.2.1"}}
		if c.actor != nil {
			e.Actor.Kind, e.Actor.Account = journal.BySession, c.actor.ID()
		}
		was := fmt.Sprintf("%+v %+v", e, e.Movement)
		shown, err := e.SeenBy(c.by)
		expect.Equal(t, fmt.Sprintf("%+v %+v", e, e.Movement), was, "%s: the entry", how)
		if c.want == "" {
			expect.Error(t, err, fault.ErrNotFound, "%s", how)
			expect.DeepEqual(t, shown, journal.Entry{}, "%s", how)
			continue
		}
		expect.Error(t, err, nil, "%s", how)
		balances := []int64{}
		if shown.Movement != nil {
			for _, b := range shown.Movement.Balances {
				balances = append(balances, b.Reseller)
			}
		}
		got := fmt.Sprint(shown.Actor.Name, " ", shown.Actor.Address, " ", shown.Request, " ", balances)
		expect.Equal(t, strings.TrimSpace(got), c.want, "%s it sees", how)
	}
}

func TestWhatAnEntryConcerns(t *testing.T) {
	e := full()
	for id, want := range map[int64]bool{7: true, 3: true, 1: false, 9: false} {
		expect.Equal(t, e.Concerns(id), want, "account %d", id)
	}
}

func TestMovementsAreNamedWhole(t *testing.T) {
	admin := fixture.Admin(1)
	master := fixture.Master(admin, 2, fixture.Holding("10"))
	of := fixture.Reseller(master, 3)
	var ledger fixture.Ledger
	for _, m := range []credit.Movement{ledger.Fund(admin, master, "5"), ledger.Fund(master, of, "2.5"),
		ledger.Reclaim(admin, of, "1")} {
		entry := func() *journal.Entry { return &journal.Entry{Movement: journal.MovementOf(m)} }
		expect.Equal(t, entry().Movement.Matches(m), true, "%+v names %+v", entry().Movement, m)
		for path := range places(entry()) {
			if !strings.HasPrefix(path, "entry.Movement.") {
				continue
			}
			e := entry()
			if places(e)[path](); e.Movement.Matches(m) {
				t.Errorf("with another %s it names the same movement", path)
			}
		}
	}
}

func TestFiguresOfEntries(t *testing.T) {
	admin := fixture.Admin(1)
	master := fixture.Master(admin, 2, fixture.Holding("10"))
	owner := fixture.Reseller(master, 3, fixture.Holding("10"))
	var ledger fixture.Ledger
	trial, own := fixture.Trial(owner, 5), fixture.Trial(admin, 6)
	named := func(of journal.Type, account *reseller.Reseller, m credit.Movement) journal.Entry {
		return journal.Entry{Type: of, Account: account.Position(), Movement: journal.MovementOf(m)}
	}
	for how, c := range map[string]struct {
		entry journal.Entry
		want  map[int64]string
	}{
		"trial": {journal.Entry{Type: journal.TrialCreated, Account: owner.Position()},
			map[int64]string{3: "{1 0 0 0 0}"}},
		"activation": {named(journal.LineActivated, owner, ledger.Activate(trial, owner, "1")),
			map[int64]string{3: "{0 1 0 1 0}"}},
		"extension": {named(journal.LineExtended, owner, ledger.Extend(trial, owner, "0.5")),
			map[int64]string{3: "{0 0 1 0.5 0}"}},
		"an admin's": {named(journal.LineActivated, admin, ledger.Activate(own, admin, "2")),
			map[int64]string{1: "{0 1 0 2 0}"}},
		"issued": {named(journal.ResellerCredited, master, ledger.Fund(admin, master, "5")),
			map[int64]string{2: "{0 0 0 0 5}"}},
		"paid on": {named(journal.ResellerCredited, owner, ledger.Fund(master, owner, "2.5")),
			map[int64]string{3: "{0 0 0 0 2.5}"}},
		"taken back": {named(journal.ResellerReclaimed, owner, ledger.Reclaim(master, owner, "1")),
			map[int64]string{2: "{0 0 0 0 1}"}},
		"back to issuance": {named(journal.ResellerReclaimed, owner, ledger.Reclaim(admin, owner, "1")), map[int64]string{}},
		"of no figure":     {journal.Entry{Type: journal.LineUpdated, Account: owner.Position()}, map[int64]string{}},
	} {
		got := map[int64]string{}
		c.entry.Figures(func(account int64, f journal.Figures) {
			got[account] += fmt.Sprintf("{%d %d %d %s %s}", f.Trials, f.Activations, f.Extensions, f.Spent, f.Received)
		})
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", how, got, c.want)
		}
	}
	one := journal.Figures{Trials: 1, Activations: 2, Extensions: 3, Spent: fixture.Credits("0.5").Decimal(),
		Received: fixture.Credits("1").Decimal()}
	expect.Equal(t, one.Plus(one).String(), "2 trials, 4 activations, 6 extensions, 1 spent, 2 received", "the sum is")
	for at, want := range map[string]string{"2026-02-28T23:59:59.999Z": "2026-02-28T00:00:00Z",
		"2026-03-01T00:00:00Z": "2026-03-01T00:00:00Z", "2026-03-01T00:30:00+01:00": "2026-02-28T00:00:00Z"} {
		if got := journal.DayOf(fixture.Time(at)); !got.Equal(fixture.Time(want)) || got.Location() != time.UTC {
			t.Errorf("%s is of the day %s, want %s", at, got, want)
		}
	}
}
