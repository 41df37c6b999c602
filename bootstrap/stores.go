package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"resellerd/adapters/cli"
	"resellerd/adapters/memstore"
	"resellerd/adapters/mongostore"
	"resellerd/adapters/regularfile"
	"resellerd/adapters/servicekey"
	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/archive"
	"resellerd/application/operate"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// Opener opens stores of one scheme in RESELLERD_STORE. The address is the text after the scheme. An Opener that embeds
// Defaults needs only Check and Open. It may also be a ReadOnlyOpener or a FileOpener.
type Opener interface {
	// Check refuses an address that can never work, without access to files or servers.
	Check(address string) error
	// Open opens the store. Its error names the next step of the operator. It bounds its waits for other processes, but
	// not the time of a migration, which it reports to migrating. ctx ends with the first ending signal.
	//
	// Without migrating it upgrades nothing and refuses an older store, since a service may use it.
	//
	// The Parts of the store are its functions besides serving, such as audit and copy.
	Open(ctx context.Context, address string, migrating ports.Migrating) (ports.Store, error)
	// Exists refuses an address without records, for commands on existing stores.
	Exists(address string) error
	// Caution returns a warning for the operator about a store that was opened for serving, "" for none.
	Caution(address string) string
	// Keys returns the store's own sources of service keys, without Key if the operator must set a service key.
	Keys(address string) servicekey.StoreSources
}

// Defaults implements three methods of an Opener: Open checks existence, there is no warning, and the store has no
// service key of its own.
type Defaults struct{}

// Exists implements Opener.
func (Defaults) Exists(string) error { return nil }

// Caution implements Opener.
func (Defaults) Caution(string) string { return "" }

// Keys implements Opener.
func (Defaults) Keys(string) servicekey.StoreSources { return servicekey.StoreSources{} }

// ReadOnlyOpener is an Opener with a second way to open a store. Commands that only read use it in place of Open.
type ReadOnlyOpener interface {
	// OpenReadOnly opens the store for reading only. It writes neither to the records nor beside them, and needs read
	// permission only. It upgrades nothing, and may refuse a store of another schema. ViewRecords fails with
	// ports.ErrUnavailable if it can't guarantee that its records were one consistent snapshot, even if look returned
	// nil.
	OpenReadOnly(ctx context.Context, address string) (ports.OpenArchive, error)
}

// FileOpener is an Opener of stores in one file. The address is its path, and the file works under any path. The
// commands backup and restore refuse other stores.
type FileOpener interface {
	// Backup writes a snapshot of the store into the empty file at to. The store may be served at the same time. Backup
	// reports to progress the number of written pages and of all pages.
	Backup(ctx context.Context, address, to string, progress func(done, total int64)) error
}

// Stores are the openers for RESELLERD_STORE, by scheme. A team with its own adapter adds it to DefaultStores in a main
// of its own.
type Stores map[string]Opener

// DefaultStores returns the openers of the stores that the service includes.
func DefaultStores() Stores {
	return Stores{"sqlite": sqlite{}, "memory": memory{}, "mongodb": mongodb{scheme: "mongodb"},
		"mongodb+srv": mongodb{scheme: "mongodb+srv"}}
}

// sqlite opens the embedded store at a path.
type sqlite struct{}

// Check implements Opener.
func (sqlite) Check(path string) error {
	switch below, host := strings.CutPrefix(path, "//"); {
	case strings.Trim(path, "/") == "":
		return errors.New("sqlite: needs a path, such as sqlite:data/resellerd.db")
	case host && !strings.HasPrefix(below, "/"):
		return fmt.Errorf(
			"%q is ambiguous: write sqlite:%s for a path from the working directory, or sqlite:/%s for a path from the root",
			"sqlite:"+path, below, below)
	}
	return cli.CheckValue(path)
}

// Exists implements Opener.
func (sqlite) Exists(path string) error {
	_, err := os.Stat(path)
	return regularfile.Explained(err, path, false)
}

// Open implements Opener.
func (sqlite) Open(ctx context.Context, path string, migrating ports.Migrating) (ports.Store, error) {
	return sqlitestore.OpenMigrating(ctx, path, migrating)
}

// OpenReadOnly implements ReadOnlyOpener.
func (sqlite) OpenReadOnly(_ context.Context, path string) (ports.OpenArchive, error) {
	return archive.Open(path)
}

// Backup implements FileOpener.
func (sqlite) Backup(ctx context.Context, path, to string, progress func(done, total int64)) error {
	from, err := archive.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(from.CopyTo(ctx, to, progress), from.Close())
}

