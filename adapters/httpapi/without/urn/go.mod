// In place of go-urn: the validator reads URNs with it, which no field here is.
module github.com/leodido/go-urn

go 1.26.0
