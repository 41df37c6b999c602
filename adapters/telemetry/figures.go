package telemetry

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"resellerd/domain/fault"
	"resellerd/ports"
)

// readyTime bounds the check of readiness: less than Prometheus waits for figures.
const readyTime = 3 * time.Second

// Bounds of histograms. An answer takes from less than a millisecond to the 10 seconds that a request may take, a
// commit from a quarter of a millisecond on; a commit has up to 256 commands.
var (
	answerTimes = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	commitTimes = []float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	batches     = []float64{1, 2, 4, 8, 16, 32, 64, 128, 256}
)

// figures are the metrics.
type figures struct {
	requests    *prometheus.CounterVec
	answerTime  *prometheus.HistogramVec
	refusals    *prometheus.CounterVec
	logins      *prometheus.CounterVec
	movements   *prometheus.CounterVec
	credits     *prometheus.CounterVec
	storeTime   *prometheus.HistogramVec
	reruns      prometheus.Counter
	commitTime  prometheus.Histogram
	commitBatch prometheus.Histogram
	retries     prometheus.Counter
	spans       *prometheus.CounterVec
}

func newFigures(with promauto.Factory) figures {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return with.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, bounds []float64) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Name: name, Help: help, Buckets: bounds}
	}
	return figures{
		requests: counter("resellerd_http_requests_total",
			"Requests that were answered, by route template, method and status; 499 where the client gave up.", "route",
			"method", "status"),
		answerTime: with.NewHistogramVec(histogram("resellerd_http_request_duration_seconds",
			"Time from a request's headers to the end of its answer.", answerTimes), []string{"route", "method"}),
		refusals: counter("resellerd_http_refusals_total",
			"Problem documents, by their code.", "code"),
		logins: counter("resellerd_logins_total",
			"Logins, for a token or a session: granted, or the code of their refusal.", "outcome"),
		movements: counter("resellerd_movements_total",
			"Movements of credits that this process has committed, by kind.", "kind"),
		credits: counter("resellerd_credits_total",
			"Credits of these movements. For rates: the ledger has the exact sums.", "kind"),
		storeTime: with.NewHistogramVec(histogram("resellerd_store_duration_seconds",
			"Time of a store command, the wait for others and its commit included.", answerTimes),
			[]string{"command", "outcome"}),
		reruns: with.NewCounter(prometheus.CounterOpts{Name: "resellerd_store_reruns_total",
			Help: "Runs of an update's work after its first."}),
		commitTime: with.NewHistogram(histogram("resellerd_store_commit_duration_seconds",
			"Time of a transaction from its begin until it was durable.", commitTimes)),
		commitBatch: with.NewHistogram(histogram("resellerd_store_commit_commands",
			"Commands that shared a commit.", batches)),
		retries: with.NewCounter(prometheus.CounterOpts{Name: "resellerd_store_retries_total",
			Help: "Transactions that were retried and then committed: they met another process, or a failure."}),
		spans: counter("resellerd_trace_spans_total",
			"Spans, by what became of them: exported, dropped because too many waited, failed because the collector did not take them.", "outcome"),
	}
}

// commit counts what a store reports.
func (f figures) commit(c ports.Commit) {
	f.commitTime.Observe(c.Took.Seconds())
	f.commitBatch.Observe(float64(c.Commands))
	if c.Attempts > 1 {
		f.retries.Add(float64(c.Attempts - 1))
	}
}

// load collects the load of a store.
type load struct{ store ports.Observable }

var (
	waiting    = prometheus.NewDesc("resellerd_store_queue", "Commands that wait for their transaction.", nil, nil)
	unnumbered = prometheus.NewDesc("resellerd_journal_unnumbered_seconds",
		"Age of the oldest entry of the journal that has no number yet, to some seconds.", nil, nil)
	walSize = prometheus.NewDesc("resellerd_store_wal_bytes",
		"Size of the file in which commits wait to be moved into the database.", nil, nil)
)

// Describe implements prometheus.Collector.
func (load) Describe(to chan<- *prometheus.Desc) { to <- waiting; to <- walSize; to <- unnumbered }

// Collect implements prometheus.Collector.
func (l load) Collect(to chan<- prometheus.Metric) {
	now := l.store.Load()
	to <- prometheus.MustNewConstMetric(waiting, prometheus.GaugeValue, float64(now.Waiting))
	to <- prometheus.MustNewConstMetric(unnumbered, prometheus.GaugeValue, now.Unnumbered.Seconds())
	if now.WAL >= 0 {
		to <- prometheus.MustNewConstMetric(walSize, prometheus.GaugeValue, float64(now.WAL))
	}
}

// codeOf returns the code of a refusal, "failed" for any other error: a fault of the service.
func codeOf(err error) string {
	if known, is := errors.AsType[*fault.Fault](err); is {
		return known.Code()
	}
	return "failed"
}

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
