// An entry of the journal: what happened to which line or account, who did it, and what changed.
import { html } from './html.js'
import { Link } from './router.js'
import { can, may, me } from './session.js'
import { t, has } from './text.js'
import { change, credits, dateTime, listed } from './format.js'
import { became, jobTitle } from './jobs.js'
import { useListed, useName } from './names.js'
import { Icon, Read, useRows } from './ui.js'

/** Fields of which it is only known that they changed, as other screens name them. @type {Record<string, string>} */
const labels = {
  external_id: 'line.external-id', metadata: 'line.metadata', balance_low: 'alert', messages: 'nav.messages', url: 'webhook.url', types: 'webhook.types', scope: 'filter.whose',
  description: 'webhook.description', enabled: 'webhook.enabled', name: 'key.name', role: 'rights', scopes: 'rights', spend_limit: 'limit',
  suspension_reason: 'reason', block_reason: 'reason', expires_at: 'key.expires', allowed_addresses: 'key.addresses',
}

/** Who did it. @param {import('./answers').Event} e */
function who({ actor }) {
  if (actor.kind === 'operator') return t('event.by-operator')
  if (actor.kind === 'system') return t('event.by-system')
  if (actor.kind === 'key' && actor.name) return t('event.by-key', { name: actor.name })
  // A member of the staff is not the account itself.
  if (actor.account === me().id && (actor.kind === 'staff' ? actor.id : undefined) === me().staff?.id) return t('event.by-me')
  return actor.name ? t('event.by', { name: actor.name }) : t('event.by-above')
}

/** The changes or the reminder, in words, without the facts of the title. @param {import('./answers').Event} e */
function changed({ changes, line, data, reason }) {
  const said = []
  const { expDate, username, lines_suspended: stops, suspended, blocked } = /** @type {Record<string, any>} */ (changes)
  const stopped = suspended || blocked
  if (username?.[0] && username[1]) said.push(t('event.renamed', { from: username[0], to: username[1] }))
  if (line && expDate?.[1]) said.push(t('event.until', { until: dateTime(expDate[1]) }))
  if (stops) said.push(`${t('nav.lines')}: ${t(stops[1] ? 'block.suspend' : 'block.run')}`)
  if (data.expDate) said.push(t(data.days ? 'event.within' : 'event.until', { n: data.days, until: dateTime(/** @type {string} */ (data.expDate)) }))
  if (data.job) said.push(jobTitle(/** @type {any} */ (data)), became(/** @type {any} */ (data)))
  if (data.balance_low) said.push(t('event.balance', { balance: credits(String(data.balance)), below: credits(String(data.balance_low)) }))
  if (has('webhook.why.' + reason)) return [...said, t('webhook.why.' + reason)]
  const fields = new Set(Object.keys(changes).filter((name) => changes[name] === true && (!stopped || labels[name] !== 'reason')).map((name) => t(labels[name] || name)))
  if (fields.size) said.push(t('event.changed', { fields: listed([...fields]) }))
  return said
}

/** Credits with the sign that they have for the account. @param {import('./answers').Event} e */
function moved({ movement: m, account }) {
  if (!m) return null
  const came = m.to === String(account)
  return html`<span class="amount ${came ? 'in' : 'out'}" translate=${false}>${change((came ? '' : '-') + m.amount)}</span>`
}

/** @param {{ event: import('./answers').Event, rest?: object }} props rest: of the row, such as data-row in a list */
function Event({ event: e, rest = {} }) {
  const others = !!e.account && e.account !== me().id
  const of = e.line && e.account && others && e.account !== e.actor.account ? e.account : 0 // whose line another account's is
  const owner = useName(of || me().id)
  const { username, webhook, principal } = e.data, one = Number(webhook || principal)
  const list = !one ? '' : webhook ? '/webhooks' : e.type.startsWith('key') ? '/keys' : '/staff'
  const own = useListed(others ? '' : list, one), name = username || own || (one ? '#' + one : '')
  const key = 'event.' + e.type
  const what = html`<span class="what"><span class="name">${has(key) ? t(key) : e.type}</span>${name && html` <span class="name clip" translate=${false}>${name}</span>`}</span>
    ${moved(e)}
    <span class="by quiet">${who(e)}${e.actor.address && html` · ${e.actor.address}`}${!!of && html`<span class="clip">${owner ? t('line.owner-name', { name: owner }) : t('line.owner-id', { id: of })}</span>`}</span>
    ${changed(e).map((text) => html`<span key=${text} class="by">${text}</span>`)}
    <time class="quiet" datetime=${e.timestamp}>${dateTime(e.timestamp)}</time>`
  const to = e.line && can('lines:read') ? (e.type === 'line.deleted' ? '/activity?line=' : '/lines/') + e.line
    : e.data.job ? (others || !can('lines:read') ? '' : '/jobs/' + e.data.job)
    : one && !others ? (!can('manage') || /removed|revoked/.test(e.type) ? '' : `${list}/${one}`)
    : others && may.seeResellers() ? '/resellers/' + e.account : ''
  return to ? html`<${Link} class="row event" to=${to} ...${rest}>${what}<//>` : html`<div class="row event">${what}</div>`
}

/** @param {import('./answers').Event} event */
export const eventRow = (event) => html`<${Event} event=${event} rest=${{ 'data-row': true }} />`

/** @type {Record<string, string>} */
const icons = {
  'line.trial_created': 'plus', 'line.activated': 'zap', 'line.extended': 'calendar-plus', 'line.suspended': 'circle-pause', 'line.resumed': 'play',
  'line.expiring': 'clock-alert', 'line.expired': 'circle-x', 'reseller.credited': 'coins', 'reseller.reclaimed': 'coins', 'reseller.blocked': 'lock', 'reseller.unblocked': 'lock-open',
  'line.updated': 'pencil', 'reseller.updated': 'pencil', 'reseller.created': 'plus',
}

/** An entry on the screen of what it happened to: when and by whom below it. @param {{ event: import('./answers').Event }} props */
function Past({ event: e }) {
  const key = 'event.' + e.type
  return html`<li><span class="dot"><${Icon} name=${icons[e.type] || 'activity'} /></span>
    <span class="name">${has(key) ? t(key) : e.type}</span><span class="num">${moved(e)}</span>
    <small><time datetime=${e.timestamp}>${dateTime(e.timestamp)}</time>${[who(e), ...changed(e)].map((text) => html`<span key=${text}> · ${text}</span>`)}</small></li>`
}

/** What History shows. @param {{ line?: number, account?: number }} of */
export const useHistory = (of) => useRows(can('events:read') ? '/events' : null, { ...of, order: 'desc', limit: 6 }, 6)

/** The latest of what happened to a line or an account. @param {{ of: { line?: number, account?: number }, latest: ReturnType<typeof useHistory> }} props */
export function History({ of, latest }) {
  if (!can('events:read')) return null
  return html`<section class="panel"><h2>${t('history')}</h2>
    <${Read} of=${latest}>${(/** @type {{ data: import('./answers').Event[], next_cursor: string | null }} */ { data, next_cursor }) => html`
      ${data.length ? html`<ol class="time">${data.slice(0, 5).map((e) => html`<${Past} key=${e.id} event=${e} />`)}</ol>` : html`<p class="quiet">${t('activity.none-such')}</p>`}
      ${(next_cursor || data.length > 5) && html`<p><${Link} to=${'/activity?' + new URLSearchParams(/** @type {any} */ (of))}>${t('home.all')}<//></p>`}`}<//>
  </section>`
}
