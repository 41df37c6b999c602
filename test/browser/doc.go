// Package browser tests the program's pages in a real Chromium. It checks their requests to each host, violations of
// their policy, and the messages on the browser's console. It is a separate module, so that building the program does
// not fetch the browser driver.
package browser
