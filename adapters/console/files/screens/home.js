// Home: what a reseller looks at first. How many credits are left, and whether these are few, which lines end soon, by
// the rule of reminders, which have just ended, what moved.
import { html, useRef, useState } from '../html.js'
import { now } from '../clock.js'
import { Link, openForm, place } from '../router.js'
import { account, can, me } from '../session.js'
import { t } from '../text.js'
import { inCredits, units } from '../format.js'
import { AlertForm, useAlerts } from '../alerts.js'
import { BalanceChart } from '../chart.js'
import { Figures, useFigures } from '../figures.js'
import { lineRow } from '../line-row.js'
import { movementRow } from '../movement.js'
import { NewTrial } from '../trial.js'
import { Balance, Failure, Notice, Read, Screen, useRows } from '../ui.js'

const day = 24 * 3600_000

/** Whether one may choose when one is told that the balance is low. */
const mayAlert = () => !me().is_admin && can('users:write')

export function Home() {
  const { query } = place.use()
  return query.get('do') === 'alert' && mayAlert() ? html`<${OwnAlert} />` : html`<${Overview} />`
}

/** When one is told that the own balance is low. */
function OwnAlert() {
  const alerts = useAlerts(me().id)
  return html`<${Screen} title=${t('nav.home')} up="/"><${Read} of=${alerts}>${(/** @type {import('../answers').Alerts} */ a) => html`<${AlertForm} account=${me()} alerts=${a} />`}<//><//>`
}

function Overview() {
  const own = account.use()
  const alerts = useAlerts(me().id)
  const [opened] = useState(now)
  const at = (/** @type {number} */ days) => new Date(opened + days * day).toISOString()
  // As reminders tell: from the largest number of days on; where there are none, nothing is said.
  const days = Math.max(0, ...alerts.value?.expiring_days || [])
  const lines = can('lines:read'), ledger = can('ledger:read')
  const soon = useRows(days && lines ? '/lines' : null, { isTrial: 0, status: 1, expires_before: at(days), limit: 5 }, 5)
  const past = useRows(lines ? '/lines' : null, { isTrial: 0, effective: 'expired', expires_after: at(-14), limit: 5 }, 5)
  const moved = useRows(ledger ? `/users/${me().id}/ledger` : null, { limit: 50 }, 5)
  const figures = useFigures()
  // What is above and beside is there first, so that nothing jumps while it is looked at.
  const read = useRef(false)
  read.current ||= [can('users:read') && alerts, lines && past, ledger && moved, lines && figures, days && lines && soon].every((r) => !r || r.value || r.problem)
  return html`<${Screen} title=${t('nav.home')}>
    <div class="panels">
      <section class="panel">
        <h2>${t(me().is_admin ? 'home.issued' : 'home.balance')}</h2>
        ${!me().is_admin && html`<${Balance} of=${own} />${ledger && html`<${BalanceChart} entries=${moved.value?.data} />`}`}
        ${can('lines:write') && html`<${NewTrial} />`}
        ${read.current && !me().is_admin && html`<${Alert} of=${alerts} own=${own} />`}
      </section>
      ${!read.current ? html`<p class="quiet" role="status">${t('list.loading')}</p>` : html`${lines && html`<${Figures} of=${figures} />`}
      ${alerts.problem && html`<${Failure} problem=${alerts.problem} retry=${alerts.reload} />`}
      ${!!days && lines && html`<${Lines} title=${t('home.soon', { n: days })} of=${soon} none=${t('home.soon-none', { n: days })} all=${`/lines?when=soon&show=official&days=${days}`} />`}
      ${lines && html`<${Lines} title=${t('home.past')} of=${past} none=${t('home.past-none')} all="/lines?when=past&show=official" />`}
      ${ledger && html`<section class="panel">
        <h2>${t('home.movements')}</h2>
        <${Read} of=${moved}>${(/** @type {{ data: import('../answers').Entry[] }} */ { data }) => data.length
          ? html`<ul class="rows">${data.slice(0, 5).map((e) => html`<li key=${e.id}>${movementRow(e)}</li>`)}</ul>`
          : html`<p class="quiet">${t('home.movements-none')}</p>`}<//>
        <p><${Link} to="/statement">${t('home.all')}<//></p>
      </section>`}`}
    </div>
  <//>`
}

/** Whether the balance is low, and from when on it is. @param {{ of: ReturnType<typeof useAlerts>, own: import('../answers').Account | null }} props */
function Alert({ of: { value }, own }) {
  if (!value) return null
  const below = value.balance_low, amount = inCredits(below || '0')
  return html`
    ${below && own && units(own.credits) < units(below) && html`<${Notice} tone="unsure"><p>${t('alert.low', { amount })}</p><//>`}
    ${mayAlert() && html`<div class="buttons"><button type="button" onClick=${() => openForm('alert')}>${below ? t('alert.is', { amount }) : t('alert.new')}</button></div>`}`
}

/** If none was found and the list goes on, it does not say that there is none. @param {{ title: string, of: any, none: string, all: string }} props */
function Lines({ title, of, none, all }) {
  return html`<section class="panel"><h2>${title}</h2>
    <${Read} of=${of}>${(/** @type {{ data: import('../answers').ListedLine[], next_cursor: string | null }} */ { data, next_cursor }) => html`
      ${data.length ? html`<ul class="rows">${data.map((l) => html`<li key=${l.id}>${lineRow(l)}</li>`)}</ul>` : html`<p class="quiet">${next_cursor ? t('home.unsure') : none}</p>`}
      ${(next_cursor || data.length > 0) && html`<p><${Link} to=${all}>${t('home.all')}<//></p>`}`}<//>
  </section>`
}
