// A reseller: its balance, its customers, the accounts below it, what happened, its record, its statement, and all its actions.
import { html, useState } from '../html.js'
import { announce, closeForm, Link, openForm, place } from '../router.js'
import { can, may, me } from '../session.js'
import { useForm, useDone } from '../form.js'
import { t } from '../text.js'
import { country, credits, date, dateTime, whole } from '../format.js'
import { done } from '../done.js'
import { glances } from '../filters.js'
import { given } from '../many.js'
import { useName } from '../names.js'
import { nameOf } from '../typed.js'
import { Branch, lowBelow, ResellerState } from '../branch.js'
import { AlertForm, useAlerts } from '../alerts.js'
import { ContactFields, contactOf } from '../contact.js'
import { History, useHistory } from '../event.js'
import { SendAccess } from '../name-and-password.js'
import { Question, Reason, useForgotten } from '../few.js'
import { StatementOf } from '../statement-of.js'
import { amounts, opened, Opened, TopUp } from '../top-up.js'
import { dialled } from '../whatsapp.js'
import { Choice, Credits, Facts, Failure, Field, Form, Icon, Menu, Read, Screen, Skeleton, State, useRead, useRecord } from '../ui.js'

/** @typedef {import('../answers').Account} Account */

/** What the caller may do with it. @param {Account} r */
function rights(r) {
  const mine = r.id === me().id
  return {
    mine, write: can('users:write'), moves: may.manage(r, 'credits:move'), blocks: may.manage(r, 'users:write'), resets: may.manage(r, 'manage'),
    held: can('users:read') && (mine ? !r.is_admin : may.manage(r, '')), // it has a balance with an alert
  }
}

/** @param {{ id: string }} props */
export function Reseller({ id }) {
  const { query } = place.use()
  const reseller = useRecord(`/users/${id}`), r = reseller.value
  const [turn, again] = useState(0)
  const alerts = useAlerts(r && rights(r).held ? r.id : null)
  const doing = query.get('do') || '', Doing = r && formOf(r, doing), move = r && rights(r).moves && /^(topup|reclaim)$/.test(doing)
  const then = (/** @type {object} */ state) => {
    again(turn + 1)
    if (move) return closeForm(state)
    announce(state)
    reseller.reload()
  }
  useForgotten()
  return html`<${Screen} title=${r?.username || t('reseller.title')} named=${r} up="/resellers" actions=${r && !Doing && html`<${Actions} reseller=${r} />`}>
    <${Read} of=${reseller}>${() => (Doing ? html`<${Doing} reseller=${r} alerts=${alerts} />` : html`<${Shown} reseller=${r} alerts=${alerts} turn=${turn} />`)}<//>
    ${move ? html`<${TopUp} key=${doing} reseller=${r} name=${doing} onClose=${(/** @type {object | undefined} */ state) => (state ? then(state) : closeForm())} />` : html`<${Opened} then=${then} />`}
  <//>`
}

/** The form of an address, if the caller may. @param {Account} r @param {string} doing */
function formOf(r, doing) {
  const { write, held, blocks, resets } = rights(r)
  const forms = /** @type {Record<string, any>} */ ({
    block: blocks && !r.block_reseller && Block, unblock: blocks && r.block_reseller && Unblock,
    contact: write && Edit, password: write && Edit, alert: held && write && Alert, totp: resets && ResetFactor,
  })
  return Object.hasOwn(forms, doing) && forms[doing]
}

/** @param {{ reseller: Account }} props */
function Actions({ reseller: r }) {
  const { mine, write, moves, held, resets } = rights(r), priced = me().is_admin && can('prices:write') && !r.is_admin
  const does = (/** @type {string} */ name, /** @type {string} */ icon, /** @type {string} */ label) => html`<button type="button" onClick=${() => openForm(name)}><${Icon} name=${icon} />${label}</button>`
  return html`${moves && html`<button type="button" class="button primary" aria-haspopup="dialog" onClick=${() => opened.set({ reseller: r, name: 'topup' })}><${Icon} name="plus" />${t('reseller.topup')}</button>`}
    ${write && html`<button type="button" class="button" onClick=${() => openForm('contact')}>${t('reseller.contact')}</button>`}
    ${(moves || mine || held && write || resets || priced) && html`<${Menu} label=${t('more-about', { name: r.username })} look="button only">
      ${moves && html`<button type="button" onClick=${() => opened.set({ reseller: r, name: 'reclaim' })}><${Icon} name="coins" />${t('reseller.reclaim')}</button>`}
      ${held && write && does('alert', 'bell', t('alert'))}
      ${priced && html`<${Link} to=${'/prices?of=' + r.id}><${Icon} name="tag" />${t('nav.prices')}<//>`}
      ${mine && html`<${Link} to="/sessions"><${Icon} name="shield-check" />${t('nav.sessions')}<//>`}
      ${resets && html`<hr />${does('totp', 'shield-x', t('reseller.totp') + '…')}`}<//>`}`
}

/** @typedef {{ reseller: Account, alerts: ReturnType<typeof useAlerts> }} OfReseller */

