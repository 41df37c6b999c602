# Prints the ten packages that took longest, of what go test printed. Its status is 1 where a test failed.
$1 == "FAIL" { failed = 1 }
$3 ~ /^[0-9.]+s$/ { took[$2] = $3 + 0 }
END {
  print "The slowest packages, in seconds:"
  sorted = "sort -rn | head -n 10"
  for (name in took) printf "%8.1f  %s\n", took[name], name | sorted
  close(sorted)
  exit failed
}
