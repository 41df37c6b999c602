// The tree of resellers: a row for each, whose children open below it. The open rows are stored by the
// entry of the history, so that the way back from one of them finds the tree as it was.
import { html, useEffect, useState } from './html.js'
import { rowsOf } from './api.js'
import { keep, kept, Link } from './router.js'
import { may } from './session.js'
import { t } from './text.js'
import { Credits, Failure, Icon, State } from './ui.js'

/** The rows of branches that were read, so that a return shows them at once. @type {Map<string, { rows: import('./answers').Account[], next: string | null }>} */
const known = new Map()

/** Those of an account that has gone are not another's. */
export const forgetBranches = () => known.clear()

/** @param {import('./answers').Account} reseller */
export const resellerRow = (reseller) => html`<${Node} key=${reseller.id} reseller=${reseller} />`

/** @param {{ reseller: import('./answers').Account }} props */
function Node({ reseller: r }) {
  const [open, setOpen] = useState(() => (kept('open') || []).includes(r.id))
  const toggle = () => {
    const others = (kept('open') || []).filter((/** @type {number} */ id) => id !== r.id)
    keep({ open: open ? others : [...others, r.id].slice(-50) })
    setOpen(!open)
  }
  const role = r.is_admin ? 'admin' : r.is_master ? 'master' : 'reseller'
  return html`<div class="node">
    ${r.is_master || r.is_admin
      ? html`<button type="button" class="button ghost only twig" aria-expanded=${open} aria-label=${t('tree.below', { name: r.username })} onClick=${toggle}><${Icon} name=${open ? 'chevron-down' : 'chevron-right'} /></button>`
      : html`<span class="twig"></span>`}
    <${Link} class="row reseller" to=${'/resellers/' + r.id} data-row>
      <span class="name"><span translate=${false}>${r.username}</span>${r.notes && html`<span class="notes quiet">${r.notes}</span>`}</span>
      <span class="quiet">${t('role.' + role)}</span>
      <span><${ResellerState} reseller=${r} /></span>
      ${!r.is_admin && html`<${Credits} of=${r.credits} />`}
    <//>
    <span class="does">${may.manage(r, 'credits:move') && html`<${Link} class="button row-act" to=${`/resellers/${r.id}?do=topup`} aria-label=${t('reseller.topup-title', { name: r.username })}>${t('reseller.topup')}<//>`}</span>
    ${open && html`<${Branch} master=${r.id} />`}
  </div>`
}

/** Whether a reseller can act: said where it can't. @param {{ reseller: import('./answers').Account }} props */
export const ResellerState = ({ reseller: r }) => r.active_tree ? null
  : html`<${State} of="blocked" tone="bad" icon="lock">${t(r.block_reseller ? 'reseller.blocked' : 'reseller.blocked-above')}<//>`

/** Those right below a master. @param {{ master: number, empty?: any }} props */
export function Branch({ master, empty }) {
  const name = String(master)
  const [state, set] = useState(() => known.get(name) || { rows: /** @type {import('./answers').Account[]} */ ([]), next: '' })
  const [problem, setProblem] = useState(/** @type {any} */ (null))
  const [loading, setLoading] = useState(true)
  /** @param {import('./answers').Account[]} before the rows after which the next ones come @param {string} cursor of these */
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
  return html`<ul class="rows branch" aria-busy=${loading}>
    ${rows.map((r) => html`<li key=${r.id}>${resellerRow(r)}</li>`)}
    ${problem ? html`<li><${Failure} problem=${problem} retry=${() => read(rows, next || '')} /></li>`
      : next === '' && loading ? html`<li class="quiet">${t('list.loading')}</li>`
      : next ? html`<li><button type="button" class="button" disabled=${loading} onClick=${() => read(rows, next)}>${t('tree.more')}</button></li>`
      : !rows.length && html`<li class="quiet">${empty || t('tree.none')}</li>`}
  </ul>`
}
