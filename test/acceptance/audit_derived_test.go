package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"resellerd/domain/credit"
	"resellerd/test/api"
)

// TestAuditNamesWhatOtherRecordsContradict leaves the movements alone, and changes
// what no movement records and other records tell of all the same.
func TestAuditNamesWhatOtherRecordsContradict(t *testing.T) {
	forEachForger(t, testAuditNamesWhatOtherRecordsContradict)
}

func testAuditNamesWhatOtherRecordsContradict(t *testing.T, s store) {
	l := newLedgerOfMany(t, s)
	newAdmin := api.Reseller{ID: l.idle.ID + 1}
	paid, other, buried := l.stored.lines[l.paid.ID], l.stored.lines[l.other.ID], l.stored.charge(t, l.buried.ID)
	insertAdmin := func(hash string) []string {
		given := fmt.Sprintf("UPDATE sequences SET next = %d WHERE name = 'accounts'", newAdmin.ID+1)
		return []string{given,
			fmt.Sprintf(
				`INSERT INTO accounts SELECT %d, '/%[1]d/', 'admin', 'Ghost', 'ghost', %s, token, country, whatsapp, telegram, email, notes,
			language, 0, 0, zeroblob(32), recharged_at, 0, '[]', created_at, updated_at, 1, NULL, NULL, 1, NULL FROM accounts WHERE id = 1`, newAdmin.ID, hash)}
	}
	adminOnMongoDB := func(change func(d bson.D) bson.D) tampering {
		return together(again(accountRecord, 1, newAdmin.ID), rewrite(accountRecord, newAdmin.ID, func(d bson.D) bson.D {
			d = set(set(d, []string{"path"}, bson.A{newAdmin.ID}), []string{"username"}, "Ghost")
			d = set(set(d, []string{"username_key"}, "ghost"), []string{"version"}, int64(1))
			d = set(set(d, []string{"ledger", "seq"}, int64(0)), []string{"ledger", "link"}, make([]byte, 32))
			return change(d)
		}), insertInto("account_names", bson.D{{Key: "_id", Value: "ghost"}, {Key: "holder", Value: newAdmin.ID}}))
	}
	sql := func(format string, args ...any) []string { return strings.Split(fmt.Sprintf(format, args...), ";\n") }
	const vanish = "DELETE FROM lines WHERE id = %[1]d;\nDELETE FROM line_ids WHERE line = %[1]d;\nDELETE FROM line_expiries WHERE line = %[1]d;\nDELETE FROM line_names WHERE line = %[1]d"
	tombstone := func(line, charge, actor int64) (statements []string, does tampering) {
		d := bson.D{{Key: "_id", Value: line}, {Key: "charge", Value: charge}, {Key: "actor", Value: actor},
			{Key: "at", Value: l.stored.movement(t, l.last).At}}
		return sql("INSERT INTO tombstones VALUES (%d, %d, %d, 0, NULL)", line, charge, actor), insertInto("tombstones", d)
	}
	nameOf := func(id int64) string {
		if s.name == sqlite.name {
			return ""
		}
		return l.fieldOf(t, lineRecord, id, "username_key").StringValue()
	}
	paidName := nameOf(l.paid.ID)
	stillThere, stillThereOnMongoDB := tombstone(l.paid.ID, paid.charge, l.leaf.ID)
	neverGiven, neverGivenOnMongoDB := tombstone(999_999, buried, l.leaf.ID)
	type row struct {
		name   string
		sqlite []string
		mongo  tampering
		names  []string // none: nobody can tell
		says   string
		loose  bool
	}
	rows := []row{
		{"an admin with the password of another", insertAdmin("password_hash"), adminOnMongoDB(func(d bson.D) bson.D {
			return d
		}),
			[]string{accountNamed(newAdmin)}, "password hash of account 1", false},
		{"an admin with a password of its own", insertAdmin("'$argon2id$another'"), adminOnMongoDB(func(d bson.D) bson.D {
			return set(d, []string{"password_hash"}, "$argon2id$another")
		}), nil, "", false},
		{"a master made a reseller", sql("UPDATE accounts SET role = 'reseller' WHERE id = %d", l.master.ID),
			setTo(accountRecord, l.master.ID, "role", "reseller"),
			[]string{accountNamed(l.child), accountNamed(l.idle), movement(l.middle)}, "by their roles and places", true},
		{"a reseller made a master", sql("UPDATE accounts SET role = 'master' WHERE id = %d", l.leaf.ID),
			setTo(accountRecord, l.leaf.ID, "role", "master"), nil, "", false},

		{"no sequence", sql("DELETE FROM sequences"), removeFrom("sequences", bson.D{}),
			[]string{"account 1", "movement 1", "sequence movements"}, "goes on with 1", true},
		{"ids of lines set back", sql("UPDATE sequences SET next = %d WHERE name = 'lines'", l.paid.ID),
			setTo("sequences", "lines", "given", max(l.paid.ID-1, 1)),
			[]string{movement(other.charge)}, "was not given yet", true},
		{"ids of platforms set back", sql("UPDATE sequences SET next = %d WHERE name = 'platform'", other.platformID),
			setTo("sequences", "platform", "given", other.platformID-1),
			[]string{lineNamed(l.other)}, "platform id that was not given yet", true},
		{"a platform id twice", sql("UPDATE lines SET platform_id = %d WHERE id = %d", paid.platformID, l.other.ID),
			setTo(lineRecord, l.other.ID, "platform_id", paid.platformID),
			[]string{lineNamed(l.other)}, "another line has its platform id", false},

		{"a line compared by another name", sql("UPDATE lines SET username_key = 'another' WHERE id = %d", l.paid.ID),
			together(
				setTo(lineRecord, l.paid.ID, "username_key", "another"),
				removeFrom("line_names", bson.D{{Key: "_id", Value: paidName}}),
				insertInto("line_names", bson.D{{Key: "_id", Value: "another"}, {Key: "holder", Value: l.paid.ID}}),
			), []string{lineNamed(l.paid)}, "its name", false},
		{"an account shown by another name", sql("UPDATE accounts SET username = 'Another' WHERE id = %d", l.leaf.ID),
			setTo(accountRecord, l.leaf.ID, "username", "Another"),
			[]string{accountNamed(l.leaf)}, "its name", false},
		{"a name that is none", sql("UPDATE accounts SET username = 'a b', username_key = 'a b' WHERE id = %d", l.idle.ID),
			nil, []string{accountNamed(l.idle)}, "its name", false},

		{"an official line deleted", sql(vanish, l.paid.ID), together(
			removeFrom(lineRecord, bson.D{{Key: "_id", Value: l.paid.ID}}),
			removeFrom("line_names", bson.D{{Key: "holder", Value: l.paid.ID}}),
		), []string{movement(paid.charge)}, "has left no tombstone", true},
		{"a trial deleted", sql(vanish, l.trial.ID), together(
			removeFrom(lineRecord, bson.D{{Key: "_id", Value: l.trial.ID}}),
			removeFrom("line_names", bson.D{{Key: "holder", Value: l.trial.ID}}),
		), []string{}, "has left no tombstone", false}, // as the journal knows
		{"a tombstone taken away", sql("DELETE FROM tombstones WHERE line = %d", l.buried.ID),
			removeFrom("tombstones", bson.D{{Key: "_id", Value: l.buried.ID}}),
			[]string{movement(buried)}, "has left no tombstone", false},
		{"every tombstone taken away", sql("DELETE FROM tombstones"),
			command(bson.D{{Key: "delete", Value: "tombstones"}, {Key: "deletes", Value: bson.A{
				bson.D{{Key: "q", Value: bson.D{}}, {Key: "limit", Value: 0}},
			}}}), []string{movement(buried)}, "has left no tombstone", true},
		{"a tombstone of a line that is there", stillThere, stillThereOnMongoDB, []string{tombstoneNamed(l.paid)},
			"still there", false},
		{"a tombstone of no line", neverGiven, neverGivenOnMongoDB, []string{"tombstone 999999"}, "was not given yet", false},
		{"a tombstone with another charge", sql("UPDATE tombstones SET charge = %d WHERE line = %d", l.middle, l.buried.ID),
			setTo("tombstones", l.buried.ID, "charge", l.middle), []string{tombstoneNamed(l.buried)},
			"is not the charge", false},
		{"a tombstone with a charge that is nowhere", sql("UPDATE tombstones SET charge = 999999 WHERE line = %d",
			l.buried.ID),
			setTo("tombstones", l.buried.ID, "charge", int64(999_999)), []string{tombstoneNamed(l.buried)}, "is missing", false},
		{"a tombstone without its charge", sql("UPDATE tombstones SET charge = NULL WHERE line = %d", l.buried.ID),
			without("tombstones", l.buried.ID, "charge"), []string{tombstoneNamed(l.buried)}, "movement 0 is named", false},
		{"a tombstone by nobody", sql("UPDATE tombstones SET actor = 999999 WHERE line = %d", l.buried.ID),
			setTo("tombstones", l.buried.ID, "actor", int64(999_999)), []string{tombstoneNamed(l.buried)},
			"account 999999", false},
		{"a tombstone that is damaged",
			sql("PRAGMA ignore_check_constraints = 1;\nUPDATE tombstones SET charge = -5 WHERE line = %d", l.buried.ID),
			setTo("tombstones", l.buried.ID, "charge", "5"), []string{tombstoneNamed(l.buried)}, "", true},

		{"a line in no list", sql("DELETE FROM line_ids WHERE line = %d", l.paid.ID), nil, []string{lineNamed(l.paid)},
			"does not show it", false},
		{"a line in no list by expiry", sql("DELETE FROM line_expiries WHERE line = %d", l.trial.ID), nil,
			[]string{lineNamed(l.trial)}, "does not show it", false},
		{"a line not below one that is above it", sql("DELETE FROM line_ids WHERE scope = %d AND line = %d", l.master.ID,
			l.paid.ID), nil, []string{lineNamed(l.paid)}, "does not show it", false},
		{"a line in a list by another expiry",
			sql("UPDATE line_expiries SET expiry = expiry + 1 WHERE scope = -%d AND line = %d", l.leaf.ID, l.paid.ID), nil,
			[]string{lineNamed(l.paid)}, "not where it belongs", false},
		{"a line in a list by two expiries",
			sql("INSERT INTO line_expiries SELECT scope, expiry + 1, line FROM line_expiries WHERE scope = -%d AND line = %d",
				l.leaf.ID, l.paid.ID), nil,
			[]string{lineNamed(l.paid)}, "where it does not belong", false},
		{"a line in no list by name", sql("DELETE FROM line_names WHERE line = %d", l.trial.ID), nil,
			[]string{lineNamed(l.trial)}, "does not show it", false},
		{"a line in a list by another name", sql("UPDATE line_names SET name = 'another' WHERE scope = -%d AND line = %d",
			l.leaf.ID, l.paid.ID), nil,
			[]string{lineNamed(l.paid)}, "not where it belongs", false},
		{"a line in a list by two names",
			sql("INSERT INTO line_names SELECT scope, 'another', line FROM line_names WHERE scope = -%d AND line = %d",
				l.leaf.ID, l.paid.ID), nil,
			[]string{lineNamed(l.paid)}, "where it does not belong", false},
		{"a line in the list of another",
			sql("INSERT INTO line_ids SELECT -%d, line FROM line_ids WHERE scope = -%d AND line = %d", l.idle.ID, l.leaf.ID,
				l.paid.ID), nil,
			[]string{lineNamed(l.paid)}, "does not belong to", false},
		{"a line in a list that moved to another", sql("UPDATE line_ids SET scope = %d WHERE scope = -%d AND line = %d",
			l.idle.ID, l.leaf.ID, l.paid.ID), nil,
			[]string{lineNamed(l.paid)}, "does not belong to", false},
		{"a line below its own owner", sql("INSERT INTO line_ids VALUES (%d, %d)", l.leaf.ID, l.paid.ID), nil,
			[]string{lineNamed(l.paid)}, "does not belong to", false},
		{"a list of a line that is nowhere", sql("INSERT INTO line_ids VALUES (1, 999999)"), nil, []string{"line 999999"},
			"does not belong to", false},
		{"an account in no list", sql("DELETE FROM account_lists WHERE account = %d", l.leaf.ID), nil,
			[]string{accountNamed(l.leaf)}, "does not show it", false},
		{"an account not right below its master", sql("DELETE FROM account_lists WHERE list = -%d AND account = %d",
			l.child.ID, l.leaf.ID), nil, []string{accountNamed(l.leaf)}, "does not show it", false},
		{"an account right below another", sql("INSERT INTO account_lists VALUES (-%d, %d)", l.master.ID, l.leaf.ID), nil,
			[]string{accountNamed(l.leaf)}, "does not belong to", false},
		{"an account in another tree", sql("INSERT INTO account_lists VALUES (%d, %d)", l.idle.ID, l.leaf.ID), nil,
			[]string{accountNamed(l.leaf)}, "does not belong to", false},
		{"a list of an account that is nowhere", sql("INSERT INTO account_lists VALUES (0, 999999)"), nil,
			[]string{"account 999999"}, "does not belong to", false},
	}
	for _, c := range rows {
		if s.name == mongodb.name && c.mongo == nil {
			continue // it keeps nothing of the kind
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			copied := l.copies.lend(t)
			if s.name == mongodb.name {
				onMongoDB(t, copied.dir, c.mongo)
			} else {
				sqliteRecords{copied.dir}.run(t, c.sqlite...)
			}
			v := copied.auditHere(t)
			if c.names == nil {
				v.well() // as the documents say
				return
			}
			v.finds(c.loose, c.names...)
			if !strings.Contains(strings.Join(v.findings, "\n"), c.says) {
				t.Errorf("no finding says %q:\n%s", c.says, v)
			}
		})
	}
}

// charge returns the movement that paid for the activation of a line.
func (s stored) charge(t *testing.T, line int64) int64 {
	t.Helper()
	for _, m := range s.movements {
		if m.Line == line && m.Operation == credit.Activation {
			return m.ID
		}
	}
	t.Fatalf("nothing paid for line %d", line)
	return 0
}
