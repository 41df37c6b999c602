// The statement of an account: its balance as a chart, every movement, and all of them as a file for a spreadsheet.
import { html, useEffect, useRef, useState } from './html.js'
import { ask } from './api.js'
import { t } from './text.js'
import { date, signs, whole } from './format.js'
import { List } from './list.js'
import { movementRow } from './movement.js'
import { BalanceChart } from './chart.js'
import { csv, download } from './csv.js'
import { Printed } from './print.js'
import { Failure, Icon, useRows } from './ui.js'

const columns = ['seq', 'at', 'kind', 'amount', 'balance', 'counterparty', 'line', 'actor', 'request_id', 'notes', 'line_username', 'actor_name']
/** A column of a movement; credits as the language writes decimals. @param {any} entry @param {string} name */
const cellOf = (entry, name) => name === 'amount' || name === 'balance' ? entry[name].replace('.', signs().point) : entry[name]

/** @param {{ account: { id: number, username: string, is_admin: number } }} props */
export function StatementOf({ account }) {
  const path = `/users/${account.id}/ledger`
  const latest = useRows(path, { limit: 50 }, 2)
  const at = useRef(/** @type {Record<string, string>} */ ({})) // when each movement was that was shown
  const row = (/** @type {import('./answers').Entry} */ e) => {
    at.current[e.id] = e.at
    return movementRow(e, { 'data-row': true })
  }
  // Of a long list only the rows near the view are held, and printed: so the page shows their period.
  const printed = () => {
    const ids = [...document.querySelectorAll('[data-page] [data-id]')].map((e) => e.getAttribute('data-id') || '')
    const from = at.current[ids[ids.length - 1]], to = at.current[ids[0]]
    return [from && t('print.movements', { from: date(from), to: date(to) })]
  }
  return html`
    <${Printed} title=${t('print.statement', { name: account.username })} more=${printed} />
    ${!account.is_admin && html`<${BalanceChart} entries=${latest.value?.data} />`}
    <${Save} path=${path} name=${account.username} />
    <${List} path=${path} row=${row} label=${t('nav.statement')} empty=${t('home.movements-none')} />`
}

/**
 * Saves all movements, read page by page: each becomes a part of the file, which the browser may keep on its disk, and nothing
 * else of it is held. A failure is gone on from.
 * @param {{ path: string, name: string }} props
 */
function Save({ path, name }) {
  const begun = () => ({ parts: [new Blob([csv([columns])])], rows: 0, next: /** @type {string | null} */ ('') })
  const file = useRef(begun())
  const end = useRef(/** @type {AbortController | null} */ (null))
  const [rows, setRows] = useState(-1)
  const [problem, setProblem] = useState(/** @type {any} */ (null))
  const cancel = () => {
    end.current?.abort()
    file.current = begun()
    setRows(-1)
    setProblem(null)
  }
  useEffect(() => () => end.current?.abort(), [])
  const save = async () => {
    const { signal } = end.current = new AbortController()
    const f = file.current
    setProblem(null)
    setRows(f.rows)
    try {
      while (f.next !== null) {
        const page = await ask('GET', path, { query: { limit: 500, cursor: f.next }, signal })
        f.parts.push(new Blob([csv(page.data.map((/** @type {any} */ r) => columns.map((c) => cellOf(r, c))))]))
        f.next = page.next_cursor
        setRows(f.rows += page.data.length)
      }
      download(t('csv.file', { name }) + '.csv', f.parts)
      cancel()
    } catch (refused) {
      if (!signal.aborted) setProblem(refused)
    }
  }
  return html`<div class="buttons">
      <button type="button" disabled=${rows >= 0} onClick=${save}><${Icon} name="save" />${rows < 0 ? t('csv.save') : t('csv.saving', { n: whole(rows) })}</button>
      ${rows >= 0 ? html`<button type="button" onClick=${cancel}>${t('cancel')}</button>` : html`<button type="button" onClick=${() => print()}>${t('print')}</button>`}
    </div>
    ${problem && html`<${Failure} problem=${problem} retry=${save} />`}`
}
