// In place of go-toml: gin reads and writes TOML, which nothing here does and which is a hundredth of the program.
module github.com/pelletier/go-toml/v2

go 1.26.0
