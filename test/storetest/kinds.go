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

// Sample is a value of the kinds that only the suite declares: it has a field of every type.
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

// SampleSecret is the name of the samples' secret field.
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

// filledRecord returns a record of a kind with fields filled by reflection: empty values for 0, extreme values for 1,
// random ones for others. The same number makes the same record.
func filledRecord(of *record.Kind, number int) (any, record.Stored) {
	random := rand.New(rand.NewPCG(uint64(number), uint64(len(of.Name()))))
	v := of.Blank()
	if number > 0 {
		fill(reflect.ValueOf(v).Elem(), random, number == 1)
	}
	return v, must1(of.Write(v))
}

// made are records by kind, key and number: making one costs more than storing it.
var made sync.Map

func madeOnce(of *record.Kind, key string, number int, again func() record.Stored) record.Stored {
	once, _ := made.LoadOrStore([3]any{of, key, number}, sync.OnceValue(again))
	return once.(func() record.Stored)()
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

// filledAs is the stored record of a number.
func filledAs(of *record.Kind, number int) record.Stored {
	return madeOnce(of, "", number, func() record.Stored { _, s := filledRecord(of, number); return s })
}

// several returns records of a kind. Each has a key and entries of its own.
func several(of *record.Kind, n int) (all []record.Stored) {
	for i := range n {
		all = append(all, filledAs(of, i))
	}
	return all
}

// inPlaceOf returns other content under the key of a record.
func inPlaceOf(of *record.Kind, s record.Stored, number int) record.Stored {
	return madeOnce(of, s.Key, number, func() record.Stored {
		v, _ := filledRecord(of, number)
		had, err := of.Read(s.Payload)
		if err != nil {
			panic(err)
		}
		from, to := reflect.ValueOf(had).Elem(), reflect.ValueOf(v).Elem()
		for apart := range from.NumField() { // the key is one of them, or two make it
			for i := range from.NumField() - apart {
				one, two := reflect.ValueOf(to.Field(i).Interface()), reflect.ValueOf(to.Field(i+apart).Interface())
				to.Field(i).Set(from.Field(i))
				to.Field(i + apart).Set(from.Field(i + apart))
				if other, err := of.Write(v); err == nil && other.Key == s.Key {
					return other
				}
				to.Field(i).Set(one)
				to.Field(i + apart).Set(two)
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

func insertsRecord(of *record.Kind, s record.Stored) work {
	return func(ctx context.Context, tx ports.Tx) error { return tx.Records.Insert(ctx, of, s) }
}

func getsRecord(of *record.Kind, key string) work {
	return func(ctx context.Context, tx ports.Tx) error { _, err := tx.Records.Get(ctx, of, key); return err }
}

// savesRecord gets a record and saves it.
func savesRecord(of *record.Kind, s record.Stored) work {
	return inTurn(getsRecord(of, s.Key),
		func(ctx context.Context, tx ports.Tx) error { return tx.Records.Save(ctx, of, s) })
}

// deletesRecord gets a record and deletes it.
func deletesRecord(of *record.Kind, key string) work {
	return inTurn(getsRecord(of, key),
		func(ctx context.Context, tx ports.Tx) error { return tx.Records.Delete(ctx, of, key) })
}

// payload reads a record in a view, and in an update: "" if there is none.
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

// hasRecords fails unless the store has these records of a kind and no others, in every query.
func (w *harness) hasRecords(of *record.Kind, want []record.Stored, when string) {
	entries := map[string]string{}
	for _, s := range want {
		inView, inUpdate := w.payload(of, s.Key)
		w.same([2]string{inView, inUpdate}, [2]string{s.Payload, s.Payload}, when+", in a view and in an update")
		for _, entry := range s.Entries {
			entries[entry] = s.Key
		}
	}
	found := map[string]string{}
	for _, f := range w.listedRecords(of) {
		w.must(f.Damage, when)
		found[f.Entry] = f.Key
	}
	w.same(found, entries, when+", where entries lead")
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

// kindChecks check the records of kinds in a store that one process has open.
var kindChecks = []Check{
	{"records-of-kinds-survive-unchanged", proves{"D1", "D2", "D3", "D6", "D7", "D8", "D11"}, func(w *harness) {
		w.storesKinds()
		w.each(func(of *record.Kind) {
			all := several(of, manyOfKind)
			absent := func(s record.Stored, because string) {
				w.noRecord(of, s.Key, because)
				w.want(w.try(func(ctx context.Context, tx ports.Tx) error { return tx.Records.Save(ctx, of, s) }),
					fault.ErrNotFound, "save a record that "+because)
				w.want(w.try(func(ctx context.Context, tx ports.Tx) error { return tx.Records.Delete(ctx, of, s.Key) }),
					fault.ErrNotFound, "delete a record that "+because)
			}
			absent(filledAs(of, manyOfKind), "never was")
			for _, key := range []string{"", all[2].Key + "0", all[2].Key[:len(all[2].Key)-1], "%", `{"$gt":""}`,
				strings.Repeat("0", 4_000)} {
				w.noRecord(of, key, "has another key")
			}
			w.want(w.try(insertsRecord(of, inPlaceOf(of, all[2], manyOfKind))), record.ErrExists,
				"insert a record under a key that another one has")
			w.hasRecords(of, all, "records of the kind "+of.Name())
			for i := range all {
				all[i] = inPlaceOf(of, all[i], 40+i)
				w.update("save a record", savesRecord(of, all[i]))
			}
			w.hasRecords(of, all, "records that were saved")
			w.update("delete a record", deletesRecord(of, all[2].Key))
			absent(all[2], "was deleted")
			w.hasRecords(of, slices.Delete(all, 2, 3), "records, one of them deleted")
		})
		first, second := must1(Samples.Write(&Sample{ID: 7})), must1(Scratches.Write(&Sample{ID: 7}))
		w.update("insert two records under one key",
			inTurn(insertsRecord(Samples.Kind, first), insertsRecord(Scratches.Kind, second)))
		w.update("delete one of them", deletesRecord(Samples.Kind, first.Key))
		w.noRecord(Samples.Kind, first.Key, "was deleted")
		w.update("delete the other one", deletesRecord(Scratches.Kind, second.Key))
	}},
	{"records-of-kinds-are-written-with-their-update", proves{"D4"}, func(w *harness) {
		w.storesKinds()
		w.each(func(of *record.Kind) {
			all, added := several(of, manyOfKind), filledAs(of, manyOfKind)
			saved := inPlaceOf(of, all[2], manyOfKind+1)
			after := slices.Delete(append(slices.Clone(all), added), 2, 4)
			do := inTurn(insertsRecord(of, added), savesRecord(of, saved), deletesRecord(of, all[3].Key),
				func(ctx context.Context, tx ports.Tx) error {
					for key, want := range map[string]string{added.Key: added.Payload, saved.Key: saved.Payload, all[3].Key: ""} {
						got, err := tx.Records.Get(ctx, of, key)
						w.same([]any{got, absent(err)}, []any{want, nil}, "an update's read of its own write")
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
			w.hasRecords(of, append(after, saved), "records after an update")
		})
	}},
	{"unique-entries-are-one-records", proves{"D6", "D7", "D10"}, func(w *harness) { w.takeUnique(w) }},
	{"records-of-newer-versions-are-used-and-preserved", proves{"D14"}, func(w *harness) {
		w.each(func(of *record.Kind) {
			s := filledAs(of, 2)
			for i, writes := range []func(of *record.Kind, s record.Stored) work{insertsRecord, savesRecord} {
				newer := asNewer(of, inPlaceOf(of, s, 3+i))
				w.update("write what a newer version does", writes(of, newer))
				w.hasRecords(of, []record.Stored{newer}, "a record of a newer version")
			}
			w.update("delete the record of a newer version", deletesRecord(of, s.Key))
			w.hasRecords(of, nil, "records after the only one was deleted")
		})
		of := Samples.Kind
		first := filledAs(of, 1)
		var want record.Stored
		w.update("insert what a newer version writes", insertsRecord(of, asNewer(of, first)))
		w.update("save what a newer version wrote", func(ctx context.Context, tx ports.Tx) error {
			s, err := Samples.In(tx.Records).Get(ctx, math.MinInt64)
			s.Account, s.Later = 7, ""
			want = asNewer(of, must1(Samples.Stored(s)))
			return errors.Join(err, Samples.In(tx.Records).Save(ctx, s))
		})
		w.hasRecords(of, []record.Stored{want}, "what a save of an older version has left")
	}},
	{"updates-of-a-record-conflict", proves{"D8", "D9", "D11"}, func(w *harness) {
		w.countTogether(w)
		w.deleteTogether(w)
	}},
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
		byName := func(a, b Sample) int { return strings.Compare(a.Name, b.Name) }
		list := func(i record.Index[int64, Sample], q record.Query, order func(a, b Sample) int,
			selects func(s Sample) bool) {
			want := slices.SortedFunc(slices.Values(all), order)
			want = slices.DeleteFunc(want, func(s Sample) bool { return !selects(s) })
			if q.Descending {
				slices.Reverse(want)
			}
			var got []Sample
			for more := true; more && len(got) <= len(all); more = q.After != "" {
				page := seen(w, func(ctx context.Context, v ports.Snapshot) (record.Page[int64, Sample], error) {
					return i.List(ctx, v.Records, q)
				})
				if len(page.Items) > q.Limit {
					w.Fatalf("a page of %+v has %d records", q, len(page.Items))
				}
				got, q.After = append(got, page.Items...), page.Next
			}
			id := func(s Sample) int64 { return s.ID }
			w.sameIDs(mapped(got, id), mapped(want, id), fmt.Sprintf("records of %+v", q))
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
				q.Equal, q.From, q.To = record.Tuple{true}, "a\x00", "é"
				list(samplesByName, q, byName, func(s Sample) bool { return s.Good && s.Name >= "a\x00" && s.Name < "é" })
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
			w.Errorf("of %d updates of a record %d are stored", workers*rounds, got.Account)
		}
	}
}

// deleteTogether has a record saved and deleted at once.
func (w *harness) deleteTogether(processes ...*harness) {
	for round := range int64(4) {
		id := 100 + round
		w.update("insert a record", func(ctx context.Context, tx ports.Tx) error {
			return Samples.In(tx.Records).Insert(ctx, Sample{ID: id})
		})
		errs := AtOnce(workers, func(i int) error {
			return processes[i%len(processes)].try(func(ctx context.Context, tx ports.Tx) error {
				records := Samples.In(tx.Records)
				s, err := records.Get(ctx, id)
				switch {
				case err != nil:
					return err
				case i%3 == 0:
					return records.Delete(ctx, id)
				}
				s.Account++
				return records.Save(ctx, s)
			})
		})
		removals := 0
		for i, err := range errs {
			switch {
			case err != nil:
				w.want(err, fault.ErrNotFound, "save or delete a record")
			case i%3 == 0:
				removals++
			}
		}
		if removals != 1 {
			w.Errorf("%d of many removed one record", removals)
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

// reopensKinds changes records of all kinds, and opens the store again before and after.
func (w *harness) reopensKinds() {
	w.storesKinds()
	for _, deleted := range []bool{false, true} {
		w.reopen()
		w.each(func(of *record.Kind) {
			all := several(of, manyOfKind)
			if deleted {
				all[1] = inPlaceOf(of, all[1], manyOfKind)
				w.noRecord(of, all[2].Key, "was deleted before the store was opened again")
				w.hasRecords(of, slices.Delete(all, 2, 3), "records that were saved and deleted, opened again")
				return
			}
			w.hasRecords(of, all, "records opened again")
			w.update("save and delete records", inTurn(savesRecord(of, inPlaceOf(of, all[1], manyOfKind)),
				deletesRecord(of, all[2].Key)))
		})
	}
}

// sharesKinds changes records of all kinds in two processes.
func (w *harness) sharesKinds() {
	other := w.beside()
	w.storesKinds()
	w.each(func(of *record.Kind) {
		all := several(of, manyOfKind)
		other.hasRecords(of, all, "records of another process")
		other.update("delete a record", deletesRecord(of, all[4].Key))
		w.noRecord(of, all[4].Key, "another process has deleted")
		all[5] = inPlaceOf(of, all[5], manyOfKind)
		w.update("save a record", savesRecord(of, all[5]))
		all = slices.Delete(all, 4, 5)
		other.hasRecords(of, all, "records that two processes have changed")
		for _, s := range all {
			other.update("delete a record", deletesRecord(of, s.Key))
		}
	})
	w.takeUnique(w, other)
	w.countTogether(w, other)
	w.deleteTogether(w, other)
}
