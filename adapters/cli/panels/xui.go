package panels

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
)

// xuiInbounds is the table of 3x-ui that is read. Its model is database/model of github.com/MHSanaei/3x-ui, here as of
// 2.8.5 and 3.6.0: both have the clients in the settings of their inbounds.
var xuiInbounds = table{name: "inbounds", needed: []string{"id", "protocol", "settings"}, optional: []string{"enable"}}

// secrets are the members of a client that it connects by, the first of which it has being its password.
var secrets = []string{"password", "id", "auth", "secret"}

// xuiClients are the clients of all inbounds as they are gathered.
type xuiClients struct {
	all     []Customer
	byEmail map[string]*xuiClient
	byID    map[string]*xuiClient
}

func newXUIClients() *xuiClients {
	return &xuiClients{byEmail: map[string]*xuiClient{}, byID: map[string]*xuiClient{}}
}

// xuiClient is a client as an inbound has it first.
type xuiClient struct {
	at       int // in all
	inbounds []string
	enabled  bool
	served   bool // by an inbound that is enabled
}

// XUI reads the clients of 3x-ui in a database. A client that is disabled, or has no enabled inbound, is suspended; one
// that has not begun lasts as long as it would from now on. A client that several inbounds have is that of the first;
// under another name, or with another expiry, it is refused in the others. What is wrong with the file as a whole is the
// error, and with a client is said there.
func XUI(ctx context.Context, file string) ([]Customer, error) {
	found := newXUIClients()
	err := read(ctx, file, func(d database) error {
		found = newXUIClients()
		inbounds, err := d.query(xuiInbounds)
		if err != nil {
			return err
		}
		return d.each(inbounds, func(st *sqlite.Stmt) error {
			found.inbound(xuiInbound{
				id: strconv.FormatInt(st.GetInt64("id"), 10), protocol: text(st, "protocol"), settings: text(st, "settings"),
				enabled: st.ColumnIndex("enable") < 0 || text(st, "enable") != "0",
			})
			return few(len(found.all))
		})
	})
	return found.customers(), err
}

// xuiInbound is a row of the table.
type xuiInbound struct {
	id, protocol, settings string
	enabled                bool
}

// customers returns all of them, once every inbound is known.
func (x *xuiClients) customers() []Customer {
	for _, c := range x.byEmail {
		x.all[c.at].Suspended = !c.enabled || !c.served
		x.all[c.at].keep("inbounds", strings.Join(c.inbounds, ","))
	}
	return x.all
}

func (x *xuiClients) inbound(i xuiInbound) {
	var of struct{ Clients []json.RawMessage }
	if i.settings != "" && json.Unmarshal([]byte(i.settings), &of) != nil {
		x.all = append(x.all, Customer{
			At: "inbound " + i.id, ExternalID: "3x-ui-" + i.id,
			Code: codeSettings, Detail: "The settings of the inbound are no JSON object with a list of clients: none of its clients is known.",
		})
	}
	for n, one := range of.Clients {
		c := Customer{At: fmt.Sprintf("inbound %s, client %d", i.id, n+1), ExternalID: "3x-ui-" + i.id}
		members, readable := object(one)
		if !readable {
			c.refuse(codeSettings, "The client is no JSON object.")
			x.all = append(x.all, c)
			continue
		}
		c.client(members)
		c.keep("protocol", i.protocol)
		x.add(c, members, i)
	}
}

// client sets what a client's own members say.
func (c *Customer) client(members map[string]string) {
	c.Username = members["email"]
	c.Notes = lines(members["comment"])
	if telegram := members["tgId"]; telegram != "0" {
		c.Telegram = telegram
	}
	switch at, is := whole(members["expiryTime"]); {
	case !is:
		c.refuse(codeExpiry, "The expiry "+strconv.Quote(members["expiryTime"])+" is no number of milliseconds.")
	case at > 0:
		c.expires(at, time.Millisecond)
	case at < 0:
		c.lasts(-max(at, -1<<62), time.Millisecond)
	}
	for _, secret := range secrets {
		if c.Password == "" {
			c.Password = members[secret]
		}
	}
	who := members["id"]
	if who == "" || who == c.Password { // which is not for all to see who see a line
		who = c.Username
	}
	c.ExternalID += "-" + who
}

// add adds a client of an inbound, or says as whom it is there already.
func (x *xuiClients) add(c Customer, members map[string]string, i xuiInbound) {
	id, enabled := members["id"], members["enable"] != "false"
	first, again := x.byEmail[c.Username]
	switch {
	case again && c.Username != "" && x.all[first.at].Expires.Equal(c.Expires) && x.all[first.at].Lasts == c.Lasts && first.enabled == enabled:
		same := &x.all[first.at]
		c.As = same.At
		same.gather(members, "inbound_"+i.id+"_")
		first.inbounds, first.served = append(first.inbounds, i.id), first.served || i.enabled
	case again && c.Username != "":
		c.refuse(codeRepeated, "The client has another expiry or is enabled otherwise than the one of this name in "+x.all[first.at].At+".")
	case id != "" && x.byID[id] != nil:
		c.refuse(codeRepeated, "The client has the id of another name in "+x.all[x.byID[id].at].At+".")
	default:
		c.gather(members, "")
		first = &xuiClient{at: len(x.all), inbounds: []string{i.id}, enabled: enabled, served: i.enabled}
		x.byEmail[c.Username] = first
		if id != "" {
			x.byID[id] = first
		}
	}
	x.all = append(x.all, c)
}

// elsewhere are the members of a client that a line has other fields for, or that change by themselves.
var elsewhere = map[string]bool{"email": true, "expiryTime": true, "enable": true, "comment": true, "tgId": true, "created_at": true, "updated_at": true}

// gather keeps the members of a client as metadata. One that another inbound has otherwise gets a prefix.
func (c *Customer) gather(members map[string]string, prefix string) {
	for _, name := range sorted(members) {
		value := members[name]
		if !elsewhere[name] && value != c.Password && !c.keep(name, value) && prefix != "" && value != "" {
			c.keep(prefix+name, value)
		}
	}
}
