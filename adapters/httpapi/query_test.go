package httpapi

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/gin-gonic/gin"
)

func TestACursorIsReadAsItWasMadeOrNotAtAll(t *testing.T) {
	read := parseCursor("expiry", 2)
	for _, numbers := range [][]int64{{0, 1}, {1, 11}, {1_796_560_144_489, 111}, {-5, 9_223_372_036_854_775_807}} {
		made := *cursor("expiry", numbers...)
		if got, err := read(made); err != nil || !slices.Equal(got, numbers) {
			t.Errorf("%v: got %v, %v", numbers, got, err)
		}
		if got, err := parseCursor("lines", 2)(made); err == nil {
			t.Errorf("%v is read as a cursor of another list: %v", numbers, got)
		}
		for i := range made {
			if got, err := read(made[:i]); err == nil {
				t.Errorf("%v: cut after %d it is read as %v", numbers, i, got)
			}
		}
		for c := byte('!'); c <= '~'; c++ {
			if got, err := read(made + string(c)); err == nil && !slices.Equal(got, numbers) {
				t.Errorf("%v: with %q behind it is read as %v", numbers, c, got)
			}
		}
	}
	if got, err := read(*cursor("expiry", 1)); err == nil {
		t.Errorf("a number is missing and it is read as %v", got)
	}
}

func TestAParameterThatCannotBeReadIsNamedOnce(t *testing.T) {
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequest(http.MethodGet, "/lines", nil)
	c.Request.URL.RawQuery = "limit=5&owner=%zz&owner=%&owner=1;x"
	q := queryOf(c)
	value(q, "owner", parseID)
	if limit := q.limit(); limit != 5 {
		t.Errorf("limit %d, want 5", limit)
	}
	var invalid *invalidFields
	if err := q.err(); !errors.As(err, &invalid) || len(invalid.violations) != 1 || invalid.violations[0].Parameter != "owner" {
		t.Errorf("got %v, %+v", err, invalid)
	}
}
