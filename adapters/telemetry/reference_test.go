package telemetry

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"resellerd/ports"
	"resellerd/test/documents"
	"resellerd/test/require"
)

// TestReferencePageIsCurrent compares the page of metrics with a registry in which each metric has a value.
func TestReferencePageIsCurrent(t *testing.T) {
	t.Parallel()
	of := New(nil, silent())
	of.Watch(&observable{})
	of.Background(func() ports.Background {
		return ports.Background{Attempts: map[string]int64{"delivered": 1}, Webhooks: &ports.WebhookLoad{}}
	})
	of.Ready(func(context.Context) error { return nil })
	of.Certificate(time.Now)
	of.figures.spans.WithLabelValues("exported")
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	of.RequestEnded(request, request.Method, "/", http.StatusNotFound, "not-found", 0)

	families, err := of.registry.Gather()
	require.NoError(t, err)
	page, shown := "\n| Metric | Type | Labels | Meaning |\n|---|---|---|---|\n", map[string]bool{}
	for _, family := range families {
		if !strings.HasPrefix(family.GetName(), "resellerd_") {
			continue
		}
		shown[family.GetName()] = true
		var labels []string
		for _, label := range family.GetMetric()[0].GetLabel() {
			labels = append(labels, "`"+label.GetName()+"`")
		}
		page += fmt.Sprintf("| `%s` | %s | %s | %s |\n", family.GetName(), strings.ToLower(family.GetType().String()),
			strings.Join(labels, ", "), family.GetHelp())
	}
	descriptions := make(chan *prometheus.Desc, 1000)
	of.registry.Describe(descriptions)
	close(descriptions)
	for d := range descriptions {
		name, _, _ := strings.Cut(strings.TrimPrefix(d.String(), `Desc{fqName: "`), `"`)
		if strings.HasPrefix(name, "resellerd_") && !shown[name] {
			t.Errorf("%s has no value in this test", name)
		}
	}
	documents.Generated(t, "../../bootstrap/deploy/docs/reference/metrics.md", page)
}