/** @param {OfReseller & { turn: number }} props turn: another one after each change that shows here */
function Shown({ reseller: r, alerts, turn }) {
  const { moves, blocks, mine, held } = rights(r), { id, username: name } = r
  const history = { account: id }, latest = useHistory(history)
  const role = r.is_admin ? 'admin' : r.is_master ? 'master' : 'reseller', alert = alerts.value?.balance_low, below = lowBelow(r, alert)
  const known = !can('events:read') || latest.value || latest.problem // all that is below comes at once, so that nothing jumps
  return html`
    <p class="glance"><span class="badge"><${Icon} name="store" />${t('role.' + role)}</span>${!r.active_tree && html`<${ResellerState} reseller=${r} badge />`}<span class="quiet">${t('reseller.since', { date: date(r.createdAt) })}</span></p>
    <${SendAccess} of=${'reseller ' + id} name=${name} number=${dialled(r.whatsapp, r.country)} />
    <div class="cols">
      <div class="stack">
        ${!r.is_admin && html`<section class="panel"><h2>${t('balance')}</h2><div class="top-up-in">
          <div><p class="big" data-balance=${r.credits}><${Credits} of=${r.credits} /></p>
            ${held && !mine && html`<p class="low">${below && html`<${Icon} name="trending-down" />${t(alert ? 'reseller.low-alert' : 'home.low', { amount: credits(below) })}`}</p>`}</div>
          ${moves && html`<div class="adds" role="group" aria-label=${t('reseller.topup')}>${amounts.map((one) => html`<button key=${one} type="button" class="button" aria-haspopup="dialog" translate=${false} data-add=${one}
            onClick=${() => opened.set({ reseller: r, name: 'topup', amount: one })}>+${one}</button>`)}</div>`}</div></section>`}
        ${can('lines:read') && html`<${Customers} reseller=${r} />`}
        ${known ? html`${!!(r.is_master || r.is_admin) && html`<section class="panel"><h2>${t('reseller.below')}</h2><${Branch} key=${turn} master=${id} /></section>`}<${History} of=${history} latest=${latest} />` : html`<${Skeleton} />`}
      </div>
      ${known && html`<div class="stack">
        ${r.block && html`<section class="panel"><h2>${t('reseller.blocked')}</h2><${Terms} of=${r.block} /></section>`}
        <section class="panel"><h2>${t('line.record')}</h2><${Facts} of=${[
          [t('reseller.role'), t('role.' + role)], [t('whatsapp'), r.whatsapp], [t('telegram'), r.telegram], [t('email'), r.email], [t('country'), country(r.country)],
          [t('notes'), r.notes && html`<span class="text">${r.notes}</span>`],
          [t('reseller.master'), r.master && !mine ? html`<${Above} id=${r.master} />` : null],
          [t('alert.field'), alerts.value ? (alert ? html`<${Credits} of=${alert} />` : t('alert.none')) : held && !alerts.problem ? '…' : null],
          [t('reseller.recharged'), r.is_admin ? null : dateTime(r.recharge)], [t('line.id'), id], [t('created'), dateTime(r.createdAt)], [t('changed'), dateTime(r.updatedAt)],
        ]} /></section>
        ${blocks && html`<section class="panel"><h2>${t(r.block_reseller ? 'reseller.unblock' : 'reseller.block')}</h2>
          <p class="quiet">${t(r.block_reseller ? 'reseller.unblock-meaning' : 'reseller.block-meaning')}</p>
          ${r.block_reseller ? html`<button type="button" class="button" onClick=${() => openForm('unblock')}><${Icon} name="lock-open" />${t('reseller.unblock-title', { name })}</button>`
            : html`<button type="button" class="button danger-plain" onClick=${() => openForm('block')}><${Icon} name="lock" />${t('reseller.block-title', { name })}…</button>`}</section>`}
      </div>`}
    </div>
    ${known && can('ledger:read') && html`<${StatementOf} key=${turn} account=${r} />`}`
}

/** The states in which customers are counted. @type {['running' | 'soon' | 'past' | 'trials', string, 'good' | 'warn' | 'bad' | 'plain'][]} */
const counts = [['running', 'circle-check', 'good'], ['soon', 'clock-alert', 'warn'], ['past', 'circle-x', 'bad'], ['trials', 'circle-dashed', 'plain']]

/** Its customers by state, each number with the list of them. @param {{ reseller: Account }} props */
function Customers({ reseller: { id } }) {
  const { value, problem, reload } = useRead('/reports/summary', { account: id, days: 1 }), lines = value?.lines
  const to = (/** @type {Record<string, string>} */ filters) => '/lines?' + new URLSearchParams(given({ owner: id, ...filters }))
  return html`<section class="panel"><header><h2>${t('nav.lines')}</h2><${Link} class="button link" to=${to({})}>${t('home.all')}<//></header>
    ${problem && html`<${Failure} problem=${problem} retry=${reload} />`}
    <ul class="tiles">${counts.map(([name, icon, tone]) => html`<li key=${name}><${Link} class="tile" to=${to(glances[name][1])} data-count=${name}>
      <span class="figure">${lines ? whole(lines[glances[name][0]]) + (lines.capped ? '+' : '') : '\u00a0'}</span><span><${State} icon=${icon} tone=${tone}>${t('tabs.' + name)}<//></span><//></li>`)}</ul>
  </section>`
}

/** Who made a reseller. @param {{ id: number }} props */
function Above({ id }) {
  const name = useName(id)
  return id === me().id ? name : html`<${Link} to=${'/resellers/' + id}>${name || t('reseller.by-id', { id })}<//>`
}

