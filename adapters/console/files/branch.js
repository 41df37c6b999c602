// Resellers as rows of a table: how much they have, their state in words, and the most frequent action; those below a master.
import { html, useEffect, useState } from './html.js'
import { rowsOf } from './api.js'
import { Link } from './router.js'
import { can, may } from './session.js'
import { t } from './text.js'
import { credits, dateTime, inCredits, near, units } from './format.js'
import { low } from './plot.js'
import { amounts, opened } from './top-up.js'
import { dialled, toWhatsApp } from './whatsapp.js'
import { Failure, Icon, Menu, State } from './ui.js'

/** @typedef {import('./answers').Account} Account */

/** The rows of branches that were read, so that a return shows them at once. @type {Map<string, { rows: Account[], next: string | null }>} */
const known = new Map()

/** Those of an account that has gone are not another's. */
export const forgetBranches = () => known.clear()

/** What a balance is low below: its alert or, where that is not known, the least that is topped up. @param {Account} reseller @param {string | null} [alert] */
export const lowBelow = ({ is_admin: admin, credits: has }, alert) => (admin ? '' : low(has, alert, amounts[0]))

/** @param {Account} reseller */
export const resellerRow = (reseller) => html`<${Row} key=${reseller.id} reseller=${reseller} />`

/** @param {{ reseller: Account }} props */
function Row({ reseller: r }) {
  const { id, username: name } = r, moves = may.manage(r, 'credits:move'), write = can('users:write')
  const number = dialled(r.whatsapp, r.country), amount = credits(r.credits), says = t('reseller.whatsapp', { name })
  const form = (/** @type {string} */ doing, /** @type {string} */ icon, /** @type {string} */ label, look = '') => html`<${Link} class=${look} to=${`/resellers/${id}?do=${doing}`}><${Icon} name=${icon} />${label}<//>`
  return html`<tr data-id=${id}>
    <th scope="row" class="name"><span class="named"><${Link} class="clip" to=${'/resellers/' + id} title=${name} translate=${false} data-row>${name}<//>${!!(r.is_master || r.is_admin) && html`<span class="badge">${t('role.' + (r.is_admin ? 'admin' : 'master'))}</span>`}</span></th>
    <td class="num bal" translate=${false}>${!r.is_admin && html`<b>${amount}</b><span class="unit">${inCredits(r.credits).replace(amount, '')}</span>`}</td>
    <td class="sit"><${ResellerState} reseller=${r} /></td>
    <td class="last clip quiet" title=${dateTime(r.recharge)}>${!r.is_admin && near(r.recharge)}</td>
    <td class="tel clip">${r.whatsapp}</td>
    <td class="notes clip quiet" title=${r.notes}>${r.notes}</td>
    <td class="does"><span>
      ${moves && html`<button type="button" class="button row-act" aria-haspopup="dialog" aria-label=${t('reseller.topup-title', { name })} onClick=${() => opened.set({ reseller: r, name: 'topup' })}>${t('reseller.topup')}</button>`}
      ${number ? html`<a class="button ghost only" href=${toWhatsApp(number, '')} target="_blank" rel="noopener noreferrer" aria-label=${says} title=${says}><${Icon} name="message-circle" /></a>` : html`<i></i>`}
      ${(moves || write) && html`<${Menu} label=${t('more-about', { name })}>
        ${write && form('contact', 'pencil', t('reseller.contact'))}
        ${moves && html`<button type="button" onClick=${() => opened.set({ reseller: r, name: 'reclaim' })}><${Icon} name="coins" />${t('reseller.reclaim')}</button>`}
        ${can('lines:read') && html`<${Link} to=${'/lines?owner=' + id}><${Icon} name="tv" />${t('nav.lines')}<//>`}
        ${may.manage(r, 'users:write') && html`<hr />${r.block_reseller ? form('unblock', 'lock-open', t('reseller.unblock')) : form('block', 'lock', t('reseller.block') + '…', 'bad')}`}<//>`}
    </span></td>
  </tr>`
}

/** What a reseller lacks, in words: access, or credits. @param {{ reseller: Account, badge?: boolean }} props */
export function ResellerState({ reseller: r, badge }) {
  const what = !r.active_tree ? (r.block_reseller ? 'blocked' : 'blocked-above') : r.is_admin ? '' : !units(r.credits) ? 'empty' : lowBelow(r) && 'low'
  if (!what) return null
  const full = t('reseller.' + what), brief = t(`reseller.${what}-brief`)
  const icon = what === 'low' ? 'trending-down' : what === 'empty' ? 'circle-alert' : 'lock'
  return html`<${State} of=${what} tone=${what === 'low' ? 'warn' : 'bad'} icon=${icon} badge=${badge}>${badge ? full : html`<span class="long">${what === 'blocked-above' ? brief : full}</span><span class="brief">${brief}</span>`}<//>`
}

/** Those right below a master. @param {{ master: number }} props */
export function Branch({ master }) {
  const name = String(master)
  const [state, set] = useState(() => known.get(name) || { rows: /** @type {Account[]} */ ([]), next: '' })
  const [problem, setProblem] = useState(/** @type {any} */ (null))
  const [loading, setLoading] = useState(true)
  /** @param {Account[]} before the rows after which the next ones come @param {string} cursor of these */
  const read = async (before, cursor) => {
    setLoading(true)
    setProblem(null)
    try {
      const limit = Math.min(500, Math.max(50, state.rows.length - before.length))
      const { data, next_cursor } = await rowsOf('/users', { master, limit, cursor }, 1)
      const found = { rows: [...before, ...data], next: next_cursor }
      known.set(name, found)
      set(found)
    } catch (refused) {
      setProblem(refused)
    }
    setLoading(false)
  }
  useEffect(() => { read([], '') }, [master])
  const { rows, next } = state
  return html`<div class="branch" aria-busy=${loading}>
    ${rows.length > 0 && html`<table class="table resellers few"><tbody>${rows.map(resellerRow)}</tbody></table>`}
    ${problem ? html`<${Failure} problem=${problem} retry=${() => read(rows, next || '')} />`
      : next === '' && loading ? html`<p class="quiet">${t('list.loading')}</p>`
      : next ? html`<button type="button" class="button wide" disabled=${loading} onClick=${() => read(rows, next)}>${t('tree.more')}</button>`
      : !rows.length && html`<p class="quiet">${t('tree.none')}</p>`}
  </div>`
}
