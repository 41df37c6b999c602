package interrupt_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"resellerd/test/interrupt"
)

const asked = "RESELLERD_TEST_INTERRUPTED"

// TestProgram is the program that TestEachStepIsMet runs, and nothing otherwise.
func TestProgram(*testing.T) {
	folder := os.Getenv(asked)
	if folder == "" {
		return
	}
	made := filepath.Join(folder, "made")
	err := errors.Join(os.WriteFile(made, []byte("content"), 0o600), os.Rename(made, made+" then"), os.Mkdir(made, 0o700),
		os.Remove(made+" then"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(7)
	}
	os.Exit(0)
}

func TestEachStepIsMet(t *testing.T) {
	start := func(at int, f interrupt.Fault) (interrupt.Run, string) {
		folder := t.TempDir()
		return interrupt.Start(t, folder, at, f, []string{asked + "=" + folder}, os.Args[0], "-test.run=^TestProgram$"),
			folder
	}
	steps := []string{"openat made", "write made", "renameat made then", "mkdirat made", "unlinkat made then"}
	sound, folder := start(0, interrupt.None)
	if fmt.Sprint(sound.Steps) != fmt.Sprint(steps) || sound.Status != 0 || sound.Reached {
		t.Fatalf("without a fault: %+v, want the steps %q", sound, steps)
	}
	if _, err := os.Stat(filepath.Join(folder, "made")); err != nil {
		t.Error(err)
	}
	for i := range steps {
		killed, folder := start(i+1, interrupt.Kill)
		if killed.Status != -1 || !killed.Reached || len(killed.Steps) != i+1 {
			t.Errorf("killed at %q: %+v", steps[i], killed)
		}
		content, err := os.ReadFile(filepath.Join(folder, []string{"made", "made", "made", "made then", "made then"}[i]))
		if there := err == nil; there != (i > 0) || i > 1 && string(content) != "content" {
			t.Errorf("killed at %q it left %q, %v", steps[i], content, err)
		}
		if failed, _ := start(i+1, interrupt.Fail); failed.Status != 7 || !failed.Reached {
			t.Errorf("%q failed: %+v", steps[i], failed)
		}
	}
	full, folder := start(2, interrupt.Full)
	if _, err := os.Stat(filepath.Join(folder, "made")); full.Status != 7 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("with a full disk: %+v, %v", full, err)
	}
	if past, _ := start(len(steps)+1, interrupt.Kill); past.Reached || past.Status != 0 {
		t.Errorf("past its last step: %+v", past)
	}
}