// Caution warns of a database that other users of the machine may read or write. Files beside it while it is open have
// the same mode.
func (sqlite) Caution(path string) string {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return "" // readiness reports a missing file
	}
	return fmt.Sprintf(
		"the database %s is open to others than its owner (mode %04o): stop the service and run `chmod 600 %s`", path,
		info.Mode().Perm(), path)
}

// Keys implements Opener.
func (sqlite) Keys(path string) servicekey.StoreSources {
	file := path + ".key"
	return servicekey.StoreSources{
		Key:         func() (profile.Secret, func(), error) { return servicekey.MadeInFile(file) },
		PreviousKey: func() (*profile.Secret, error) { return servicekey.InFile(file + ".previous") },
		KeyFile:     file,
	}
}

// memory opens a store that ends with the process.
type memory struct{}

// Check implements Opener.
func (memory) Check(rest string) error {
	if rest != "" {
		return fmt.Errorf("memory: takes nothing after the colon, got %q", rest)
	}
	return nil
}

// Exists implements Opener.
func (memory) Exists(string) error { return errors.New("memory: ends with the process that made it") }

// Open implements Opener.
func (memory) Open(context.Context, string, ports.Migrating) (ports.Store, error) {
	return memstore.New(), nil
}

// Caution implements Opener.
func (memory) Caution(string) string { return "records are in memory and end with the process" }

// Keys implements Opener.
func (memory) Keys(string) servicekey.StoreSources {
	return servicekey.StoreSources{Key: func() (profile.Secret, func(), error) {
		return servicekey.Generate(), func() {}, nil
	}}
}

// mongodb opens a store whose address is a connection string without its scheme.
type mongodb struct {
	Defaults
	scheme string
}

func (m mongodb) uri(rest string) string { return m.scheme + ":" + rest }

// Check implements Opener.
func (m mongodb) Check(rest string) error { return mongostore.Check(m.uri(rest)) }

// Exists implements Opener.
func (m mongodb) Exists(rest string) error {
	return mongostore.Exists(context.Background(), m.uri(rest))
}

// Open implements Opener.
func (m mongodb) Open(ctx context.Context, rest string, migrating ports.Migrating) (ports.Store, error) {
	return mongostore.OpenMigrating(ctx, m.uri(rest), migrating)
}

// OpenReadOnly implements ReadOnlyOpener.
func (m mongodb) OpenReadOnly(ctx context.Context, rest string) (ports.OpenArchive, error) {
	return mongostore.OpenReadOnly(ctx, m.uri(rest))
}

// named returns the opener of a store's address, its scheme included.
func (s Stores) named(address string) (Opener, error) {
	scheme, _, separated := strings.Cut(address, ":")
	opener, known := s[scheme]
	if !known || !separated {
		return nil, fmt.Errorf("%q names no store; known are %s", cli.RedactedAddress(address),
			strings.Join(slices.Sorted(maps.Keys(s)), ":, ")+":")
	}
	return opener, nil
}

// openArchive opens a store to read its records: read-only with a ReadOnlyOpener, otherwise with Open. It upgrades no
// store.
func openArchive(ctx context.Context, o Opener, address string) (ports.OpenArchive, error) {
	if o, can := o.(ReadOnlyOpener); can {
		return o.OpenReadOnly(ctx, address)
	}
	store, err := o.Open(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	if archive := store.Parts().Archive; archive != nil {
		return struct {
			ports.Archive
			io.Closer
		}{archive, store}, nil
	}
	return nil, errors.Join(errors.New("this store can be neither audited nor copied: it has no ports.Archive"),
		store.Close())
}

// openCopyTarget opens a store that receives a copy.
func openCopyTarget(ctx context.Context, o Opener, address string,
	migrating ports.Migrating) (ports.CopyTarget, io.Closer, error) {
	store, err := o.Open(ctx, address, migrating)
	if err != nil {
		return nil, nil, err
	}
	if target := store.Parts().CopyTarget; target != nil {
		return target, store, nil
	}
	return nil, nil, errors.Join(errors.New("this store can't become a copy: it has no ports.CopyTarget"), store.Close())
}

// open opens the configured store with the service key that belongs to it.
func (c storeConfig) open(ctx context.Context, migrating ports.Migrating, keys *servicekey.Watch) (ports.Store, error) {
	store, err := c.opener.Open(ctx, c.address, migrating)
	if err != nil {
		return nil, err
	}
	if err := keys.Claim(ctx, store, c.keys); err != nil {
		_ = store.Close() // the earlier error is the cause
		return nil, operate.Unfinished(err)
	}
	return store, nil
}
