package audit

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"resellerd/test/expect"
)

var balances = regexp.MustCompile(`^(0|[1-9][0-9]{0,11})(\.[0-9]{0,3}[1-9])?$`)

func FuzzCheckpoint(f *testing.F) {
	some := hex.EncodeToString(append(make([]byte, 31), 7))
	for _, text := range []string{
		"1 0 0 " + hex.EncodeToString(make([]byte, 32)) + "\n7 12 99.5 " + some + "\nend 2\n",
		"1 1 100000000000 " + some + "\nend 1\n", "1 1 100000000000.0001 " + some + "\nend 1\n", "end 0\n", "end 1\n", "",
		"7 12 99.5 " + some, "+7 012 99.50 " + some + "\nend 1\n", "0x7 1_2 x " + some + "\nend 1\n",
		"7\t12  99.5 " + some + "\nend 1\n", "+7 012 99.5 " + some + "\nend 1\n", "7 12 99.5 " +
			strings.ToUpper(strings.Repeat("ab", 32)) + "\nend 1\n", "end 0\nend 0\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := bufio.NewScanner(strings.NewReader(text))
		var again strings.Builder
		for n := int64(0); ; n++ {
			v, err := nextVouched(lines, n)
			if errors.Is(err, io.EOF) {
				fmt.Fprintf(&again, checkpointEnd, n)
				break
			}
			if err != nil {
				expect.Error(t, err, errCheckpoint, "%q", text)
				return
			}
			if !balances.MatchString(v.balance) {
				t.Fatalf("%q: a balance of %q", text, v.balance)
			}
			fmt.Fprintln(&again, v.reseller, v.seq, v.balance, hex.EncodeToString(v.hash[:]))
		}
		// A line may end as in Windows, and the last one with nothing, or with half of that.
		want := strings.ReplaceAll(strings.TrimSuffix(text, "\n")+"\n", "\r\n", "\n")
		expect.Equal(t, again.String(), want, "%q", text)
	})
}
