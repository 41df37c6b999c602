package storetest

import (
	"context"
	"reflect"

	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/fixture"
)

// Read is a read of the ports, in a view of its own.
type Read struct {
	Name string
	// Do returns the error of the read, and nil if its view returns none.
	Do func(ctx context.Context) error
}

// Reads returns every read of a View and of an archive.
func Reads(s interface {
	ports.Store
	ports.Archive
}) (all []Read) {
	add := func(port reflect.Type, view func(ctx context.Context, look func(v any)) error) {
		for m := range port.Methods() {
			all = append(all, Read{port.Name() + "." + m.Name, func(ctx context.Context) (err error) {
				failed := view(ctx, func(v any) {
					method := reflect.ValueOf(v).MethodByName(m.Name)
					var arguments []reflect.Value
					for of := range method.Type().Ins() {
						arguments = append(arguments, argument(ctx, of))
					}
					results := method.Call(arguments)
					err, _ = results[len(results)-1].Interface().(error)
				})
				if failed == nil {
					return nil
				}
				return err
			}})
		}
	}
	for port := range reflect.TypeFor[ports.Snapshot]().Fields() {
		add(port.Type, func(ctx context.Context, look func(v any)) error {
			return s.View(ctx, func(_ context.Context, v ports.Snapshot) error {
				look(reflect.ValueOf(v).FieldByIndex(port.Index).Interface())
				return nil
			})
		})
	}
	add(reflect.TypeFor[ports.Records](), func(ctx context.Context, look func(v any)) error {
		return s.ViewRecords(ctx, func(_ context.Context, r ports.Records) error {
			look(r)
			return nil
		})
	})
	return all
}

// argument returns an argument of a type. After -1 an audit also looks for records whose ids are no ids.
func argument(ctx context.Context, of reflect.Type) reflect.Value {
	tree := ports.Scope{Reseller: 1, Tree: true}
	from, to := ports.Sessions.Bounds()
	for _, a := range []any{
		ctx, int64(-1), 10, "", fixture.Noon, []int64{1, 2}, fixture.Name("account2"), fixture.Text("x"), func(string) {},
		ports.ResellerQuery{Scope: tree, Master: 1, Username: "a", Limit: 10},
		ports.LineQuery{Scope: tree, Username: "a", Limit: 10}, ports.EventQuery{Limit: 10},
		ports.Sessions.Kind, record.Range{Of: ports.Sessions.Kind, From: from, To: to, Limit: 10},
		[]ports.PostingID{{Reseller: 2, Seq: 1}},
	} {
		if reflect.TypeOf(a).AssignableTo(of) {
			return reflect.ValueOf(a)
		}
	}
	panic("no argument of the type " + of.String())
}
