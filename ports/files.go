package ports

import (
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/profile"
)

// ErrExists says that what would be written is there already. Nothing was changed.
var ErrExists = fault.New(fault.Conflict, "file-exists", "it is there already, and nothing is overwritten")

// Draft is a store in a file that is being made, in a folder of its own. One goroutine uses it. Whoever makes another one
// in the same place removes it once nobody has touched it for an hour.
type Draft interface {
	// Path returns the file, which is empty at first.
	Path() string
	// Touch says that somebody is at work on it. It may be called often.
	Touch(now time.Time) error
	// Discard removes the draft, if it is still one.
	Discard() error
}

// BackupFolder is where the backups of one store are kept.
type BackupFolder interface {
	// Begin makes a draft, and removes those of this store that were left behind.
	Begin(now time.Time) (BackupDraft, error)
	// Prune removes the oldest backups of the store, and the keys beside them, so that keep of them are left. latest is
	// one of these, whatever the clock says. It returns what it removed, also where it fails.
	Prune(keep int, latest string) (removed []string, err error)
}

// BackupDraft is a draft that may become a backup.
type BackupDraft interface {
	Draft
	// Keep makes it a backup, with its service key beside it where one is given, and returns their paths and the size of
	// the backup. All of it is on the disk before the backup has its name.
	Keep(now time.Time, key *profile.Secret) (backup, keyFile string, size int64, err error)
}

// RestorePlace is where a store is restored to.
type RestorePlace interface {
	// Free refuses a place where there is anything already, with ErrExists, and removes drafts that were left behind.
	Free(now time.Time) error
	// Begin makes a draft beside the place, in a folder that is made where it is missing.
	Begin(now time.Time) (RestoreDraft, error)
}

// RestoreDraft is a draft that may become a store.
type RestoreDraft interface {
	Draft
	// Publish gives the store its name, and its service key that of a file, where one is given. It replaces nothing:
	// ErrExists. Where it fails neither is there, but where only the last step did, which makes the name durable.
	Publish(key *profile.Secret, keyFile string) error
}
