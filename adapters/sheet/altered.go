package sheet

import (
	"regexp"
	"strings"
)

// CodeAltered is the code of a cell for which Reader.Altered returns a reason.
const CodeAltered = "altered-by-spreadsheet"

// programMade matches what a spreadsheet program writes for a text that it took for a number or a formula: 5.5E+12, or
// #N/A.
var programMade = regexp.MustCompile(`^(?:-?[0-9]([.,][0-9]+)?E[+-][0-9]+|#[^ ]*[A-ZÁ-Ú0-9][!?]|#N/[A-Z]|#NV)$`)

// made reports whether a spreadsheet program has written a text in place of another.
func made(text string) bool {
	return len(text) < 32 && strings.ContainsAny(text, "E#") && programMade.MatchString(text)
}

// digits reports whether a text has digits only.
func digits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// fragile are texts that a spreadsheet program takes for a number or a date, and writes in another way: 1E5, 3/4.
var fragile = regexp.MustCompile(`^(?:[0-9]+([.,][0-9]+)?[eE][+-]?[0-9]+|[0-9]{1,4}[-/][0-9]{1,2}([-/][0-9]{1,4})?)$`)

// mostDigits is the number of digits to which a spreadsheet program rounds a number.
const mostDigits = 15

// changes reports whether a spreadsheet program would write a text in another way.
func changes(text string) bool {
	return made(text) || afterZero(text) || digits(text) && len(text) > mostDigits || len(text) < 32 &&
		fragile.MatchString(text)
}

// afterZero reports whether a text is digits with a leading zero, which a spreadsheet program drops.
func afterZero(text string) bool { return len(text) > 1 && text[0] == '0' && digits(text) }

// truths are the words of spreadsheet programs for true and false in several languages.
var truths = map[string]bool{
	"TRUE": true, "VERDADEIRO": true, "VERDADERO": true, "WAHR": true, "VRAI": true, "VERO": true, "1": true,
	"FALSE": false, "FALSO": false, "FALSCH": false, "FAUX": false, "0": false,
}

// Truth reads true or false as spreadsheet programs write it.
func Truth(cell string) (is, known bool) {
	is, known = truths[strings.ToUpper(cell)]
	return is, known
}
