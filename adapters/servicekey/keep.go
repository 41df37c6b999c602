package servicekey

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"resellerd/domain/profile"
)

// Keep writes the service key into a new file at path, mode 0600, where LoadOrCreate finds it. It replaces nothing:
// where there is a file the error matches fs.ErrExist. On return the key is durable.
func Keep(path string, secret profile.Secret) error {
	err := checkLength(secret)
	if err == nil {
		err = write(path, secret.Reveal()+"\n")
	}
	if err == nil {
		err = syncFolder(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("keep the service key in %s: %w", path, err)
	}
	return nil
}

func write(path, content string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, failed := file.WriteString(content)
	if err := errors.Join(failed, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
