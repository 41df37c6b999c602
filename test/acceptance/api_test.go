package acceptance

import "resellerd/test/api"

type (
	answer    = api.Answer
	caller    = api.Caller
	fields    = api.Fields
	line      = api.Line
	operation = api.Operation
)
