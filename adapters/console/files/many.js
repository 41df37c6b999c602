// Many lines at once: which of a list are selected, one by one or all that its filter finds; then what would be done to them,
// its cost and its refusals, before anything is done. The work is a job (jobs.js).
import { html, useState } from './html.js'
import { ask, base, Problem } from './api.js'
import { closeForm, go, openForm } from './router.js'
import { account, can, me, refresh } from './session.js'
import { store } from './store.js'
import { useForm, useDone } from './form.js'
import { Queue } from './queue.js'
import { t } from './text.js'
import { credits, inCredits, localised, whole } from './format.js'
import { plain } from './typed.js'
import { useName } from './names.js'
import { PriceChoice } from './prices.js'
import { useOffers } from './renew.js'
import { seen, slept } from './feed.js'
import { follow, linesText, whyRefused } from './jobs.js'
import { exact, Facts, Failure, Field, Form, Icon, Menu, Screen, useRead } from './ui.js'

/** How many lines can be named one by one. */
export const most = 500

/** What can be done to many lines, with the scope that it takes. */
export const actions = /** @type {const} */ ({ extend: 'lines:spend', suspend: 'lines:write', resume: 'lines:write', delete: 'lines:delete' })

/** @typedef {keyof typeof actions} Action */

/** Those that one may do. */
export const allowed = () => /** @type {Action[]} */ (Object.keys(actions)).filter((a) => can(actions[a]))

/**
 * What is selected: in the list of this filter, null where that is nothing. ids: null where it is all that the filter finds.
 * @type {ReturnType<typeof store<{ filter: string, ids: number[] | null } | null>>}
 */
export const selection = store(/** @type {any} */ (null))

/** The selection in the list of a filter. @param {string} filter */
export function useSelection(filter) {
  const now = selection.use()
  return now?.filter === filter ? now : null
}

/** @param {string} filter @param {number[]} ids */
const select = (filter, ids) => selection.set(ids.length ? { filter, ids } : null)

/**
 * Whether a line is selected in the list of a filter, whether all are, and what changes that.
 * @param {string | undefined} filter undefined: none can be selected @param {number} id @returns {[boolean, boolean, () => void]}
 */
export function usePicked(filter = '', id) {
  const now = useSelection(filter), all = !!now && !now.ids
  return [all || !!now?.ids?.includes(id), all, () => {
    const latest = selection.get() // which a busy device has not drawn yet
    const ids = (latest?.filter === filter && latest.ids) || []
    select(filter, ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id])
  }]
}

/** The address of what a list has as a file for the user's spreadsheet. @param {string} of @param {Record<string, any>} query */
const exported = (of, query) => `${base}/exports/${of}?` + new URLSearchParams({ ...localised(), ...query })

/** Saves all that a list has: the browser takes it as it comes, and nothing of it is held. @param {{ of: string, query: Record<string, any>, label?: string, look?: string }} props query: of the list; look: its classes */
export const Export = ({ of, query, label = t('export'), look = 'button ghost' }) => html`<a class=${look} href=${exported(of, given(query))} download=""><${Icon} name="download" />${label}</a>`

/** Saves the lines of a list, without their passwords and with them. @param {{ query: Record<string, any>, look?: string }} props */
export const ExportLines = ({ query, look }) => html`<${Export} of="lines" query=${{ ...query, passwords: false }} look=${look} />
  ${can('lines:passwords') && html`<${Export} of="lines" query=${query} label=${t('export.passwords')} look=${look} />`}`

/** What a query has a value for. @param {Record<string, any>} query @returns {Record<string, any>} */
export const given = (query) => Object.fromEntries(Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== ''))

/** Selects all rows that are shown, or none, in the head of the table. @param {{ filter: string }} props */
export function PickShown({ filter }) {
  const now = useSelection(filter)
  const toggle = () => select(filter, now ? [] : [...document.querySelectorAll('.screen [data-id]')].map((e) => Number(e.getAttribute('data-id'))).slice(0, most))
  return html`<label class="hit"><input type="checkbox" class=${now?.ids ? 'is-some' : ''} checked=${!!now && !now.ids} onChange=${toggle} aria-label=${t('select.shown')} data-shown /></label>`
}

/**
 * How many are selected, and what can be done to them.
 * @param {{ filter: string, query: Record<string, any>, listed: Record<string, any>, leave: () => void }} props query: which lines the list finds;
 *   listed: the same in its order; leave: ends selecting
 */
