package telemetry

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"resellerd/domain/fault"
	"resellerd/ports"
)

// readyTime bounds the check of readiness: less than the scrape time-out of Prometheus.
const readyTime = 3 * time.Second

// Bounds of histograms. A request may take 10 seconds. A commit takes a quarter of a millisecond or longer, and has up
// to 256 commands.
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
			"Answered requests. The route is a template; status 499: the client closed the connection first.", "route",
			"method", "status"),
		answerTime: with.NewHistogramVec(histogram("resellerd_http_request_duration_seconds",
			"Time from the header of a request to the end of its answer.", answerTimes), []string{"route", "method"}),
		refusals: counter("resellerd_http_refusals_total",
			"Answers with a problem document, by its code.", "code"),
		logins: counter("resellerd_logins_total",
			"Logins, for a token or a session: granted, or the code of the refusal.", "outcome"),
		movements: counter("resellerd_movements_total",
			"Committed movements of credits, by kind. Movements with an unknown outcome are not counted.", "kind"),
		credits: counter("resellerd_credits_total",
			"Credits of the committed movements, by kind. Use it for rates: the ledger has the exact sums.", "kind"),
		storeTime: with.NewHistogramVec(histogram("resellerd_store_duration_seconds",
			"Time of a store command, with its wait in the queue and its commit: done, refused by a rule, given-up by the client, unavailable or failed.", answerTimes),
			[]string{"command", "outcome"}),
		reruns: with.NewCounter(prometheus.CounterOpts{Name: "resellerd_store_reruns_total",
			Help: "Repeated runs of the work of an update."}),
		commitTime: with.NewHistogram(histogram("resellerd_store_commit_duration_seconds",
			"Time of a transaction from its start until it is durable.", commitTimes)),
		commitBatch: with.NewHistogram(histogram("resellerd_store_commit_commands",
			"Commands that share a commit.", batches)),
		retries: with.NewCounter(prometheus.CounterOpts{Name: "resellerd_store_retries_total",
			Help: "Retries of transactions that were committed later. The cause is a conflict with another process, or a failure."}),
		spans: counter("resellerd_trace_spans_total",
			"Spans: exported, dropped because too many waited, or failed because the collector did not accept them.", "outcome"),
	}
}

// commit counts a commit of a store.
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
	waiting    = prometheus.NewDesc("resellerd_store_queue", "Commands that wait for a transaction.", nil, nil)
	unnumbered = prometheus.NewDesc("resellerd_journal_unnumbered_seconds",
		"Age of the oldest journal entry without a number, accurate to some seconds. 0 on SQLite.", nil, nil)
	walSize = prometheus.NewDesc("resellerd_store_wal_bytes",
		"Size of the write-ahead log (WAL) of SQLite.", nil, nil)
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

// background collects the metrics of background work. Only the process that sends webhooks and reminders has metrics of
// the work that is left, so a sum or a maximum over all processes is the value of this one.
type background struct{ now func() ports.Background }

var (
	attempts = prometheus.NewDesc("resellerd_webhook_attempts_total",
		"Attempts to deliver a journal entry to a webhook: delivered, or the cause of the failure.", []string{"outcome"}, nil)
	webhooks = prometheus.NewDesc("resellerd_webhooks", "Webhooks: enabled, or the reason for which they are disabled.",
		[]string{"state"}, nil)
	webhooksBehind = prometheus.NewDesc("resellerd_webhook_behind_seconds",
		"Delay of the oldest unsent journal entry of a webhook whose receiver answers.", nil, nil)
	retriesWaiting = prometheus.NewDesc("resellerd_webhook_retries_waiting",
		"Journal entries that wait for a retry to an enabled webhook.", nil, nil)
	reminders = prometheus.NewDesc("resellerd_reminders_total", "Expiry reminders sent.",
		nil, nil)
	remindersBehind = prometheus.NewDesc("resellerd_reminders_behind_seconds",
		"Delay of the oldest reminder that is due.", nil, nil)
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
