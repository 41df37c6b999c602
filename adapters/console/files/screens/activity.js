// The journal, the newest entry first, with new entries as they arrive: of the own account and the accounts below it.
import { html } from '../html.js'
import { place, setQuery } from '../router.js'
import { may, me } from '../session.js'
import { t } from '../text.js'
import { eventRow } from '../event.js'
import { useFeed } from '../feed.js'
import { List } from '../list.js'
import { Failure, Icon, Screen } from '../ui.js'

/** What can be chosen, as types of the journal. @type {Record<string, string[]>} */
const kinds = {
  lines: ['line.*'],
  jobs: ['bulk.*'],
  credits: ['reseller.credited', 'reseller.reclaimed', 'line.activated', 'line.extended', 'balance.*'],
  accounts: ['reseller.*', 'operator.*'],
  access: ['session.*', 'token.*', 'password.*', 'totp.*'],
  keys: ['key.*', 'staff.*'],
  webhooks: ['webhook.*'],
}
const filters = ['what', 'mine', 'line', 'account']

export function Activity() {
  const { query } = place.use()
  const what = query.get('what') || ''
  const asked = { type: kinds[what], account: query.get('mine') ? me().id : query.get('account'), line: query.get('line') }
  const { from, entries, problem, reload } = useFeed(asked)
  const filtered = filters.some((name) => query.get(name))
  const choose = (/** @type {string} */ name, /** @type {string} */ label, /** @type {[string, string][]} */ options) => html`
    <select aria-label=${label} value=${query.get(name) || ''} onChange=${(/** @type {any} */ e) => setQuery({ [name]: e.target.value })}>
      ${options.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}
    </select>`
  return html`<${Screen} title=${t('nav.activity')}>
    <div class="filters">
      ${choose('what', t('activity.what'), [['', t('activity.all')], ...Object.keys(kinds).map((k) => /** @type {[string, string]} */ ([k, t('activity.' + k)]))])}
      ${may.haveBelow() && choose('mine', t('filter.whose'), [['', t('filter.everyone')], ['1', t('filter.mine')]])}
      ${filtered && html`<button type="button" class="button" onClick=${() => setQuery(Object.fromEntries(filters.map((name) => [name, ''])))}>
        <${Icon} name="x" />${t('filter.clear')}</button>`}
    </div>
    <div aria-live="polite">
      ${entries.length > 0 && html`<ul class="rows" aria-label=${t('activity.new')}>${entries.map((e) => html`<li key=${e.id}>${eventRow(e)}</li>`)}</ul>`}
    </div>
    ${from === null && problem && html`<${Failure} problem=${problem} retry=${reload} />`}
    ${from !== null && html`<${List} path="/events" query=${{ ...asked, order: 'desc' }} row=${(/** @type {import('../answers').Event} */ e) => (e.seq > from ? null : eventRow(e))}
      label=${t('nav.activity')} lasting empty=${t(filtered ? 'activity.none-such' : 'activity.none')} />`}
  <//>`
}
