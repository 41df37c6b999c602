package sheet_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"resellerd/adapters/sheet"
)

// texts are what people and attackers write into notes.
var texts = []string{
	"", " ", "a", " a ", "+5511987654321", "007", "=cmd|'/c calc'!A0", "-1", "-2.5", "-2.", "-1+1", "-", "'-1", "@home", "'", "''", "'a", "'=1", "''=1", "\t1", "\r1",
	"a,b", "a;b", `"`, `""`, `a"b`, "a\nb", "a\r\nb", "a\rb", "\n", "\r\n", "\r", "\ufeff", "👩‍👩‍👧", "שלום, עולם", "مرحبا", "\x00", "1;2", "'\n",
	"＝1+1", "＋1", "－1", "＠home", "'＝1", " =1", "\u00a0 ＝1", "\ufeff=1", "\x00@a", "' =1", "\n=1", "a=1", "a＝1", " -1", "−1", "\u200b+1",
}

func write(t testing.TB, header []string, rows ...[]string) string {
	t.Helper()
	var out bytes.Buffer
	w := sheet.NewWriter(&out, header...)
	for _, row := range rows {
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// expect reads a table and compares it.
func expect(t testing.TB, text string, header []string, rows [][]string) {
	t.Helper()
	gotHeader, got, err := readAll(text)
	if err != nil {
		t.Fatalf("read %q: %v", text, err)
	}
	if diff := cmp.Diff(append([][]string{header}, rows...), append([][]string{gotHeader}, got...)); diff != "" {
		t.Fatalf("read %q (-want +got):\n%s", text, diff)
	}
}

func readAll(text string) (header []string, rows [][]string, err error) {
	r, err := sheet.NewReader(strings.NewReader(text))
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

func TestWritesWhatSpreadsheetProgramsOpen(t *testing.T) {
	const want = "\ufeffid,notes\r\n1,\r\n2,\"a \"\"b\"\"\"\r\n'+55,\"'=1,2\"\r\n\"''\r\n\",\" x\"\r\n"
	got := write(t, []string{"id", "notes"}, []string{"1", ""}, []string{"2", `a "b"`}, []string{"+55", "=1,2"}, []string{"'\r\n", " x"})
	if got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
	w := sheet.NewWriter(io.Discard, "id", "notes")
	if err := w.Write([]string{"1"}); err == nil {
		t.Error("a row of one cell was written into a table of two columns")
	}
}

func TestReadsWhatItWrote(t *testing.T) {
	for _, columns := range []int{1, 2, 3} {
		var rows [][]string
		for i := range texts {
			row := make([]string, columns)
			for j := range row {
				row[j] = texts[(i*(j+1)+j)%len(texts)]
			}
			rows = append(rows, row)
		}
		header := []string{";", "\ufeff'=", "\r\n"}[:columns]
		expect(t, write(t, header, rows...), header, rows)
	}
}

// No cell begins with what a spreadsheet program would run, in a file as it sees it.
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

func TestReadsTablesOfOtherPrograms(t *testing.T) {
	want := [][]string{{"1", "+55"}, {"2", ""}}
	for name, text := range map[string]string{
		"without a mark, LF":    "id,tel\n1,+55\n2,\n",
		"no end":                "id,tel\r\n1,+55\r\n2,",
		"a mark, semicolons":    "\ufeffid;tel\r\n1;+55\r\n2;\r\n",
		"all quoted":            "\"id\",\"tel\"\n\"1\",\"+55\"\n\"2\",\"\"\n",
		"blank lines":           "\n\nid,tel\n1,+55\n\n2,\n\n\n",
		"CR":                    "id,tel\r1,+55\r2,\r",
		"quoted and semicolons": "\"id\";tel\n1;\"'+55\"\n2;\n",
	} {
		t.Run(name, func(t *testing.T) { expect(t, text, []string{"id", "tel"}, want) })
	}
}

func TestNamesTheRowThatItCannotRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "row 1 is missing: a table begins with the names of its columns.",
		"\n\n":                           "row 1 is missing: a table begins with the names of its columns.",
		"a,b,a\n":                        `row 1 has two columns named "a".`,
		"a,b\n1,2\n\n3\n":                "row 4 has 1 cells, and the header 2.",
		"a,b\n\"x\ny\",2\n3,4,5\n":       "row 3 has 3 cells, and the header 2.",
		"a,b\n1,x\"y\n2,\"\n":            "row 2 has a quote within a cell that does not begin with one.",
		"a,b\n1,\"x\n":                   "row 2 has a quote that is not closed.",
		"a,b\n1,\"x\"y\n":                "row 2 has a quoted cell that goes on after its last quote.",
		"a,b\n1,\xff\n":                  "row 2 is not UTF-8: save the table as CSV in UTF-8.",
		"a\n" + strings.Repeat("x", 2e6): "row 2 is longer than 1048576 bytes.",
	} {
		_, _, err := readAll(text)
		if wrong, is := errors.AsType[*sheet.Error](err); !is || wrong.Error() != want {
			t.Errorf("reading %.20q: %v, want %s", text, err, want)
		}
	}
}

func TestReturnsTheErrorOfItsSource(t *testing.T) {
	broken := errors.New("broken")
	_, err := sheet.NewReader(io.MultiReader(strings.NewReader("a,b"), errorReader{broken}))
	if !errors.Is(err, broken) {
		t.Errorf("reading: %v, want %v", err, broken)
	}
	w := sheet.NewWriter(errorWriter{broken}, "a")
	if err := w.Flush(); !errors.Is(err, broken) {
		t.Errorf("flushing: %v, want %v", err, broken)
	}
	if err := w.Write([]string{"b"}); !errors.Is(err, broken) {
		t.Errorf("writing: %v, want %v", err, broken)
	}
}

type errorReader struct{ error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.error }

type errorWriter struct{ error }

func (w errorWriter) Write([]byte) (int, error) { return 0, w.error }

// Whatever is written is read again, and whatever is read is read again when it is written.
func FuzzSheet(f *testing.F) {
	for _, text := range texts {
		f.Add(text, "x", text+"\n'")
	}
	f.Add("a;b\n1;2", "\ufeffa,b\r\n", "a\n\"\n\"")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if header, rows, err := readAll(a); err == nil {
			expect(t, write(t, header, rows...), header, rows)
		}
		cells := []string{a, b, c}
		if slices.ContainsFunc(cells, func(s string) bool { return !utf8.ValidString(s) || len(s) > 1000 }) {
			return
		}
		for _, rows := range [][][]string{{{a}, {b}, {c}}, {cells, {c, b, a}}} {
			header := []string{"x", "y", "z"}[:len(rows[0])]
			expect(t, write(t, header, rows...), header, rows)
		}
	})
}
