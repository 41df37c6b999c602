// Package deliveries runs the whole program beside receivers of webhooks that answer well, fail, hang and cut
// connections, kills and stops it among that, and sets its clock forward. What has arrived is held against the journal.
// The README says what it judges.
package deliveries
