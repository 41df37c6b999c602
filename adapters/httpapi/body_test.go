package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"resellerd/application/lines"
	"resellerd/test/expect"
)

func TestObject(t *testing.T) {
	many := `{"many":{`
	for i := range 3000 {
		many += fmt.Sprintf(`"n%d":[%d,{"n0":null}],`, i, i)
	}
	for _, row := range []struct {
		name, body, wrong string // "": nothing
	}{
		{"empty object", `{}`, ""},
		{"pair of surrogates", `{"a":"\ud83d\ude00"}`, ""},
		{"nothing", ``, "empty"},
		{"array", `[1]`, "not a JSON object in braces but an array."},
		{"cut off", `{"a":1`, "byte 7: it ends before"},
		{"comment", `{"a":1/**/}`, "byte 7: JSON has no comments"},
		{"byte order mark", "\ufeff{}", "begins with a byte order mark"},
		{"a long name twice", `{"` + strings.Repeat("x", 9000) + `":1,"` + strings.Repeat("x", 9000) + `":1}`, `name "` +
			strings.Repeat("x", 64) + `" twice`},
		{"high surrogate alone", `{"a":"\ud83d"}`, "Unicode"},
		{"name twice deep down", `{"a":[0,{"b":{"c":1,"d":[],"c":2}}]}`, "twice"},
		{"a trailing comma", `{"a":1,}`, "byte 7: a comma is right before the end"},
		{"a trailing comma in a member that is known", "{\n\"labels\":{\"a\":\"1\", }}",
			"byte 20, in line 2: a comma is right before the end"},
		{"single quotes", `{'a':1}`, "byte 2: names and texts need double quotes"},
		{"a decimal comma", `{"a":1,5}`, "byte 8: the decimal separator of a number is a point"},
		{"a backslash in a text", `{"a":"C:\Users"}`, `byte 9: a backslash in a text is written as \\`},
		{"a line break in a text", "{\"a\":\"b\n\"}", "byte 8: a line break, a tab or another control character"},
		{"a control character in a name", "{\"a\x01\":1}", "a line break, a tab or another control character"},
		{"a control character between values", "{\x01}", "byte 2: a name, or a text, needs double quotes"},
		{"no value before a comma", `{"a":,1}`, "byte 6: a value is missing before this comma"},
		{"arrays without an end", `{"x":` + strings.Repeat("[", 60_000), "nested too deeply"},
		{"deeper than any client needs", strings.Repeat(`{"a":`, 20_000) + `1` + strings.Repeat(`}`, 20_000),
			"nested too deeply"},
		{"a member of another case", `{"a":1,"A":1}`, ""},
		{"a name twice in a member that is known", `{"labels":{"a":"1","a":"2"}}`, `the name "a" twice`},
		{"half a surrogate in a member that is known", `{"labels":{"a":"\ud83d"}}`, "Unicode"},
		{"one of many names twice", many + `"\u006e2999":1}}`, `the name "n2999" twice`},
	} {
		var body struct {
			Known  text     `json:"known"`
			Labels metadata `json:"labels"`
		}
		err := readObject([]byte(row.body), &body)
		expect.Equal(t, err == nil, row.wrong == "", "%s is read without %v", row.name, err)
		expect.Contains(t, fmt.Sprint(err), row.wrong, "%s", row.name)
	}
}

// plainly reads an object as other JSON readers do, with any number.
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

// TestMemoryOfATableIsBoundedByItsRows, however long the names of its columns are, and however many rows there are.
func TestMemoryOfATableIsBoundedByItsRows(t *testing.T) {
	header := strings.Join(importColumns.Required, ",") + "," + strings.Repeat("x", 100_000) + "\n"
	rows, err := rowsOfTable([]byte(header + strings.Repeat("a,,,b\n", lines.MostImported)))
	must(t, err)
	expect.Equal(t, len(rows), lines.MostImported, "rows")
	expect.Equal(t, string(rows[0].text), `{"username":"a"}`, "the first row")
	rows, err = rowsOfTable([]byte(header + strings.Repeat("a,,,b\n", 10*lines.MostImported)))
	must(t, err)
	expect.Equal(t, len(rows), lines.MostImported+1, "rows that are read")
}
