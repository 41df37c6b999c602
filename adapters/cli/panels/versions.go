package panels

import (
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
	"zombiezen.com/go/sqlite"
)

//go:embed *.sql
var embedded embed.FS

// statements are the statements of the versions: name.sql returns the customers, name.count.sql their number. Tests
// replace them.
var statements fs.FS = embedded

// version is a schema of a panel. A file has the first version whose tables it has.
type version struct {
	panel  string // with its versions, for messages
	prefix string // of external ids; an update of the panel does not change it
	file   string // of its statements, without .sql
	tables []table
}

// table is a table of a panel, and its columns to read. A table without needed columns may be missing.
type table struct {
	name             string
	needed, optional string // names of columns, each with the form of its values
}

// forms are expressions for the value $ of a column. Statements see their results.
var forms = map[string]string{
	"":       `$`,
	"truth":  `iif($ IS NULL, NULL, lower(CAST($ AS TEXT)) NOT IN ('0', '0.0', 'false', ''))`,
	"object": formOfJSON("object", "{}"),
	"list":   formOfJSON("array", "[]"),
}

// formOfJSON returns an expression for JSON of a type: empty instead of no text, and NULL for another type.
func formOfJSON(kind, empty string) string {
	const text = `CAST($ AS TEXT)`
	return `CASE WHEN coalesce(` + text + `, '') = '' THEN '` + empty + `' WHEN NOT json_valid(` + text +
		`) THEN NULL WHEN json_type(` + text + `) = '` + kind + `' THEN ` + text + ` END`
}

const (
	marzbanOptions = "note on_hold_expire_duration data_limit data_limit_reset_strategy used_traffic"
	xuiTraffics    = "email expiry_time up down total enable:truth"
)

var xuiInbounds = table{"inbounds", "id protocol settings:object", "remark enable:truth expiry_time up down total"}

var versions = []version{
	{"Marzban 1.0 or PasarGuard", "marzban", "marzban-1", []table{
		{"users", "id username status expire proxy_settings:object", marzbanOptions},
		{"users_groups_association", "", "user_id groups_id"},
		{"groups", "", "id is_disabled:truth"},
		{"inbounds_groups_association", "", "inbound_id group_id"},
		{"inbounds", "", "id tag"},
		{"core_configs", "", "config:object"},
	}},
	{"Marzban 0.x", "marzban", "marzban-0", []table{
		{"users", "id username status expire", marzbanOptions},
		{"proxies", "user_id type settings:object", ""},
	}},
	{"Marzneshin", "marzneshin", "marzneshin", []table{
		{
			"users", "id username key enabled:truth expire_strategy expire_date",
			"removed:truth usage_duration data_limit data_limit_reset_strategy used_traffic ip_limit note",
		},
		{"users_services", "", "user_id service_id"},
		{"inbounds_services", "", "service_id inbound_id"},
		{"inbounds", "", "id protocol"},
	}},
	{"3x-ui 3.1 or later", "3x-ui", "3x-ui-3", []table{
		{
			"clients", "id email uuid expiry_time enable:truth",
			"sub_id password auth secret flow security limit_ip total_gb tg_id group_name comment reset wg_public_key wg_allowed_ips",
		},
		{"client_inbounds", "", "client_id inbound_id"},
		{"client_traffics", "", xuiTraffics},
		xuiInbounds,
	}},
	{"S-UI", "s-ui", "s-ui", []table{
		{
			"clients", "id name volume expiry config:object enable:truth",
			"inbounds:list up down desc group remark reset_days delay_start:truth auto_reset:truth",
		},
		{"inbounds", "", "id type options:object"},
	}},
	{"3x-ui before 3.1", "3x-ui", "x-ui", []table{xuiInbounds, {"client_traffics", xuiTraffics, ""}}},
	{"x-ui", "x-ui", "x-ui", []table{xuiInbounds, {"client_traffics", "", xuiTraffics}}},
}

// columnsOf splits the columns of a table into names and forms.
func columnsOf(spec string) (names, forms []string) {
	for _, c := range strings.Fields(spec) {
		name, form, _ := strings.Cut(c, ":")
		names, forms = append(names, name), append(forms, form)
	}
	return names, forms
}

