package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"resellerd/domain/fault"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Sample is a value of the kinds that the suite declares besides those of the product: it has a field of every type.
type Sample struct {
	ID      int64
	Account int64
	Name    string
	At      time.Time
	Good    bool
	Data    []byte
	Mark    [4]byte
	Words   []string
	Parts   []SamplePart
	Sealed  []byte // secret
	Later   string // optional, as all that follows
	Until   time.Time
	Most    int
	Paused  bool
}

// SamplePart is one of a list of objects, with a field of every type that these may have.
type SamplePart struct {
	Mood  SampleMood
	Most  int
	At    time.Time
	Good  bool
	Data  []byte
	Words []SampleMood
}

// SampleMood is a text of a type of its own.
type SampleMood string

// ErrNameTaken refuses a second sample of a name.
var ErrNameTaken = fault.New(fault.Conflict, "name-taken", "Another sample has this name.")

// SampleSecret is what the secret field of samples is called.
const SampleSecret = "sealed"

// The kinds of the suite: samples are copied, scratches are not.
var (
	Samples   = declareSamples("sample", "samples", true)
	Scratches = declareSamples("scratch", "", false)

	samplesByAccount = Samples.Index("account", func(s *Sample) record.Tuple { return record.Tuple{s.Account, s.At} })
	_                = Samples.Unique("name", ErrNameTaken, func(s *Sample) record.Tuple {
		if s.Name == "" {
			return nil
		}
		return record.Tuple{s.Name}
	})
	samplesByName = Scratches.Index("name", func(s *Sample) record.Tuple { return record.Tuple{s.Good, s.Name} })
)

func declareSamples(name, sequence string, copied bool) *record.Of[int64, Sample] {
	return record.Declare(record.Declaration[int64, Sample]{
		Name: name, Sequence: sequence, Copied: copied, Audited: copied,
		Key: func(s *Sample) int64 { return s.ID },
		Fields: func(f *record.Fields, s *Sample) {
			record.Int(f, "id", &s.ID)
			record.Int(f, "account", &s.Account)
			record.Text(f, "name", &s.Name)
			record.Time(f, "at", &s.At)
			record.Bool(f, "good", &s.Good)
			record.Bytes(f, "data", &s.Data)
			record.Array(f, "mark", s.Mark[:])
			record.Texts(f, "words", &s.Words)
			record.Objects(f, "parts", &s.Parts, func(f *record.Fields, p *SamplePart) {
				record.Text(f, "mood", &p.Mood)
				record.Int(f, "most", &p.Most)
				record.Time(f, "at", &p.At)
				record.Bool(f, "good", &p.Good)
				record.Bytes(f, "data", &p.Data)
				record.Texts(f, "words", &p.Words)
			})
			record.Bytes(f, SampleSecret, &s.Sealed, record.Secret)
			record.Text(f, "later", &s.Later, record.Optional)
			record.Time(f, "until", &s.Until, record.Optional)
			record.Int(f, "most", &s.Most, record.Optional)
			record.Bool(f, "paused", &s.Paused, record.Optional)
		},
	})
}

// filledRecord returns a record of a kind whose fields are filled by reflection: with nothing for 0, with what is
// extreme for 1, at random for others. The same number makes the same record.
func filledRecord(of *record.Kind, number int) (any, record.Stored) {
	random := rand.New(rand.NewPCG(uint64(number), uint64(len(of.Name()))))
	v := of.Blank()
	if number > 0 {
		fill(reflect.ValueOf(v).Elem(), random, number == 1)
	}
	return v, must1(of.Write(v))
}

// made is a record that was made before: making one costs more than storing it.
type made struct {
	of     *record.Kind
	key    string // of which it is in the place, "": its own
	number int
}

var madeBefore sync.Map // of made to record.Stored

func (m made) record(again func() record.Stored) record.Stored {
	if s, is := madeBefore.Load(m); is {
		return s.(record.Stored)
	}
	s := again()
	madeBefore.Store(m, s)
	return s
}

var noTexts = []string{"", " ", "'\"\\\x00\x01\x02\x1f\x7f", "{\"id\":1}", "\u2028\U0010ffff\u00e9e\u0301", "a/b",
	strings.Repeat("long ", 2_000)}

