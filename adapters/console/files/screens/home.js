// Home: what one looks at first. How many credits are left, and whether these are few; which lines end soon or have just ended;
// the day and the month in figures; the journal. For admins: whether the ledger balances, and the state of the service.
import { html, useRef, useState } from '../html.js'
import { now } from '../clock.js'
import { go, Link, openForm, place } from '../router.js'
import { account, can, me, refresh, unread } from '../session.js'
import { t } from '../text.js'
import { credits, dateTime, inCredits, units, whole } from '../format.js'
import { AlertForm, useAlerts } from '../alerts.js'
import { addressOf } from '../ask.js'
import { eventRow } from '../event.js'
import { DayChart, Figures, useFigures } from '../figures.js'
import { lineRow } from '../line-row.js'
import { useMessages } from '../messages.js'
import { movementRow } from '../movement.js'
import { low } from '../plot.js'
import { usePrices, periodText } from '../prices.js'
import { NewTrial } from '../trial.js'
import { Balance, CopyIcon, Facts, Failure, Icon, Notice, Read, Screen, Skeleton, State, useRead, useRows } from '../ui.js'
import { hostOf, why } from '../webhook.js'
import { Proven } from './proof.js'

const day = 24 * 3600_000

/** The entries of the journal on Home, without facts that its lists show, such as lines that end. */
const news = ['trial_created', 'activated', 'extended', 'suspended', 'resumed', 'deleted', 'imported'].map((end) => 'line.' + end)
  .concat('bulk.*', 'reseller.*', 'balance.*', 'webhook.disabled', 'operator.*')

/** Whether the user runs the account: sets the alert of a low balance, and asks for credits. */
const runs = () => !me().is_admin && can('users:write')

export function Home() {
  const { query } = place.use()
  return query.get('do') === 'alert' && runs() ? html`<${OwnAlert} />` : html`<${Overview} />`
}

/** The alert of the own balance. */
function OwnAlert() {
  const alerts = useAlerts(me().id)
  return html`<${Screen} title=${t('nav.home')} up="/"><${Read} of=${alerts}>${(/** @type {import('../answers').Alerts} */ a) => html`<${AlertForm} account=${me()} alerts=${a} />`}<//><//>`
}

function Overview() {
  const admin = !!me().is_admin, lines = can('lines:read'), events = can('events:read'), ledger = !events && can('ledger:read')
  const [opened] = useState(now)
  const at = (/** @type {number} */ days) => new Date(opened + days * day).toISOString()
  const figures = useFigures()
  const soon = useRows(lines ? '/lines' : null, { isTrial: 0, status: 1, expires_before: at(7), limit: 5 }, 5)
  const past = useRows(lines ? '/lines' : null, { isTrial: 0, effective: 'expired', expires_after: at(-14), sort: 'latest_expiry', limit: 5 }, 5)
  // Each movement has an entry of the journal, too. Sign-ins and sign-outs are no news.
  const latest = useRows(events ? '/events' : ledger ? `/users/${me().id}/ledger` : null, events ? { limit: 5, order: 'desc', type: news } : { limit: 5 }, 5)
  const webhooks = useRead(can('manage') ? '/webhooks' : null)
  // All that is below what has its place comes at once, so that nothing jumps while it is looked at.
  const read = useRef(false)
  read.current ||= [lines && soon, lines && past, lines && figures, (events || ledger) && latest, can('manage') && webhooks].every((r) => !r || r.value || r.problem)
  const n = figures.value?.lines.expiring_7d || 0, ended = figures.value?.lines.expired_14d || 0, renews = lines && n > 0 && can('lines:spend')
  const renew = () => {
    const filter = { isTrial: 0, effective: 'running', expires_after: at(0), expires_before: at(7) }
    go('/lines?when=soon&show=official&do=extend', { state: { picked: { filter } } })
  }
  return html`<${Screen} title=${t('nav.home')} actions=${can('lines:write') && html`<${NewTrial} plain=${renews} />`}>
    ${!read.current ? html`<${Skeleton} />` : html`<${Still} of=${webhooks.value?.data} /><div class="cols">
      ${lines && html`<div class="stack">
        <${Some} title=${n ? t('home.soon-n', { n, count: whole(n) }) : t('home.soon')} icon="calendar-clock" of=${soon} lines none=${t('home.soon-none')} all="/lines?when=soon&show=official"
          action=${renews && html`<button type="button" class="button primary" onClick=${renew}>${t('home.renew', { n, count: whole(n) })}</button>`} />
        <${Some} title=${ended ? t('home.past-n', { n: ended, count: whole(ended) }) : t('home.past')} icon="user-round-x" of=${past} lines none=${t('home.past-none')} all="/lines?when=past&show=official" />
        <${Figures} of=${figures} />
      </div>`}
      <div class="stack">
        ${admin ? html`${can('ledger:read') && html`<${Proven} />`}<${Service} />` : html`<${Own} lines=${figures.value?.lines} />`}
        ${lines && html`<${DayChart} of=${figures} />`}
        ${events ? html`<${Some} title=${t('home.activity')} of=${latest} row=${eventRow} none=${t('activity.none')} all="/activity" />`
          : ledger && html`<${Some} title=${t('home.movements')} of=${latest} row=${(/** @type {any} */ e) => movementRow(e)} none=${t('home.movements-none')} all="/statement" />`}
      </div>
    </div>`}
  <//>`
}

