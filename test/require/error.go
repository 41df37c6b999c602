package require

// Test is what a test is ended by, one of package rapid too.
type Test interface {
	Helper()
	Fatal(args ...any)
}

// NoError ends a test that can't go on after an error.
func NoError(t Test, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
