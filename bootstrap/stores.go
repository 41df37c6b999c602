package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"

	"resellerd/adapters/cli"
	"resellerd/adapters/logging"
	"resellerd/adapters/memstore"
	"resellerd/adapters/mongostore"
	"resellerd/adapters/servicekey"
	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/archive"
	"resellerd/application/operate"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// Opener makes a store out of what follows the scheme in RESELLERD_STORE.
type Opener struct {
	// Check refuses an address that can never work, without touching anything.
	Check func(address string) error
	// Exists refuses an address without records, for the commands that work on existing ones; nil if that is left to
	// Open.
	Exists func(address string) error
	// Open opens the store, with an error that says what an operator is to do. It bounds how long it waits for others,
	// but not how long a migration takes, which it reports to migrating; ctx ends when the process is asked to end.
	//
	// Its Parts are what it can do besides being served, such as be audited and copied.
	Open func(ctx context.Context, address string, migrating ports.Migrating) (ports.Store, error)
	// OpenReadOnly opens the store as it stands for reading only, by audit and as the source of copy; nil if Open is
	// used for them, too. Nothing is written where the records are, nor beside them, and the right to read is enough. A
	// store of an older schema is read as it is: what it lacks is empty, and if deletions leave no tombstone yet,
	// TombstonesSince is the present instant. A ViewRecords that can't guarantee that its records were one consistent
	// snapshot fails with ports.ErrUnavailable, whatever look returned.
	OpenReadOnly func(ctx context.Context, address string) (ports.OpenArchive, error)
	// Backup writes the store as it stands at one instant, possibly while it is served, into the empty file at to, and
	// reports to progress how many pages of how many are written. It is for a store in one file, whose path is its
	// address: that file, under any path, is such a store. nil for any other, which backup and restore refuse.
	Backup func(ctx context.Context, address, to string, progress func(done, total int64)) error
	// Caution says what an operator should know about the store that was opened for serving, "" for nothing; nil if
	// there is never anything.
	Caution func(address string) string
	// Key gets a store's service key if the operator gives none; nil if the operator must.
	Key func(address string) (secret profile.Secret, undo func(), err error)
	// PreviousKey reads the service key before that one, nil if there is none, for a store that is moved from it to
	// what Key returns; nil if a store has no source of its own.
	PreviousKey func(address string) (*profile.Secret, error)
	// KeyFile names the file in which Key looks for it; nil if there is none.
	KeyFile func(address string) string
}

// keysOf returns the store's own sources of service keys.
func (o Opener) keysOf(address string) (keys servicekey.StoreSources) {
	if o.Key != nil {
		keys.Key = func() (profile.Secret, func(), error) { return o.Key(address) }
	}
	if o.PreviousKey != nil {
		keys.PreviousKey = func() (*profile.Secret, error) { return o.PreviousKey(address) }
	}
	keys.KeyFile = o.keyFile(address)
	return keys
}

// keyFile names the file in which a store has its service key, "" if it has none.
func (o Opener) keyFile(address string) string {
	if o.KeyFile == nil {
		return ""
	}
	return o.KeyFile(address)
}

// Stores are the stores that RESELLERD_STORE can name, by scheme. A team with its own adapter adds it to DefaultStores
// in a main of its own.
type Stores map[string]Opener

