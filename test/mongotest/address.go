package mongotest

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"

	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// maxDatabaseName is the limit of the server, in bytes.
const maxDatabaseName = 63

func randomPrefix() string {
	return "resellerd_test_" + strings.ToLower(rand.Text()[:10]) + "_"
}

// databaseName returns a name that no other database has. The label in it is for
// those who look into the server.
func (s *replicaSet) databaseName(label string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	name := fmt.Sprintf("%s%d_%s", s.prefix, s.count, strings.Map(plain, label))
	return strings.TrimRight(name[:min(len(name), maxDatabaseName)], "_")
}

// plain keeps the characters that a database's name may hold on every system; the
// server takes names that differ in case alone for the same.
func plain(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
		return r
	case r >= 'A' && r <= 'Z':
		return r - 'A' + 'a'
	default:
		return '_'
	}
}

// inDatabase returns the address with another database in its path. Its options
// stay, and credentials are still looked up where they were: in the database that
// the path named, or in admin.
func inDatabase(address, database string) (string, error) {
	parsed := options.Client().ApplyURI(address)
	if err := parsed.Validate(); err != nil {
		return "", fmt.Errorf("mongotest: %w", err)
	}
	scheme, rest, _ := strings.Cut(address, "://")
	servers, query, _ := strings.Cut(rest, "?")
	servers, _, _ = strings.Cut(servers, "/")
	if parsed.Auth != nil && parsed.Auth.AuthSource != "" && !hasOption(query, "authSource") {
		query = strings.TrimLeft(query+"&authSource="+url.QueryEscape(parsed.Auth.AuthSource), "&")
	}
	if query != "" {
		query = "?" + query
	}
	return scheme + "://" + servers + "/" + database + query, nil
}

// hasOption looks for an option, the names of which have no case.
func hasOption(query, name string) bool {
	for pair := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		if key, _, _ := strings.Cut(pair, "="); strings.EqualFold(key, name) {
			return true
		}
	}
	return false
}
