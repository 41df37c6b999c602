# Lines of code by language, tests apart: without blank lines, comments and what is generated.
FNR == 1 {
	skip = /^\/\/ Code generated/; within = 0
	kind = FILENAME; sub(/.*\./, "", kind)
	if (FILENAME ~ /_test\.go$/) kind = "tests in go"
}
/^[ \t]*\/\*/ { within = 1 }
within { within = !/\*\//; next }
skip || /^[ \t]*($|\/\/|--)/ { next }
{ lines[kind]++; all++ }
END {
	for (kind in lines) printf "%7d %s\n", lines[kind], kind
	printf "%7d in all\n", all
}
