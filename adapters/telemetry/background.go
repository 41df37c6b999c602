package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"resellerd/ports"
)

// background collects what is done beside requests. What waits is shown by the process that sends it alone: where none
// does there is no such figure, and a sum or a maximum over processes is that of the one.
type background struct{ now func() ports.Background }

var (
	attempts = prometheus.NewDesc("resellerd_webhook_attempts_total",
		"Attempts to deliver an entry of the journal to a webhook: delivered, or why they failed.", []string{"outcome"}, nil)
	webhooks = prometheus.NewDesc("resellerd_webhooks", "Webhooks: enabled, or the reason why they are disabled.",
		[]string{"state"}, nil)
	webhooksBehind = prometheus.NewDesc("resellerd_webhook_behind_seconds",
		"Time that the first entry of the journal waits to be sent to a webhook whose receiver answers.", nil, nil)
	retriesWaiting = prometheus.NewDesc("resellerd_webhook_retries_waiting",
		"Entries of the journal that are to be sent again to webhooks which are enabled.", nil, nil)
	reminders = prometheus.NewDesc("resellerd_reminders_total", "Lines of which was told that they expire, or have.",
		nil, nil)
	remindersBehind = prometheus.NewDesc("resellerd_reminders_behind_seconds",
		"Time that the first line waits to be told of.", nil, nil)
)

// Describe implements prometheus.Collector.
func (background) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{attempts, webhooks, webhooksBehind, retriesWaiting, reminders, remindersBehind} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (b background) Collect(to chan<- prometheus.Metric) {
	now := b.now()
	counter := func(of *prometheus.Desc, n int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(of, prometheus.CounterValue, float64(n), labels...)
	}
	gauge := func(of *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
	}
	for outcome, n := range now.Attempts {
		counter(attempts, n, outcome)
	}
	counter(reminders, now.Reminders)
	load := now.Webhooks
	if load == nil {
		return
	}
	gauge(remindersBehind, now.RemindersBehind.Seconds())
	gauge(webhooksBehind, load.Behind.Seconds())
	gauge(retriesWaiting, float64(load.Waiting))
	gauge(webhooks, float64(load.Enabled), "enabled")
	for reason, n := range load.Disabled {
		gauge(webhooks, float64(n), reason)
	}
}
