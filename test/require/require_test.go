package require

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// ended is a test that says how it ended.
type ended struct {
	testing.TB

	how string
}

func (e *ended) Helper() {}

func (e *ended) Fatalf(format string, arguments ...any) {
	e.how = "failed: " + fmt.Sprintf(format, arguments...)
	runtime.Goexit()
}

func (e *ended) Skip(...any) {
	e.how = "skipped"
	runtime.Goexit()
}

func TestAToolThatIsNotThere(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "there"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	for _, c := range []struct{ required, tool, how string }{
		{"", "there", ""},
		{"there", "there", ""},
		{"", "nowhere", "skipped"},
		{"there,nowhere-else", "nowhere", "skipped"},
		{"there,nowhere", "nowhere", `failed: RESELLERD_TEST_TOOLS_REQUIRED names nowhere: exec: "nowhere": executable file not found in $PATH`},
	} {
		t.Setenv(RequiredVariable, c.required)
		test, done := &ended{TB: t}, make(chan struct{})
		go func() {
			defer close(done)
			if path := Tool(test, c.tool); path != filepath.Join(folder, c.tool) {
				t.Errorf("%s is at %s", c.tool, path)
			}
		}()
		<-done
		if test.how != c.how {
			t.Errorf("%q is required, %s: %q, want %q", c.required, c.tool, test.how, c.how)
		}
	}
}
