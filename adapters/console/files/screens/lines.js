// The lines, as a list that can be searched and filtered. Filters are in the address, so that a list can be kept and come
// back to.
import { html } from '../html.js'
import { kept, made, place, setQuery } from '../router.js'
import { can, me, may } from '../session.js'
import { t } from '../text.js'
import { List } from '../list.js'
import { lineRow } from '../line-row.js'
import { actions, allowed, Many, Select, Selectable, SelectionBar } from '../many.js'
import { Search } from '../search.js'
import { NewTrial } from '../trial.js'
import { Icon, Screen } from '../ui.js'

const day = 24 * 3600_000

/** Within how many days lines end soon: a week, where the address says nothing else. @param {URLSearchParams} query */
const soon = (query) => Number(/^([1-9]|1[0-4])$/.exec(query.get('days') || '')?.[0] || 7)

const states = ['running', 'expired', 'suspended', 'owner_blocked']

/** In which state lines are; 1 and 0 are in addresses that somebody kept. @param {URLSearchParams} query */
const stateOf = (query) => states.find((state, i) => [state, String(1 - i)].includes(query.get('status') || '')) || ''

/** What the API is asked for, of what the address says: filters narrow each other. @param {URLSearchParams} query @param {number} now */
function asked(query, now) {
  const when = query.get('when') || '', state = stateOf(query)
  const at = (/** @type {number} */ days) => new Date(now + days * day).toISOString()
  return {
    q: query.get('q'),
    username: query.get('username'),
    owner: query.get('mine') ? me().id : query.get('owner'),
    tree: query.get('tree'),
    isTrial: { trials: '1', official: '0' }[query.get('show') || ''],
    // What has ended since the list was opened is none of those that end soon.
    effective: state || { soon: 'running', past: 'expired' }[when],
    expires_after: { soon: at(0), past: at(-14) }[when],
    expires_before: { soon: at(soon(query)), past: state && state !== 'expired' ? at(0) : undefined }[when],
  }
}

const filters = ['q', 'username', 'mine', 'owner', 'tree', 'show', 'status', 'when']

/** What the address filters by, in words. @param {URLSearchParams} query */
function said(query) {
  const state = stateOf(query), show = query.get('show'), when = query.get('when')
  return [
    query.get('q') && `“${query.get('q')}”`, query.get('username') && `“${query.get('username')}…”`, state && t('filter.' + state), show && t('filter.' + show),
    when && `${t('filter.when')}: ${t('filter.' + when, { n: soon(query) })}`, query.get('mine') && t('filter.mine'),
    ...['owner', 'tree'].map((name) => query.get(name) && t('reseller.by-id', { id: query.get(name) })),
  ].filter((text) => text !== null && text !== '')
}

export function Lines() {
  const { query } = place.use()
  const filtered = filters.some((name) => query.get(name))
  const doing = query.get('do') || '', picked = kept('picked')
  if (Object.hasOwn(actions, doing) && picked && can(actions[/** @type {keyof typeof actions} */ (doing)])) {
    return html`<${Many} key=${doing} action=${doing} picked=${picked} said=${said(query)} />`
  }
  const of = asked(query, query.get('when') ? made() : 0), filter = JSON.stringify(of), selectable = allowed().length > 0
  const choose = (/** @type {string} */ name, /** @type {string} */ label, /** @type {[string, string][]} */ options, value = query.get(name) || '') => html`
    <select aria-label=${label} value=${value} onChange=${(/** @type {any} */ e) => setQuery({ [name]: e.target.value })}>
      ${options.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}
    </select>`
  return html`<${Screen} title=${t('nav.lines')} actions=${can('lines:write') && html`<${NewTrial} />`}>
    <div class="filters" role="search">
      <${Search} name="q" label=${t('lines.search')} />
      ${choose('status', t('filter.status'), [['', t('filter.any')], ...states.map((s) => /** @type {[string, string]} */ ([s, t('filter.' + s)]))], stateOf(query))}
      ${choose('show', t('filter.show'), [['', t('filter.both')], ['official', t('filter.official')], ['trials', t('filter.trials')]])}
      ${choose('when', t('filter.when'), [['', t('filter.whenever')], ['soon', t('filter.soon', { n: soon(query) })], ['past', t('filter.past')]])}
      ${may.haveBelow() && choose('mine', t('filter.whose'), [['', t('filter.everyone')], ['1', t('filter.mine')]])}
      ${filtered && html`<button type="button" onClick=${() => setQuery(Object.fromEntries([...filters, 'days'].map((name) => [name, ''])))}>
        <${Icon} name="close" />${t('filter.clear')}</button>`}
    </div>
    <${Select} filter=${filter} query=${of} />
    <${List} path="/lines" query=${of} label=${t('nav.lines')} empty=${filtered ? t('lines.none-such') : t('lines.none')}
      row=${(/** @type {import('../answers').ListedLine} */ line) => (selectable ? html`<${Selectable} filter=${filter} line=${line}>${lineRow(line)}<//>` : lineRow(line))} />
    <${SelectionBar} filter=${filter} query=${of} />
  <//>`
}
