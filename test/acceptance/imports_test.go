package acceptance

import (
	"path/filepath"
	"strings"
	"testing"

	"resellerd/test/api"
)

// threeImported are rows of lines that a service takes over.
type threeImported struct {
	rows string
	kept int64 // id of one that was extended; another one was extended and deleted
}

// takesOver imports lines, and does with two of them what is done with lines.
func (s *server) takesOver(t *testing.T) (all threeImported) {
	t.Helper()
	admin := s.Admin(t)
	owner := admin.Master(t, "10")
	var rows []string
	for range 3 {
		rows = append(rows,
			string(api.Encode(t, api.With(api.NewImport(), fields{"owner": owner.ID, "metadata": fields{"plan": "gold"}}))))
	}
	all.rows = strings.Join(rows, "\n")
	admin.Send(t, "POST", "/imports/lines?dry_run=true", all.rows).Is(200).Has(fields{"created": 3})
	admin.Send(t, "POST", "/imports/lines", all.rows).Is(200).Exactly(fields{"created": 3, "updated": 0, "unchanged": 0,
		"refused": []any{}})
	admin.Send(t, "POST", "/imports/lines", all.rows).Is(200).Exactly(fields{"created": 0, "updated": 0, "unchanged": 3,
		"refused": []any{}})
	ids := owner.Get(t, "/lines").IDs()
	for _, id := range ids[:2] {
		owner.Send(t, "PATCH", api.Path("/lines/extend", id), fields{"credits": 1}).Is(200).Has(fields{"origin": "imported"})
	}
	owner.DeleteLine(t, ids[0]).Is(200)
	all.kept = ids[1]
	all.there(t, s)
	return all
}

// there fails unless a service has the lines as they were left.
func (all threeImported) there(t *testing.T, s *server) {
	t.Helper()
	admin := s.Admin(t)
	admin.Get(t, "/ledger/proof").Has(fields{"imported": 2, "issued": "10", "consumed": "2", "balances": "8",
		"balanced": true})
	admin.Get(t, api.Path("/lines", all.kept)).Has(fields{
		"origin": "imported", "isTrial": 0, "password": "s3cret-there", "expDate": "2027-07-30T12:00:00.000Z",
	})
	// the one that is gone, the extended one, and the third
	report := admin.Send(t, "POST", "/imports/lines?dry_run=true", all.rows).Is(200)
	report.Has(fields{"created": 1, "updated": 0, "unchanged": 1})
}

// audited fails unless an audit accepts the lines, and counts them.
func (all threeImported) audited(t *testing.T, s *server) {
	t.Helper()
	v := s.audit(t)
	v.well()
	if !strings.HasSuffix(v.summary, "; 2 lines were imported") {
		t.Errorf("the audit tells of no imported lines: %s", v.summary)
	}
}

// TestImportedLinesAreCopied between all kinds of stores.
func TestImportedLinesAreCopied(t *testing.T) {
	forEachPair(t, func(t *testing.T, from, to store) {
		source, target := withSecret(t, from), withSecret(t, to)
		source.start(t)
		all := source.takesOver(t)
		source.stop(t)
		all.audited(t, source)
		source.copyTo(t, target).well()
		all.audited(t, target)
		target.start(t)
		all.there(t, target)
		target.stop(t)
	})
}

func TestImportedLinesOutliveARestore(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	all := srv.takesOver(t)
	b := srv.backup(t, filepath.Join(t.TempDir(), "backups"), "--with-key")
	srv.stop(t)
	restored := srv.restore(t, b.File)
	all.audited(t, restored)
	restored.start(t)
	all.there(t, restored)
	restored.stop(t)
}

func TestImportedLinesOutliveTheServiceKey(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, map[string]string{"RESELLERD_SECRET": oldKey})
	all := srv.takesOver(t)
	srv.stop(t)
	srv.env["RESELLERD_SECRET"], srv.env["RESELLERD_SECRET_PREVIOUS"] = newKey, oldKey
	srv.rekeys(t)
	delete(srv.env, "RESELLERD_SECRET_PREVIOUS")
	all.audited(t, srv)
	srv.start(t)
	all.there(t, srv)
	srv.stop(t)
}
