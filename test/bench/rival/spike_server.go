package rival

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// maxBatch is how many commands of a spike share a transaction.
const maxBatch = 128

var spikeKey = []byte("the key of a service without secrets")

// spikeToken is what stands after Bearer: an account, and what proves that this service has said so.
func spikeToken(account int64) string {
	id := strconv.FormatInt(account, 10)
	mac := hmac.New(sha256.New, spikeKey)
	mac.Write([]byte(id))
	return id + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func spikeAccount(r *http.Request) (int64, bool) {
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	id, _, _ := strings.Cut(token, ".")
	account, err := strconv.ParseInt(id, 10, 64)
	return account, found && err == nil && hmac.Equal([]byte(token), []byte(spikeToken(account)))
}

// spikeServer is what is left of a service without its rules: HTTP, a bearer's token, a command that reads and updates
// one row and adds three, and answers that wait for the commit that all commands of a moment share.
type spikeServer struct {
	*batcher

	run      func(*spikeCommand) error
	commands chan *spikeCommand
	readers  chan *sqlite.Stmt // each on a connection of its own

	getAccount, saveAccount, addLine, addMovement, addKey *sqlite.Stmt
}

type spikeCommand struct {
	path    string
	account int64
	key     string
	body    spikeBody
	balance int64
	done    chan error
}

type spikeBody struct {
	Amount   int64  `json:"amount"`
	Username string `json:"username"`
	Password string `json:"password"`
	Country  string `json:"country"`
}

const spikeTables = `
	CREATE TABLE accounts (id INTEGER PRIMARY KEY, username TEXT NOT NULL, country TEXT NOT NULL, credits INTEGER NOT NULL, seq INTEGER NOT NULL, updated_at INTEGER NOT NULL);
	CREATE TABLE lines (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, username TEXT NOT NULL, password TEXT NOT NULL, country TEXT NOT NULL, expires_at INTEGER NOT NULL);
	CREATE TABLE movements (id INTEGER PRIMARY KEY, account INTEGER NOT NULL, seq INTEGER NOT NULL, amount INTEGER NOT NULL, balance INTEGER NOT NULL, line INTEGER NOT NULL, at INTEGER NOT NULL);
	CREATE TABLE keys (account INTEGER NOT NULL, key TEXT NOT NULL, request BLOB NOT NULL, body BLOB NOT NULL, expires INTEGER NOT NULL, PRIMARY KEY (account, key)) WITHOUT ROWID;
	WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 64)
		INSERT INTO accounts SELECT i, 'account' || i, 'BR', 1000000000000, 0, 0 FROM n;`

// ServeSpike serves a spike on a new file.
func ServeSpike(path string) error {
	b, err := newBatcher(path)
	if err != nil {
		return err
	}
	s := newSpikeServer(b)
	s.run = s.command
	if err := sqlitex.ExecuteScript(b.conn, spikeTables, nil); err != nil {
		return err
	}
	err = b.prepare(map[string]**sqlite.Stmt{
		`SELECT credits, seq FROM accounts WHERE id = ?`:                                            &s.getAccount,
		`UPDATE accounts SET credits = ?, seq = ?, updated_at = ? WHERE id = ?`:                     &s.saveAccount,
		`INSERT INTO lines (owner, username, password, country, expires_at) VALUES (?, ?, ?, ?, ?)`: &s.addLine,
		`INSERT INTO movements (account, seq, amount, balance, line, at) VALUES (?, ?, ?, ?, ?, ?)`: &s.addMovement,
		`INSERT INTO keys (account, key, request, body, expires) VALUES (?, ?, ?, ?, ?)`:            &s.addKey,
	})
	if err != nil {
		return err
	}
	for range cap(s.readers) {
		reader, err := open(path)
		if err != nil {
			return err
		}
		read, err := reader.Prepare(`SELECT id, username, country, credits, seq, updated_at FROM accounts WHERE id = ?`)
		if err != nil {
			return err
		}
		s.readers <- read
	}
	return s.serve()
}

// What a spike is asked for.
const (
	Commands    = "/commands"
	Activations = "/activations" // of ServeRows, as those that follow
	Extensions  = "/extensions"
	Trials      = "/trials"
)

// ServeRows serves a spike whose commands write what an activation, an extension or a trial of resellerd does, into its
// tables, and read nothing.
func ServeRows(ctx context.Context, path string) error {
	r, err := OpenRaw(ctx, path, 0, true)
	if err != nil {
		return err
	}
	s := newSpikeServer(r.batcher)
	commands := map[string]func(key string) error{Activations: r.activate, Extensions: r.extend, Trials: r.trial}
	s.run = func(c *spikeCommand) error {
		if command := commands[c.path]; command != nil {
			return command(c.key)
		}
		return errors.New("there is no command " + c.path)
	}
	return s.serve()
}

func newSpikeServer(b *batcher) *spikeServer {
	return &spikeServer{batcher: b, commands: make(chan *spikeCommand, maxBatch), readers: make(chan *sqlite.Stmt, max(4, runtime.GOMAXPROCS(0)))}
}

func (s *spikeServer) serve() error {
	go s.write()
	routes := http.NewServeMux()
	routes.HandleFunc("POST /{commands}", s.post)
	routes.HandleFunc("GET /accounts/{id}", s.get)
	return serve(routes)
}

// write runs what waits, in one transaction, and goes on.
func (s *spikeServer) write() {
	batch := make([]*spikeCommand, 0, maxBatch)
	for first := range s.commands {
		batch = append(batch[:0], first)
		for len(batch) < maxBatch && len(s.commands) > 0 {
			batch = append(batch, <-s.commands)
		}
		err := s.transact(func() error {
			for _, c := range batch {
				if err := s.run(c); err != nil {
					return err
				}
			}
			return nil
		})
		for _, c := range batch {
			c.done <- err
		}
	}
}

func (s *spikeServer) command(c *spikeCommand) error {
	bind(s.getAccount, []any{c.account})
	if found, err := s.getAccount.Step(); !found || err != nil {
		return fmt.Errorf("account %d: %w", c.account, err)
	}
	c.balance = s.getAccount.ColumnInt64(0) - c.body.Amount
	seq, now := s.getAccount.ColumnInt64(1)+1, time.Now().UnixMilli()
	if err := s.getAccount.Reset(); err != nil || c.balance < 0 {
		return errors.Join(err, errors.New("no credits are left"))
	}
	if err := execute(s.saveAccount, c.balance, seq, now, c.account); err != nil {
		return err
	}
	if err := execute(s.addLine, c.account, c.body.Username, c.body.Password, c.body.Country, now); err != nil {
		return err
	}
	line := s.conn.LastInsertRowID()
	return errors.Join(
		execute(s.addMovement, c.account, seq, c.body.Amount, c.balance, line, now),
		execute(s.addKey, c.account, c.key, digest, answer, now),
	)
}

func (s *spikeServer) post(w http.ResponseWriter, r *http.Request) {
	account, known := spikeAccount(r)
	if !known {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	c := &spikeCommand{path: r.URL.Path, account: account, key: r.Header.Get("Idempotency-Key"), done: make(chan error, 1)}
	if err := json.NewDecoder(r.Body).Decode(&c.body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.commands <- c
	reply(w, map[string]any{
		"id": account, "username": c.body.Username, "password": c.body.Password, "country": c.body.Country, "credits": &c.balance,
	}, <-c.done)
}

func (s *spikeServer) get(w http.ResponseWriter, r *http.Request) {
	if _, known := spikeAccount(r); !known {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var row struct {
		ID        int64  `json:"id"`
		Username  string `json:"username"`
		Country   string `json:"country"`
		Credits   int64  `json:"credits"`
		Seq       int64  `json:"seq"`
		UpdatedAt int64  `json:"updatedAt"`
	}
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err == nil {
		read := <-s.readers
		bind(read, []any{id})
		if _, err = read.Step(); err == nil {
			row.ID, row.Username, row.Country = read.ColumnInt64(0), read.ColumnText(1), read.ColumnText(2)
			row.Credits, row.Seq, row.UpdatedAt = read.ColumnInt64(3), read.ColumnInt64(4), read.ColumnInt64(5)
		}
		_ = read.Reset() // returns the same error again
		s.readers <- read
	}
	reply(w, row, err)
}

func reply(w http.ResponseWriter, body any, err error) {
	if err != nil {
		http.Error(w, fmt.Sprint(err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}
