package backupfolder

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// Kept implements ports.Backups by the folder that backups of a store in one file are kept in.
type Kept struct {
	folder, file string
	log          *slog.Logger
	warned       atomic.Bool // since the folder could be read
}

// KeptIn returns the backups in a folder of the store in a file.
func KeptIn(folder, file string, log *slog.Logger) *Kept {
	return &Kept{folder: folder, file: file, log: log}
}

// Latest implements ports.Backups. A folder that can't be read is logged once.
func (k *Kept) Latest(_ context.Context, born string) time.Time {
	id, err := ID(k.file, born)
	var at time.Time
	if err == nil {
		at, err = latest(k.folder, id)
	}
	if err == nil {
		k.warned.Store(false)
	} else if !k.warned.Swap(true) {
		k.log.Warn("the folder of the backups can't be read", slog.String("folder", k.folder), slog.Any("error", err))
	}
	return at
}

// latest returns the time in the name of a store's newest backup in the folder at path, the zero value if it has none,
// or if there is no folder.
func latest(path, store string) (at time.Time, err error) {
	f, err := named(path, store)
	if err != nil {
		return at, err
	}
	entries, err := os.ReadDir(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return at, nil
	}
	for _, entry := range entries {
		if !f.backups.MatchString(entry.Name()) || !entry.Type().IsRegular() {
			continue
		}
		made, wrong := time.Parse(layout+".db", strings.TrimPrefix(entry.Name(), f.prefix))
		if wrong == nil && made.After(at) {
			at = made
		}
	}
	return at, err
}
