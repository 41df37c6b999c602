package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func structFields(body any) []reflect.StructField {
	return reflect.VisibleFields(reflect.TypeOf(body))
}

func TestObject(t *testing.T) {
	for _, row := range []struct {
		name, body string
		good       bool
	}{
		{"empty object", `{}`, true},
		{"space around", " \r\n\t{\"a\":1} \n", true},
		{"the same name in two objects", `{"a":{"x":1},"b":{"x":1}}`, true},
		{"a name that is also a value", `{"a":"b","b":"a"}`, true},
		{"the same value twice in an array", `{"a":["x","x"]}`, true},
		{"pair of surrogates", `{"a":"\ud83d\ude00"}`, true},
		{"escaped backslash before u", `{"a":"\\ud83d"}`, true},
		{"a letter escaped", `{"a":"\u0041\u00e9"}`, true},
		{"nothing", ``, false},
		{"spaces only", `  `, false},
		{"array", `[1]`, false},
		{"string", `"a"`, false},
		{"null", `null`, false},
		{"cut off", `{"a":1`, false},
		{"trailing object", `{}{}`, false},
		{"trailing letter", `{} x`, false},
		{"comment", `{"a":1/**/}`, false},
		{"NaN", `{"a":NaN}`, false},
		{"leading zero", `{"a":01}`, false},
		{"byte order mark", "\ufeff{}", false},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", false},
		{"high surrogate alone", `{"a":"\ud83d"}`, false},
		{"high surrogate, then a letter", `{"a":"\ud83dx\ude00"}`, false},
		{"two high surrogates", `{"a":"\ud83d\ud83d\ude00"}`, false},
		{"low surrogate alone", `{"a":"\uDE00"}`, false},
		{"lone surrogate in a name", `{"\udfff":1}`, false},
		{"name twice", `{"a":1,"a":1}`, false},
		{"name twice, once escaped", `{"a":1,"\u0061":1}`, false},
		{"name twice deep down", `{"a":[0,{"b":{"c":1,"d":[],"c":2}}]}`, false},
		{"name twice after an object", `{"a":{"a":1},"a":1}`, false},
		{"a number", `1`, false},
		{"no JSON", `a=1`, false},
		{"a trailing comma", `{"a":1,}`, false},
		{"name twice in an array", `{"x":[[{"a":1,"a":1}]]}`, false},
		{"name twice after an array", `{"x":[],"y":{},"x":1}`, false},
		{"invalid UTF-8 in a name", "{\"\xc3\":1}", false},
		{"an encoded surrogate", "{\"a\":\"\xed\xa0\x80\"}", false},
		{"a pair the wrong way round", `{"a":"\uDE00\uD83D"}`, false},
		{"lone surrogate deep down", `{"x":[{"a":"\uDBFF"}]}`, false},
		{"arrays without an end", `{"x":` + strings.Repeat("[", 60_000), false},
		{"objects without an end", strings.Repeat(`{"a":`, 10_000), false},
		{"deeper than any client needs", strings.Repeat(`{"a":`, 20_000) + `1` + strings.Repeat(`}`, 20_000), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			members, err := object([]byte(row.body))
			if (err == nil) != row.good {
				t.Errorf("%.60q: got %v, %v", row.body, members, err)
			}
		})
	}
}

