package acceptance

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"testing"

	"resellerd/test/api"
)

// TestExportsAndSearchesWhileLinesComeAndGo has both see each line once that is there throughout, with its texts as
// they are, while another client makes and removes lines between these.
func TestExportsAndSearchesWhileLinesComeAndGo(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		master := srv.Admin(t).Master(t, "100")
		const note = "Ver À = \"tarde\", שלום\n+55 👩‍👩‍👧"
		var stay, leave []line
		for i := range 300 {
			if l := master.Trial(t); i%3 > 0 {
				stay = append(stay, l)
				master.Send(t, "PATCH", api.Path("/lines", l.ID, "/details"),
					fields{"notes": note, "external_id": fmt.Sprintf("=%d", i)}).Is(200)
			} else {
				leave = append(leave, l)
			}
		}
		ended, all := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(all)
			for _, l := range leave {
				select {
				case <-ended:
					return
				default:
					master.DeleteLine(t, l.ID).Is(200)
					master.Trial(t)
				}
			}
		}()
		for range 3 {
			text := master.Send(t, "GET", "/exports/lines", nil).Is(200).Body
			rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff")))).ReadAll() // as another program
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]int{}
			for _, row := range rows[1:] {
				seen[row[0]]++
			}
			for i, l := range stay {
				id := fmt.Sprint(l.ID)
				at := slices.IndexFunc(rows, func(row []string) bool { return row[0] == id })
				if seen[id] != 1 || rows[at][3] != l.Password || rows[at][9] != fmt.Sprintf("'=%d", i/2*3+1+i%2) ||
					rows[at][11] != note {
					t.Fatalf("line %s was exported %d times, last as %q", id, seen[id], rows[at])
				}
			}
			objects := bytes.Split(
				bytes.TrimSpace(master.Send(t, "GET", "/exports/lines?format=ndjson&q=TARDE", nil).Is(200).Body), []byte{'\n'})
			if len(objects) != len(stay) {
				t.Fatalf("%d lines were exported by a search, want %d", len(objects), len(stay))
			}
			for i, object := range objects {
				var l struct {
					ID    int64
					Notes string
				}
				if err := json.Unmarshal(object, &l); err != nil || l.ID != stay[i].ID || l.Notes != note {
					t.Fatalf("a search exports %s, error %v", object, err)
				}
			}
			found := master.Walk(t, "/lines?q="+url.QueryEscape("à = \""), 7, func() {})
			if len(found) != len(stay) || found[0] != stay[0].ID {
				t.Fatalf("a search finds %d lines, want %d", len(found), len(stay))
			}
		}
		close(ended)
		<-all
	})
}

// TestSearchesOfAccounts looks for parts of texts with and without their accents, page by page.
func TestSearchesOfAccounts(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		master := sharedServer(t, s).Admin(t).Master(t, "0")
		var want []int64
		for i := range 30 {
			r := master.Create(t,
				fields{"username": api.Unique("JOÃO"), "notes": []string{"cliente de São Paulo", "sao paulo", "Recife"}[i%3]})
			if i%3 < 2 {
				want = append(want, r.ID)
			}
		}
		for _, part := range []string{"sao p", "SÃO P", "Sa\u0303o p"} {
			if found := master.Walk(t, api.Query("/users", "q", part), 7, func() {}); !slices.Equal(found, want) {
				t.Errorf("%q finds the accounts %v, want %v", part, found, want)
			}
		}
		if found := master.Walk(t, "/users?q=joao", 7, func() {}); len(found) != 30 {
			t.Errorf("joao finds %d accounts, want 30", len(found))
		}
	})
}
