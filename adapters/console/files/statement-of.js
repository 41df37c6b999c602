// The statement of an account: its balance as a chart, every movement, and all that is shown as a file for a spreadsheet.
import { html, useState } from './html.js'
import { t } from './text.js'
import { List, rowsOf } from './list.js'
import { movementRow } from './movement.js'
import { BalanceChart } from './chart.js'
import { csv, download } from './csv.js'
import { Failure, Icon, useRead } from './ui.js'

const columns = ['seq', 'at', 'kind', 'amount', 'balance', 'counterparty', 'line', 'actor', 'request_id', 'notes']

/** @param {{ account: { id: number, username: string, is_admin: number } }} props */
export function StatementOf({ account }) {
  const path = `/users/${account.id}/ledger`
  const latest = useRead(path, { limit: 50 })
  const [problem, setProblem] = useState(/** @type {any} */ (null))
  const save = async () => {
    setProblem(null)
    try {
      const rows = await rowsOf(path)
      download(t('csv.file', { name: account.username }) + '.csv', csv([columns, ...rows.map((r) => columns.map((c) => r[c]))]))
    } catch (refused) {
      setProblem(refused)
    }
  }
  return html`
    ${!account.is_admin && latest.value && html`<${BalanceChart} entries=${latest.value.data} />`}
    <div class="buttons"><button type="button" onClick=${save}><${Icon} name="save" />${t('csv.save')}</button></div>
    ${problem && html`<${Failure} problem=${problem} retry=${save} />`}
    <${List} path=${path} row=${(/** @type {import('./answers').Entry} */ e) => movementRow(e, { 'data-row': true })} label=${t('nav.statement')} empty=${t('home.movements-none')} />`
}