/** @param {{ reseller: Account, name: 'block' | 'unblock' | 'totp', method: string, path?: string, [rest: string]: any }} props */
const Change = ({ reseller: r, name, path = 'block', ...rest }) => html`<${Question} name=${`${name} ${r.id}`} path=${`/users/${r.id}/${path}`}
  title=${t(`reseller.${name}-title`, { name: r.username })} meaning=${t(`reseller.${name}-meaning`)} submit=${t('reseller.' + name)} danger=${name !== 'unblock'} ...${rest}
  then=${() => closeForm(done(t(`reseller.${name}-done`, { name: r.username }), name === 'block' ? { undo: unblocking(r) } : {}))} />`

/** What undoes a block. @param {Account} r */
const unblocking = ({ id, username: name }) => ({ name: 'unblock ' + id, method: 'DELETE', path: `/users/${id}/block`, title: t('reseller.unblock-title', { name }), said: t('reseller.unblock-done', { name }) })

/** @param {{ of: NonNullable<Account['block']> }} props */
const Terms = ({ of: { lines, reason, at } }) => html`<${Facts} of=${[
  [t('nav.lines'), t('block.' + lines)], [t('block.since'), at && dateTime(at)], [t('reason'), reason && html`<span class="text">${reason}</span>`],
]} />`

/** The form asks what happens to the lines, and shows how many would stop. @param {{ reseller: Account }} props */
function Block(props) {
  const { id, username } = props.reseller, counts = can('lines:read')
  const summary = useRead(counts ? '/reports/summary' : null, { tree: id, days: 1 })
  return html`<${Change} ...${props} name="block" method="PUT" fields=${{ lines: 'run', reason: '' }}>${(/** @type {any} */ form) => html`
    <${Choice} form=${form} name="lines" label=${t('block.lines')} of=${['run', 'suspend'].map((lines) => [lines, t('block.' + lines), t(`block.${lines}-means`)])} />
    ${counts && form.fields.lines === 'suspend' && html`<${Read} of=${summary}>${stops}<//>`}
    <${Reason} form=${form} name=${username} />`}<//>`
}

/** @param {import('../answers').Summary} summary */
function stops({ lines: { running, trials, capped } }) {
  const n = running + trials, lines = whole(n)
  return html`<p role="status" data-stops=${n}><strong>${t('block.stops', { n, lines: capped ? t('at-least', { n: lines }) : lines })}</strong></p>`
}

const Unblock = (/** @type {{ reseller: Account }} */ { reseller }) => html`<${Change} reseller=${reseller} name="unblock" method="DELETE">
  ${() => reseller.block && html`${reseller.block.lines === 'suspend' && html`<p>${t('block.over')}</p>`}<${Terms} of=${reseller.block} />`}<//>`
const ResetFactor = (/** @type {any} */ props) => html`<${Change} ...${props} name="totp" method="DELETE" path="totp" />`

/**
 * All that one operation changes of an account: its contact and, of another's, its name and password as well.
 * @param {OfReseller} props
 */
function Edit({ reseller: r }) {
  const title = t('reseller.contact-title', { name: r.username }), { mine } = rights(r), first = place.get().query.get('do') === 'password'
  const form = useForm({
    name: 'contact ' + r.id, method: 'PATCH', path: `/users/${r.id}/contact`, title, secret: ['password'],
    fields: { country: r.country, whatsapp: r.whatsapp || '', telegram: r.telegram || '', email: r.email || '', notes: r.notes || '', username: r.username, password: '' },
  })
  const { fields: { username, password }, answer } = form
  useDone(form, () => closeForm(done(t(password ? 'password.changed' : 'reseller.contact-done', { name: answer.username }))))
  const send = () => form.send({ ...contactOf(form.fields), ...!mine && nameOf(username) !== r.username && { username }, ...!mine && password && { password } })
  return html`<section class="panel"><h2>${title}</h2>
    <${Form} form=${form} submit=${t('save')} onSubmit=${send} onClose=${() => closeForm()}>
      <${ContactFields} form=${form} />
      ${!mine && html`<details open=${first || !!password || username !== r.username}><summary>${t('reseller.password')}</summary>
        <${Field} form=${form} name="username" label=${t('username')} maxlength="64" required />
        <${Field} form=${form} name="password" label=${t('password.new')} hint=${t('password.meaning')} type="password" autocomplete="new-password" minlength="6" maxlength="128" /></details>`}
    <//>
  </section>`
}

/** @param {OfReseller} props */
const Alert = ({ reseller, alerts }) => html`<${Read} of=${alerts}>${(/** @type {import('../answers').Alerts} */ a) => html`<${AlertForm} account=${reseller} alerts=${a} changed=${alerts.set} />`}<//>`
