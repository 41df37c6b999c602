// The statement of an account in a period: its balances and sums, the balance as a chart, every movement, and all of them for a
// spreadsheet and on paper.
import { html } from './html.js'
import { ask } from './api.js'
import { now } from './clock.js'
import { place, setQuery } from './router.js'
import { t } from './text.js'
import { change, credits, range, units } from './format.js'
import { List } from './list.js'
import { exported } from './many.js'
import { movementRow } from './movement.js'
import { BalanceChart } from './chart.js'
import { balances, dateField, periodOf, periods, sums } from './period.js'
import { Printed } from './print.js'
import { Failure, Icon, useRead } from './ui.js'

/**
 * Every movement of a period, the newest first, with the balances before and after it.
 * @param {string} path @param {Record<string, any>} query @param {AbortSignal} signal
 */
async function whole(path, query, signal) {
  const entries = []
  for (let cursor = ''; ;) {
    const { data, next_cursor, opening, closing } = await ask('GET', path, { query: { ...query, limit: 500, cursor }, signal })
    entries.push(...data)
    if (next_cursor === null) return { entries, opening, closing }
    cursor = next_cursor
  }
}

/** @param {{ account: { id: number, username: string, is_admin: number } }} props */
export function StatementOf({ account }) {
  const { query } = place.use()
  const period = periodOf(query, now())
  const asked = { from: period.from.toISOString(), to: period.to.toISOString() }
  const path = `/users/${account.id}/ledger`
  const all = useRead(path, asked, whole)
  const value = /** @type {any} */ (all.value), says = range(period.from, period.last)
  const totals = !account.is_admin && html`<${Totals} of=${value} />`
  const choose = (/** @type {string} */ which) => setQuery({ period: which === 'month' ? '' : which, from: '', to: '', ...which === 'dates' && { from: dateField(period.from), to: dateField(period.last) } })
  const field = (/** @type {'from' | 'to'} */ name, /** @type {Date} */ at) => html`<label>${t('statement.' + name)} <input class="input" type="date" name=${name} required
    value=${dateField(at)} max=${dateField(new Date(now()))} onChange=${(/** @type {any} */ e) => { if (e.target.value) setQuery({ [name]: e.target.value }) }} /></label>`
  return html`
    <${Printed} title=${t('print.statement', { name: account.username })} more=${() => html`<p>${says}</p>
      ${value ? html`${totals}<ul class="rows">${value.entries.map((/** @type {any} */ e) => html`<li>${movementRow(e)}</li>`)}</ul>` : t('list.loading')}`} />
    <div class="filters period">
      <div class="seg" role="group" aria-label=${t('statement.period')}>
        ${periods.map((which) => html`<button key=${which} type="button" aria-pressed=${which === period.which} onClick=${() => choose(which)}>${t('statement.' + which)}</button>`)}
      </div>
      ${period.which === 'dates' && html`${field('from', period.from)}${field('to', period.last)}`}
      <span class="quiet" role="status">${says}</span>
    </div>
    ${all.problem && html`<${Failure} problem=${all.problem} retry=${all.reload} />`}
    ${totals && html`${totals}
      <${BalanceChart} days=${value && balances(value.entries, value.opening, period)} />`}
    <div class="buttons">
      <a class="button" href=${exported('ledger', { account: account.id, ...asked })} download=""><${Icon} name="download" />${t('export')}</a>
      <button type="button" class="button" disabled=${!value} onClick=${() => print()}>${t('print')}</button>
    </div>
    <${List} path=${path} query=${asked} row=${(/** @type {import('./answers').Entry} */ e) => movementRow(e, { 'data-row': true })}
      label=${t('nav.statement')} empty=${t('statement.none')} />`
}

/** Its space is reserved until they are known. @param {{ of: { entries: import('./answers').Entry[], opening: string, closing: string } | null }} props */
function Totals({ of }) {
  const { came, went } = sums(of ? of.entries : []), moved = (/** @type {string} */ amount) => (units(amount) ? change(amount) : '0')
  const rows = [[t('statement.opening'), of && credits(of.opening)], [t('statement.in'), moved(came)], [t('statement.out'), moved('-' + went)], [t('statement.closing'), of && credits(of.closing)]]
  return html`<dl class="sums panel" aria-busy=${!of}>${rows.map(([term, amount]) => html`<div key=${term}><dt>${term}</dt><dd>${of ? amount : '…'}</dd></div>`)}</dl>`
}
