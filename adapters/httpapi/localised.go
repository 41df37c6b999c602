package httpapi

import (
	"strings"
	"time"
	_ "time/tzdata" // a container has no time zones of its own

	"resellerd/domain/fault"
)

// localForm is the form of an export for the spreadsheet program of a user: names of columns, decimals and times in a
// language and a time zone. Imports read only the form without a language.
type localForm struct {
	language int // its position in texts
	zone     *time.Location
}

// texts are a text in English, Portuguese and Spanish.
type texts [3]string

var (
	parseLanguage = oneOf(map[string]int{"en": 0, "pt": 1, "es": 2},
		fault.New(fault.Invalid, "bad-value", "This must be en, pt or es."))
	errNotZone = fault.New(fault.Invalid, "bad-value",
		"This must be the name of a time zone, such as America/Sao_Paulo.")
	errNotCSV   = fault.New(fault.Invalid, "bad-value", "Only CSV has a language.")
	errNotLocal = fault.New(fault.Invalid, "bad-value", "Only an export with a language has a time zone.")
	layouts     = texts{"2006-01-02 15:04", "02/01/2006 15:04", "02/01/2006 15:04"}
	falseWord   = texts{"no", "não", "no"}
	trueWord    = texts{"yes", "sim", "sí"}
)

// longestZone is more than the length of any name of a time zone.
const longestZone = 64

// formatAsked returns the format of an export, and nil for one without a language. With a language it is CSV.
func formatAsked(q *query, usual exportFormat) (exportFormat, *localForm) {
	format, language := value(q, "format", parseFormat), value(q, "language", parseLanguage)
	zone := valueOr(q, "time_zone", time.UTC, parseZone)
	switch {
	case language != nil && format != nil && *format != csvFormat:
		q.refuse("language", errNotCSV)
	case language != nil:
		return csvFormat, &localForm{*language, zone}
	case len(q.given("language")) == 0 && len(q.given("time_zone")) > 0:
		q.refuse("time_zone", errNotLocal)
	case format != nil:
		return *format, nil
	}
	return usual, nil
}

func parseZone(name string) (*time.Location, error) {
	if name == "" || name == "Local" || len(name) > longestZone {
		return nil, errNotZone
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, errNotZone
	}
	return zone, nil
}

// comma reports whether decimals have a comma, as in all languages but English. Then semicolons separate cells.
func (f *localForm) comma() bool { return f.language > 0 }

// file returns the name of an export's file, without its ending.
func (f *localForm) file(name string) string {
	if known, is := fileNames[name]; is && f != nil {
		return known[f.language]
	}
	return name
}

// header returns the names of columns in the language.
func (f *localForm) header(columns []string) (names []string) {
	for _, name := range columns {
		names = append(names, headings[name].texts[f.language])
	}
	return names
}

// cell returns the value of a column in the language. An unknown word stays as it is.
func (f *localForm) cell(column, value string) string {
	switch headings[column].kind {
	case instants:
		if at, err := time.Parse(time.RFC3339Nano, value); err == nil {
			return at.In(f.zone).Format(layouts[f.language])
		}
	case amounts:
		if f.comma() {
			return strings.Replace(value, ".", ",", 1)
		}
	case truths:
		switch value {
		case "0", "false":
			return falseWord[f.language]
		case "1", "true":
			return trueWord[f.language]
		}
	case words:
		if known, is := wordsOf[value]; is {
			return known[f.language]
		}
	case plain:
	}
	return value
}

// columnKind is the kind of the values of a column.
type columnKind int

const (
	plain columnKind = iota
	instants
	amounts // of credits
	truths
	words // see wordsOf
)

// heading is the kind of a column, and its name in each language.
type heading struct {
	kind  columnKind
	texts texts
}

