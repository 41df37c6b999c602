// Package profile implements the values that describe resellers and lines: user names and passwords (RFC 8265), and
// texts. Each is parsed once, at the edge. A parsed value is valid and is never checked again.
package profile

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/secure/precis"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"

	"resellerd/domain/fault"
)

// Limits in characters (Unicode code points).
const (
	MaxUsername = 64
	MaxPassword = 128
	MaxText     = 64
	MaxEmail    = 254
	MaxNotes    = 2000
	MaxValue    = 500
)

// The reasons for which a value is refused.
var (
	ErrEmpty    = fault.New(fault.Invalid, "required", "This must not be empty.")
	ErrTooLong  = fault.New(fault.Invalid, "too-long", "This is too long")
	ErrTooShort = fault.New(fault.Invalid, "too-short", "This is too short")
	ErrUsername = fault.New(fault.Invalid, "bad-username",
		"A user name has letters, digits and symbols, and no spaces or control characters (RFC 8265).")
	ErrPassword         = fault.New(fault.Invalid, "bad-password", "A password has no control characters (RFC 8265).")
	ErrControlCharacter = fault.New(fault.Invalid, "control-character",
		"This must not contain control characters. A short text must not contain format characters either, such as U+202E.")
	ErrAltered = fault.New(fault.Invalid, "would-be-altered",
		"This would be stored in another spelling, such as without full-width letters: send that spelling.")
	ErrUsernameTaken = fault.New(fault.Conflict, "username-taken", "This user name is taken.")
)

var errDots = ErrUsername.WithDetail(
	"A user name must not be . or .. alone or between slashes: a URL can't contain it.")

func tooLong(longest int) error {
	return fmt.Errorf("%w: at most %d characters", ErrTooLong, longest)
}

// RFC 8265 requires the Bidi rule for names with right-to-left characters. The profiles of precis apply it to every
// name that is not ASCII and would refuse 2joão and joão_. These are the same profiles without the rule.
var (
	leftToRightPreserved = precis.NewIdentifier(precis.FoldWidth, precis.Norm(norm.NFC))
	leftToRightMapped    = precis.NewIdentifier(precis.FoldWidth, precis.LowerCase(), precis.Norm(norm.NFC))
)

func rightToLeft(r rune) bool {
	properties, _ := bidi.LookupRune(r)
	class := properties.Class()
	return class == bidi.R || class == bidi.AL || class == bidi.AN
}

// Username is a name in two forms: as shown, and its key. Two names are the same if their keys are. The zero value is
// no name.
//
// In a key the small sigma replaces the final one, which UsernameCaseMapped leaves: ΟΔΟΣ and οδος are one name.
type Username struct{ shown, key string }

// ParseUsername reads a name of 1 to 64 characters by RFC 8265. The shown form is the result of UsernameCasePreserved,
// the key that of UsernameCaseMapped, except for the final sigma. UsernameCasePreserved accepts the empty text, refuses
// spaces and rewrites full-width letters. UsernameCaseMapped lower-cases and does not fold.
func ParseUsername(text string) (Username, error) {
	if text == "" {
		return Username{}, ErrEmpty
	}
	if len(text) > MaxUsername*utf8.UTFMax {
		return Username{}, tooLong(MaxUsername)
	}
	preserved := leftToRightPreserved
	if strings.ContainsFunc(text, rightToLeft) {
		preserved = precis.UsernameCasePreserved
	}
	shown, err := preserved.String(text)
	if err != nil || shown == "" {
		return Username{}, ErrUsername
	}
	if utf8.RuneCountInString(shown) > MaxUsername {
		return Username{}, tooLong(MaxUsername)
	}
	mapped := leftToRightMapped
	if strings.ContainsFunc(shown, rightToLeft) {
		mapped = precis.UsernameCaseMapped
	}
	key, err := mapped.String(shown)
	if err != nil {
		return Username{}, ErrUsername
	}
	return Username{shown: shown, key: folded(key)}, nil
}

// NewUsername is ParseUsername for the name of a new or renamed record. It also refuses a name with the segment "." or
// "..": HTTP clients and proxies remove these from the path of a URL.
func NewUsername(text string) (Username, error) {
	name, err := ParseUsername(text)
	for segment := range strings.SplitSeq(name.shown, "/") {
		if segment == "." || segment == ".." {
			return Username{}, errDots
		}
	}
	return name, err
}

// folded replaces each final sigma by the small one.
func folded(key string) string { return strings.ReplaceAll(key, "ς", "σ") }

// UsernamePrefix returns the common prefix of the keys of all names that start with text, "" for an empty text.
func UsernamePrefix(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if len(text) > MaxUsername*utf8.UTFMax {
		return "", tooLong(MaxUsername)
	}
	shown, err := leftToRightPreserved.String(text)
	if err != nil {
		return "", ErrUsername
	}
	if utf8.RuneCountInString(shown) > MaxUsername {
		return "", tooLong(MaxUsername)
	}
	key, err := leftToRightMapped.String(shown)
	if err != nil {
		return "", ErrUsername
	}
	return folded(key), nil
}

// StartsWith reports whether the name starts with a prefix that UsernamePrefix returned.
func (u Username) StartsWith(prefix string) bool { return strings.HasPrefix(u.key, prefix) }

// RestoreUsername returns the name that a store has as these two texts.
func RestoreUsername(shown, key string) Username { return Username{shown: shown, key: key} }