func fill(v reflect.Value, random *rand.Rand, extreme bool) {
	if _, is := v.Interface().(time.Time); is {
		at := time.UnixMilli(random.Int64N(1 << 42)).UTC()
		switch {
		case extreme:
			at = time.Date(9999, 12, 24, 23, 59, 59, 999_000_000, time.UTC)
		case random.IntN(3) == 0:
			at = time.Time{} // such as of a principal that was not revoked, which has entries
		}
		v.Set(reflect.ValueOf(at))
		return
	}
	switch v.Kind() { //nolint:exhaustive // no field has another
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), random, extreme)
		}
	case reflect.String:
		v.SetString(fmt.Sprintf("%x %s", random.Uint64(), noTexts[random.IntN(len(noTexts))]))
		if extreme {
			v.SetString(strings.Join(noTexts, ""))
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(random.Uint64()))
		if extreme {
			v.SetInt(math.MinInt64)
		}
	case reflect.Bool:
		v.SetBool(extreme || random.IntN(2) == 0)
	case reflect.Uint8:
		v.SetUint(uint64(random.IntN(256)))
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), random, extreme)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+random.IntN(5), 5))
		for i := range v.Len() {
			fill(v.Index(i), random, extreme)
		}
	default:
		panic("a record has a " + v.Type().String())
	}
}

// filledAs is the record of a number as it is stored.
func filledAs(of *record.Kind, number int) record.Stored {
	return made{of, "", number}.record(func() record.Stored { _, s := filledRecord(of, number); return s })
}

// several returns records of a kind, of which each has a key and entries of its own.
func several(of *record.Kind, n int) (all []record.Stored) {
	for i := range n {
		all = append(all, filledAs(of, i))
	}
	return all
}

// inPlaceOf returns other content under a key.
func inPlaceOf(of *record.Kind, key string, number int) record.Stored {
	return made{of, key, number}.record(func() record.Stored {
		v, _ := filledRecord(of, number)
		had, err := of.Read(keyed(of, key).Payload)
		if err != nil {
			panic(err)
		}
		from, to := reflect.ValueOf(had).Elem(), reflect.ValueOf(v).Elem()
		for apart := range from.NumField() { // the key is one of them, or two make it
			for i := range from.NumField() - apart {
				one, other := reflect.ValueOf(to.Field(i).Interface()), reflect.ValueOf(to.Field(i+apart).Interface())
				to.Field(i).Set(from.Field(i))
				to.Field(i + apart).Set(from.Field(i + apart))
				if s, err := of.Write(v); err == nil && s.Key == key {
					return s
				}
				to.Field(i).Set(one)
				to.Field(i + apart).Set(other)
			}
		}
		panic("no field makes the key of " + of.Name())
	})
}

// asNewer returns a record as a version writes it that knows one more field.
func asNewer(of *record.Kind, s record.Stored) record.Stored {
	members := strings.TrimSuffix(strings.TrimPrefix(s.Payload, "{"), "}")
	if strings.HasPrefix(members, `"fields":`) {
		_, members, _ = strings.Cut(members, ",")
	}
	s.Payload = fmt.Sprintf(`{"fields":%d,%s,"newest":{"a":["}",1]}}`, len(of.Fields())+1, members)
	return s
}

// keyed returns the record that several made under a key.
func keyed(of *record.Kind, key string) record.Stored {
	for i := range 100 {
		if s := filledAs(of, i); s.Key == key {
			return s
		}
	}
	panic("no such record")
}

func insertsRecord(of *record.Kind, s record.Stored) work {
	return func(ctx context.Context, tx ports.Tx) error { return tx.Records.Insert(ctx, of, s) }
}

func getsRecord(of *record.Kind, key string) work {
	return func(ctx context.Context, tx ports.Tx) error { _, err := tx.Records.Get(ctx, of, key); return err }
}

// savesRecord gets a record and saves it.
func savesRecord(of *record.Kind, s record.Stored) work {
	return inTurn(getsRecord(of, s.Key), func(ctx context.Context,
		tx ports.Tx) error {
		return tx.Records.Save(ctx, of, s)
	})
}

// deletesRecord gets a record and deletes it.
func deletesRecord(of *record.Kind, key string) work {
	return inTurn(getsRecord(of, key), func(ctx context.Context,
		tx ports.Tx) error {
		return tx.Records.Delete(ctx, of, key)
	})
}

