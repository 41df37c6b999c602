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

// Colours of style.css: the backgrounds of links, the texts on fills, and the colour of resellerd.
var (
	light = Color{0xf5, 0xf6, 0xf8}
	dark  = Color{0x2a, 0x30, 0x38}
	white = Color{0xff, 0xff, 0xff}
	black = Color{}
	own   = Color{0x1d, 0x5b, 0xbf}
)

// styles returns the brand's colours as CSS. Fills have the colour itself, with black or white text. Links have the
// nearest readable colour.
func (b Brand) styles() string {
	if b.Color == nil {
		return ""
	}
	return fmt.Sprintf("\n:root:root{--fill:%v;--on-fill:%v;--main:light-dark(%v,%v);--focus:var(--main)}\n",
		b.Color, b.Color.text(), b.Color.link(light), b.Color.link(dark))
}

// text returns black or white, whichever has more contrast with the colour: at least 4.5.
func (c Color) text() Color {
	if c.contrast(white) > c.contrast(black) {
		return white
	}
	return black
}

// link mixes the colour with black or white until it has a contrast of 4.5 with a ground (WCAG 2.2, 1.4.3).
func (c Color) link(ground Color) Color {
	mixed, with := c, ground.text()
	for share := 0.0; mixed.contrast(ground) < 4.5; share += 0.02 {
		mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-share) + float64(b)*share)) }
		mixed = Color{mix(c.red, with.red), mix(c.green, with.green), mix(c.blue, with.blue)}
	}
	return mixed
}

// contrast returns the contrast ratio of two colours (WCAG 2.2).
func (c Color) contrast(with Color) float64 {
	a, b := c.luminance(), with.luminance()
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

func (c Color) luminance() float64 {
	linear := func(of uint8) float64 {
		s := float64(of) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.red) + 0.7152*linear(c.green) + 0.0722*linear(c.blue)
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
	}{b.name(), b.name(), start, start, "standalone", color.String(), light.String(), []icon{it}})
	if err != nil {
		panic(err) // texts can't fail
	}
	return text
}
