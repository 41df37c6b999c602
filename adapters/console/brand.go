package console

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // a logo's size
	_ "image/png"  // a logo's size
	"io"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Brand is an operator's name, colour and logo for the console. The zero value is the brand of resellerd.
type Brand struct {
	Name  string // ParseName's
	Color *Color
	Logo  []byte // ParseLogo's
	kind  string // of the logo, such as .svg
	Parts bool   // of a sandbox: it serves a page with each part of the screens
}

// longestName is in characters, so that a name fits into the header on a phone.
const longestName = 40

// LargestLogo is in bytes: a browser loads the logo early.
const LargestLogo = 64 << 10

// ParseName reads a name, "" for that of resellerd.
func ParseName(text string) (string, error) {
	name := strings.TrimSpace(text)
	if utf8.RuneCountInString(name) > longestName || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, unicode.IsControl) {
		return "", fmt.Errorf("it has more than %d characters, or characters that can't be shown", longestName)
	}
	return name, nil
}

// Color is a colour of sRGB.
type Color struct{ red, green, blue uint8 }

var hexadecimal = regexp.MustCompile(`^#?[0-9A-Fa-f]{6}$`)

// ParseColor reads a colour such as #1d5bbf, "" for that of resellerd.
func ParseColor(text string) (*Color, error) {
	if text == "" {
		return nil, nil
	}
	if !hexadecimal.MatchString(text) {
		return nil, fmt.Errorf("%q is no colour such as #1d5bbf", text)
	}
	var c Color
	_, err := fmt.Sscanf(strings.TrimPrefix(text, "#"), "%02x%02x%02x", &c.red, &c.green, &c.blue)
	return &c, err
}

func (c Color) String() string { return fmt.Sprintf("#%02x%02x%02x", c.red, c.green, c.blue) }

// ParseLogo reads a logo of at most LargestLogo bytes into a brand: an SVG, a PNG, a WebP or a JPEG.
func (b *Brand) ParseLogo(content []byte) error {
	kind := map[string]string{"image/png": ".png", "image/webp": ".webp",
		"image/jpeg": ".jpg"}[http.DetectContentType(content)]
	switch {
	case isSVG(content):
		kind = ".svg"
	case kind == "":
		return errors.New("it is neither an SVG, a PNG, a WebP nor a JPEG")
	}
	b.Logo, b.kind = content, kind
	return nil
}

func isSVG(content []byte) bool {
	for d := xml.NewDecoder(bytes.NewReader(content)); ; {
		token, err := d.Token()
		if err != nil && !errors.Is(err, io.EOF) || token == nil {
			return false
		}
		if root, is := token.(xml.StartElement); is {
			return root.Name.Local == "svg"
		}
	}
}

// logoPolicy is for a logo that a browser opens as a page: scripts of an SVG would run in this origin.
const logoPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

func (b Brand) name() string { return cmp.Or(b.Name, "resellerd") }

// file returns the name of the logo's file, "" without a logo.
func (b Brand) file() string {
	if b.Logo == nil {
		return ""
	}
	return "logo" + b.kind
}

func (b Brand) icon() string { return cmp.Or(b.file(), "icon.svg") }

// Colours of tokens.css: the page and the text of each theme, and the colour of resellerd.
var (
	light = theme{page: Color{0xff, 0xff, 0xff}, text: Color{0x15, 0x18, 0x1e}, tint: 0.08, weak: 0.16}
	dark  = theme{page: Color{0x10, 0x12, 0x16}, text: Color{0xec, 0xee, 0xf1}, tint: 0.20, weak: 0.12}
	white = Color{0xff, 0xff, 0xff}
	black = Color{}
	own   = Color{0x2a, 0x56, 0xde}
)

// theme is the light or the dark one. tint is the share of a brand's colour on the page, and weak that of a light one.
type theme struct {
	page, text Color
	tint, weak float64
}

// styles returns the brand's colours as CSS, for each theme.
func (b Brand) styles() string {
	if b.Color == nil {
		return ""
	}
	return fmt.Sprintf("\n:root[data-theme=light]{%s}\n:root[data-theme=dark]{%s}\n", b.Color.in(light), b.Color.in(dark))
}

// in returns the colours of a brand in a theme. Fills have the colour itself, with black or white text. Links have the
// nearest readable colour of the same hue, or the text's with a line below if the brand is too near to the page.
// Outlines have a contrast of 3.
func (c Color) in(t theme) string {
	on, share, line := c.text(), t.tint, "none"
	if c.contrast(light.page) < 3 {
		share = t.weak
	}
	tint := t.page.mixed(c, share)
	hover := c.mixed(black, 0.08)
	if hover.contrast(on) < 4.5 {
		hover = c.mixed(white, 0.08)
	}
	link := c.until(4.5, t.page, tint)
	if c.contrast(t.page) < 3 {
		link, line = t.text, "underline"
	}
	return fmt.Sprintf(
		"--brand:%v;--on-brand:%v;--brand-hover:%v;--brand-text:%v;--brand-edge:%v;--brand-tint:%v;--link-line:%s",
		c, on, hover, link, c.until(3, t.page), tint, line)
}

