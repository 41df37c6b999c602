// Home, the first screen. It lists the lines that end soon or have just ended, and has buttons for all of them. It shows the
// balance, and whether that is low; the day and the month in figures; the journal. A new account has three steps in place of the
// lines. Admins see whether the ledger balances, and the state of the service.
import { html, useRef, useState } from '../html.js'
import { now } from '../clock.js'
import { kept, Link, openForm, place } from '../router.js'
import { account, can, me, refresh, unread } from '../session.js'
import { t } from '../text.js'
import { credits, dateTime, inCredits, units, whole } from '../format.js'
import { AlertForm, useAlerts } from '../alerts.js'
import { addressOf } from '../ask.js'
import { eventRow } from '../event.js'
import { DayChart, Figures, useFigures } from '../figures.js'
import { lineRow } from '../line-row.js'
import { Queue } from '../queue.js'
import { Many } from '../many.js'
import { useMessages } from '../messages.js'
import { Movements } from '../movement.js'
import { low } from '../plot.js'
import { usePrices, periodText } from '../prices.js'
import { Start, useStart } from '../start.js'
import { NewTrial } from '../trial.js'
import { Balance, CopyIcon, Facts, Failure, Icon, Notice, Read, Screen, Skeleton, State, useRead, useRows } from '../ui.js'
import { hostOf, why } from '../webhook.js'
import { Proven } from './proof.js'

const day = 24 * 3600_000

/** How many lines of a kind Home shows. */
const most = 7

/** The entries of the journal on Home, without facts that its lists show, such as lines that end. */
const news = ['trial_created', 'activated', 'extended', 'suspended', 'resumed', 'deleted', 'imported'].map((end) => 'line.' + end)
  .concat('bulk.*', 'reseller.*', 'balance.*', 'webhook.disabled', 'operator.*')

/** Whether the user runs the account: sets the alert of a low balance, and asks for credits. */
const runs = () => !me().is_admin && can('users:write')

