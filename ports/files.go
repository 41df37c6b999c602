package ports

import (
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/profile"
)

// ErrExists refuses to overwrite a file or folder. Nothing was changed.
var ErrExists = fault.New(fault.Conflict, "file-exists", "it exists already, and nothing is overwritten")

// Draft is a store file under construction, in a folder of its own. One goroutine uses it. A later draft in the same
// folder removes it once it has not been touched for an hour.
type Draft interface {
	// Path returns the file, which is empty at first.
	Path() string
	// Touch marks the draft as in use. It may be called often.
	Touch(now time.Time) error
	// Discard removes the draft, if it is still one.
	Discard() error
}

// BackupFolder is the folder with the backups of one store.
type BackupFolder interface {
	// Begin creates a draft, and removes abandoned drafts of this store.
	Begin(now time.Time) (BackupDraft, error)
	// Prune removes the oldest backups of the store, and the keys beside them, until keep of them are left. latest is
	// one of these, whatever the clock says. It returns the removed paths, also if it fails.
	Prune(keep int, latest string) (removed []string, err error)
}

// BackupDraft is a draft that may become a backup.
type BackupDraft interface {
	Draft
	// Finish turns the draft into a backup, with its service key, if given, beside it. It returns their paths and the
	// size of the backup. All data is on the disk before the backup has its name.
	Finish(now time.Time, key *profile.Secret) (backup, keyFile string, size int64, err error)
}

// RestoreTarget is the path to which a store is restored.
type RestoreTarget interface {
	// Free fails with ErrExists if the path exists, and removes abandoned drafts.
	Free(now time.Time) error
	// Begin creates a draft beside the path, in a folder that it creates if needed.
	Begin(now time.Time) (RestoreDraft, error)
}

// RestoreDraft is a draft that may become a store.
type RestoreDraft interface {
	Draft
	// Publish renames the draft to the store's path, and writes the service key, if given, to a file. It replaces
	// nothing: ErrExists. If it fails neither file exists, unless only the last step failed, which makes the name
	// durable.
	Publish(key *profile.Secret, keyFile string) error
}
