package mongostore

import (
	"errors"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"
)

// Check refuses an address that can never work, without touching anything. Its
// error does not hold the address.
func Check(uri string) error {
	_, err := parse(uri)
	return err
}

func parse(uri string) (*connstring.ConnString, error) {
	cs, err := connstring.ParseAndValidate(uri)
	if err == nil {
		err = options.Client().ApplyURI(uri).Validate() // the files that it names, too
	}
	switch {
	case err != nil:
		return nil, unreadable(err, uri)
	case cs.DirectConnection:
		return nil, ErrDirect
	}
	return cs, nil
}

// unreadable says what is wrong with an address without the pieces of it that the driver quotes: if the @ is missing,
// the password stands in place of a port.
func unreadable(err error, uri string) error {
	message := strings.ReplaceAll(err.Error(), uri, "the address")
	var quoted string
	if number, ok := errors.AsType[*strconv.NumError](err); ok {
		quoted = number.Num
	} else if host, ok := errors.AsType[*net.AddrError](err); ok {
		quoted = host.Addr
	} else if escape, ok := errors.AsType[url.EscapeError](err); ok {
		quoted = string(escape)
	}
	if quoted != "" {
		escaped := strconv.Quote(quoted) // as some messages have it
		message = strings.NewReplacer(escaped[1:len(escaped)-1], "...", quoted, "...").Replace(message)
	}
	return errors.New(mask(message, secretsOf(uri)))
}

// secretOption is the name of an option whose value is one.
var secretOption = regexp.MustCompile(`(?i)password|properties|token|secret`)

// secretsOf returns what may be secret in an address, in each form in which a message may have it: all from the user's
// colon to the last @, or to the end if there is none, and options.
func secretsOf(uri string) (secrets []string) {
	_, rest, _ := strings.Cut(uri, "://")
	user, at := rest, strings.LastIndexByte(rest, '@')
	if at >= 0 {
		user = rest[:at]
	}
	_, password, _ := strings.Cut(user, ":")
	said := []string{password}
	_, query, _ := strings.Cut(rest, "?")
	for _, option := range strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' }) {
		if name, value, _ := strings.Cut(option, "="); secretOption.MatchString(name) {
			said = append(said, value)
		}
	}
	for _, secret := range said {
		for _, unescape := range []func(string) (string, error){verbatim, url.PathUnescape, url.QueryUnescape} {
			if plain, err := unescape(secret); err == nil {
				quoted := strconv.Quote(plain)
				secrets = append(secrets, lowered(plain), lowered(quoted[1:len(quoted)-1]))
			}
		}
	}
	return secrets
}

func verbatim(text string) (string, error) { return text, nil }

// leastPiece is the length in bytes from which a piece of a secret reveals something.
const leastPiece = 4

// mask returns a message without the pieces of secrets, which are in lower case.
func mask(message string, secrets []string) string {
	told := func(piece string) bool {
		return slices.ContainsFunc(secrets, func(secret string) bool { return strings.Contains(secret, piece) })
	}
	lower := lowered(message)
	var masked strings.Builder
	for from := 0; from < len(message); {
		to := from + leastPiece
		if to > len(message) || !told(lower[from:to]) {
			masked.WriteByte(message[from])
			from++
			continue
		}
		for to < len(message) && told(lower[from:to+1]) {
			to++
		}
		masked.WriteString("...")
		from = to
	}
	return strings.ReplaceAll(masked.String(), "......", "...")
}

// lowered returns ASCII in lower case, as the driver has the names of options, and all other bytes unchanged.
func lowered(text string) string {
	bytes := []byte(text)
	for i, b := range bytes {
		if 'A' <= b && b <= 'Z' {
			bytes[i] += 'a' - 'A'
		}
	}
	return string(bytes)
}
