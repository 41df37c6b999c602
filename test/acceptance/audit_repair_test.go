package acceptance

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// TestAuditRepairsLists damages data that a store derives from its records: the audit finds it and a repair mends it. A
// damaged record is still found.
func TestAuditRepairsLists(t *testing.T) {
	forEachForger(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		admin := srv.Admin(t)
		master := admin.Master(t, "10")
		master.Official(t)
		srv.SignIn(t, master.Username, master.Password)
		for range 64 { // SQLite enters so many entries of the journal in lists together
			admin.Fund(t, master.ID, 1).Is(200)
		}
		srv.stop(t)
		srv.audit(t).well()
		lists := []string{"account_lists", "line_ids", "line_names", "journal_lists", "record_index", "journal_figures"}
		if s.name == sqlite.name {
			sqliteRecords{srv.dir}.run(t, "DELETE FROM account_lists WHERE account = 2", "DELETE FROM line_ids",
				"INSERT INTO line_names VALUES (2, 'x', 1)", "DELETE FROM journal_lists WHERE seq = 9",
				"DELETE FROM record_index", "UPDATE journal_figures SET trials = trials + 1")
			if status, stdout, _ := srv.command(t, "backup", "--dir", t.TempDir()); status != 3 {
				t.Errorf("a backup of damaged lists ended with status %d:\n%s", status, stdout)
			}
		} else {
			lists = []string{"account_names", "line_names", "record_index", "figures"}
			onMongoDB(t, srv.dir, func(ctx context.Context, db *mongo.Database) error {
				all := bson.D{}
				_, err1 := db.Collection("account_names").DeleteOne(ctx, bson.D{{Key: "holder", Value: int64(2)}})
				_, err2 := db.Collection("line_names").InsertOne(ctx,
					bson.D{{Key: "_id", Value: "x"}, {Key: "holder", Value: int64(1)}})
				_, err3 := db.Collection("record_index").DeleteMany(ctx, all)
				_, err4 := db.Collection("figures").UpdateMany(ctx, all,
					bson.D{{Key: "$inc", Value: bson.D{{Key: "trials", Value: int64(1)}}}})
				return errors.Join(err1, err2, err3, err4)
			})
		}
		if v := srv.audit(t); v.status != 3 || len(v.findings) < len(lists) {
			t.Fatalf("the audit of damaged lists ended with status %d:\n%s", v.status, v)
		}
		v := srv.audit(t, "--repair-lists")
		if v.status != 0 || len(v.findings) != len(lists) {
			t.Fatalf("the repair ended with status %d:\n%s", v.status, v)
		}
		for i, list := range lists {
			if !strings.HasPrefix(v.findings[i], "repaired "+list+": ") {
				t.Errorf("the repair printed %q, want one of %s", v.findings[i], list)
			}
		}
		srv.audit(t).well()
		if s.name == sqlite.name {
			srv.backup(t, t.TempDir())
		}
		if v := srv.audit(t, "--repair-lists"); v.status != 0 || len(v.findings) != 1 ||
			v.findings[0] != "repaired nothing: no list differs from the records" {
			t.Errorf("the repair of a sound store ended with status %d:\n%s", v.status, v)
		}
		s.left(srv.dir).forge(t, change(movementRecord, 2, map[string]any{"notes": "forged"}))
		if v := srv.audit(t, "--repair-lists"); v.status != 3 || len(v.findings) < 2 {
			t.Errorf("the repair of a store with a forged movement ended with status %d:\n%s", v.status, v)
		}
	})
}
