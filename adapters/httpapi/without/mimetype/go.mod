// In place of mimetype: the validator looks into files with it, which nothing here asks of it.
module github.com/gabriel-vasile/mimetype

go 1.26.0
