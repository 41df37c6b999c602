package sheet_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"resellerd/adapters/sheet"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// texts are notes of users and attackers.
var texts = []string{
	"", " ", "a", " a ", "+5511987654321", "007", "'007", "0", "7", "'7", "1E+05", "'5,5E+12", "#N/A", "#REF!", "sep=|",
	"a\tb", "1e5", "1E+5", "3/4", "2026-01-31", "1-2", "1234567890123456", "2.5", "=cmd|'/c calc'!A0", "-1", "-2.5", "-2.",
	"-1+1", "-", "'-1", "@home", "'", "''", "'a", "'=1", "''=1", "\t1",
	"a,b", "a;b", `"`, `""`, `a"b`, "a\nb", "\n", "\ufeff", "👩‍👩‍👧", "שלום, עולם", "مرحبا", "1;2", "'\n",
	"＝1+1", "＋1", "－1", "＠home", "'＝1", " =1", "\u00a0 ＝1", "\ufeff=1", "\u0001@a", "' =1", "\n=1", "a=1", "a＝1", " -1",
	"−1", "\u200b+1",
}

func write(t testing.TB, header []string, rows ...[]string) string {
	t.Helper()
	var out bytes.Buffer
	w := sheet.NewWriter(&out, header...)
	for _, row := range rows {
		require.NoError(t, w.Write(row))
	}
	require.NoError(t, w.Flush())
	return out.String()
}

// wantTable reads a table and compares it with rows. Rows without text are skipped.
func wantTable(t testing.TB, text string, header []string, rows [][]string) {
	t.Helper()
	rows = slices.DeleteFunc(slices.Clone(rows), func(row []string) bool { return strings.Join(row, "") == "" })
	gotHeader, got, err := readAll(text)
	if err != nil {
		t.Fatalf("read %q: %v", text, err)
	}
	if diff := cmp.Diff(append([][]string{header}, rows...), append([][]string{gotHeader}, got...)); diff != "" {
		t.Fatalf("read %q (-want +got):\n%s", text, diff)
	}
}

func readAll(text string) (header []string, rows [][]string, err error) {
	return readColumns(text, sheet.Columns{})
}

func readColumns(text string, columns sheet.Columns) (header []string, rows [][]string, err error) {
	r, err := sheet.Open(strings.NewReader(text), columns)
	if err != nil {
		return nil, nil, err
	}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return r.Header(), rows, nil
		}
		if err != nil {
			return r.Header(), rows, err
		}
		rows = append(rows, row)
	}
}

func TestWritesTheFormOfSpreadsheetPrograms(t *testing.T) {
	const want = "\ufeffid,notes\r\n1,\r\n2,\"a \"\"b\"\"\"\r\n'+55,\"'=1,2\"\r\n\"''\n\",\" x\"\r\n"
	got := write(t, []string{"id", "notes"}, []string{"1", ""}, []string{"2", `a "b"`}, []string{"+55", "=1,2"},
		[]string{"'\n", " x"})
	expect.Equal(t, got, want, "wrote")
}

// TestFragileTextsGetAnApostrophe and numbers that can be summed up do not.
func TestFragileTextsGetAnApostrophe(t *testing.T) {
	for _, text := range []string{"007", "1E5", "1e+05", "1.5E3", "1E+05", "#N/A", "3/4", "1-2", "2026-01-31",
		"31/01/2027", "1234567890123456"} {
		expect.Equal(t, sheet.Guard(text), "'"+text, "%q is written as", text)
	}
	for _, text := range []string{"0", "7", "12.5", "-2.5", "0.5", "5511912345678", "123456789012345", "1E", "E5", "a1-2",
		"2026-01-31T00:00:00.000Z", "true"} {
		expect.Equal(t, sheet.Guard(text), text, "%q is written as", text)
	}
}

// TestNoCellIsAFormula in a file as a spreadsheet program reads it.
func TestNoCellIsAFormula(t *testing.T) {
	for _, text := range texts {
		line := strings.TrimPrefix(write(t, []string{"n"}, []string{text}), "\ufeffn\r\n")
		cell := strings.TrimLeft(strings.TrimPrefix(strings.TrimSuffix(line, "\r\n"), `"`), " \u00a0\u200b\ufeff\x00\n")
		if cell == "" || text == "-1" || text == "-2.5" { // which are numbers
			continue
		}
		if first, _ := utf8.DecodeRuneInString(cell); strings.ContainsRune("=+-@＝＋－＠\t\r", first) {
			t.Errorf("%q was written as %q", text, line)
		}
	}
}

