// The lines, as a list that can be searched and filtered. Filters are in the address, so that a list can be saved and come
// back to.
import { html, useEffect, useState } from '../html.js'
import { href, kept, made, place, setQuery } from '../router.js'
import { can, me, may } from '../session.js'
import { t } from '../text.js'
import { whole } from '../format.js'
import { asked, counted, filters, glanceOf, glances, orderOf, said, soon, sort, stateOf, states, usual } from '../filters.js'
import { Filter, Filters } from '../filter.js'
import { List } from '../list.js'
import { lineRow } from '../line-row.js'
import { actions, allowed, ExportLines, Many, PickShown, selection, SelectionBar, useSelection } from '../many.js'
import { linesText } from '../jobs.js'
import { renewed } from '../renew.js'
import { NewTrial } from '../trial.js'
import { Icon, Screen, useRead } from '../ui.js'

/** What the address filters by, in words. @param {URLSearchParams} query */
const inWords = (query) => said(query).map(({ name, key, values }) => ({ name, text: t(key, values) }))

const none = { ...Object.fromEntries(filters.map((name) => [name, ''])), days: '', sort: '' }

export function Lines() {
  const { query } = place.use()
  const [picking, pick] = useState(false)
  const doing = query.get('do') || '', picked = kept('picked')
  const of = asked(query, query.get('when') ? made() : 0, me().id), filter = JSON.stringify(of), selectable = allowed().length > 0
  const selects = !!useSelection(filter) || picking
  const applied = inWords(query)
  if (Object.hasOwn(actions, doing) && picked && can(actions[/** @type {keyof typeof actions} */ (doing)])) {
    return html`<${Many} key=${doing} action=${doing} picked=${picked} said=${applied.map(({ text }) => text)} />`
  }
  const listed = { ...of, sort: sort(query, of) }, order = orderOf(query), first = usual(query)
  const by = (/** @type {string} */ wanted) => setQuery({ sort: wanted === first ? '' : wanted })
  const named = (/** @type {string[]} */ all) => all.map((one) => /** @type {[string, string]} */ ([one, t('filter.' + one)]))
  const choices = [
    { name: 'status', label: t('filter.status'), value: stateOf(query), of: named(states) },
    { name: 'show', label: t('filter.show'), value: query.get('show') || '', of: named(['official', 'trials']) },
    { name: 'when', label: t('filter.when'), value: query.get('when') || '', of: [['soon', t('filter.soon', { n: soon(query) })], ['past', t('filter.past')]] },
    ...may.haveBelow() ? [{ name: 'mine', label: t('filter.whose'), value: query.get('mine') || '', of: [['1', t('filter.mine')]] }] : [],
    { name: 'sort', label: t('sort'), value: order, always: true, of: [first, ...['newest', 'expiry', 'latest_expiry', 'username'].filter((one) => one !== first)].map((one) => [one, t('sort.' + one)]) },
  ].map((one) => ({ ...one, choose: (/** @type {string} */ value) => one.name === 'sort' ? by(value) : setQuery({ [one.name]: value, ...one.name === 'when' && { days: '' } }) }))
  const besides = applied.filter(({ name }) => !choices.some((one) => one.name === name && one.value))
  const head = html`<tr>
    ${selectable && html`<th class="pick"><${PickShown} filter=${filter} /></th>`}
    <${Head} name="name" label=${t('customer')} orders=${[['username', 'ascending']]} order=${order} choose=${by} />
    <th class="st">${t('filter.status')}</th>
    <${Head} name="expiry" label=${t('filter.when')} orders=${[['expiry', 'ascending'], ['latest_expiry', 'descending']]} order=${order} choose=${by} />
    <th class="phone">${t('whatsapp')}</th><th class="notes">${t('notes')}</th><th class="does"><span class="hush">${t('actions')}</span></th></tr>`
  const leave = () => {
    selection.set(null)
    pick(false)
  }
  return html`<${Screen} title=${t('nav.lines')} actions=${html`<${ExportLines} query=${listed} />
      ${selectable && html`<button type="button" class="button ghost only thumb" aria-label=${t('select.some')} title=${t('select.some')} aria-pressed=${selects} onClick=${() => (selects ? leave() : pick(true))}><${Icon} name="square-check" /></button>`}
      ${can('lines:write') && html`<${NewTrial} plain=${selects} />`}`}>
    <div class=${selects ? 'customers-of is-picking' : 'customers-of'}>
      <nav class="tabs" aria-label=${t('chips')}><${Filters} of=${choices}><hr /><${ExportLines} query=${listed} look="" /><//><${Tabs} query=${query} /></nav>
      ${selects ? html`<${SelectionBar} filter=${filter} query=${of} listed=${listed} leave=${leave} />`
        : html`<div class="list-bar">${choices.map((one) => one.name !== 'sort' && html`<${Filter} key=${one.name} ...${one} />`)}
          ${besides.map(({ name, text }) => html`<button key=${name} type="button" class="chip is-on" aria-label=${t('filter.remove', { filter: text })} onClick=${() => setQuery({ [name]: '' })}>${text}<${Icon} name="x" /></button>`)}
          ${applied.length > 0 && html`<button type="button" class="button link" onClick=${() => setQuery(none)}>${t('filter.clear')}</button>`}</div>`}
      <${List} path="/lines" query=${listed} label=${t('nav.lines')} head=${head} look="customers" count=${linesText} empty=${applied.length ? t('lines.none-such') : t('lines.none')}
        row=${(/** @type {import('../answers').ListedLine} */ line) => lineRow(line, selectable ? filter : undefined)} />
    </div>
  <//>`
}

/**
 * The head of a column by which the API sorts.
 * @param {{ name: string, label: string, orders: [string, string][], order: string, choose: (order: string) => void }} props orders: what a press chooses in turn, and its direction
 */
export function Head({ name, label, orders, order, choose }) {
  const at = orders.findIndex(([one]) => one === order), direction = orders[at]?.[1]
  return html`<th class=${name} scope="col" aria-sort=${direction}><button type="button" class="sort" onClick=${() => choose(orders[(at + 1) % orders.length][0])}>${label}<${Icon} name=${direction ? (direction === 'ascending' ? 'arrow-up' : 'arrow-down') : 'chevrons-up-down'} /></button></th>`
}

/** The views of the list, with the numbers of their lines. @param {{ query: URLSearchParams }} props */
function Tabs({ query }) {
  const since = renewed.use()
  const summary = useRead('/reports/summary', { days: 1, ...counted(query, me().id, may.haveBelow()) })
  const [seen] = useState(since)
  useEffect(() => { if (since !== seen) summary.reload() }, [since])
  const lines = summary.value?.lines, glance = glanceOf(query), all = !['status', 'show', 'when'].some((name) => query.get(name))
  const tab = (/** @type {string} */ name, /** @type {boolean} */ on, /** @type {Record<string, string>} */ to, /** @type {number | undefined} */ n) => html`<a key=${name} href=${href('/lines?' + new URLSearchParams(to))} aria-current=${on ? 'page' : undefined} data-tab=${name}
    onClick=${(/** @type {Event} */ e) => { e.preventDefault(); setQuery({ ...to, days: '' }) }}>${t('tabs.' + name)}${n !== undefined && html` <b>${whole(n)}${lines?.capped ? '+' : ''}</b>`}</a>`
  return html`${tab('all', all, { status: '', show: '', when: '' }, undefined)}
    ${Object.entries(glances).map(([name, [count, to]]) => tab(name, name === glance, to, lines?.[count]))}`
}