/** The own balance, whether it is low, and the way to more. @param {{ lines?: import('../answers').Summary['lines'] }} props */
function Own({ lines }) {
  const own = account.use(), problem = unread.use(), alerts = useAlerts(me().id)
  const { prices } = usePrices(), month = prices?.find((p) => p.period === '1 month')
  const threshold = alerts.value?.balance_low
  const below = own && (alerts.value || alerts.problem || !can('users:read')) ? low(own.credits, threshold, month?.credits) : ''
  const n = own && month ? units(own.credits) / units(month.credits) : 0n
  const bell = threshold ? t('alert.is', { amount: credits(threshold) }) : t(alerts.value ? 'alert.new' : 'alert')
  return html`<section class="panel own">
    <header><h2>${t('home.balance')}</h2>${runs() && html`<button type="button" class="button ghost only" aria-label=${bell} title=${bell} data-alert onClick=${() => openForm('alert')}><${Icon} name="bell" /></button>`}</header>
    <${Balance} of=${own} />
    ${!own && problem && html`<${Failure} problem=${problem} retry=${refresh} />`}
    <p class="stock">${below ? html`<span data-low=${below}><${State} tone="warn" icon="circle-alert">${t('home.low', { amount: credits(below) })}<//></span>`
      : month && n > 0n ? html`<span class="quiet">${t('home.enough', { n: Number(n), count: whole(n), period: periodText(month.period) })}</span>` : '\u00a0'}</p>
    ${runs() && html`<${Ask} balance=${own?.credits} lines=${lines} low=${!!below} />`}
  </section>`
}

/** A message to who stands above, who tops the account up; of that one's contact only what the service tells of it. @param {{ balance?: string, lines?: import('../answers').Summary['lines'], low: boolean }} props */
function Ask({ balance = '0', lines, low }) {
  const { staff, username } = me()
  const { messages } = useMessages()
  const n = lines?.expiring_7d || 0
  const text = t(n ? 'ask.message-soon' : 'ask.message', {
    n, count: whole(n), name: staff ? t('acts-for', { name: staff.username, account: username }) : username, balance: inCredits(balance),
  })
  return html`<div class=${low ? 'ask urgent' : 'ask'}><a class="button" href=${addressOf(messages?.inherited || {}, text)} target="_blank" rel="noopener noreferrer"><${Icon} name="hand-coins" />${t('ask')}</a>
    <${CopyIcon} text=${text} label=${t('ask.copy')} /></div>`
}

/** The state of the service, as far as it reports it. */
function Service() {
  const { value: s, problem } = useRead('/service')
  return problem ? null : html`<section class="panel service"><h2>${t('home.service')}</h2>
    <${Facts} of=${[
      [t('home.version'), s ? s.version : '\u00a0'], [t('home.store'), s ? s.store : '\u00a0'], [t('home.started'), s ? dateTime(s.started_at) : '\u00a0'],
      [t('home.backup'), s ? s.last_backup_at && dateTime(s.last_backup_at) : '\u00a0'],
    ]} /></section>`
}

/** The webhooks that the service disabled: users may not have noticed. @param {{ of?: import('../answers').Webhook[] }} props */
function Still({ of = [] }) {
  const still = of.filter((w) => !w.enabled && w.disabled_reason !== 'requested')
  return still.length > 0 && html`<${Notice} tone="unsure"><p><strong>${t('home.still', { n: still.length })}</strong></p>
    ${still.map((w) => html`<p key=${w.id}><${Link} to=${'/webhooks/' + w.id}>${hostOf(w)}<//> ${why(w)[0]}</p>`)}<//>`
}

/** The first few of a list. If none was found and it goes on, it does not say that there is none. @param {{ title: string, icon?: string, of: any, row?: (one: any) => any, lines?: boolean, none: string, all: string, action?: any }} props row: of a list; lines: they are lines, in a table */
function Some({ title, icon = '', of, row, lines = false, none, all, action }) {
  return html`<section class="panel"><header><h2>${icon && html`<${Icon} name=${icon} />`}${title}</h2>${action}</header>
    <${Read} of=${of}>${(/** @type {{ data: any[], next_cursor: string | null }} */ { data, next_cursor }) => html`
      ${data.length ? lines ? html`<table class="table customers few"><tbody>${data.slice(0, 5).map((one) => lineRow(one))}</tbody></table>`
        : html`<ul class="rows">${data.slice(0, 5).map((one) => html`<li key=${one.id}>${row?.(one)}</li>`)}</ul>` : html`<p class="quiet">${next_cursor ? t('home.unsure') : none}</p>`}
      ${(next_cursor || data.length > 0) && html`<p class="all"><${Link} to=${all}>${t('home.all')}<//></p>`}`}<//>
  </section>`
}
