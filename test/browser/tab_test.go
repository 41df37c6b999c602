package browser

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a tab of the browser, with cookies and site data of its own.
type tab struct {
	context.Context

	width, height int64

	mu    sync.Mutex
	asked []string // the addresses of all requests
	calls []string // the same with their methods: "GET http://..."
	said  []string // what the console, the policy and the network complain of
}

// browser starts the browser that all tests share. The end of the test process ends it.
var browser = sync.OnceValues(func() (context.Context, error) {
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("in-process-gpu", true), // a process of its own takes more time
		// Without the last three, which prepare processes that no test uses.
		chromedp.Flag("disable-features",
			"Translate,BlinkGenPropertyTrees,SpareRendererForSitePerProcess,WebUIOmniboxPopup,WebUIOmniboxAimPopup"),
	)
	allocator, _ := chromedp.NewExecAllocator(running, options...)
	ctx, _ := chromedp.NewContext(allocator)
	return ctx, chromedp.Do(ctx)
})

// open opens a tab of this size.
func open(t *testing.T, width, height int64) *tab {
	t.Helper()
	of, err := browser()
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := chromedp.NewContext(of, chromedp.WithNewBrowserContext())
	t.Cleanup(leave)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	v := &tab{width: width, height: height}
	limited, cancel := context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	v.Context = limited
	if err := chromedp.Listen(ctx, v.hear); err != nil {
		t.Fatal(err)
	}
	v.do(t,
		enable(network.Enable, network.EnableParams{}), enable(log.Enable, cdp.Empty{}), enable(runtime.Enable, cdp.Empty{}),
		enable(audits.Enable, cdp.Empty{}), chromedp.EmulateViewport(width, height),
		enable(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}),
		enable(emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: zone}),
	)
	if _, err := chromedp.Call(v, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: looker}); err != nil {
		t.Fatal(err)
	}
	return v
}

func enable[P any](command cdp.Command[P, cdp.Empty], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, to *chromedp.Target) error {
		_, err := cdp.Call(ctx, to, command, params)
		return err
	})
}

func (v *tab) hear(event any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		v.asked = append(v.asked, e.Request.URL)
		v.calls = append(v.calls, e.Request.Method+" "+e.Request.URL)
	case *network.EventLoadingFailed:
		if !e.Canceled { // by the page itself, or because it was left
			v.said = append(v.said, "loading failed: "+e.ErrorText)
		}
	case *log.EventEntryAdded:
		if strings.Contains(e.Entry.Text, "status of 429") &&
			(strings.HasSuffix(e.Entry.URL, "/auth/session") || strings.HasSuffix(e.Entry.URL, "/bulk")) {
			// many sign in at once on this machine, or a form was left while it had lines counted: the console waits for its
			// turn
			return
		}
		v.said = append(v.said, fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning ||
			e.Type == runtime.ConsoleAPICalledTypeAssert {
			var words []string
			for _, a := range e.Args {
				words = append(words, string(a.Value), a.Description)
			}
			v.said = append(v.said, "console: "+strings.Join(words, " "))
		}
	case *runtime.EventExceptionThrown:
		v.said = append(v.said, "exception: "+e.ExceptionDetails.Text)
	case *audits.EventIssueAdded:
		if e.Issue.Code == audits.InspectorIssueCodeContentSecurityPolicyIssue {
			v.said = append(v.said, fmt.Sprintf("policy: %+v", e.Issue.Details.ContentSecurityPolicyIssueDetails))
		}
	}
}

func (v *tab) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(v, steps...); err != nil {
		t.Fatalf("%v; the page said %q", err, v.said)
	}
}

// ask returns the value of an expression of the page.
func ask[T any](t *testing.T, v *tab, expression string) T {
	t.Helper()
	value, err := chromedp.Run(v, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v; the page said %q", expression, err, v.said)
	}
	return value
}

// quiet checks that the browser reported no error, and that no other host got a request.
func (v *tab) quiet(t *testing.T, address string) {
	t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, line := range v.said {
		t.Error(line)
	}
	own, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.asked) == 0 {
		t.Error("nothing was requested")
	}
	for _, asked := range v.asked {
		if u, err := url.Parse(asked); err != nil || u.Scheme != "data" && u.Host != own.Host {
			t.Errorf("the page requested %s", asked)
		}
	}
}
