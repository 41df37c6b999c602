package httpapi

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"resellerd/application/lines"
	"resellerd/domain/bulk"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
)

// TestEachTextOfALineIsAcceptedAndShown: details, an import and a job accept each text of the table, and the record of
// a line and an export show it.
func TestEachTextOfALineIsAcceptedAndShown(t *testing.T) {
	var known line.Known
	sent := map[string]string{"username": "ana", "password": "s3cret", "expDate": "2030-01-31T00:00:00Z"}
	texts := known.Texts()
	for i, m := range texts {
		sent[m.Name] = fmt.Sprintf("%d@example.com", i)
		*m.At = profile.RestoreText(sent[m.Name])
	}
	var details describeLineBody
	var row importBody
	var params bulkParamsBody
	for name, c := range map[string]struct {
		body any
		of   func() (line.Description, error)
	}{
		"an operation for details": {&details, func() (line.Description, error) { return details.command(1).Description, nil }},
		"an import": {&row, func() (line.Description, error) {
			r := row.command(1)
			r.Description.ExternalID = &r.ExternalID
			return r.Description, nil
		}},
		"a job": {&params, func() (line.Description, error) {
			return bulk.Change{Details: bulk.DetailsOf(params.description())}.Description()
		}},
	} {
		must(t, readObject(marshal(sent), c.body))
		must(t, bind(c.body))
		d, err := c.of()
		must(t, err)
		for i, m := range d.Texts() {
			is := *m.At != nil && **m.At == *texts[i].At
			expect.Equal(t, is, c.body != &params || !m.OfOne, "%s takes %s", name, m.Name)
		}
	}
	l, err := line.Restore(line.State{ID: 1, Trial: true, Owner: reseller.Position{ID: 2}, ExpiresAt: time.Now(),
		Known: known})
	must(t, err)
	for name, record := range map[string]appender{
		"its record": lineRecord{lines.Line{Line: l}, false}, "an export": exportedLine{lines.Line{Line: l}},
	} {
		var shown map[string]any
		must(t, json.Unmarshal(record.appendJSON(nil), &shown))
		for _, m := range texts {
			expect.Equal(t, shown[m.Name], any(m.At.String()), "%s of %s", m.Name, name)
		}
	}
}
