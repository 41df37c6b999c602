//go:build !plain

package internals

import (
	"errors"
	"fmt"
	"sync"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Defending registers defend with SQLite.
var Defending = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	if code := sqlite3.Xsqlite3_auto_extension(tls, callback(defend)); code != sqlite3.SQLITE_OK {
		return fmt.Errorf("the database engine takes no extension (%d)", code)
	}
	return nil
})

// defend makes a new connection a defensive one if its URI says so.
func defend(tls *libc.TLS, db, _, _ uintptr) int32 {
	main, errMain := libc.CString("main")
	defer libc.Xfree(tls, main)
	name, errName := libc.CString(Defensive)
	defer libc.Xfree(tls, name)
	if errors.Join(errMain, errName) != nil {
		return sqlite3.SQLITE_NOMEM
	}
	if sqlite3.Xsqlite3_uri_boolean(tls, sqlite3.Xsqlite3_db_filename(tls, db, main), name, 0) == 0 {
		return sqlite3.SQLITE_OK
	}
	given := libc.NewVaList(int32(1), uintptr(0))
	if given == 0 {
		return sqlite3.SQLITE_NOMEM
	}
	defer libc.Xfree(tls, given)
	return sqlite3.Xsqlite3_db_config(tls, db, sqlite3.SQLITE_DBCONFIG_DEFENSIVE, given)
}
