package browser

import (
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestConsoleChangesPlan gives a running line of a sandbox a dearer plan of the same period. A sandbox has such plans,
// while the first price of a new plan counts after a minute.
func TestConsoleChangesPlan(t *testing.T) {
	t.Parallel()
	p := exec.Command(program, "sandbox")
	p.Env = []string{"HOME=" + t.TempDir(), "RESELLERD_ADDR=127.0.0.1:0"}
	address := started(t, p)
	v := open(t, 360, 740)
	v.signIn(t, &account{address: address, Name: "joao", Password: "sandbox-joao"})
	v.speak(t, "en")
	v.do(t, chromedp.Navigate(address+"/console/lines?username=joao.tv"))
	v.click(t, `//a[contains(., "joao.tv")]`)
	v.sees(t, "1 month")
	v.click(t, `[aria-label="More about joao.tv"]`)
	v.click(t, `//button[contains(., "Change plan")]`)
	v.sees(t, "Family", "balance 18 →", "Change for 0.6 credits")
	v.fitsAt(t, "another plan", sizes[0], sizes[4])
	v.isAccessible(t, "another plan")
	v.click(t, `dialog .primary`)
	v.sees(t, "joao.tv has another plan.", "Family")
	v.quiet(t, address)
}
