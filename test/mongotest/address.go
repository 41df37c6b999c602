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

// databaseName returns a name that no other database has. The label in it is for those who look into the server.
func (s *replicaSet) databaseName(label string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	plain := strings.Map(plain, strings.ToLower(label))
	name := fmt.Sprintf("%s%d_%s", s.prefix, s.count, plain)
	return strings.TrimRight(name[:min(len(name), maxDatabaseName)], "_")
}

// plain keeps the characters that a database's name may hold on every system.
func plain(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return '_'
}

// inDatabase returns the address with another database in its path. Its options stay, and credentials are still looked
// up where they were: in the database that the path named, or in admin.
func inDatabase(address, database string) (string, error) {
	parsed := options.Client().ApplyURI(address)
	if err := parsed.Validate(); err != nil {
		return "", fmt.Errorf("mongotest: %w", err)
	}
	scheme, rest, _ := strings.Cut(address, "://")
	servers, query, _ := strings.Cut(rest, "?")
	servers, _, _ = strings.Cut(servers, "/")
	if parsed.Auth != nil && parsed.Auth.AuthSource != "" && !strings.Contains(strings.ToLower(query), "authsource=") {
		query = strings.TrimLeft(query+"&authSource="+url.QueryEscape(parsed.Auth.AuthSource), "&")
	}
	if query != "" {
		query = "?" + query
	}
	return scheme + "://" + servers + "/" + database + query, nil
}