// DefaultStores returns the stores that come with the service.
func DefaultStores() Stores {
	return Stores{
		"sqlite": {
			Check: func(path string) error {
				switch below, host := strings.CutPrefix(path, "//"); {
				case strings.Trim(path, "/") == "":
					return errors.New("sqlite: needs a path, such as sqlite:data/resellerd.db")
				case host && !strings.HasPrefix(below, "/"):
					return fmt.Errorf("%q is ambiguous: write sqlite:%s for a path from the working directory, or sqlite:/%s for a path from the root", "sqlite:"+path, below, below)
				}
				return cli.CheckValue(path)
			},
			Exists: func(path string) error {
				_, err := os.Stat(path)
				return err
			},
			Open: func(ctx context.Context, path string, migrating ports.Migrating) (ports.Store, error) {
				return sqlitestore.OpenMigrating(ctx, path, migrating)
			},
			OpenReadOnly: func(_ context.Context, path string) (ports.OpenArchive, error) {
				return archive.Open(path)
			},
			Backup: func(ctx context.Context, path, to string, progress func(done, total int64)) error {
				from, err := archive.Open(path)
				if err != nil {
					return err
				}
				return errors.Join(from.CopyTo(ctx, to, progress), from.Close())
			},
			Caution: openToOthers,
			Key:     func(path string) (profile.Secret, func(), error) { return servicekey.MadeInFile(besideDatabase(path)) },
			PreviousKey: func(path string) (*profile.Secret, error) {
				return servicekey.InFile(besideDatabase(path) + ".previous")
			},
			KeyFile: besideDatabase,
		},
		"memory": {
			Check: func(rest string) error {
				if rest != "" {
					return fmt.Errorf("memory: takes nothing after the colon, got %q", rest)
				}
				return nil
			},
			Exists:  func(string) error { return errors.New("memory: ends with the process that made it") },
			Open:    func(context.Context, string, ports.Migrating) (ports.Store, error) { return memstore.New(), nil },
			Caution: func(string) string { return "records are kept in memory and end with the process" },
			Key: func(string) (profile.Secret, func(), error) {
				return servicekey.Generate(), func() {}, nil
			},
		},
		"mongodb":     mongodb("mongodb"),
		"mongodb+srv": mongodb("mongodb+srv"),
	}
}

func besideDatabase(path string) string { return path + ".key" }

// openToOthers warns of a database that other users of the machine may read or write. Files beside it while it is open
// have the same mode.
func openToOthers(path string) string {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return "" // a missing one is reported by readiness
	}
	return fmt.Sprintf("the database %s is open to others than its owner (mode %04o): stop the service and run `chmod 600 %s`", path, info.Mode().Perm(), path)
}

// mongodb opens a store whose address is a connection string, its scheme included.
func mongodb(scheme string) Opener {
	return Opener{
		Check: func(rest string) error { return mongostore.Check(scheme + ":" + rest) },
		Exists: func(rest string) error {
			return mongostore.Exists(context.Background(), scheme+":"+rest)
		},
		Open: func(ctx context.Context, rest string, migrating ports.Migrating) (ports.Store, error) {
			return mongostore.OpenMigrating(ctx, scheme+":"+rest, migrating)
		},
		OpenReadOnly: func(ctx context.Context, rest string) (ports.OpenArchive, error) {
			return mongostore.OpenReadOnly(ctx, scheme+":"+rest)
		},
	}
}

// named returns the opener of a store's address, its scheme included.
func (s Stores) named(address string) (Opener, error) {
	scheme, _, separated := strings.Cut(address, ":")
	opener, known := s[scheme]
	if !known || !separated {
		return opener, fmt.Errorf("%q names no store; known are %s", cli.RedactedAddress(address), strings.Join(slices.Sorted(maps.Keys(s)), ":, ")+":")
	}
	return opener, nil
}

// exists refuses an address without records, as far as the store knows.
func (o Opener) exists(address string) error {
	if o.Exists == nil {
		return nil
	}
	return o.Exists(address)
}

// archive opens a store to read its records, read-only if it can be opened so.
func (o Opener) archive(ctx context.Context, address string, migrating ports.Migrating) (ports.OpenArchive, error) {
	if o.OpenReadOnly != nil {
		return o.OpenReadOnly(ctx, address)
	}
	store, err := o.Open(ctx, address, migrating)
	if err != nil {
		return nil, err
	}
	if archive := store.Parts().Archive; archive != nil {
		return struct {
			ports.Archive
			io.Closer
		}{archive, store}, nil
	}
	return nil, errors.Join(errors.New("this store can be neither audited nor copied: it has no ports.Archive"), store.Close())
}

// copyTarget opens a store to make it a copy of another one.
func (o Opener) copyTarget(ctx context.Context, address string, migrating ports.Migrating) (ports.CopyTarget, io.Closer, error) {
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
func (c storeConfig) open(ctx context.Context, log *slog.Logger, keys *servicekey.Watch) (ports.Store, error) {
	store, err := c.opener.Open(ctx, c.address, logging.Migrations(log))
	if err != nil {
		return nil, err
	}
	if err := keys.Claim(ctx, store, c.keys); err != nil {
		_ = store.Close() // the earlier error is the cause
		return nil, operate.Unfinished(err)
	}
	return store, nil
}
