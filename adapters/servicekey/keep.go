package servicekey

import (
	"fmt"
	"path/filepath"

	"resellerd/domain/profile"
)

// Keep puts the service key into a new file at path, mode 0600, where LoadOrCreate finds it. The file is made in the folder
// work, which is on the same disk, and appears at once and whole. It replaces nothing: where there is a file the error
// matches fs.ErrExist. On return the key is durable. A crash may leave a file with the key in work.
func Keep(path string, secret profile.Secret, work string) error {
	err := checkLength(secret)
	if err == nil {
		err = publish(path, secret, work)
	}
	if err == nil {
		err = syncFolder(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("keep the service key in %s: %w", path, err)
	}
	return nil
}