func TestReadsTheFormsOfSpreadsheetPrograms(t *testing.T) {
	wide := func(text string) string {
		out := []byte("\xff\xfe")
		for _, unit := range utf16.Encode([]rune(text)) {
			out = binary.LittleEndian.AppendUint16(out, unit)
		}
		return string(out)
	}
	want := [][]string{{"1", "+55", "João\n2"}, {"2", "", ""}}
	for name, text := range map[string]string{
		"without a mark, LF":   "id,tel,notes\n1,+55,\"João\n2\"\n2,,\n",
		"a mark, semicolons":   "\ufeffid;tel;notes\r\n1;+55;\"João\r\n2\"\r\n2;;\r\n",
		"tabs":                 "id\ttel\tnotes\n1\t+55\t\"João\n2\"\n2\t\t\n",
		"sep":                  "sep=;\r\nid;tel;notes\r\n1;+55;\"João\r\n2\"\r\n2;;\r\n",
		"UTF-16, as of Excel":  wide("id\ttel\tnotes\r\n1\t+55\t\"João\n2\"\r\n2\t\t\r\n"),
		"rows without text":    "id,tel,notes\n1,+55,\"João\n2\"\n,,\n2,,\n,,\n\"\",,\n",
		"columns without text": "id,tel,notes,,\n1,+55,\"João\n2\",,\n2,,,,\n",
	} {
		t.Run(name, func(t *testing.T) { wantTable(t, text, []string{"id", "tel", "notes"}, want) })
	}
}

func TestNamesOfColumnsIgnoreCaseSpacesAndUnderscores(t *testing.T) {
	columns := sheet.Columns{Known: []string{"external_id", "expDate", "notes"},
		Required: []string{"external_id", "expDate"}}
	header, rows, err := readColumns("External ID;Plan;EXP_DATE;;Notes \n1;gold;2;;3\n", columns)
	if diff := cmp.Diff([][]string{{"external_id", "Plan", "expDate", "", "notes"}, {"1", "gold", "2", "", "3"}},
		append([][]string{header}, rows...)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for text, want := range map[string]string{
		"My customers,,\n\nexternal id,expdate\n1,2\n": `row 1 is no header: it has "My customers". The names of the columns are in row 3: delete what is above them.`,
		"external_id,Plan,Notes\n1,2,3\n":              `row 1 has no column expDate. It has "external_id", "Plan", "Notes".`,
		"1,2\n3,4\n":                                   `row 1 has no column external_id, expDate. It has "1", "2".`,
		"e\x00x\x00\n\x00":                             "row 1 is not UTF-8: save the table as CSV in UTF-8.",
	} {
		if _, _, err := readColumns(text, columns); err == nil || err.Error() != want {
			t.Errorf("reading %q: %v, want %s", text, err, want)
		}
	}
}

// TestAlteredCellsAreReported unless they begin with an apostrophe.
func TestAlteredCellsAreReported(t *testing.T) {
	for column, altered := range map[string]string{
		"1E+05 a 1e+05 5.5E+12 1E5 '1E+05 5,5E+12":      "1E+05 5.5E+12 5,5E+12",
		"#N/A #REF! #NAME? #1 # '#N/A #N/D #DIV/0! #NV": "#N/A #REF! #NAME? #N/D #DIV/0! #NV",
		"0123 1 12345 4567 '12 0 00 x12":                "1",
		"'0123 1":                                       "", // as Writer writes it
	} {
		r, err := sheet.Open(strings.NewReader("c;d\n"+strings.ReplaceAll(column, " ", "\n")), sheet.Columns{})
		require.NoError(t, err)
		var got []string
		for {
			cells, err := r.Read()
			if err != nil {
				break
			}
			if why := r.Altered(0); why != "" {
				got = append(got, cells[0])
			}
		}
		expect.Equal(t, strings.Join(got, " "), altered, "of %s were altered", column)
	}
}

func TestNamesTheRowThatItCannotRead(t *testing.T) {
	const quote = "has a quote that is not closed, or a quoted cell that goes on after its last quote."
	for text, want := range map[string]string{
		"":                                   "row 1 is missing: a table begins with the names of its columns.",
		"a,b\n1,2\n\n3,,4\n":                 "row 4 has 3 cells, and the header 2.",
		strings.Repeat("a,", 256) + "a":      "row 1 has more than 256 columns.",
		"a,b\n1,\"x\n":                       "row 2 " + quote,
		"a,b\n1,\xff\n":                      "row 2 is not UTF-8: save the table as CSV in UTF-8.",
		"a\n\"" + strings.Repeat("x\n", 1e6): "row 2 is longer than 1048576 bytes.",
	} {
		_, _, err := readAll(text)
		if wrong, is := errors.AsType[*sheet.Error](err); !is || wrong.Error() != want {
			t.Errorf("reading %.20q: %v, want %s", text, err, want)
		}
	}
}

// FuzzSheet checks that Reader returns each table that Writer has written: any cells, and any table that Reader can
// read.
func FuzzSheet(f *testing.F) {
	for _, text := range texts {
		f.Add(text, "x", text+"\n'")
	}
	f.Add("a;b\n1;2", "\ufeffa,b\r\n", "a\n\"\n\"")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if header, rows, err := readAll(a); err == nil {
			wantTable(t, write(t, header, rows...), header, rows)
		}
		cells := []string{a, b, c}
		if slices.ContainsFunc(cells, func(s string) bool {
			return !utf8.ValidString(s) || len(s) > 1000 || strings.ContainsAny(s, "\r\x00")
		}) {
			return
		}
		for _, rows := range [][][]string{{{a}, {b}, {c}}, {cells, {c, b, a}}} {
			header := []string{"x", "y", "z"}[:len(rows[0])]
			wantTable(t, write(t, header, rows...), header, rows)
		}
	})
}
