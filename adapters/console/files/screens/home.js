// Home: what a reseller looks at first. How many credits are left, which lines end soon, which have just ended, what moved.
import { html, useRef, useState } from '../html.js'
import { now } from '../clock.js'
import { Link, match } from '../router.js'
import { account, me } from '../session.js'
import { t } from '../text.js'
import { BalanceChart } from '../chart.js'
import { Figures, useFigures } from '../figures.js'
import { lineRow } from '../line-row.js'
import { movementRow } from '../movement.js'
import { NewTrial } from '../trial.js'
import { Balance, Read, Screen, useRows } from '../ui.js'
import { routes } from '../routes.js'

const day = 24 * 3600_000

export function Home() {
  const own = account.use()
  const [opened] = useState(now)
  const at = (/** @type {number} */ days) => new Date(opened + days * day).toISOString()
  const soon = useRows('/lines', { isTrial: 0, status: 1, expires_before: at(7), limit: 5 }, 5)
  const past = useRows('/lines', { isTrial: 0, status: 0, expires_after: at(-14), limit: 5 }, 5)
  const moved = useRows(`/users/${me().id}/ledger`, { limit: 50 }, 5)
  const figures = useFigures()
  // What is above and beside is there first, so that nothing jumps while it is looked at.
  const read = useRef(false)
  read.current ||= [soon, past, moved, figures].every((r) => r.value || r.problem)
  return html`<${Screen} title=${t('nav.home')}>
    <div class="panels">
      <section class="panel">
        <h2>${t(me().is_admin ? 'home.issued' : 'home.balance')}</h2>
        ${!me().is_admin && html`<${Balance} of=${own} /><${BalanceChart} entries=${moved.value?.data} />`}
        <${NewTrial} />
      </section>
      ${!read.current ? html`<p class="quiet" role="status">${t('list.loading')}</p>` : html`<${Figures} of=${figures} />
      <${Lines} title=${t('home.soon')} of=${soon} none=${t('home.soon-none')} all="/lines?when=soon&show=official" />
      <${Lines} title=${t('home.past')} of=${past} none=${t('home.past-none')} all="/lines?when=past&show=official" />
      <section class="panel">
        <h2>${t('home.movements')}</h2>
        <${Read} of=${moved}>${(/** @type {{ data: import('../answers').Entry[] }} */ { data }) => data.length
          ? html`<ul class="rows">${data.slice(0, 5).map((e) => html`<li key=${e.id}>${movementRow(e)}</li>`)}</ul>`
          : html`<p class="quiet">${t('home.movements-none')}</p>`}<//>
        ${match(routes, '/statement') && html`<p><${Link} to="/statement">${t('home.all')}<//></p>`}
      </section>`}
    </div>
  <//>`
}

/** If none was found and the list goes on, it does not say that there is none. @param {{ title: string, of: any, none: string, all: string }} props */
function Lines({ title, of, none, all }) {
  return html`<section class="panel"><h2>${title}</h2>
    <${Read} of=${of}>${(/** @type {{ data: import('../answers').ListedLine[], next_cursor: string | null }} */ { data, next_cursor }) => html`
      ${data.length ? html`<ul class="rows">${data.map((l) => html`<li key=${l.id}>${lineRow(l)}</li>`)}</ul>` : html`<p class="quiet">${next_cursor ? t('home.unsure') : none}</p>`}
      ${(next_cursor || data.length > 0) && html`<p><${Link} to=${all}>${t('home.all')}<//></p>`}`}<//>
  </section>`
}
