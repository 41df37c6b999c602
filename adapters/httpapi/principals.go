package httpapi

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/principal"
)

// Refusals of the fields of an API key or a member of the staff.
var (
	errNotRole     = fault.New(fault.Invalid, "bad-value", "This must be read_only, support, cashier or manager.")
	errNotScope    = fault.New(fault.Invalid, "bad-value", "This must be an array of scopes.")
	errNotNetworks = fault.New(fault.Invalid, "bad-value",
		"This must be an array of at most 50 addresses or networks, such as 192.0.2.0/24.")
	errNotLimit = fault.New(fault.Invalid, "bad-value",
		`This must be an object with credits of more than 0 and per "day": {"credits": "50", "per": "day"}.`)
	errRoleOrScopes = fault.New(fault.Invalid, "bad-value", "Either role or scopes is required, not both.")
)

// The members of a principal.
type (
	roleName struct {
		text
		parsed[*principal.Role]
	}
	scopeNames struct {
		list
		parsed[[]principal.Scope]
	}
	networks struct {
		list
		parsed[[]principal.Network]
	}
	instant struct {
		text
		parsed[time.Time]
	}
	spendLimit struct {
		member
		parsed[principal.Units]
		credits, per *string
	}
	staffPassword struct{ resellerPassword }
)

func (m *roleName) parse() error {
	role, err := principal.ParseRole(m.literal)
	if err != nil {
		return errNotRole
	}
	return m.set(&role, nil)
}

func (m *scopeNames) parse() error {
	scopes := []principal.Scope{}
	for _, name := range m.elements {
		scope, err := principal.ParseScope(name)
		if err != nil {
			return errNotScope.WithDetail("%.64q is not a scope. Scopes are %s.", name, strings.Join(scopeTexts(), ", "))
		}
		scopes = append(scopes, scope)
	}
	return m.set(scopes, nil)
}

func scopeTexts() (all []string) {
	for _, s := range principal.Scopes() {
		all = append(all, string(s))
	}
	return all
}

func (m *networks) parse() error {
	if len(m.elements) > principal.MaxNetworks {
		return errNotNetworks
	}
	all := []principal.Network{}
	for _, text := range m.elements {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			var address netip.Addr
			if address, err = netip.ParseAddr(text); err != nil || address.Zone() != "" {
				return errNotNetworks.WithDetail(
					"%.64q is neither an address nor a network. Examples are 192.0.2.7 and 192.0.2.0/24.", text)
			}
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		prefix = prefix.Masked()
		bits := prefix.Bits() + wholeAddress - prefix.Addr().BitLen()
		all = append(all, principal.Network{Address: prefix.Addr().As16(), Bits: bits})
	}
	return m.set(all, nil)
}

// networkText returns a network in the form of requests.
func networkText(n principal.Network) string {
	address := netip.AddrFrom16(n.Address)
	bits := n.Bits
	if address.Is4In6() && bits >= wholeAddress-32 {
		address, bits = address.Unmap(), bits-(wholeAddress-32)
	}
	if bits == address.BitLen() {
		return address.String()
	}
	return netip.PrefixFrom(address, bits).String()
}

func (*instant) wants() string { return "a time in quotes, such as \"2026-01-31T00:00:00Z\"" }

func (m *instant) parse() error {
	value, err := parseTime(m.literal)
	if err == nil && value.IsZero() { // the zero time in the JSON of some languages: it would mean never
		err = errNotTime
	}
	return m.set(value, err)
}

// optional returns nil for an absent or null member.
func (m *instant) optional() *time.Time {
	if !m.isGiven() {
		return nil
	}
	return &m.value
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (m *spendLimit) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var members map[string]jsontext.Value
	err := m.readInto(&members, jsontext.KindBeginObject, d)
	m.credits, m.per = literal(members["credits"]), literal(members["per"])
	return err
}

// literal returns a string's content or a number's text, nil for other values.
func literal(v jsontext.Value) *string {
	if v.Kind() == jsontext.KindNumber {
		return new(string(v))
	}
	var text string
	if v.Kind() != jsontext.KindString || json.Unmarshal(v, &text) != nil {
		return nil
	}
	return &text
}

