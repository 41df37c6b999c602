// One search for everything: customers, resellers, what can be done, and places. The button in the header, "/" and Ctrl+K
// open it.
import { html, useEffect, useId, useLayoutEffect, useRef, useState } from './html.js'
import { ask } from './api.js'
import { Link, place } from './router.js'
import { can, may, me } from './session.js'
import { t } from './text.js'
import { credits, ends, whole } from './format.js'
import { found, Marked } from './marked.js'
import { isOutside } from './panel.js'
import { NoTrial, useTrial } from './trial.js'
import { nameOf } from './typed.js'
import { Failure, Icon, useRead } from './ui.js'

/** @typedef {[string, string, string]} To path, icon, and what it is called */
/** @typedef {{ key: string, icon: string, name: string, to?: string, act?: () => void, record?: boolean, hit?: string | null, end?: string }} Option hit: what was found, where that is not the name */

/** How many records of a kind are shown. */
const most = 5
/** How long to wait after the last letter, in milliseconds. */
const pause = 200

/** What a record has of a text, by the fields that the service searches. @param {any} record @param {string} by */
const hitOf = ({ username, whatsapp, notes, telegram, email, external_id }, by) => [username, whatsapp, notes, telegram, email, external_id].find((text) => found(text, by))

/**
 * The first records that match. Those of the text before stay for as long as they match the present one.
 * @param {string} path '' for none @param {string} wanted @param {string} asked the same, once the user has paused
 */
function useMatches(path, wanted, asked) {
  const read = useRead(path && asked ? path : null, { q: asked, limit: most }, (path, query, signal) => ask('GET', path, { query, signal }).then((page) => ({ ...page, of: asked })))
  const page = /** @type {{ of: string, data: any[], next_cursor: string | null } | null} */ (read.value)
  const last = useRef(/** @type {any[]} */ ([]))
  if (page) last.current = page.data
  const known = page?.of === wanted
  return {
    rows: !wanted ? [] : known ? last.current : last.current.filter((row) => hitOf(row, wanted)), more: known && page?.next_cursor !== null,
    settled: !path || !wanted || known || asked === wanted && !!read.problem, problem: wanted && read.problem, reload: read.reload,
  }
}

