package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// picks selects the lines of these names.
func (v *tab) picks(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		v.click(t, fmt.Sprintf(`.pick input[aria-label="Select %s"]`, name))
	}
}

// TestConsoleBulkStops stops a job of many lines: the lines that it has not reached stay unchanged.
func TestConsoleBulkStops(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "100")
	const lines = 4_000
	for range lines {
		maria.line(t, "", "")
	}
	v := open(t, 1280, 740)
	v.signIn(t, maria)
	v.press(t, "Customers")
	v.click(t, `[data-shown]`)
	v.click(t, `[data-all]`)
	v.press(t, "Suspend")
	v.fill(t, "reason", "they move")
	v.do(t, chromedp.Reload())
	v.sees(t, "Your earlier input is back.", "Suspend 4,000 customers")
	v.click(t, `form .danger`)
	v.press(t, "Stop")
	v.sees(t, "Stopped:", "Not processed")
	v.picture(t, "stopped")
	job := maria.send(t, "GET", "/bulk/1", nil)
	if done, _ := job["done"].(float64); job["status"] != "stopped" || done >= lines {
		t.Errorf("the job is %v", job)
	}
	v.quiet(t, address)
}
