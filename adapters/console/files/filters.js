// The filters in the address of the list of lines: which lines, in which order, and in words for users.

const day = 24 * 3600_000

export const states = ['running', 'expired', 'suspended', 'owner_blocked']

/** In which order lines may be listed. */
export const orders = ['newest', 'expiry', 'latest_expiry', 'username']

/** What the address may filter by. */
export const filters = ['q', 'username', 'mine', 'owner', 'tree', 'show', 'status', 'when']

/** What is at a glance: the count in the summary, and the filters that find as many. @type {Record<string, ['running' | 'expiring_7d' | 'expired_14d' | 'trials', Record<string, string>]>} */
export const glances = {
  soon: ['expiring_7d', { when: 'soon', show: 'official', status: '' }],
  past: ['expired_14d', { when: 'past', show: 'official', status: '' }],
  running: ['running', { when: '', show: 'official', status: 'running' }],
  trials: ['trials', { when: '', show: 'trials', status: 'running' }],
}

/** The one of them that the address is, '' if it is none. @param {URLSearchParams} query */
export const glanceOf = (query) => (query.get('days') ? '' : Object.keys(glances).find((name) =>
  Object.entries(glances[name][1]).every(([filter, value]) => (filter === 'status' ? stateOf(query) : query.get(filter) || '') === value)) || '')

/** Within how many days lines end soon: a week, where the address says nothing else. @param {URLSearchParams} query */
export const soon = (query) => Number(/^([1-9]|1[0-4])$/.exec(query.get('days') || '')?.[0] || 7)

/** In which state lines are; 1 and 0 are in addresses that users saved. @param {URLSearchParams} query */
export const stateOf = (query) => states.find((state, i) => [state, String(1 - i)].includes(query.get('status') || '')) || ''

/**
 * The query of the API: a line must match all filters.
 * @param {URLSearchParams} query of the address @param {number} now @param {number} me
 */
export function asked(query, now, me) {
  const when = query.get('when'), show = query.get('show'), state = stateOf(query)
  const at = (/** @type {number} */ days) => new Date(now + days * day).toISOString()
  return {
    q: query.get('q'),
    username: query.get('username'),
    owner: query.get('mine') ? me : query.get('owner'),
    tree: query.get('tree'),
    isTrial: show === 'trials' ? '1' : show === 'official' ? '0' : undefined,
    // Lines that have ended since the list was opened do not end soon.
    effective: state || (when === 'soon' ? 'running' : when === 'past' ? 'expired' : undefined),
    expires_after: when === 'soon' ? at(0) : when === 'past' ? at(-14) : undefined,
    expires_before: when === 'soon' ? at(soon(query)) : when === 'past' && state && state !== 'expired' ? at(0) : undefined,
  }
}

/** The order where the address says nothing else: lines of a state or of a time by their expiry, what has ended last first. @param {URLSearchParams} query */
export function usual(query) {
  const when = query.get('when'), state = stateOf(query)
  return when === 'past' || state === 'expired' ? 'latest_expiry' : when === 'soon' || state ? 'expiry' : 'newest'
}

/** The order that lines have. @param {URLSearchParams} query */
export const orderOf = (query) => orders.find((order) => order === query.get('sort')) || usual(query)

/** The same for the API, undefined where it has the order by itself. @param {URLSearchParams} query @param {ReturnType<typeof asked>} of */
export function sort(query, of) {
  const order = orderOf(query)
  return order === (of.effective || of.expires_after || of.expires_before ? 'expiry' : 'id') ? undefined : order
}

/** Whose lines the summary counts, as the list has them. @param {URLSearchParams} query @param {number} me @param {boolean} below whether there may be others */
export function counted(query, me, below) {
  const owner = query.get('mine') ? String(me) : query.get('owner')
  return owner ? { account: owner } : { tree: query.get('tree') || (below ? String(me) : undefined) }
}

/**
 * What the address filters by: which of its names, and the text that says so.
 * @param {URLSearchParams} query @returns {{ name: string, key: string, values?: Record<string, any> }[]}
 */
export function said(query) {
  const of = (/** @type {string} */ name) => query.get(name) || ''
  const state = stateOf(query), show = of('show'), when = of('when')
  return [
    { name: 'q', key: of('q') && 'filter.text', values: { text: of('q') } }, { name: 'username', key: of('username') && 'filter.begins', values: { text: of('username') } },
    { name: 'status', key: state && 'filter.' + state }, { name: 'show', key: /^(trials|official)$/.test(show) ? 'filter.' + show : '' },
    { name: 'when', key: /^(soon|past)$/.test(when) ? 'filter.says-' + when : '', values: { n: soon(query) } }, { name: 'mine', key: of('mine') && 'filter.mine' },
    ...['owner', 'tree'].map((name) => ({ name, key: of(name) && 'reseller.by-id', values: { id: of(name) } })),
  ].filter(({ key }) => key)
}