/** @param {{ places: To[], close: () => void }} props places: those that the user may see */
export function Palette({ places, close }) {
  const { path, query } = place.use(), id = useId()
  const root = useRef(/** @type {HTMLDialogElement | null} */ (null)), entered = useRef(false)
  const [text, type] = useState(path === '/lines' && query.get('q') || '')
  const [asked, request] = useState('')
  const [chosen, choose] = useState('')
  const wanted = nameOf(text)
  useEffect(() => {
    const later = setTimeout(() => request(wanted), pause)
    return () => clearTimeout(later)
  }, [wanted])
  const trial = useTrial('trial that was searched for', close)
  const lines = useMatches(can('lines:read') ? '/lines' : '', wanted, asked), users = useMatches(may.seeResellers() ? '/users' : '', wanted, asked)
  const settled = lines.settled && users.settled
  const record = (/** @type {any} */ row) => ({ name: row.username, record: true, hit: found(row.username, wanted) ? row.whatsapp : hitOf(row, wanted) || row.whatsapp })
  const n = lines.rows.length, below = users.rows.filter(({ id }) => id !== me().id)
  const named = (/** @type {Option} */ { name }) => !wanted || !!found(name, wanted)
  const lead = (/** @type {To[]} */ all) => all.map(([to, icon, name]) => ({ key: to, to, icon, name })).filter(named)
  const groups = /** @type {[string, Option[]][]} */ ([
    [t('nav.lines'), lines.rows.map((line) => ({ key: 'line ' + line.id, icon: 'tv', to: '/lines/' + line.id, end: ends(line.expDate), ...record(line) }))],
    [t('nav.resellers'), below.map((user) => ({ key: 'user ' + user.id, icon: 'users', to: '/resellers/' + user.id, end: user.is_admin ? '' : t('balance-after', { amount: credits(user.credits) }), ...record(user) }))],
    [t('actions'), [
      ...can('lines:write') ? [{ key: 'trial', icon: 'plus', name: t('trial.new'), act: () => trial.send({}) }].filter(named) : [],
      ...lead([...may.createResellers() ? [/** @type {To} */ (['/resellers?do=create', 'plus', t('reseller.new')])] : [],
        ...can('manage') ? /** @type {To[]} */ ([['/staff?do=create', 'plus', t('staff.new')], ['/keys?do=create', 'plus', t('key.new')]]) : []]),
      ...n || lines.more ? [{ key: 'list', icon: 'list-filter', to: '/lines?' + new URLSearchParams({ q: wanted }), name: lines.more ? t('search.list') : t('search.list-n', { n, count: whole(n) }) }] : [],
    ]],
    [t('search.places'), lead(places)],
  ]).filter(([, options]) => options.length)
  const all = groups.flatMap(([, options]) => options), now = all.find(({ key }) => key === chosen) || (wanted ? all[0] : undefined)
  const idOf = (/** @type {Option | undefined} */ option) => option && id + option.key.replace(/\W/g, '-')
  const row = () => document.getElementById(idOf(now) || '')
  useLayoutEffect(() => {
    const dialog = /** @type {HTMLDialogElement} */ (root.current), field = dialog.querySelector('input')
    dialog.showModal()
    field?.focus()
    field?.select()
    return () => dialog.close()
  }, [])
  useEffect(() => row()?.scrollIntoView({ block: 'nearest' }), [now?.key])
  // Enter takes what the present text finds, not what the text before has found.
  useEffect(() => {
    if (!settled || !entered.current) return
    entered.current = false
    row()?.click()
  }, [settled])
  const press = (/** @type {KeyboardEvent} */ e) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key]
    if (by && all.length) choose(all.at((now ? all.indexOf(now) + by : by > 0 ? 0 : -1) % all.length)?.key || '')
    else if (e.key === 'Enter') settled ? row()?.click() : entered.current = true
    else return
    e.preventDefault()
  }
  const count = n + below.length, problem = lines.problem || users.problem
  const said = !wanted || !settled || problem ? '' : !count && (lines.more || users.more) ? t('list.paused') : t('search.results', { n: count, count: whole(count) + (lines.more || users.more ? '+' : '') })
  return html`<dialog class="palette" ref=${root} aria-label=${t('search')} onClose=${close} onKeyDown=${(/** @type {Event} */ e) => e.stopPropagation()}
    onPointerDown=${(/** @type {PointerEvent} */ e) => { if (isOutside(e)) close() }}>
    <div class="palette-head"><${Icon} name="search" />
      <input type="text" role="combobox" aria-expanded=${all.length > 0} aria-controls=${id} aria-activedescendant=${idOf(now)} aria-autocomplete="list" aria-label=${t('search')} value=${text}
        enterkeyhint="go" autocapitalize="none" autocomplete="off" spellcheck=${false} maxlength="64" onKeyDown=${press}
        onInput=${(/** @type {any} */ e) => { type(e.target.value); choose(''); entered.current = false }} />
      <kbd class="key desk" aria-hidden="true">Esc</kbd><button type="button" class="button ghost only thumb" aria-label=${t('close')} onClick=${close}><${Icon} name="x" /></button></div>
    ${all.length > 0 && html`<ul class="menu" role="listbox" id=${id} aria-label=${t('search')} aria-busy=${!settled} onClick=${(/** @type {any} */ e) => { if (e.defaultPrevented && e.target.closest('a')) close() }}>
      ${groups.map(([name, options]) => html`<li key=${name} role="group" aria-label=${name}><span class="menu-head" aria-hidden="true">${name}</span>
        ${options.map((option) => html`<${Row} key=${option.key} of=${option} id=${idOf(option)} on=${option === now} by=${wanted} off=${trial.frozen} />`)}</li>`)}</ul>`}
    ${problem && html`<${Failure} problem=${problem} retry=${() => { lines.reload(); users.reload() }} />`}
    <${NoTrial} form=${trial} />
    ${!!said && !all.length && html`<p class="quiet none">${t('search.none')}</p>`}
    <footer><span class="desk"><kbd class="key">↑</kbd> <kbd class="key">↓</kbd> ${t('search.choose')}</span><span class="desk"><kbd class="key">Enter</kbd> ${t('search.open')}</span><span class="count" role="status">${said}</span></footer>
  </dialog>`
}

/** @param {{ of: Option, id?: string, on: boolean, by: string, off: boolean }} props on: Enter takes it; by: what is searched for; off: an action is being done */
function Row({ of: { icon, name, to, act, record, hit, end }, id, on, by, off }) {
  const about = { id, role: 'option', tabindex: -1, 'aria-selected': on, class: on ? 'is-hover' : '' }
  const face = html`<${Icon} name=${icon} /><span class="clip" translate=${!record}><${Marked} text=${name} by=${by} />${hit && html` <span class="quiet"><${Marked} text=${hit} by=${by} /></span>`}</span>
    ${end && html`<span class="at desk">${end}</span>`}`
  return to ? html`<${Link} to=${to} ...${about}>${face}<//>` : html`<button type="button" disabled=${off} onClick=${act} ...${about}>${face}</button>`
}
