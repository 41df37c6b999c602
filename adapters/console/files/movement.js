// A movement of a statement, in few words.
import { html } from './html.js'
import { Link } from './router.js'
import { can, may, me, ownName } from './session.js'
import { t } from './text.js'
import { change, credits, dateTime } from './format.js'
import { exact } from './ui.js'

/**
 * @param {import('./answers').Entry} entry as a statement has it
 * @param {object} [rest] of the row, such as data-row in a list
 */
export function movementRow(entry, rest = {}) {
  const other = Number(entry.counterparty)
  const name = entry.line_username || entry.counterparty_username
  const by = entry.actor_name !== ownName() && entry.actor_name
  const what = html`<span class="name">${t('kind.' + entry.kind)}${name && html` <span translate=${false}>${name}</span>`}${by && html` <span class="quiet">${t('event.by', { name: by })}</span>`}<span class="quiet notes">${entry.notes}</span></span>
    <span class="amount ${entry.amount.startsWith('-') ? 'out' : 'in'}" translate=${false}>${change(entry.amount)}</span>
    <span class="quiet">${dateTime(entry.at)}</span><span class="quiet">${exact('balance-after', { amount: credits(entry.balance) })}</span>`
  const to = entry.line && can('lines:read') ? '/lines/' + entry.line : other > 0 && other !== me().id && may.seeResellers() ? '/resellers/' + other : ''
  return to ? html`<${Link} class="row movement" to=${to} ...${rest}>${what}<//>` : html`<div class="row movement">${what}</div>`
}