// payload reads a record in a view, and in an update: "" where there is none.
func (w *harness) payload(of *record.Kind, key string) (inView, inUpdate string) {
	inUpdate, _ = seenInUpdate(w, func(ctx context.Context, tx ports.Tx) (string, error) {
		return tx.Records.Get(ctx, of, key)
	})
	return seen(w, func(ctx context.Context, v ports.Snapshot) (string, error) {
		found, err := v.Records.Get(ctx, of, key)
		return either(err == nil, found), absent(err)
	}), inUpdate
}

// listedRecords reads all records of a kind to which entries lead.
func (w *harness) listedRecords(of *record.Kind) []record.Found {
	from, to := of.Bounds()
	return seen(w, func(ctx context.Context, v ports.Snapshot) ([]record.Found, error) {
		return v.Records.List(ctx, record.Range{Of: of, From: from, To: to, Limit: 10_000})
	})
}

// hasRecords fails unless the store has these records of a kind and no others, however it is asked.
func (w *harness) hasRecords(of *record.Kind, want []record.Stored, when string) {
	entries := map[string]string{}
	for _, s := range want {
		inView, inUpdate := w.payload(of, s.Key)
		for how, got := range map[string]string{"a view": inView, "an update": inUpdate} {
			if got != s.Payload {
				w.Errorf("%s, in %s: got %q, want %q", when, how, got, s.Payload)
			}
		}
		for _, entry := range s.Entries {
			entries[entry] = s.Key
		}
	}
	listed := w.listedRecords(of)
	for _, f := range listed {
		if entries[f.Entry] != f.Key || f.Damage != nil {
			w.Errorf("%s: the entry %q leads to %q, want %q (%v)", when, f.Entry, f.Key, entries[f.Entry], f.Damage)
		}
	}
	if len(listed) != len(entries) {
		w.Errorf("%s: %d entries lead to records of the kind %s, want %d", when, len(listed), of.Name(), len(entries))
	}
}

// noRecord fails where there is a record.
func (w *harness) noRecord(of *record.Kind, key, because string) {
	w.want(w.store.View(w.ctx, func(ctx context.Context, v ports.Snapshot) error {
		_, err := v.Records.Get(ctx, of, key)
		return err
	}), fault.ErrNotFound, "get a record that "+because+", in a view")
	w.want(w.try(getsRecord(of, key)), fault.ErrNotFound, "get a record that "+because+", in an update")
}

// each does something with every kind.
func (w *harness) each(do func(of *record.Kind)) {
	for _, of := range ports.Kinds() {
		do(of)
	}
}

// manyOfKind is how many records of each kind a check stores.
const manyOfKind = 8

// storesKinds stores records of all kinds.
func (w *harness) storesKinds() {
	w.each(func(of *record.Kind) {
		storeAll(w, several(of, manyOfKind), func(s record.Stored) work { return insertsRecord(of, s) })
	})
}

