package panels

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
)

// The tables of Marzban that are read. Its model is app/db/models.py of github.com/Gozargah/Marzban, here as of 0.8.4.
var (
	marzbanUsers = table{
		name:     "users",
		needed:   []string{"id", "username", "status", "expire"},
		optional: []string{"note", "on_hold_expire_duration", "data_limit", "data_limit_reset_strategy"},
	}
	marzbanProxies = table{name: "proxies", needed: []string{"user_id", "type", "settings"}, optional: []string{"id"}}
)

// marzbanProxy is the settings by which a user connects in one protocol.
type marzbanProxy struct {
	protocol string // trojan, shadowsocks, vless or vmess
	text     string
	settings map[string]string // of the text
	readable bool              // the text is a JSON object
}

// Marzban reads the users of Marzban in a database. A user that is disabled, or that has used up its traffic, is
// suspended; one that has not begun lasts as long as it would from now on. What is wrong with the file as a whole is the
// error, and with a user is said there.
func Marzban(ctx context.Context, file string) (all []Customer, err error) {
	err = read(ctx, file, func(d database) error {
		all = nil
		users, err := d.query(marzbanUsers)
		if err != nil {
			return err
		}
		proxies, err := d.query(marzbanProxies)
		if err != nil {
			return err
		}
		of := map[int64][]marzbanProxy{}
		if err := d.each(proxies, func(st *sqlite.Stmt) error {
			p := marzbanProxy{protocol: strings.ToLower(text(st, "type")), text: text(st, "settings")}
			user := st.GetInt64("user_id")
			of[user] = append(of[user], p)
			return nil
		}); err != nil {
			return err
		}
		return d.each(users, func(st *sqlite.Stmt) error {
			all = append(all, marzbanUser(st, slices.Clone(of[st.GetInt64("id")])))
			return nil
		})
	})
	return all, err
}

func marzbanUser(st *sqlite.Stmt, proxies []marzbanProxy) Customer {
	for n := range proxies {
		p := &proxies[n]
		p.settings, p.readable = object([]byte(p.text))
	}
	id := strconv.FormatInt(st.GetInt64("id"), 10)
	c := Customer{At: "user " + id, ExternalID: "marzban-" + id, Username: text(st, "username"), Notes: lines(text(st, "note"))}
	status := text(st, "status")
	switch status {
	case "active", "expired":
		status = "" // the expiry says so
		c.marzbanExpiry(st, "expire", c.expires)
	case "disabled", "limited":
		c.Suspended = true
		c.marzbanExpiry(st, "expire", c.expires)
	case "on_hold":
		c.marzbanExpiry(st, "on_hold_expire_duration", c.lasts)
		if c.Lasts == 0 {
			c.refuse(codeExpiry, "It is on hold, and how long it lasts from its first use on is not known.")
		}
	default:
		c.refuse(codeStatus, "The status "+strconv.Quote(status)+" is not known.")
	}

	from := ""
	for _, protocol := range []string{"trojan", "shadowsocks", "vless", "vmess"} {
		for _, p := range proxies {
			if p.protocol != protocol || c.Password != "" {
				continue
			}
			secret := "id"
			if protocol == "trojan" || protocol == "shadowsocks" {
				secret = "password"
			}
			c.Password, from = p.settings[secret], protocol
		}
	}
	c.keep("status", status)
	if c.Password != "" {
		c.keep("password_of", from)
	}
	for _, p := range proxies {
		if !p.readable {
			c.refuse(codeSettings, "The settings of its proxy of the type "+strconv.Quote(p.protocol)+" are no JSON object.")
		}
		for _, name := range sorted(p.settings) {
			if value := p.settings[name]; value != c.Password { // which is not for all to see who see metadata
				c.keep(p.protocol+"_"+name, value)
			}
		}
	}
	if limit := text(st, "data_limit"); limit != "" && limit != "0" {
		c.keep("data_limit", limit)
		c.keep("data_limit_reset_strategy", text(st, "data_limit_reset_strategy"))
	}
	return c
}

// marzbanExpiry sets what a column has in seconds, if it has any.
func (c *Customer) marzbanExpiry(st *sqlite.Stmt, column string, set func(n int64, unit time.Duration)) {
	written := text(st, column)
	switch seconds, is := whole(written); {
	case !is:
		c.refuse(codeExpiry, "The expiry "+strconv.Quote(written)+" is no number of seconds.")
	case seconds != 0:
		set(seconds, time.Second)
	}
}
