// Package jobs kills the whole program while it works on a job for many lines, on each store: one process on SQLite,
// one of two on MongoDB. Each line is charged once, and all that the dry run counted. Meanwhile others are served: what
// single calls take alone and beside the job is reported, as is the memory that it takes.
//
//	make jobs                  # 100,000 lines and 5 kills, on each store
//	make jobs JOB=20000,3
//
// make test runs it with few lines and one kill.
package jobs