export function Home() {
  const doing = place.use().query.get('do'), picked = kept('picked')
  if (doing === 'extend' && picked && can('lines:spend')) return html`<${Many} action="extend" picked=${picked} said=${[t('filter.says-soon', { n: 7 })]} up="/" />`
  return doing === 'alert' && runs() ? html`<${OwnAlert} />` : html`<${Overview} />`
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
  const ending = { isTrial: 0, effective: 'running', expires_after: at(0), expires_before: at(7) }, over = { isTrial: 0, effective: 'expired', expires_after: at(-14), sort: 'latest_expiry' }
  const soon = useRows(lines ? '/lines' : null, { ...ending, limit: most }, most)
  const past = useRows(lines ? '/lines' : null, { ...over, limit: most }, most)
  // Each movement has an entry of the journal, too. Sign-ins and sign-outs are no news.
  const latest = useRows(events ? '/events' : ledger ? `/users/${me().id}/ledger` : null, events ? { limit: 5, order: 'desc', type: news } : { limit: 5 }, 5)
  const webhooks = useRead(can('manage') ? '/webhooks' : null)
  const start = useStart(figures.value), { takes } = start
  const [queue, remind] = useState(/** @type {Record<string, any> | null} */ (null))
  // All that is below what has its place comes at once, so that nothing jumps while it is looked at.
  const read = useRef(false)
  read.current ||= [lines && soon, lines && past, lines && figures, (events || ledger) && latest, can('manage') && webhooks].every((r) => !r || r.value || r.problem) && start.known && (!runs() || !start.reading)
  const n = figures.value?.lines.expiring_7d || 0, ended = figures.value?.lines.expired_14d || 0, renews = lines && n > 0 && can('lines:spend')
  const reminds = (/** @type {Record<string, any>} */ of, /** @type {string} */ text) => html`<button type="button" class="button" data-queue onClick=${() => remind(of)}><${Icon} name="message-circle" />${text}</button>`
  return html`<${Screen} title=${t(takes ? 'start' : 'nav.home')} actions=${can('lines:write') && !(takes && start.at === 1) && html`<${NewTrial} plain=${renews || takes} />`}>
    ${!read.current ? html`<${Skeleton} />` : html`<${Still} of=${webhooks.value?.data} /><div class="cols">
      ${takes ? html`<div class="stack"><${Start} of=${start} /></div>` : lines && html`<div class="stack">
        <${Some} title=${n ? t('home.soon-n', { n, count: whole(n) }) : t('home.soon')} icon="calendar-clock" of=${soon} lines none=${t('home.soon-none')} all="/lines?when=soon&show=official" n=${n}
          actions=${n > 0 && html`${renews && html`<button type="button" class="button primary" onClick=${() => openForm('extend', { picked: { filter: ending } })}>${t('home.renew', { n, count: whole(n) })}</button>`}
            ${reminds(ending, t('home.remind', { n, count: whole(n) }))}`} />
        <${Some} title=${ended ? t('home.past-n', { n: ended, count: whole(ended) }) : t('home.past')} icon="user-round-x" of=${past} lines none=${t('home.past-none')} all="/lines?when=past&show=official" n=${ended}
          actions=${ended > 0 && reminds(over, t('home.win-back'))} />
        <${Figures} of=${figures} />
      </div>`}
      <div class="stack">
        ${admin ? html`${can('ledger:read') && html`<${Proven} />`}<${Service} />` : html`<${Own} lines=${figures.value?.lines} />`}
        ${lines && !takes && html`<${DayChart} of=${figures} />`}
        ${events ? html`<${Some} title=${t('home.activity')} of=${latest} row=${eventRow} none=${t('activity.none')} all="/activity" />`
          : ledger && html`<${Movements} of=${latest} />`}
      </div>
    </div>`}
    ${queue && html`<${Queue} query=${queue} onClose=${() => remind(null)} />`}
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
    <div class="balance-row"><${Balance} of=${own} />${runs() && html`<${Ask} balance=${own?.credits} lines=${lines} low=${!!below} />`}</div>
    ${!own && problem && html`<${Failure} problem=${problem} retry=${refresh} />`}
    <p class="stock">${below ? html`<span data-low=${below}><${State} tone="warn" icon="circle-alert">${t('home.low', { amount: credits(below) })}<//></span>`
      : month && n > 0n ? html`<span class="quiet">${t('home.enough', { n: Number(n), count: whole(n), period: periodText(month.period) })}</span>` : '\u00a0'}</p>
  </section>`
}

/** A message to who stands above, who tops the account up; of that one's contact only what the service tells of it. @param {{ balance?: string, lines?: import('../answers').Summary['lines'], low: boolean }} props */
function Ask({ balance = '0', lines, low }) {
  const { staff, username } = me()
  const to = /** @type {{ whatsapp?: string | null, telegram?: string | null }} */ (useMessages().messages?.inherited || {})
  const n = lines?.expiring_7d || 0
  const text = t(n ? 'ask.message-soon' : 'ask.message', {
    n, count: whole(n), name: staff ? t('acts-for', { name: staff.username, account: username }) : username, balance: inCredits(balance),
  })
  return html`<div class=${low ? 'ask urgent' : 'ask'}><a class="button" href=${addressOf(to, text)} target="_blank" rel="noopener noreferrer"><${Icon} name="hand-coins" />${t('ask')}</a>
    ${!to.whatsapp && !to.telegram && html`<${CopyIcon} text=${text} label=${t('ask.copy')} />`}</div>`
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

/**
 * The first few of a list; on a phone three of the lines. If none was found and it goes on, it does not say that there is none.
 * @param {{ title: string, icon?: string, of: any, row?: (one: any) => any, lines?: boolean, none: string, all: string, n?: number, actions?: any }} props row: of
 *   a list; lines: they are lines, in a table; n: how many there are; actions: buttons for all of them
 */
function Some({ title, icon = '', of, row, lines = false, none, all, n = 0, actions }) {
  const link = of.value?.next_cursor || !lines && of.value?.data.length ? 'all' : of.value?.data.length > 3 ? 'all thumb' : ''
  return html`<section class=${lines ? 'panel task' : 'panel'}><header><h2>${icon && html`<${Icon} name=${icon} />`}${title}</h2>${actions && html`<div class="buttons">${actions}</div>`}</header>
    <${Read} of=${of}>${(/** @type {{ data: any[], next_cursor: string | null }} */ { data, next_cursor }) => html`
      ${data.length ? lines ? html`<table class="table customers few"><tbody>${data.slice(0, most).map((one) => lineRow(one))}</tbody></table>`
        : html`<ul class="rows">${data.slice(0, 5).map((one) => html`<li key=${one.id}>${row?.(one)}</li>`)}</ul>` : html`<p class="quiet">${next_cursor ? t('home.unsure') : none}</p>`}
      ${link && html`<p class=${link}><${Link} to=${all}>${n ? t('home.all-n', { n, count: whole(n) }) : t('home.all')}<//></p>`}`}<//>
  </section>`
}