func (m *spendLimit) typed() bool { return m.kind == jsontext.KindBeginObject }
func (*spendLimit) wants() string { return "an object" }

func (m *spendLimit) parse() error {
	if m.credits == nil || m.per == nil || *m.per != "day" {
		return errNotLimit
	}
	amount, err := credit.ParsePositive(*m.credits)
	if err != nil {
		return err
	}
	return m.set(principal.Units(amount.Units()), nil)
}

type createKeyBody struct {
	Name             requiredText `json:"name" validate:"required"`
	Role             roleName     `json:"role"`
	Scopes           scopeNames   `json:"scopes"`
	ExpiresAt        instant      `json:"expires_at"`
	AllowedAddresses networks     `json:"allowed_addresses"`
	SpendLimit       spendLimit   `json:"spend_limit"`
}

func (b *createKeyBody) check(f *form) { roleOrScopes(f, &b.Role, &b.Scopes, true) }

// roleOrScopes refuses a body with both, and a body with neither if one of them is required.
func roleOrScopes(f *form, role *roleName, scopes *scopeNames, required bool) {
	byRole, byScopes := role.isGiven(), scopes.isGiven()
	if byRole && byScopes || required && !byRole && !byScopes {
		f.refuse("role", errRoleOrScopes)
	}
}

func (b createKeyBody) command(int64) access.CreatePrincipal {
	c := access.CreatePrincipal{
		Kind: principal.Key, Name: b.Name.value.String(), Scopes: b.Scopes.value, Networks: b.AllowedAddresses.value,
		Expires: b.ExpiresAt.value, Limit: b.SpendLimit.value,
	}
	set(&c.Role, b.Role.value)
	return c
}

type updateKeyBody struct {
	Name             requiredText `json:"name" validate:"notnull"`
	Role             roleName     `json:"role" validate:"notnull"`
	Scopes           scopeNames   `json:"scopes" validate:"notnull"`
	ExpiresAt        instant      `json:"expires_at"`
	AllowedAddresses networks     `json:"allowed_addresses"`
	SpendLimit       spendLimit   `json:"spend_limit"`
}

func (b *updateKeyBody) check(f *form) { roleOrScopes(f, &b.Role, &b.Scopes, false) }

func (b updateKeyBody) command(id int64) access.UpdatePrincipal {
	c := access.UpdatePrincipal{ID: id, Kind: principal.Key, Change: principal.Change{
		Role: b.Role.value, Scopes: b.Scopes.value,
		Networks: given(&b.AllowedAddresses, b.AllowedAddresses.value), Expires: given(&b.ExpiresAt, b.ExpiresAt.value),
		Limit: given(&b.SpendLimit, b.SpendLimit.value),
	}}
	if b.Name.kind != 0 {
		c.Name = new(b.Name.value.String())
	}
	return c
}

// given returns nil for an absent member, and a pointer to the zero value for null, which clears the field.
func given[T any](m field, value T) *T {
	if m.state().kind == 0 {
		return nil
	}
	return &value
}

type createStaffBody struct {
	Username   username      `json:"username" validate:"required"`
	Password   staffPassword `json:"password" validate:"required"`
	Role       roleName      `json:"role"`
	Scopes     scopeNames    `json:"scopes"`
	SpendLimit spendLimit    `json:"spend_limit"`
}

func (b *createStaffBody) check(f *form) { roleOrScopes(f, &b.Role, &b.Scopes, true) }

func (b createStaffBody) command(int64) access.CreatePrincipal {
	c := access.CreatePrincipal{Kind: principal.Staff, Username: b.Username.value, Password: b.Password.value,
		Scopes: b.Scopes.value, Limit: b.SpendLimit.value}
	set(&c.Role, b.Role.value)
	return c
}

type updateStaffBody struct {
	Username   username      `json:"username" validate:"notnull"`
	Password   staffPassword `json:"password" validate:"notnull"`
	Role       roleName      `json:"role" validate:"notnull"`
	Scopes     scopeNames    `json:"scopes" validate:"notnull"`
	SpendLimit spendLimit    `json:"spend_limit"`
}