export function SelectionBar({ filter, query, listed, leave }) {
  const now = useSelection(filter)
  const [reminds, remind] = useState(false)
  const ids = now ? now.ids : [], many = !!ids && ids.length > most
  const picked = ids ? { ids } : { filter: given(query) }
  const [first, ...others] = allowed()
  const looks = /** @type {Record<string, string>} */ ({ extend: 'calendar-plus', suspend: 'circle-pause', resume: 'play', delete: 'trash-2' })
  const does = (/** @type {Action} */ action, look = '') => html`<button key=${action} type="button" class=${look} disabled=${!now || many} data-action=${action} onClick=${() => openForm(action, { picked })}>
    <${Icon} name=${looks[action]} />${action === 'extend' && ids?.length ? t('home.renew', { n: ids.length, count: whole(ids.length) }) : t('line.' + action)}${action === 'delete' ? '…' : ''}</button>`
  const all = html`<button type="button" class="button link" data-all aria-pressed=${!ids} onClick=${() => selection.set(ids ? { filter, ids: null } : null)}>${t('select.found')}</button>`
  return html`<div class="pick-bar" role="region" aria-label=${t('select')}>
    <p role="status"><b>${many ? t('select.most', { n: whole(most) }) : selected(ids)}</b></p>${all}
    ${first && does(first, 'button primary')}
    <button type="button" class="button" disabled=${!now || many} data-queue onClick=${() => remind(true)}><${Icon} name="message-circle" />${t('queue')}</button>
    ${others.map((action) => action !== 'delete' && does(action, 'button wide-only'))}
    <${Menu} label=${t('select.more')}>${others.map((action) => html`${action === 'delete' && html`<hr />`}${does(action, action === 'delete' ? 'bad' : '')}`)}
      ${!ids && html`<${ExportLines} query=${listed} look="" />`}<//>
    <button type="button" class="button ghost only end" aria-label=${t('select.none')} title=${t('select.none')} onClick=${leave}><${Icon} name="x" /></button>
    ${reminds && html`<${Queue} ids=${ids || undefined} query=${given(listed)} onClose=${() => remind(false)} />`}
  </div>`
}

/** What is selected, in words. @param {number[] | null} ids */
const selected = (ids) => (ids ? t('select.count', { n: ids.length, count: whole(ids.length) }) : t('select.all'))

/** How many accounts are named that pay for it. */
const payers = 5

/** @typedef {{ matched: number, would_succeed: number, refused: Record<string, number>, total: string, balances_after: Record<string, string> }} Outcome */

/**
 * What an order would do. Of very many lines a job counts, which ends with what waits for it.
 * @param {string} path @param {Record<string, any>} order @param {AbortSignal} signal @returns {Promise<Outcome & { of: any }>}
 */
async function rehearse(path, order, signal) {
  refresh() // the form shows the balance and its rest
  let answer = /** @type {any} */ (null)
  for (let turn = 1; !answer; turn++) {
    try {
      answer = await ask('POST', path, { body: JSON.stringify({ ...order, dry_run: true }), signal })
    } catch (/** @type {any} */ problem) {
      // The count for what was chosen just before may not have ended yet.
      if (turn === 5 || !/^(count|job)-running$/.test(problem.code)) throw problem
      await slept(signal, 1000)
    }
  }
  if (!answer.status) return { ...answer, of: order.params.plan }
  follow(answer)
  try {
    while (answer.status === 'running') {
      await slept(signal, 1000)
      await seen(signal)
      answer = await ask('GET', `/bulk/${answer.id}`, { signal })
    }
  } catch (problem) {
    if (signal.aborted) ask('DELETE', `/bulk/${answer.id}`).catch(() => {})
    throw problem
  }
  if (!answer.outcome) throw new Problem('not-found')
  return { ...answer.outcome, of: order.params.plan }
}

/**
 * @param {{ action: Action, picked: { ids?: number[], filter?: Record<string, any> }, said: string[], up?: string }} props
 *   said: what the list was filtered by, in words; up: the screen that it began on
 */
