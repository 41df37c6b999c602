// Command pocketbase is PocketBase with the durability of resellerd: it answers when a commit is on the disk.
// PocketBase's release commits with synchronous NORMAL, which may lose the last commits in a power cut. Its request
// log, in a separate file, is unchanged.
package main

import (
	"log"
	"path/filepath"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
)

// pragmas has the pragmas of core.DefaultDBConnect, except for synchronous.
const pragmas = "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(200000000)&_pragma=synchronous(FULL)" +
	"&_pragma=foreign_keys(ON)&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)&_defensive=1"

func main() {
	app := pocketbase.NewWithConfig(pocketbase.Config{DBConnect: func(path string) (*dbx.DB, error) {
		if filepath.Base(path) == "auxiliary.db" {
			return core.DefaultDBConnect(path)
		}
		return dbx.Open("sqlite", path+pragmas)
	}})
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}