// kindChecks are of a store that one process has open.
var kindChecks = []Check{
	{"records-of-kinds-survive-unchanged", proves{"D1", "D2"}, func(w *harness) {
		w.storesKinds()
		w.each(func(of *record.Kind) { w.hasRecords(of, several(of, manyOfKind), "records of the kind "+of.Name()) })
		same := func(name string) *Sample { return &Sample{ID: 7, Name: name} }
		one, other := must1(Samples.Write(same("one"))), must1(Scratches.Write(same("other")))
		w.update("insert two records under one key",
			inTurn(insertsRecord(Samples.Kind, one), insertsRecord(Scratches.Kind, other)))
		w.update("delete one of them", deletesRecord(Samples.Kind, one.Key))
		w.noRecord(Samples.Kind, one.Key, "was deleted")
		w.hasRecords(Scratches.Kind, append(several(Scratches.Kind, manyOfKind), other),
			"records beside those of another kind")
	}},
	{"records-of-kinds-that-are-not-there-are-not-found", proves{"D3", "D8", "D11"}, func(w *harness) {
		w.each(func(of *record.Kind) {
			all := several(of, 3)
			absent := func(s record.Stored, because string) {
				w.noRecord(of, s.Key, because)
				w.want(w.try(func(ctx context.Context, tx ports.Tx) error { return tx.Records.Save(ctx, of, s) }),
					fault.ErrNotFound, "save a record that "+because)
				w.want(w.try(func(ctx context.Context, tx ports.Tx) error { return tx.Records.Delete(ctx, of, s.Key) }),
					fault.ErrNotFound, "delete a record that "+because)
				w.noRecord(of, s.Key, because+", and was saved and deleted")
			}
			absent(all[1], "never was")
			for _, s := range all {
				w.update("insert a record", insertsRecord(of, s))
			}
			for _, key := range []string{"", all[2].Key + "0", all[2].Key[:len(all[2].Key)-1], "%", "' OR '' = '", `{"$gt":""}`,
				strings.Repeat("0", 4_000)} {
				w.noRecord(of, key, "has another key")
			}
			w.update("delete a record", deletesRecord(of, all[2].Key))
			absent(all[2], "was deleted")
			w.hasRecords(of, all[:2], "records of which one was deleted")
		})
	}},
	{"records-of-kinds-are-written-with-their-update", proves{"D4"}, func(w *harness) {
		w.storesKinds()
		w.each(func(of *record.Kind) {
			all := several(of, manyOfKind)
			added := filledAs(of, manyOfKind)
			saved, deleted := inPlaceOf(of, all[2].Key, manyOfKind+1), all[3].Key
			do := inTurn(insertsRecord(of, added), savesRecord(of, saved), deletesRecord(of, deleted),
				func(ctx context.Context, tx ports.Tx) error {
					for key, want := range map[string]string{added.Key: added.Payload, saved.Key: saved.Payload, deleted: ""} {
						if got, err := tx.Records.Get(ctx, of, key); absent(err) != nil || got != want {
							w.Errorf("an update reads %q of what it has written, want %q (%v)", got, want, err)
						}
					}
					return nil
				})
			w.want(w.try(inTurn(do, refuses)), errRefused, "an update whose work refused")
			w.hasRecords(of, all, "records after a refused update")
			h := w.hold(do)
			w.same(viewBeside(w, func(ctx context.Context, v ports.Snapshot) (string, error) {
				return v.Records.Get(ctx, of, saved.Key)
			}), all[2].Payload, "a record beside an open update")
			h.end(w)
			all[2] = saved
			w.hasRecords(of, append(slices.Delete(all, 3, 4), added), "records after an update")
		})
	}},
	{"taken-keys-are-refused", proves{"D6", "D7"}, func(w *harness) {
		w.each(func(of *record.Kind) {
			s := filledAs(of, 2)
			w.update("insert a record", insertsRecord(of, s))
			w.want(w.try(insertsRecord(of, inPlaceOf(of, s.Key, 3))), record.ErrExists,
				"insert a record under a key that another one has")
			w.hasRecords(of, []record.Stored{s}, "records of which one was refused")
		})
	}},
	{"unique-entries-are-one-records", proves{"D6", "D7", "D10"}, func(w *harness) { w.takeUnique(w) }},
	{"saves-replace-records-of-kinds-whole", proves{"D7"}, func(w *harness) {
		w.storesKinds()
		w.each(func(of *record.Kind) {
			all := several(of, manyOfKind)
			for round := range 2 {
				for i := range all {
					all[i] = inPlaceOf(of, all[i].Key, 40+round*manyOfKind+(i+round)%manyOfKind)
					w.update("save a record", savesRecord(of, all[i]))
				}
				w.hasRecords(of, all, "records that were saved")
			}
		})
	}},
	{"records-of-newer-versions-are-used-and-kept", proves{"D14"}, func(w *harness) {
		w.each(func(of *record.Kind) {
			s := filledAs(of, 2)
			newer, saved := asNewer(of, s), asNewer(of, inPlaceOf(of, s.Key, 3))
			w.update("insert what a newer version writes", insertsRecord(of, newer))
			inView, inUpdate := w.payload(of, s.Key)
			for _, f := range append(w.listedRecords(of), record.Found{Payload: inView}, record.Found{Payload: inUpdate}) {
				if f.Payload != newer.Payload || f.Damage != nil {
					w.Errorf("got %q, want %q (%v)", f.Payload, newer.Payload, f.Damage)
				}
			}
			w.update("save what a newer version wrote", savesRecord(of, saved))
			w.update("delete what a newer version wrote", deletesRecord(of, s.Key))
			w.hasRecords(of, nil, "records of which the only one was deleted")
		})
		of := Samples.Kind
		first := filledAs(of, 1)
		w.update("insert what a newer version writes", insertsRecord(of, asNewer(of, first)))
		var want record.Stored
		w.update("save what a newer version wrote", func(ctx context.Context, tx ports.Tx) error {
			s, err := Samples.In(tx.Records).Get(ctx, math.MinInt64)
			s.Account, s.Later = 7, ""
			want = asNewer(of, must1(Samples.Stored(s)))
			return errors.Join(err, Samples.In(tx.Records).Save(ctx, s))
		})
		got, _ := w.payload(of, first.Key)
		w.same(got, want.Payload, "what a save of an older version has left")
	}},
	{"no-update-of-a-record-is-lost", proves{"D9"}, func(w *harness) { w.countTogether(w) }},
	{"a-record-that-is-deleted-stays-so", proves{"D8", "D11"}, func(w *harness) { w.deleteTogether(w) }},
	{"lists-of-records-are-ranges", proves{"D12", "D13"}, func(w *harness) {
		var all []Sample
		add := func(s Sample) {
			s.ID = int64(len(all)) + 1
			all = append(all, s)
		}
		for _, account := range []int64{-1 << 40, -1, 0, 1, 2, 1 << 40} {
			for _, at := range []time.Time{noon, noon.Add(time.Millisecond), noon.AddDate(-60, 0, 0), noon} {
				add(Sample{Account: account, At: at})
			}
		}
		for _, name := range []string{"", "a", "a\x00", "a\x01", "a\x02", "a ", "aa", "b", "é", "\U0010ffff"} {
			add(Sample{Name: name, Good: true})
		}
		storeAll(w, all, func(s Sample) work {
			return func(ctx context.Context, tx ports.Tx) error {
				unnamed := s
				unnamed.Name = "" // unique among samples
				return errors.Join(Samples.In(tx.Records).Insert(ctx, unnamed), Scratches.In(tx.Records).Insert(ctx, s))
			}
		})
		byAccount := func(a, b Sample) int {
			return cmp.Or(cmp.Compare(a.Account, b.Account), a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
		}
		list := func(i record.Index[int64, Sample], q record.Query, order func(a, b Sample) int,
			selects func(s Sample) bool) {
			want := slices.SortedFunc(slices.Values(all), order)
			want = slices.DeleteFunc(want, func(s Sample) bool { return !selects(s) })
			if q.Descending {
				slices.Reverse(want)
			}
			var got []int64
			for pages := 0; ; pages++ {
				page := seen(w, func(ctx context.Context, v ports.Snapshot) (record.Page[int64, Sample], error) {
					return i.List(ctx, v.Records, q)
				})
				if len(page.Items) > q.Limit || pages > len(all) {
					w.Fatalf("page %d of %+v has %d records", pages, q, len(page.Items))
				}
				for _, s := range page.Items {
					got = append(got, s.ID)
				}
				if q.After = page.Next; q.After == "" {
					break
				}
			}
			if ids := mapped(want, func(s Sample) int64 { return s.ID }); !slices.Equal(got, ids) {
				w.Errorf("%+v: got the records %v, want %v", q, got, ids)
			}
		}
		for _, descending := range []bool{false, true} {
			for _, limit := range []int{1, 2, 3, 100} {
				q := record.Query{Descending: descending, Limit: limit}
				list(samplesByAccount, q, byAccount, func(Sample) bool { return true })
				q.From, q.To = int64(-1), int64(2)
				list(samplesByAccount, q, byAccount, func(s Sample) bool { return s.Account >= -1 && s.Account < 2 })
				q.Equal, q.From, q.To = record.Tuple{int64(1)}, noon, nil
				list(samplesByAccount, q, byAccount, func(s Sample) bool { return s.Account == 1 && !s.At.Before(noon) })
				q.From, q.To = nil, noon
				list(samplesByAccount, q, byAccount, func(s Sample) bool { return s.Account == 1 && s.At.Before(noon) })
				q.Equal = record.Tuple{int64(3)}
				list(samplesByAccount, q, byAccount, func(Sample) bool { return false })
				q.Equal, q.From, q.To = record.Tuple{true}, "a\x00", "é"
				list(samplesByName, q, func(a, b Sample) int { return strings.Compare(a.Name, b.Name) }, func(s Sample) bool {
					return s.Good && s.Name >= "a\x00" && s.Name < "é"
				})
			}
		}
	}},
}

// countTogether has many updates add one to the same record.
func (w *harness) countTogether(processes ...*harness) {
	w.update("insert a record", func(ctx context.Context, tx ports.Tx) error {
		return Samples.In(tx.Records).Insert(ctx, Sample{ID: 1})
	})
	together(func(p *harness, _ int) error {
		return p.try(func(ctx context.Context, tx ports.Tx) error {
			s, err := Samples.In(tx.Records).Get(ctx, 1)
			s.Account++
			return errors.Join(err, Samples.In(tx.Records).Save(ctx, s))
		})
	}, processes...)
	for _, p := range processes {
		got := seen(p, func(ctx context.Context, v ports.Snapshot) (Sample, error) {
			return Samples.From(v.Records).Get(ctx, 1)
		})
		if got.Account != workers*rounds {
			w.Errorf("of %d updates of a record %d are kept", workers*rounds, got.Account)
		}
	}
}

// deleteTogether has a record saved and deleted at once.
func (w *harness) deleteTogether(processes ...*harness) {
	for round := range 4 {
		id := int64(round + 1)
		w.update("insert a record", func(ctx context.Context, tx ports.Tx) error {
			return Samples.In(tx.Records).Insert(ctx, Sample{ID: id})
		})
		removed := make([]bool, workers)
		errs := AtOnce(workers, func(i int) error {
			return processes[i%len(processes)].try(func(ctx context.Context, tx ports.Tx) error {
				records := Samples.In(tx.Records)
				s, err := records.Get(ctx, id)
				if removed[i] = err == nil && i%2 == 0; removed[i] {
					return records.Delete(ctx, id)
				}
				if err == nil {
					s.Account++
					err = records.Save(ctx, s)
				}
				return err
			})
		})
		count := 0
		for i, err := range errs {
			if err != nil {
				w.want(err, fault.ErrNotFound, "save or delete a record")
			} else if removed[i] {
				count++
			}
		}
		if count != 1 {
			w.Errorf("%d of many removed one record", count)
		}
		for _, p := range processes {
			p.noRecord(Samples.Kind, must1(Samples.Stored(Sample{ID: id})).Key, "was deleted beside saves")
		}
	}
}

func must1(s record.Stored, err error) record.Stored {
	if err != nil {
		panic(err)
	}
	return s
}

// kindDurabilityChecks are of what must outlive the process.
var kindDurabilityChecks = []Check{
	{"records-of-kinds-survive-reopening", proves{"D5"}, func(w *harness) {
		w.storesKinds()
		w.reopen()
		w.each(func(of *record.Kind) {
			all := several(of, manyOfKind)
			w.hasRecords(of, all, "records opened again")
			all[1] = inPlaceOf(of, all[1].Key, manyOfKind)
			w.update("save and delete records", inTurn(savesRecord(of, all[1]), deletesRecord(of, all[2].Key)))
		})
		w.reopen()
		w.each(func(of *record.Kind) {
			all := several(of, manyOfKind)
			all[1] = inPlaceOf(of, all[1].Key, manyOfKind)
			w.noRecord(of, all[2].Key, "was deleted before the store was opened again")
			w.hasRecords(of, slices.Delete(all, 2, 3), "records that were saved and deleted, opened again")
		})
	}},
}

// kindSharingChecks are of a store that two processes have open.
var kindSharingChecks = []Check{
	{"processes-have-the-same-records", proves{"D3", "D4"}, func(w *harness) {
		other := w.beside()
		w.storesKinds()
		w.each(func(of *record.Kind) {
			all := several(of, manyOfKind)
			other.hasRecords(of, all, "records of another process")
			other.update("delete a record", deletesRecord(of, all[4].Key))
			w.noRecord(of, all[4].Key, "another process has deleted")
			all[5] = inPlaceOf(of, all[5].Key, manyOfKind)
			w.update("save a record", savesRecord(of, all[5]))
			other.hasRecords(of, slices.Delete(all, 4, 5), "records that two processes have changed")
		})
	}},
	{"unique-entries-in-two-processes-are-one-records", proves{"D6", "D7", "D10"}, func(w *harness) {
		w.takeUnique(w, w.beside())
	}},
	{"no-update-of-a-record-in-two-processes-is-lost", proves{"D9"},
		func(w *harness) { w.countTogether(w, w.beside()) }},
	{"a-record-that-another-process-deletes-stays-so", proves{"D8", "D11"},
		func(w *harness) { w.deleteTogether(w, w.beside()) }},
}