// view returns the statement that creates a view of a table for the other statements, or the reason why the table does
// not match. It refuses views and virtual tables, and does not see generated columns: their values are not in the file.
func (d database) view(t table) (statement, missing string, err error) {
	kind := ""
	// A PRAGMA, not pragma_table_list: the file may have a table of that name.
	if err := d.each(`PRAGMA main.table_list("`+t.name+`")`, func(st *sqlite.Stmt) error {
		kind = st.GetText("type")
		return nil
	}); err != nil {
		return "", "", err
	}
	switch {
	case kind == "" && t.needed != "":
		return "", "it has no table " + t.name, nil
	case kind != "" && kind != "table":
		return "", "its " + t.name + " is no table but of the kind " + kind, nil
	}
	var there []string
	if err := d.each(`PRAGMA main.table_info("`+t.name+`")`, func(st *sqlite.Stmt) error {
		there = append(there, strings.ToLower(st.GetText("name")))
		return nil
	}); err != nil {
		return "", "", err
	}
	needed, _ := columnsOf(t.needed)
	absent := slices.DeleteFunc(slices.Clone(needed), func(name string) bool { return slices.Contains(there, name) })
	if len(absent) > 0 {
		return "", "its table " + t.name + " has no column " + strings.Join(absent, ", "), nil
	}
	var read []string
	names, as := columnsOf(t.needed + " " + t.optional)
	for n, name := range names {
		value := "NULL"
		if slices.Contains(there, name) {
			value = strings.ReplaceAll(forms[as[n]], "$", `"`+name+`"`)
		}
		read = append(read, value+` AS "`+name+`"`)
	}
	statement = `CREATE TEMP VIEW "` + t.name + `" AS SELECT ` + strings.Join(read, ", ")
	if kind == "" {
		return statement + ` WHERE 0`, "", nil
	}
	return statement + ` FROM main."` + t.name + `"`, "", nil
}

// version returns the version of the file, and creates the views of its tables. Its error lists the tables of the file,
// and for each version the missing table or column.
func (d database) version() (version, error) {
	var lacks strings.Builder
	for _, v := range versions {
		var views []string
		why := ""
		for _, t := range v.tables {
			statement, missing, err := d.view(t)
			if err != nil {
				return version{}, err
			}
			if views = append(views, statement); missing != "" {
				why = missing
				break
			}
		}
		if why == "" {
			return v, d.see(views)
		}
		fmt.Fprintf(&lacks, "\nit is not of %s: %s", v.panel, why)
	}
	found, err := d.found()
	if err != nil {
		return version{}, err
	}
	return version{}, fmt.Errorf("no panel that can be imported has these tables: %s%s", found, lacks.String())
}

// see creates temporary views, which do not change the file.
func (d database) see(views []string) error {
	for _, statement := range slices.Concat([]string{"PRAGMA query_only = off"}, views,
		[]string{"PRAGMA query_only = on"}) {
		if err := d.each(statement, func(*sqlite.Stmt) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// mostNamed is how many tables of a file an error names.
const mostNamed = 20

// found lists the tables of the file.
func (d database) found() (string, error) {
	var names []string
	err := d.each(`SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'`,
		func(st *sqlite.Stmt) error {
			names = append(names, st.GetText("name"))
			return nil
		})
	switch more := len(names) - mostNamed; {
	case len(names) == 0:
		return "the file has no tables", err
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNamed], ", "), more), err
	}
	return strings.Join(names, ", "), err
}

// Protocols are the protocols whose passwords are moved. A customer of several gets the password of the first in this
// order.
var Protocols = []string{
	"trojan", "shadowsocks", "shadowsocks16", "shadowsocks2022", "hysteria2", "hysteria", "anytls", "tuic",
	"shadowtls", "naive",
	"vless", "vmess", "mtproto", "mixed", "socks", "http",
}

// preference returns the index of a protocol in Protocols, -1 for the operator's choice.
func (o Options) preference(protocol string) int {
	index := slices.Index(Protocols, protocol)
	switch {
	case protocol == o.Protocol:
		return -1
	case index < 0:
		return len(Protocols)
	}
	return index
}

// functions returns the functions that statements call besides those of SQLite.
func (o Options) functions() map[string]func(string) sqlite.Value {
	return map[string]func(string) sqlite.Value{
		"preference": func(protocol string) sqlite.Value {
			return sqlite.IntegerValue(int64(o.preference(protocol)))
		},
		// secret returns the password that Marzneshin derives from a customer's key.
		"secret": func(key string) sqlite.Value {
			if o.PlainKeys {
				return sqlite.TextValue(key)
			}
			sum := xxh3.HashString128(key).Bytes()
			return sqlite.TextValue(hex.EncodeToString(sum[:]))
		},
	}
}

// define adds functions for the statements. The schema of the file can't call them.
func (d database) define(functions map[string]func(string) sqlite.Value) error {
	for name, f := range functions {
		if err := d.CreateFunction(name,
			&sqlite.FunctionImpl{NArgs: 1, Deterministic: true,
				Scalar: func(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) {
					if args[0].Type() == sqlite.TypeNull {
						return sqlite.Value{}, nil
					}
					return f(args[0].Text()), nil
				}}); err != nil {
			return err
		}
	}
	return nil
}

// statement returns a statement of the version.
func (v version) statement(kind string) string {
	text, err := fs.ReadFile(statements, v.file+kind)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// measure reads the tables of a version once, row by row, and returns the number of customers. The statement of the
// customers may hold rows in memory, so it runs only on tables within the limits.
func (d database) measure(v version) (customers int, err error) {
	*d.values = 0 // without the names of tables
	for _, t := range v.tables {
		if err := d.each(`SELECT * FROM temp."`+t.name+`"`, func(*sqlite.Stmt) error { return nil }); err != nil {
			return 0, err
		}
	}
	err = d.each(v.statement(".count.sql"), func(st *sqlite.Stmt) error {
		customers = st.ColumnInt(0)
		return few(customers)
	})
	*d.values = 0 // the customers have the same values
	return customers, err
}
