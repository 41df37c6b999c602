// The statement of an account in a period: its balances and sums, the balance as a chart, every movement, and all of them for a
// spreadsheet and on paper.
import { html } from './html.js'
import { ask } from './api.js'
import { now } from './clock.js'
import { place, setQuery } from './router.js'
import { t } from './text.js'
import { change, credits, range, units, whole } from './format.js'
import { List } from './list.js'
import { Export } from './many.js'
import { movementHead, movementRow } from './movement.js'
import { BalanceChart } from './chart.js'
import { balances, dateField, periodOf, periods, sums } from './period.js'
import { Printed } from './print.js'
import { Failure, Icon, useRead } from './ui.js'

/**
 * Every movement of a period, the newest first, with the balances before and after it.
 * @param {string} path @param {Record<string, any>} query @param {AbortSignal} signal
 */
async function every(path, query, signal) {
  const entries = []
  for (let cursor = ''; ;) {
    const { data, next_cursor, opening, closing } = await ask('GET', path, { query: { ...query, limit: 500, cursor }, signal })
    entries.push(...data)
    if (next_cursor === null) return { entries, opening, closing }
    cursor = next_cursor
  }
}

/**
 * The statement of an account.
 * @param {{ id: number, username: string, is_admin: number }} account
 * @returns {{ actions: any, shown: any }} actions: beside its title
 */
export function useStatement(account) {
  const { query } = place.use()
  const period = periodOf(query, now())
  const asked = { from: period.from.toISOString(), to: period.to.toISOString() }
  const path = `/users/${account.id}/ledger`
  const all = useRead(path, asked, every)
  const value = /** @type {any} */ (all.value), says = range(period.from, period.last)
  const totals = !account.is_admin && html`<${Totals} of=${value} />`
  const choose = (/** @type {string} */ which) => setQuery({ period: which === 'month' ? '' : which, from: '', to: '', ...which === 'dates' && { from: dateField(period.from), to: dateField(period.last) } })
  const field = (/** @type {'from' | 'to'} */ name, /** @type {Date} */ at) => html`<label class="field">${t('statement.' + name)}<input class="input" type="date" name=${name} required
    value=${dateField(at)} max=${dateField(new Date(now()))} onChange=${(/** @type {any} */ e) => { if (e.target.value) setQuery({ [name]: e.target.value }) }} /></label>`
  return {
    actions: html`<button type="button" class="button ghost print" disabled=${!value} onClick=${() => print()}><${Icon} name="printer" /><span>${t('print')}</span></button>
      <${Export} of="ledger" query=${{ account: account.id, ...asked }} label=${t('statement.csv')} look="button" />`,
    shown: html`<div class="statement">
      <${Printed} title=${t('print.statement', { name: account.username })} more=${() => html`<p>${says}</p>
        ${value ? html`${totals}<table class="table ledger"><thead>${movementHead()}</thead><tbody>${value.entries.map(movementRow)}</tbody></table>` : t('list.loading')}`} />
      <div class="period">
        <div class="seg" role="group" aria-label=${t('statement.period')}>
          ${periods.map((which) => html`<button key=${which} type="button" aria-pressed=${which === period.which} onClick=${() => choose(which)}>${t('statement.' + which)}</button>`)}
        </div>
        <p class="quiet" role="status">${says}</p>
        ${period.which === 'dates' && html`<div class="dates">${field('from', period.from)}${field('to', period.last)}</div>`}
      </div>
      ${all.problem && html`<${Failure} problem=${all.problem} retry=${all.reload} />`}
      ${totals && html`${totals}<${BalanceChart} days=${value && balances(value.entries, value.opening, period)} />`}
      <${List} path=${path} query=${asked} row=${movementRow} head=${movementHead()} look="dense ledger"
        count=${(/** @type {number} */ n) => t('statement.count', { n, count: whole(n) })} label=${t('nav.statement')} empty=${t('statement.none')} />
    </div>`,
  }
}

/** The statement on the screen of a reseller. @param {{ account: Parameters<typeof useStatement>[0] }} props */
export function StatementOf({ account }) {
  const { actions, shown } = useStatement(account)
  return html`<div class="head"><h2>${t('nav.statement')}</h2><div class="actions">${actions}</div></div>${shown}`
}

/** Its space is reserved until they are known. @param {{ of: { entries: import('./answers').Entry[], opening: string, closing: string } | null }} props */
function Totals({ of }) {
  const { came, went } = sums(of ? of.entries : []), moved = (/** @type {string} */ amount) => (units(amount) ? change(amount) : '0')
  const rows = [[t('statement.opening'), of && credits(of.opening)], [t('statement.in'), moved(came)], [t('statement.out'), moved('-' + went)], [t('statement.closing'), of && credits(of.closing)]]
  return html`<dl class="sums panel" aria-busy=${!of}>${rows.map(([term, amount]) => html`<div key=${term}><dt>${term}</dt><dd>${of ? amount : '…'}</dd></div>`)}</dl>`
}