// IsCanonical reports whether ParseUsername returns this name. A store may have another name, or another key for it.
func (u Username) IsCanonical() bool {
	again, err := ParseUsername(u.shown)
	return err == nil && again == u
}

// String returns the name as shown.
func (u Username) String() string { return u.shown }

// Key returns the form by which names are compared and records are stored.
func (u Username) Key() string { return u.key }

// Secret is a text that must not be printed: every printing form is redacted. It has a pointer to the text, because fmt
// walks into unexported fields and calls no method there.
type Secret struct{ text *string }

const redacted = "[redacted]"

// NewSecret wraps a text that is known to be valid, such as a generated one.
func NewSecret(text string) Secret { return Secret{&text} }

// ParsePassword reads a password by RFC 8265 (OpaqueString) of at least minimum and at most 128 characters.
func ParsePassword(text string, minimum int) (Secret, error) {
	if text == "" {
		return Secret{}, ErrEmpty
	}
	if len(text) > MaxPassword*utf8.UTFMax {
		return Secret{}, tooLong(MaxPassword)
	}
	clean, err := precis.OpaqueString.String(text)
	if err != nil || !utf8.ValidString(text) {
		return Secret{}, ErrPassword
	}
	switch n := utf8.RuneCountInString(clean); {
	case n < minimum:
		return Secret{}, fmt.Errorf("%w: at least %d characters", ErrTooShort, minimum)
	case n > MaxPassword:
		return Secret{}, tooLong(MaxPassword)
	}
	return NewSecret(clean), nil
}

// Reveal returns the text itself, "" for the zero value.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Format redacts the text for every verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// String redacts the text.
func (Secret) String() string { return redacted }

// MarshalText redacts the text.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Text is a trimmed text without control characters. The zero value is unset, and so is an empty text.
type Text struct{ value string }

// ParseText reads a text of at most 64 characters, which may be empty.
func ParseText(text string) (Text, error) { return ParseLine(text, MaxText) }

// ParseRequired reads a text of 1 to 64 characters.
func ParseRequired(text string) (Text, error) {
	t, err := ParseText(text)
	if err == nil && t.value == "" {
		return Text{}, ErrEmpty
	}
	return t, err
}

// ParseEmail reads an address of at most 254 characters, which may be empty. The driving adapter checks its syntax.
func ParseEmail(text string) (Text, error) { return ParseLine(text, MaxEmail) }

// ParseNotes reads free text of at most 2,000 characters, which may be empty and have several lines.
func ParseNotes(text string) (Text, error) { return ParseLines(text, MaxNotes) }

// ParseValue reads a value of metadata, of at most 500 characters, which may be empty and have several lines.
func ParseValue(text string) (Text, error) { return ParseLines(text, MaxValue) }

// ParseReason reads a reason, of at most 500 characters, which may be empty and have several lines, without format
// characters.
func ParseReason(text string) (Text, error) {
	return parseText(lineFeeds.Replace(text), MaxValue, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' ||
			IsFormat(r)
	})
}

// ParseLine reads a text of at most so many characters, which may be empty, without format characters.
func ParseLine(text string, longest int) (Text, error) {
	return parseText(text, longest, func(r rune) bool { return unicode.IsControl(r) || IsFormat(r) })
}

// ParseStored returns a function that reads the texts of ParseLine, and texts with format characters: notes that are
// searched may have some.
func ParseStored(longest int) func(text string) (Text, error) {
	return func(text string) (Text, error) { return parseText(text, longest, unicode.IsControl) }
}

// ParseLines reads a text of at most so many characters, which may be empty and have several lines. In the result every
// line ends with a line feed, whatever line ends the text had.
func ParseLines(text string, longest int) (Text, error) {
	return parseText(lineFeeds.Replace(text), longest, func(r rune) bool { return unicode.IsControl(r) && r != '\n' })
}

// lineFeeds replaces the line ends that HTML forms (CRLF) and old systems (CR) write by a line feed.
var lineFeeds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// IsFormat reports whether a character is invisible and changes how a text is shown: its direction, its lines, or only
// its comparison. Characters that names of some languages and emoji need do not count: the joiners, tags, and signs
// that enclose digits.
func IsFormat(r rune) bool {
	switch {
	case r < utf8.RuneSelf, r == '\u200c', r == '\u200d', r >= '\U000e0020' && r <= '\U000e007f':
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

func parseText(text string, longest int, refused func(rune) bool) (Text, error) {
	if !utf8.ValidString(text) {
		return Text{}, ErrControlCharacter
	}
	if trimmed := strings.TrimSpace(text); len(trimmed) < len(text) {
		text = strings.Clone(trimmed) // so that the untrimmed text can be freed
	}
	if utf8.RuneCountInString(text) > longest {
		return Text{}, tooLong(longest)
	}
	if strings.ContainsFunc(text, refused) {
		return Text{}, ErrControlCharacter
	}
	return Text{text}, nil
}

// RestoreText returns the text that a store has.
func RestoreText(text string) Text { return Text{text} }

// String returns the text, "" if it is unset.
func (t Text) String() string { return t.value }

// Change sets t to the text that change points to and leaves it alone if change is nil.
func (t *Text) Change(change *Text) {
	if change != nil {
		*t = *change
	}
}

// NameClaim assigns a name for the sign-in to one account, or one member of the staff.
type NameClaim struct {
	Folded string // the name, as names are compared
	Staff  bool
	ID     int64 // of the account, or of the member of the staff
}
