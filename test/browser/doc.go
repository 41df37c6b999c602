// Package browser shows the program's pages to a real Chromium and watches what they do: what they ask which host for,
// what their policy refuses, what the console says. It is a module of its own, so that nobody who builds the program
// fetches what drives a browser.
package browser