// FuzzObject holds the strict reader to what any JSON reader makes of the same
// bytes: what it accepts is an object that survives being written again.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1,"b":[{"c":null}]}`, ` { "a" : -1.5e3 , "b" : [ true , [ ] , { "c" : "\\\"," } ] , "\\u0063" : { } } `, `{"a":[{"b":1,"b":2}]}`, `{"a":"\ud83d\ude00\\u"}`, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`, `{"":{"":""}}`, `{"":1e700}`, `{"a":1e700,"b":{"c":1,"c":1}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		members, err := object(raw)
		if err != nil {
			return
		}
		plain, err := plainly(raw)
		if err != nil {
			t.Fatalf("%q is accepted and is no object: %v", raw, err)
		}
		var exact map[string]json.RawMessage
		if err := json.Unmarshal(raw, &exact); err != nil || len(exact) != len(members) {
			t.Errorf("%q: %d members, got %d: %v", raw, len(exact), len(members), err)
		}
		for name, value := range exact {
			if got, found := members.get([]byte(name)); !found || !bytes.Equal(got, value) {
				t.Errorf("%q: %q has %s, got %s", raw, name, value, got)
			}
		}
		if twice(raw) {
			t.Errorf("%q is accepted with a name twice in an object", raw)
		}
		again, err := json.Marshal(plain)
		if err != nil {
			t.Fatal(err)
		}
		if utf8.Valid(raw) && strings.Count(string(again), "\ufffd") > strings.Count(string(raw), "\ufffd")+strings.Count(strings.ToLower(string(raw)), `\ufffd`) {
			t.Errorf("%q is accepted and loses a character", raw)
		}
	})
}

// plainly reads an object as any JSON reader does, and takes any number.
func plainly(raw []byte) (members map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&members); err != nil {
		return nil, err
	}
	if !json.Valid(raw) {
		return nil, errors.New("something follows the object")
	}
	return members, nil
}

// twice reports whether an object in valid JSON has a name twice: there, fewer names are left than were written.
func twice(raw []byte) bool {
	var names []map[string]bool // of the open objects, nil for an array
	isValue := false
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		last := len(names) - 1
		inObject := last >= 0 && names[last] != nil
		if name, is := token.(string); is && inObject && !isValue {
			if names[last][name] {
				return true
			}
			names[last][name], isValue = true, true
			continue
		}
		isValue = false
		switch token {
		case json.Delim('{'):
			names = append(names, map[string]bool{})
		case json.Delim('['):
			names = append(names, nil)
		case json.Delim('}'), json.Delim(']'):
			names = names[:last]
		}
	}
}

// TestManyNames has objects of more names than are compared one by one.
func TestManyNames(t *testing.T) {
	for _, n := range []int{fewNames - 1, fewNames, fewNames + 1, 100, 3000} {
		body := `{"many":{`
		for i := range n {
			body += fmt.Sprintf(`"n%d":[%d,{"n0":null}],`, i, i)
		}
		if _, err := object([]byte(body + `"last":1}}`)); err != nil {
			t.Errorf("%d names: %v", n, err)
		}
		for _, again := range []int{0, n / 2, n - 1} {
			_, err := object(fmt.Appendf(nil, `%s"\u006e%d":1}}`, body, again))
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf(`"n%d"`, again)) {
				t.Errorf("%d names and the one of %d again: %v", n, again, err)
			}
		}
	}
}

func TestEveryInvalidFieldIsNamedOnce(t *testing.T) {
	var body createResellerBody
	given, err := object([]byte(`{
		"username": "a b",
		"password": 12345678,
		"is_master": 2,
		"credits": "1e999999999",
		"country": "   ",
		"email": "nobody",
		"language": null,
		"Notes": 5,
		"whatsapp": "` + strings.Repeat("9", 65) + `"
	}`))
	if err != nil {
		t.Fatal(err)
	}
	err = bind(given, &body)
	invalid, ok := err.(*invalidFields) //nolint:errorlint // the writer looks for this very type
	if !ok {
		t.Fatalf("got %v", err)
	}
	var got []string
	for _, v := range invalid.violations {
		got = append(got, v.Pointer+" "+v.Code)
	}
	want := []string{
		"/username bad-username", "/password wrong-type", "/is_master bad-value", "/credits too-large",
		"/whatsapp too-long", "/country required", "/email bad-email",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestIsMasterCountsByValue(t *testing.T) {
	for literal, want := range map[string]string{`1`: "1", `0`: "0", `1.0`: "1", `-0`: "0", `10e-1`: "1", `2`: "2", `1e999999999`: "1e999999999", `0.99999999999999999999`: "0.99999999999999999999", `1e-400`: "1e-400", `-1`: "-1"} {
		var f flag
		if !f.read(json.RawMessage(literal)) || f.literal != want {
			t.Errorf("%s: got %q, want %q", literal, f.literal, want)
		}
	}
}