// headings has each column of the exports. One name has one meaning in all of them.
var headings = map[string]heading{
	"id":                    {plain, texts{"ID", "ID", "ID"}},
	"owner":                 {plain, texts{"Reseller ID", "ID do revendedor", "ID del revendedor"}},
	"username":              {plain, texts{"Username", "Usuário", "Usuario"}},
	"password":              {plain, texts{"Password", "Senha", "Contraseña"}},
	"isTrial":               {truths, texts{"Trial", "Teste", "Prueba"}},
	"status":                {truths, texts{"Active", "Ativo", "Activo"}},
	"effective":             {words, texts{"State", "Situação", "Estado"}},
	"suspended":             {truths, texts{"Suspended", "Suspenso", "Suspendido"}}, //nolint:misspell // Portuguese
	"expDate":               {instants, texts{"Expires", "Vencimento", "Vencimiento"}},
	"plan":                  {plain, texts{"Plan ID", "ID do plano", "ID del plan"}},
	"connections":           {plain, texts{"Connections", "Conexões", "Conexiones"}},
	"packages":              {plain, texts{"Packages", "Pacotes", "Paquetes"}},
	"external_id":           {plain, texts{"External ID", "ID externo", "ID externo"}},
	"metadata":              {plain, texts{"Metadata", "Metadados", "Metadatos"}},
	"notes":                 {plain, texts{"Notes", "Observações", "Notas"}},
	"country":               {plain, texts{"Country", "País", "País"}},
	"whatsapp":              {plain, texts{"WhatsApp", "WhatsApp", "WhatsApp"}},
	"telegram":              {plain, texts{"Telegram", "Telegram", "Telegram"}},
	"email":                 {plain, texts{"Email", "E-mail", "Correo"}},
	"createdAt":             {instants, texts{"Created", "Criado", "Creado"}},
	"updatedAt":             {instants, texts{"Updated", "Atualizado", "Actualizado"}},
	"is_master":             {truths, texts{"Master", "Master", "Master"}},
	"is_admin":              {truths, texts{"Administrator", "Administrador", "Administrador"}},
	"credits":               {amounts, texts{"Credits", "Créditos", "Créditos"}},
	"master":                {plain, texts{"Master ID", "ID do master", "ID del master"}},
	"recharge":              {instants, texts{"Last top-up", "Última recarga", "Última recarga"}},
	"language":              {plain, texts{"Language", "Idioma", "Idioma"}},
	"token":                 {plain, texts{"Token", "Token", "Token"}},
	"trash":                 {truths, texts{"Deleted", "Excluído", "Eliminado"}},
	"active_tree":           {truths, texts{"Active with all above", "Ativo com os superiores", "Activo con los superiores"}},
	"block_reseller":        {truths, texts{"Blocked", "Bloqueado", "Bloqueado"}},
	"block":                 {plain, texts{"Block", "Bloqueio", "Bloqueo"}},
	"seq":                   {plain, texts{"Number", "Número", "Número"}},
	"kind":                  {words, texts{"Type", "Tipo", "Tipo"}},
	"amount":                {amounts, texts{"Amount", "Valor", "Importe"}},
	"balance":               {amounts, texts{"Balance", "Saldo", "Saldo"}},
	"counterparty":          {words, texts{"Counterparty", "Contraparte", "Contraparte"}},
	"counterparty_username": {plain, texts{"Counterparty name", "Nome da contraparte", "Nombre de la contraparte"}},
	"line":                  {plain, texts{"Customer ID", "ID do cliente", "ID del cliente"}},
	"line_username":         {plain, texts{"Customer", "Cliente", "Cliente"}},
	"actor":                 {plain, texts{"Made by (ID)", "Feito por (ID)", "Hecho por (ID)"}},
	"actor_name":            {plain, texts{"Made by", "Feito por", "Hecho por"}},
	"request_id":            {plain, texts{"Request ID", "ID da solicitação", "ID de la solicitud"}},
	"at":                    {instants, texts{"Date", "Data", "Fecha"}},
	"result":                {words, texts{"Result", "Resultado", "Resultado"}},
	"code":                  {plain, texts{"Code", "Código", "Código"}},
}

// fileNames are the names of files of exports, in ASCII.
var fileNames = map[string]texts{
	"lines":  {"customers", "clientes", "clientes"}, //nolint:misspell // Portuguese
	"users":  {"resellers", "revendedores", "revendedores"},
	"ledger": {"statement", "extrato", "extracto"}, //nolint:misspell // Spanish
}

// wordsOf are the values of columns of words.
var wordsOf = map[string]texts{
	"running":       {"Active", "Ativo", "Activo"},
	"expired":       {"Expired", "Vencido", "Vencido"},
	"suspended":     {"Suspended", "Suspenso", "Suspendido"}, //nolint:misspell // Portuguese
	"owner_blocked": {"Owner blocked", "Dono bloqueado", "Dueño bloqueado"},
	"opening":       {"First credits", "Primeiros créditos", "Primeros créditos"},
	"recharge":      {"Top-up", "Recarga", "Recarga"},
	"reclaim":       {"Taken back", "Retirada", "Retirada"},
	"activation":    {"Activation", "Ativação", "Activación"},
	"extension":     {"Renewal", "Renovação", "Renovación"},
	"issuance":      {"Issued", "Emissão", "Emisión"},
	"consumption":   {"Spent", "Consumo", "Consumo"},
	"succeeded":     {"Done", "Feito", "Hecho"},
	"refused":       {"Refused", "Recusado", "Rechazado"},
}
