// The lines, as a list that can be searched and filtered. Filters are in the address, so that a list can be saved and come
// back to.
import { html, useEffect, useState } from '../html.js'
import { kept, made, place, setQuery } from '../router.js'
import { can, me, may } from '../session.js'
import { t } from '../text.js'
import { whole } from '../format.js'
import { asked, counted, filters, glanceOf, glances, orderOf, orders, said, soon, sort, stateOf, states, usual } from '../filters.js'
import { List } from '../list.js'
import { lineRow } from '../line-row.js'
import { actions, allowed, Many, Select, Selectable, SelectionBar } from '../many.js'
import { renewed } from '../renew.js'
import { Search } from '../search.js'
import { NewTrial } from '../trial.js'
import { Icon, Screen, useRead } from '../ui.js'

/** What the address filters by, in words. @param {URLSearchParams} query */
const inWords = (query) => said(query).map(({ name, key, values }) => ({ name, text: t(key, values) }))

const none = { ...Object.fromEntries(filters.map((name) => [name, ''])), days: '' }

export function Lines() {
  const { query } = place.use()
  const [open, setOpen] = useState(false)
  const applied = inWords(query)
  const doing = query.get('do') || '', picked = kept('picked')
  if (Object.hasOwn(actions, doing) && picked && can(actions[/** @type {keyof typeof actions} */ (doing)])) {
    return html`<${Many} key=${doing} action=${doing} picked=${picked} said=${applied.map(({ text }) => text)} />`
  }
  const of = asked(query, query.get('when') ? made() : 0, me().id), filter = JSON.stringify(of), selectable = allowed().length > 0
  const listed = { ...of, sort: sort(query, of) }
  const besides = applied.filter(({ name }) => !glances[glanceOf(query)]?.[1][name]) // what no pressed glance says
  const choose = (/** @type {string} */ name, /** @type {string} */ label, /** @type {[string, string][]} */ options, value = query.get(name) || '') => html`
    <select aria-label=${label} value=${value} onChange=${(/** @type {any} */ e) => setQuery({ [name]: e.target.value })}>
      ${options.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}
    </select>`
  const named = (/** @type {string[]} */ of) => of.map((one) => /** @type {[string, string]} */ ([one, t('filter.' + one)]))
  return html`<${Screen} title=${t('nav.lines')} actions=${can('lines:write') && html`<${NewTrial} />`}>
    <div class="finder ${open ? 'open' : ''}">
      <div class="filters" role="search">
        <${Search} name="q" label=${t('lines.search')} />
        <button type="button" class="more-filters" aria-expanded=${open} onClick=${() => setOpen(!open)}><${Icon} name="filter" />${t('filter.more')}</button>
        ${choose('status', t('filter.status'), [['', t('filter.status')], ...named(states)], stateOf(query))}
        ${choose('show', t('filter.show'), [['', t('filter.show')], ...named(['official', 'trials'])])}
        ${choose('when', t('filter.when'), [['', t('filter.when')], ['soon', t('filter.soon', { n: soon(query) })], ['past', t('filter.past')]])}
        ${may.haveBelow() && choose('mine', t('filter.whose'), [['', t('filter.whose')], ['1', t('filter.mine')]])}
        ${choose('sort', t('sort'), orders.map((order) => [order === usual(query) ? '' : order, t('sort.' + order)]), orderOf(query) === usual(query) ? '' : orderOf(query))}
      </div>
      <div class="strip"><${Glance} query=${query} /><${Select} filter=${filter} query=${listed} /></div>
      ${besides.length > 0 && html`<ul class="applied" aria-label=${t('filter.applied')}>
        ${besides.map(({ name, text }) => html`<li key=${name}><button type="button" class="chip" aria-label=${t('filter.remove', { filter: text })} onClick=${() => setQuery({ [name]: '', ...(name === 'when' && { days: '' }) })}>
          ${text}<${Icon} name="close" /></button></li>`)}
        <li><button type="button" class="chip plain" onClick=${() => setQuery(none)}>${t('filter.clear')}</button></li>
      </ul>`}
    </div>
    <${List} path="/lines" query=${listed} label=${t('nav.lines')} empty=${applied.length ? t('lines.none-such') : t('lines.none')}
      row=${(/** @type {import('../answers').ListedLine} */ line) => (selectable ? html`<${Selectable} filter=${filter} line=${line}>${lineRow(line)}<//>` : lineRow(line))} />
    <${SelectionBar} filter=${filter} query=${of} listed=${listed} />
  <//>`
}

/** The numbers of lines in the most frequent filters; each number opens its list. @param {{ query: URLSearchParams }} props */
function Glance({ query }) {
  const since = renewed.use()
  const summary = useRead('/reports/summary', { days: 1, ...counted(query, me().id, may.haveBelow()) })
  const [seen] = useState(since)
  useEffect(() => { if (since !== seen) summary.reload() }, [since])
  const lines = summary.value?.lines
  return html`<ul class="chips" aria-label=${t('chips')}>${lines && Object.entries(glances).map(([name, [count, to]]) => {
    const n = lines[count], on = name === glanceOf(query)
    return (n > 0 || on) && html`<li key=${name}><button type="button" class="chip" aria-pressed=${on} onClick=${() => setQuery({ ...Object.fromEntries(Object.entries(to).map(([name, value]) => [name, on ? '' : value])), days: '' })}>
      ${t('chips.' + name, { n, count: whole(n) + (lines.capped ? '+' : '') })}</button></li>`
  })}</ul>`
}
