package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// file is an entry of an archive: a file of this machine, or generated content.
type file struct {
	name    string
	from    string
	content []byte
	mode    fs.FileMode
}

func (f file) read() ([]byte, error) {
	if f.from == "" {
		return f.content, nil
	}
	return os.ReadFile(f.from)
}

// each passes each file to write, by its name in a folder.
func each(folder string, files []file, write func(name string, f file, content []byte) error) error {
	for _, f := range files {
		content, err := f.read()
		if err == nil {
			err = write(folder+"/"+f.name, f, content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeTar writes files in a folder, all with one date and no owner.
func writeTar(w io.Writer, folder string, files []file, stamp time.Time) (err error) {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	defer func() { err = errors.Join(err, archive.Close(), compressed.Close()) }()
	return each(folder, files, func(name string, f file, content []byte) error {
		header := tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: int64(f.mode), ModTime: stamp, Format: tar.FormatUSTAR}
		err := archive.WriteHeader(&header)
		if err == nil {
			_, err = archive.Write(content)
		}
		return err
	})
}

// writeZip is writeTar for Windows.
func writeZip(w io.Writer, folder string, files []file, stamp time.Time) (err error) {
	archive := zip.NewWriter(w)
	defer func() { err = errors.Join(err, archive.Close()) }()
	return each(folder, files, func(name string, f file, content []byte) error {
		header := zip.FileHeader{Name: name, Method: zip.Deflate, Modified: stamp}
		header.SetMode(f.mode)
		entry, err := archive.CreateHeader(&header)
		if err == nil {
			_, err = entry.Write(content)
		}
		return err
	})
}
