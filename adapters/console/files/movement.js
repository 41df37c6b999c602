// Movements of a statement: rows of a table, which have two lines where it is narrow.
import { html } from './html.js'
import { Link } from './router.js'
import { can, may, me, ownName } from './session.js'
import { t } from './text.js'
import { change, credits, dateTime, nearTime } from './format.js'
import { exact, Read } from './ui.js'

/** The head of their table. */
export const movementHead = () => html`<tr><th scope="col" class="d">${t('statement.date')}</th><th scope="col">${t('statement.what')}</th><th scope="col" class="who">${t('statement.who')}</th>
  <th scope="col" class="num">${t('statement.amount')}</th><th scope="col" class="num bal">${t('statement.balance')}</th></tr>`

/** @param {import('./answers').Entry} entry as a statement has it */
export function movementRow(entry) {
  const other = Number(entry.counterparty), name = entry.line_username || entry.counterparty_username, kind = t('kind.' + entry.kind)
  const to = entry.line && can('lines:read') ? '/lines/' + entry.line : other > 0 && other !== me().id && may.seeResellers() ? '/resellers/' + other : ''
  const named = to ? html`<${Link} to=${to} title=${name} translate=${!name} data-row>${name || kind}<//>` : name ? html`<b translate=${false}>${name}</b>` : kind
  // The word beside the balance is for where the column has no head.
  const balance = exact('balance-after', { amount: credits(entry.balance) }).map((/** @type {any} */ part) => (part && typeof part === 'string' ? html`<span class="word">${part}</span>` : part))
  return html`<tr key=${entry.id} data-id=${entry.id}>
    <td class="d"><time datetime=${entry.at} title=${dateTime(entry.at)}>${nearTime(entry.at)}</time></td>
    <td class="what clip">${name ? html`${kind} ${named}` : named}${entry.notes && html` <span class="quiet" title=${entry.notes}>${entry.notes}</span>`}</td>
    <td class="who quiet clip" translate=${false}>${entry.actor_name === ownName() ? t('statement.you') : entry.actor_name || t('statement.above')}</td>
    <td class="num amount ${entry.amount.startsWith('-') ? 'out' : 'in'}" translate=${false}>${change(entry.amount)}</td>
    <td class="num bal quiet">${balance}</td></tr>`
}

/** The latest ones of the own account, on Home. @param {{ of: any }} props */
export const Movements = ({ of }) => html`<section class="panel">
  <header><h2>${t('home.movements')}</h2><${Link} class="button link" to="/statement">${t('home.all')}<//></header>
  <${Read} of=${of}>${(/** @type {{ data: import('./answers').Entry[], next_cursor: string | null }} */ { data, next_cursor }) => data.length
    ? html`<table class="table dense ledger" aria-label=${t('home.movements')}><tbody>${data.slice(0, 5).map(movementRow)}</tbody></table>`
    : html`<p class="quiet">${next_cursor ? t('home.unsure') : t('home.movements-none')}</p>`}<//>
</section>`
