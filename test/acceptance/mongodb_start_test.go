package acceptance

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"resellerd/test/require"
)

// isEmpty expects that nothing was made in a database.
func isEmpty(t *testing.T, dir string) {
	t.Helper()
	onMongoDB(t, dir, func(ctx context.Context, db *mongo.Database) error {
		names, err := db.ListCollectionNames(ctx, bson.D{})
		if len(names) > 0 {
			t.Errorf("the database has %q", names)
		}
		return err
	})
}

func TestMongoDBNeedsAServiceKey(t *testing.T) {
	t.Parallel()
	mongodb.available(t)
	srv := newServer(t, mongodb, map[string]string{"RESELLERD_SECRET": ""})
	says(t, fails(t, 2, srv.env), "RESELLERD_SECRET", "service key", "openssl rand -hex 32")
	isEmpty(t, srv.dir)
}

// withCredentials returns the address of a folder's database with other credentials, stored in the database itself.
func withCredentials(t *testing.T, dir, username, password string) string {
	t.Helper()
	d := mongoDatabaseOf(dir)
	scheme, rest, _ := strings.Cut(d.uri, "://")
	servers, query, _ := strings.Cut(rest, "?")
	if at := strings.LastIndex(servers, "@"); at >= 0 {
		servers = servers[at+1:]
	}
	options, err := url.ParseQuery(query)
	require.NoError(t, err)
	options.Set("authSource", d.name(t))
	options.Del("authMechanism")
	return scheme + "://" + url.UserPassword(username, password).String() + "@" + servers + "?" + options.Encode()
}

// TestMongoDBCredentialsAreNeverShown starts with right and wrong credentials. They are in no message and in no log, at
// any level.
func TestMongoDBCredentialsAreNeverShown(t *testing.T) {
	t.Parallel()
	mongodb.available(t)
	const right, wrong = "the right one/@:%?#", "the wrong one/@:%?#"
	srv := newServer(t, mongodb, map[string]string{"RESELLERD_LOG_LEVEL": "debug"})
	onMongoDB(t, srv.dir, func(ctx context.Context, db *mongo.Database) error {
		roles := bson.A{"dbOwner"}
		err := db.RunCommand(ctx, bson.D{{Key: "createUser", Value: "operator"}, {Key: "pwd", Value: right},
			{Key: "roles", Value: roles}}).Err()
		const unauthorized = 13
		if refused, ok := errors.AsType[mongo.ServerError](err); ok && refused.HasErrorCode(unauthorized) {
			t.Skipf("the tester's own account may make no users: %v", err)
		}
		return err
	})
	t.Cleanup(func() { // the drop of the database leaves its users
		onMongoDB(t, srv.dir, func(ctx context.Context, db *mongo.Database) error {
			return db.RunCommand(ctx, bson.D{{Key: "dropAllUsersFromDatabase", Value: 1}}).Err()
		})
	})
	shown := func(where, text string) {
		t.Helper()
		for _, hidden := range []string{right, wrong, url.QueryEscape(right), url.QueryEscape(wrong), "the%20", "the right",
			"the wrong", srv.env["RESELLERD_SECRET"]} {
			if strings.Contains(text, hidden) {
				t.Errorf("%s shows %q:\n%s", where, hidden, text)
			}
		}
	}
	for _, c := range []struct{ name, username, password string }{
		{"another password", "operator", wrong},
		{"another user", "nobody", right},
	} {
		env := changed(srv.env, map[string]string{"RESELLERD_STORE": withCredentials(t, srv.dir, c.username, c.password)})
		message := fails(t, 1, env)
		says(t, message, "rejects the credentials", "the user "+c.username, "authSource")
		shown(c.name, message)
	}
	isEmpty(t, srv.dir)

	srv.env["RESELLERD_STORE"] = withCredentials(t, srv.dir, "operator", right)
	srv.start(t)
	srv.Admin(t).Reseller(t, "5").Trial(t)
	srv.stop(t)
	key := srv.env["RESELLERD_SECRET"]
	delete(srv.env, "RESELLERD_SECRET")
	srv.audit(t).well() // which examines a database apart from its key
	srv.env["RESELLERD_SECRET"] = key
	shown("the log", srv.Stdout.String()+srv.Stderr.String())
}
