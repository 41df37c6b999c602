// In place of quic-go: gin links a server of HTTP/3, which nothing here starts and which is a sixteenth of the program.
module github.com/quic-go/quic-go

go 1.26.0
