package httpapi

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"rsc.io/qr"

	"resellerd/test/expect"
)

// TestACodeIsDrawnAsItIs compares the image with the QR code, module by module, with a margin.
func TestACodeIsDrawnAsItIs(t *testing.T) {
	for _, text := range []string{"otpauth://totp/resellerd:north?secret=JBSWY3DPEHPK3PXP"} {
		image := drawn(text)
		code, err := qr.Encode(text, qr.M)
		must(t, err)
		side := code.Size + 2*quiet
		black := map[[2]int]bool{}
		for _, bar := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1H(\d+)z`).FindAllStringSubmatch(image, -1) {
			var x, y, width, back int
			if _, err := fmt.Sscan(strings.Join(bar[1:], " "), &x, &y, &width, &back); err != nil || back != x {
				t.Fatalf("%q: %v", bar, err)
			}
			for i := range width {
				black[[2]int{x + i, y}] = true
			}
		}
		for x := range side {
			for y := range side {
				inside := x >= quiet && y >= quiet && x < side-quiet && y < side-quiet
				if want := inside && code.Black(x-quiet, y-quiet); black[[2]int{x, y}] != want {
					t.Fatalf("%q: the module %d, %d is black: %t", text, x, y, !want)
				}
			}
		}
		begins := strings.HasPrefix(image, fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d"`, side, side))
		expect.Equal(t, begins && strings.HasSuffix(image, `"/></svg>`), true, "%q: %s", text, image)
	}
	expect.Equal(t, drawn(strings.Repeat("x", 5000)), "", "what no code holds is drawn")
}
