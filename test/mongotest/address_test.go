package mongotest

import (
	"regexp"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func TestAnAddressKeepsAllButItsDatabase(t *testing.T) {
	for _, c := range []struct{ name, given, want string }{
		{"bare", "mongodb://h", "mongodb://h/db"},
		{"slash", "mongodb://h:1/", "mongodb://h:1/db"},
		{"several servers", "mongodb://h:1,i:2,[::1]:3/?replicaSet=rs", "mongodb://h:1,i:2,[::1]:3/db?replicaSet=rs"},
		{"a database", "mongodb://h/old", "mongodb://h/db"},
		{"a database and options", "mongodb://h/old?replicaSet=rs&w=majority", "mongodb://h/db?replicaSet=rs&w=majority"},
		{"a socket", "mongodb://%2Ftmp%2Fmongodb.sock/old", "mongodb://%2Ftmp%2Fmongodb.sock/db"},
		{"a slash in an option", "mongodb://h/?tls=true&tlsCAFile=testdata/none.pem", ""},
		{"credentials", "mongodb://me:s%2Fp%40%3Fs@h/?replicaSet=rs", "mongodb://me:s%2Fp%40%3Fs@h/db?replicaSet=rs&authSource=admin"},
		{"credentials alone", "mongodb://me:pass@h", "mongodb://me:pass@h/db?authSource=admin"},
		{"credentials of the database", "mongodb://me:pass@h/users", "mongodb://me:pass@h/db?authSource=users"},
		{"credentials of a database with odd characters", "mongodb://me:pass@h/us%26ers", "mongodb://me:pass@h/db?authSource=us%26ers"},
		{"credentials of another database", "mongodb://me:pass@h/old?authSource=users", "mongodb://me:pass@h/db?authSource=users"},
		{"the same in another case", "mongodb://me:pass@h/old?AUTHSOURCE=users", "mongodb://me:pass@h/db?AUTHSOURCE=users"},
		{"a source without credentials", "mongodb://h/old?authSource=users", "mongodb://h/db?authSource=users"},
		{"credentials outside of the server", "mongodb://me@h/old?authMechanism=MONGODB-X509", "mongodb://me@h/db?authMechanism=MONGODB-X509&authSource=%24external"},
		{"another scheme", "http://h/", ""},
		{"no address", "none", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := inDatabase(c.given, "db")
			if got != c.want || (err == nil) != (c.want != "") {
				t.Fatalf("inDatabase(%q) = %q, %v; want %q", c.given, got, err, c.want)
			}
			if err != nil {
				return
			}
			before, after := options.Client().ApplyURI(c.given), options.Client().ApplyURI(got)
			if err := after.Validate(); err != nil {
				t.Fatal(err)
			}
			if before.Auth != nil && (after.Auth == nil || after.Auth.AuthSource != before.Auth.AuthSource) {
				t.Errorf("%q looks credentials up as %+v, want as %+v", got, after.Auth, before.Auth)
			}
		})
	}
}

func TestNamesOfDatabasesAreAllowedAndDistinct(t *testing.T) {
	allowed := regexp.MustCompile(`^resellerd_test_[a-z2-7]{10}_[a-z0-9_]{1,37}$`)
	sets := []*replicaSet{{prefix: randomPrefix()}, {prefix: randomPrefix()}}
	seen := map[string]bool{}
	for _, label := range []string{"", "Test/case$ .\"*<>:|?", "TestÜber/日本", "test", strings.Repeat("x", 200), strings.Repeat("x", 200)} {
		for _, set := range sets {
			name := set.databaseName(label)
			if !allowed.MatchString(name) || len(name) > 63 {
				t.Errorf("the label %q makes the name %q", label, name)
			}
			if seen[name] {
				t.Errorf("the name %q is given twice", name)
			}
			seen[name] = true
		}
	}
}