export function Many({ action, picked, said, up = '/lines' }) {
  const title = t('line.' + action) + ': ' + (picked.ids ? linesText(picked.ids.length) : t('many.found'))
  const sent = useForm({ name: 'bulk ' + action, method: 'POST', path: '/bulk', title, fields: { plan: 0, reason: '', typed: '' }, secret: ['typed'] })
  const offers = useOffers()
  const form = { ...sent, fields: { ...sent.fields, plan: action !== 'extend' ? 0 : sent.frozen ? sent.said().params?.plan : sent.fields.plan || offers.likely?.plan } }
  const { fields, frozen, answer } = form
  const order = { action, select: picked, params: fields.plan ? { plan: fields.plan } : {} }
  const asks = !frozen && (action !== 'extend' || !!fields.plan)
  const read = useRead(asks ? '/bulk' : null, order, rehearse)
  const counted = /** @type {(Outcome & { of: any }) | null} */ (/** @type {any} */ (read.value))
  const outcome = counted && counted.of === order.params.plan ? counted : null
  const n = outcome?.would_succeed || 0, cost = outcome ? inCredits(outcome.total) : ''
  useDone(form, () => {
    selection.set(null)
    follow(answer)
    go('/jobs/' + answer.id, { replace: true })
  })
  const send = () => form.send({
    ...order, params: action === 'suspend' && fields.reason.trim() ? { reason: fields.reason } : order.params, expect: { count: n, total: outcome?.total },
  })
  const typed = action !== 'delete' || plain(fields.typed).replace(/\D/g, '') === String(n)
  return html`<${Screen} title=${title} up=${up}><section class="panel">
    <${Form} form=${form} danger=${action === 'delete' || action === 'suspend'} ready=${n > 0 && typed && !read.loading}
      submit=${n ? t('many.do.' + action, { n, count: whole(n), cost }) : t('line.' + action)} onSubmit=${send} onClose=${() => closeForm()}>
      ${picked.filter && html`<p>${said.length ? t('many.filtered', { by: said.join(' · ') }) : t('many.unfiltered')}</p>`}
      ${action === 'extend' && html`<${PriceChoice} form=${form} ...${offers} />`}
      <div aria-live="polite" aria-busy=${asks && read.loading}>
        ${frozen ? action === 'extend' && outcome && html`<p>${exact('cost.sent', { cost })}</p>`
          : outcome ? html`<${WouldBe} outcome=${outcome} paid=${action === 'extend'} />`
          : asks && !read.problem && html`<p class="quiet" role="status">${t('many.counting')}</p>`}
      </div>
      ${read.problem && asks && form.state !== 'refused' && html`<${Failure} problem=${read.problem} retry=${read.reload} />`}
      ${action === 'suspend' && html`<p>${t('many.suspend-means')}</p><${Field} form=${form} name="reason" label=${t('reason')} hint=${t('many.reason-hint')} kind="textarea" rows="2" maxlength="500" />`}
      ${action === 'delete' && html`<p>${t('many.delete-means')}</p>${n > 0 && html`<${Field} form=${form} name="typed" label=${t('many.delete-type', { n: whole(n) })} inputmode="numeric" required />`}`}
    <//>
  </section><//>`
}

/** @param {{ outcome: Outcome, paid: boolean }} props */
function WouldBe({ outcome: { matched, would_succeed: n, refused, total, balances_after: left }, paid }) {
  const own = account.use(), mine = me().is_admin ? undefined : left[me().id], others = Object.entries(left).filter(([id]) => id !== String(me().id))
  const cost = inCredits(total)
  return html`<p data-outcome><strong>${exact('many.matched', { n: matched, count: whole(matched) })}</strong></p>
    ${paid && n > 0 && html`<p>${me().is_admin && !others.length ? t('cost.issued')
      : own && mine !== undefined && !others.length ? exact('cost.own', { cost, now: credits(own.credits), after: credits(mine) })
      : exact('cost.sent', { cost })}</p>`}
    ${others.length > 0 && html`<div class="members"><${Facts} of=${[...(mine === undefined ? [] : [[String(me().id), mine]]), ...others.slice(0, payers)]
      .map(([id, amount]) => [html`<${AccountName} id=${Number(id)} />`, exact('many.left', { amount: credits(amount) })])} /></div>${others.length > payers && html`<p class="quiet">${t('job.more', { n: others.length - payers })}</p>`}`}
    <${Refused} of=${refused} all=${matched > 0 && !n} />`
}

/** @param {{ id: number }} props */
const AccountName = ({ id }) => html`<span class="name" translate=${false}>${useName(id) || t('reseller.by-id', { id })}</span>`

/** How many are refused, and why. @param {{ of: Record<string, number>, all: boolean }} props all: nothing is left */
function Refused({ of, all }) {
  const whys = Object.entries(of), n = whys.reduce((sum, [, times]) => sum + times, 0)
  if (!n) return null
  return html`<div class="note warn" data-refused=${n}><${Icon} name="triangle-alert" /><div><p>${all ? t('many.none') : t('many.refused', { n, count: whole(n) })}</p>
    <${Facts} of=${whys.map(([code, times]) => [linesText(times), whyRefused(code)])} /></div></div>`
}
