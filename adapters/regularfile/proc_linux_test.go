package regularfile

import "testing"

// TestReadBoundsAFileOfUnknownSize reads one whose size the system says is 0.
func TestReadBoundsAFileOfUnknownSize(t *testing.T) {
	t.Parallel()
	if content, err := Read("/proc/self/status", 100); err == nil {
		t.Errorf("got %d bytes", len(content))
	}
	if content, err := Read("/proc/self/status", PEM); err != nil || len(content) == 0 {
		t.Errorf("got %d bytes, %v", len(content), err)
	}
}