// text returns black or white, whichever has more contrast with the colour: at least 4.5.
func (c Color) text() Color {
	if c.contrast(white) > c.contrast(black) {
		return white
	}
	return black
}

// mixed returns the colour with a share of another.
func (c Color) mixed(with Color, share float64) Color {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-share) + float64(b)*share)) }
	return Color{mix(c.red, with.red), mix(c.green, with.green), mix(c.blue, with.blue)}
}

// until changes the lightness of the colour (OKLCH) until it has a contrast with each of the grounds (WCAG 2.2).
func (c Color) until(contrast float64, grounds ...Color) Color {
	found, step := c, 0.005
	if grounds[0].text() == black {
		step = -step
	}
	l, a, b := c.oklab()
	for slices.ContainsFunc(grounds, func(ground Color) bool { return found.contrast(ground) < contrast }) {
		l += step
		found = ofOKLab(l, a, b)
	}
	return found
}

// oklab returns the colour in OKLab, https://bottosson.github.io/posts/oklab/.
func (c Color) oklab() (l, a, b float64) {
	red, green, blue := linear(c.red), linear(c.green), linear(c.blue)
	x := math.Cbrt(0.4122214708*red + 0.5363325363*green + 0.0514459929*blue)
	y := math.Cbrt(0.2119034982*red + 0.6806995451*green + 0.1073969566*blue)
	z := math.Cbrt(0.0883024619*red + 0.2817188376*green + 0.6299787005*blue)
	return 0.2104542553*x + 0.7936177850*y - 0.0040720468*z, 1.9779984951*x - 2.4285922050*y + 0.4505937099*z,
		0.0259040371*x + 0.7827717662*y - 0.8086757660*z
}

// ofOKLab returns the colour of the lightness and the hue. It has less chroma if sRGB has no such colour.
func ofOKLab(l, a, b float64) Color {
	for share := 1.0; share > 0; share -= 0.02 {
		x, y, z := l+share*(0.3963377774*a+0.2158037573*b), l-share*(0.1055613458*a+0.0638541728*b),
			l-share*(0.0894841775*a+1.2914855480*b)
		x, y, z = x*x*x, y*y*y, z*z*z
		red := 4.0767416621*x - 3.3077115913*y + 0.2309699292*z
		green := -1.2684380046*x + 2.6097574011*y - 0.3413193965*z
		blue := -0.0041960863*x - 0.7034186147*y + 1.7076147010*z
		if min(red, green, blue) >= 0 && max(red, green, blue) <= 1 {
			return Color{coded(red), coded(green), coded(blue)}
		}
	}
	if l > 0.5 {
		return white
	}
	return black
}

// contrast returns the contrast ratio of two colours (WCAG 2.2).
func (c Color) contrast(with Color) float64 {
	a, b := c.luminance(), with.luminance()
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

func (c Color) luminance() float64 {
	return 0.2126*linear(c.red) + 0.7152*linear(c.green) + 0.0722*linear(c.blue)
}

// linear returns the light of a channel of sRGB, and coded the channel of the light.
func linear(of uint8) float64 {
	s := float64(of) / 255
	if s <= 0.04045 {
		return s / 12.92
	}
	return math.Pow((s+0.055)/1.055, 2.4)
}

func coded(light float64) uint8 {
	s := 12.92 * light
	if light > 0.0031308 {
		s = 1.055*math.Pow(light, 1/2.4) - 0.055
	}
	return uint8(math.Round(255 * s))
}

// manifest returns the manifest with which a phone installs the console as an app. There is no offline copy: its
// balances and lines would be outdated.
func (b Brand) manifest() []byte {
	type icon struct {
		Source string `json:"src"`
		Sizes  string `json:"sizes,omitempty"`
		Type   string `json:"type"`
	}
	color := own
	if b.Color != nil {
		color = *b.Color
	}
	it := icon{Source: b.icon(), Sizes: "any", Type: types[cmp.Or(b.kind, ".svg")]}
	if size, _, err := image.DecodeConfig(bytes.NewReader(b.Logo)); err == nil {
		it.Sizes = fmt.Sprintf("%dx%d", size.Width, size.Height)
	} else if it.Type == types[".webp"] {
		it.Sizes = ""
	}
	const start = "../../console" // from the folder of the hash
	text, err := json.Marshal(struct {
		Name       string `json:"name"`
		Short      string `json:"short_name"`
		Start      string `json:"start_url"`
		Scope      string `json:"scope"`
		Display    string `json:"display"`
		Theme      string `json:"theme_color"`
		Background string `json:"background_color"`
		Icons      []icon `json:"icons"`
	}{b.name(), b.name(), start, start, "standalone", color.String(), light.page.String(), []icon{it}})
	if err != nil {
		panic(err) // texts can't fail
	}
	return text
}
