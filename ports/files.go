package ports

import (
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/profile"
)

// ErrExists says that what would be written exists already. Nothing was changed.
var ErrExists = fault.New(fault.Conflict, "file-exists", "it is there already, and nothing is overwritten")

// Draft is a store file under construction, in a folder of its own. One goroutine uses it. A later draft in the same
// place removes it once it has not been touched for an hour.
type Draft interface {
	// Path returns the file, which is empty at first.
	Path() string
	// Touch marks the draft as in use. It may be called often.
	Touch(now time.Time) error
	// Discard removes the draft, if it is still one.
	Discard() error
}

// BackupFolder is where the backups of one store are kept.
type BackupFolder interface {
	// Begin makes a draft, and removes those of this store that were left behind.
	Begin(now time.Time) (BackupDraft, error)
	// Prune removes the oldest backups of the store, and the keys beside them, so that keep of them are left. latest is
	// one of these, whatever the clock says. It returns what it removed, also if it fails.
	Prune(keep int, latest string) (removed []string, err error)
}

// BackupDraft is a draft that may become a backup.
type BackupDraft interface {
	Draft
	// Keep makes it a backup, with its service key, if given, beside it, and returns their paths and the size of the
	// backup. All of it is on the disk before the backup has its name.
	Keep(now time.Time, key *profile.Secret) (backup, keyFile string, size int64, err error)
}

// RestoreTarget is where a store is restored to.
type RestoreTarget interface {
	// Free fails with ErrExists if anything is at the place, and removes drafts that were left behind.
	Free(now time.Time) error
	// Begin makes a draft beside the place, in a folder that is made if it is missing.
	Begin(now time.Time) (RestoreDraft, error)
}

// RestoreDraft is a draft that may become a store.
type RestoreDraft interface {
	Draft
	// Publish gives the store its name, and the service key, if given, that of a file. It replaces nothing: ErrExists.
	// If it fails neither exists, unless only the last step failed, which makes the name durable.
	Publish(key *profile.Secret, keyFile string) error
}