func (b *updateStaffBody) check(f *form) { roleOrScopes(f, &b.Role, &b.Scopes, false) }

func (b updateStaffBody) command(id int64) access.UpdatePrincipal {
	c := access.UpdatePrincipal{ID: id, Kind: principal.Staff, Username: b.Username.value, Change: principal.Change{
		Role: b.Role.value, Scopes: b.Scopes.value, Limit: given(&b.SpendLimit, b.SpendLimit.value),
	}}
	if b.Password.kind != 0 {
		c.Password = &b.Password.value
	}
	return c
}

// remove returns the use case that removes a principal of this kind.
func (a *api) remove(kind principal.Kind) func(context.Context, application.Call, int64,
	application.Render[int64]) (application.Receipt, error) {
	return func(ctx context.Context, call application.Call, id int64,
		render application.Render[int64]) (application.Receipt, error) {
		return a.Service.Principals.Remove(ctx, call, access.RemovePrincipal{ID: id, Kind: kind}, render)
	}
}

// principals lists the API keys, or the staff.
func principals[T any](a *api, kind principal.Kind, record func(access.Principal) T) handler {
	return show(func(ctx context.Context, call application.Call) ([]access.Principal, error) {
		return a.Service.Principals.List(ctx, call, kind)
	}, listOf(record))
}

// principalByID shows an API key, or a member of the staff.
func principalByID[T any](a *api, kind principal.Kind, record func(access.Principal) T) handler {
	return showByID(func(ctx context.Context, call application.Call, id int64) (access.Principal, error) {
		return a.Service.Principals.Get(ctx, call, kind, id)
	}, record)
}

type limitRecord struct {
	Credits string `json:"credits"`
	Per     string `json:"per"`
}

// rightsRecord has the common fields of API keys and staff.
type rightsRecord struct {
	Role       *string           `json:"role"`
	Scopes     []principal.Scope `json:"scopes"`
	SpendLimit *limitRecord      `json:"spend_limit"`
	Spent      string            `json:"spent"`
	ResetsAt   string            `json:"resets_at"`
	LastUsedAt *string           `json:"last_used_at"`
	LastUsedBy *string           `json:"last_used_address"`
	CreatedAt  string            `json:"created_at"`
}

func rightsOf(p access.Principal) rightsRecord {
	spent, resets := p.SpentOnDay(p.At)
	r := rightsRecord{
		Role: nullable(p.Role), Scopes: p.Scopes(), Spent: spent.Amount().String(), ResetsAt: iso(resets),
		LastUsedAt: isoOrNull(p.Used), LastUsedBy: nullable(p.UsedFrom), CreatedAt: iso(p.Created),
	}
	if p.Limit != 0 {
		r.SpendLimit = &limitRecord{p.Limit.Amount().String(), "day"}
	}
	return r
}

type keyRecord struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	rightsRecord
	ExpiresAt        *string  `json:"expires_at"`
	AllowedAddresses []string `json:"allowed_addresses"`
	Key              string   `json:"key,omitempty"` // of a new one
}

func recordOfKey(p access.Principal) keyRecord {
	r := keyRecord{ID: p.ID, Name: p.Name, rightsRecord: rightsOf(p), ExpiresAt: isoOrNull(p.Expires),
		AllowedAddresses: []string{}, Key: p.Key.Reveal()}
	for _, n := range p.Networks {
		r.AllowedAddresses = append(r.AllowedAddresses, networkText(n))
	}
	return r
}

type staffRecord struct {
	ID       int64  `json:"id"`
	Username string `json:"username"`
	rightsRecord
}

func recordOfStaff(p access.Principal) staffRecord {
	return staffRecord{p.ID, p.Name, rightsOf(p)}
}

var (
	keyRevoked   = messageShown[int64](http.StatusOK, "The API key is revoked.")
	staffRemoved = messageShown[int64](http.StatusOK, "The member of the staff is removed.")
)
