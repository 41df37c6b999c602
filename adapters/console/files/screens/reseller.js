// A reseller: its record, its credits, the accounts below it, its statement, and all its actions.
import { html } from '../html.js'
import { closeForm, Link, openForm, place } from '../router.js'
import { account, can, may, me } from '../session.js'
import { useDone, useForm } from '../form.js'
import { t } from '../text.js'
import { country, credits, dateTime, inCredits, less, units, whole } from '../format.js'
import { done } from '../done.js'
import { useName } from '../names.js'
import { Branch, ResellerState } from '../branch.js'
import { AlertForm, useAlerts } from '../alerts.js'
import { ContactFields, contactOf } from '../contact.js'
import { AmountField, amountOf } from '../amount.js'
import { History, useHistory } from '../event.js'
import { NameAndPassword } from '../name-and-password.js'
import { Question, Reason } from '../few.js'
import { StatementOf } from '../statement-of.js'
import { Choice, Credits, exact, Facts, Field, Form, Notice, Read, Screen, Skeleton, useRead, useRecord } from '../ui.js'

/** @param {{ id: string }} props */
export function Reseller({ id }) {
  const { query } = place.use()
  const reseller = useRecord(`/users/${id}`)
  return html`<${Screen} title=${reseller.value?.username || t('reseller.title')} named=${reseller.value} up="/resellers">
    <${Read} of=${reseller}>${(/** @type {import('../answers').Account} */ r) => html`<${Shown} reseller=${r} doing=${query.get('do') || ''} />`}<//>
  <//>`
}

/** @param {{ reseller: import('../answers').Account, doing: string }} props */
function Shown({ reseller: r, doing }) {
  const mine = r.id === me().id, write = can('users:write'), moves = may.manage(r, 'credits:move'), blocks = may.manage(r, 'users:write')
  const held = can('users:read') && (mine ? !r.is_admin : may.manage(r, '')) // it has a balance with an alert
  const alerts = useAlerts(held ? r.id : null)
  const forms = /** @type {Record<string, any>} */ ({
    topup: moves && TopUp, reclaim: moves && Reclaim, block: blocks && !r.block_reseller && Block, unblock: blocks && r.block_reseller && Unblock,
    contact: write && Contact, password: !mine && write && OfPassword, alert: held && write && Alert, totp: may.manage(r, 'manage') && ResetFactor,
  })
  const Doing = Object.hasOwn(forms, doing) && forms[doing]
  if (Doing) return html`<${Doing} reseller=${r} alerts=${alerts} />`
  const does = (/** @type {string} */ name, look = '') => html`<button type="button" class=${'button ' + look} onClick=${() => openForm(name)}>${t('reseller.' + name)}</button>`
  return html`
    <p class="glance">${!r.is_admin && html`<span class="big" data-balance=${r.credits}><${Credits} of=${r.credits} /></span>`} <${ResellerState} reseller=${r} /></p>
    <div class="buttons">
      ${moves && html`${does('topup', 'primary')}${does('reclaim')}`}
      ${can('lines:read') && html`<${Link} class="button" to=${mine ? '/lines?mine=1' : '/lines?owner=' + r.id}>${t('nav.lines')}<//>`}
      ${write && does('contact')}${mine ? html`<${Link} class="button" to="/sessions">${t('nav.sessions')}<//>` : write && does('password')}
      ${held && write && html`<button type="button" class="button" onClick=${() => openForm('alert')}>${t('alert')}</button>`}
      ${forms.totp && does('totp')}
      ${blocks && does(r.block_reseller ? 'unblock' : 'block', r.block_reseller ? '' : 'danger-plain')}
    </div>
    ${r.block && html`<section class="panel"><h2>${t('reseller.blocked')}</h2><${Terms} of=${r.block} /></section>`}
    <${Past} reseller=${r} branch=${!!(r.is_master || r.is_admin) && html`<section class="panel"><h2>${t('reseller.below')}</h2><${Branch} master=${r.id} empty=${t('tree.none')} /></section>`} record=${html`<section class="panel">
      <h2>${t('line.record')}</h2>
      <${Facts} of=${[
        [t('reseller.role'), t('role.' + (r.is_admin ? 'admin' : r.is_master ? 'master' : 'reseller'))],
        [t('whatsapp'), r.whatsapp], [t('telegram'), r.telegram], [t('email'), r.email], [t('country'), country(r.country)],
        [t('notes'), r.notes && html`<span class="text">${r.notes}</span>`],
        [t('reseller.master'), r.master && !mine ? html`<${Above} id=${r.master} />` : null],
        [t('alert.field'), alerts.value ? (alerts.value.balance_low ? html`<${Credits} of=${alerts.value.balance_low} />` : t('alert.none')) : held && !alerts.problem ? '…' : null],
        [t('reseller.recharged'), r.is_admin ? null : dateTime(r.recharge)], [t('line.id'), r.id], [t('created'), dateTime(r.createdAt)], [t('changed'), dateTime(r.updatedAt)],
      ]} />
    </section>`} />`
}

/** What happened to it beside its record, and then all that moved: at once, so that nothing jumps. @param {{ reseller: import('../answers').Account, branch: any, record: any }} props */
function Past({ reseller: r, branch, record }) {
  const of = { account: r.id }
  const latest = useHistory(of)
  if (can('events:read') && !latest.value && !latest.problem) return html`<${Skeleton} />`
  return html`<div class="cols"><div class="stack">${branch}<${History} of=${of} latest=${latest} /></div><div class="stack">${record}</div></div>
    ${can('ledger:read') && html`<h2>${t('nav.statement')}</h2>
    <${StatementOf} account=${r} />`}`
}

/** Who made a reseller. @param {{ id: number }} props */
function Above({ id }) {
  const name = useName(id)
  return id === me().id ? name : html`<${Link} to=${'/resellers/' + id}>${name || t('reseller.by-id', { id })}<//>`
}

/**
 * Moves credits to a reseller, or back.
 * @param {{ reseller: import('../answers').Account, name: 'topup' | 'reclaim', method: string, path: string, balances: (amount: string) => any }} props
 */
function Move({ reseller: r, name, method, path, balances }) {
  const title = t(`reseller.${name}-title`, { name: r.username })
  const form = useForm({ name: `${name} ${r.id}`, method, path, title, payer: r.id, fields: { credits: '', notes: '' } })
  const { fields } = form
  const typed = amountOf(fields.credits)
  const amount = form.frozen ? form.said().credits : typed.wrong ? '' : typed.amount
  useDone(form, () => closeForm(done(t(`reseller.${name}-done`, { name: r.username, amount: inCredits(amount) }), { payer: r.id, key: form.key })))
  return html`<section class="panel"><h2>${exact(`reseller.${name}-title`, { name: r.username })}</h2>
    <${Form} form=${form} submit=${amount ? t(`reseller.${name}-amount`, { amount: inCredits(amount) }) : t('reseller.' + name)} unclear=${!!typed.wrong}
      onSubmit=${() => form.send({ credits: amount, notes: fields.notes.trim() || null })} onClose=${() => closeForm()}>
      <${AmountField} form=${form} typed=${typed} label=${t('amount')} />
      ${amount && (form.frozen ? html`<p>${exact('amount.sent', { amount: inCredits(amount) })}</p>` : balances(amount))}
      <${Field} form=${form} name="notes" label=${t('notes')} kind="textarea" rows="2" maxlength="2000" />
    <//>
  </section>`
}

/** @param {{ reseller: import('../answers').Account }} props */
function TopUp({ reseller: r }) {
  const own = account.use()
  return html`<${Move} reseller=${r} name="topup" method="PATCH" path=${'/users/credits/' + r.id} balances=${(/** @type {string} */ amount) => html`
    <p>${exact('reseller.then', { name: r.username, now: credits(r.credits), after: credits(less(r.credits, '-' + amount)) })}</p>
    ${own && !own.is_admin && (units(own.credits) < units(amount)
      ? html`<${Notice} tone="unsure"><p>${exact('cost.short', { cost: inCredits(amount), now: credits(own.credits) })}</p><//>`
      : html`<p>${exact('reseller.then', { name: own.username, now: credits(own.credits), after: credits(less(own.credits, amount)) })}</p>`)}`} />`
}

/** @param {{ reseller: import('../answers').Account }} props */
function Reclaim({ reseller: r }) {
  return html`<${Move} reseller=${r} name="reclaim" method="POST" path=${`/users/${r.id}/credits/reclaim`} balances=${(/** @type {string} */ amount) =>
    units(r.credits) < units(amount)
      ? html`<${Notice} tone="unsure"><p>${exact('cost.short-of', { name: r.username, cost: inCredits(amount), now: credits(r.credits) })}</p><//>`
      : html`<p>${exact('reseller.then', { name: r.username, now: credits(r.credits), after: credits(less(r.credits, amount)) })}</p>`} />`
}

/** @param {{ reseller: import('../answers').Account, name: 'block' | 'unblock' | 'totp', method: string, path?: string, [rest: string]: any }} props */
const Change = ({ reseller: r, name, path = 'block', ...rest }) => html`<${Question} name=${`${name} ${r.id}`} path=${`/users/${r.id}/${path}`}
  title=${t(`reseller.${name}-title`, { name: r.username })} meaning=${t(`reseller.${name}-meaning`)} submit=${t('reseller.' + name)} danger=${name !== 'unblock'} ...${rest}
  then=${() => closeForm(done(t(`reseller.${name}-done`, { name: r.username })))} />`

/** @param {{ of: NonNullable<import('../answers').Account['block']> }} props */
const Terms = ({ of: { lines, reason, at } }) => html`<${Facts} of=${[
  [t('nav.lines'), t('block.' + lines)], [t('block.since'), at && dateTime(at)], [t('reason'), reason && html`<span class="text">${reason}</span>`],
]} />`

/** The form asks what happens to the lines, and shows how many would stop. @param {{ reseller: import('../answers').Account }} props */
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

const Unblock = (/** @type {{ reseller: import('../answers').Account }} */ { reseller }) => html`<${Change} reseller=${reseller} name="unblock" method="DELETE">
  ${() => reseller.block && html`${reseller.block.lines === 'suspend' && html`<p>${t('block.over')}</p>`}<${Terms} of=${reseller.block} />`}<//>`
const ResetFactor = (/** @type {any} */ props) => html`<${Change} ...${props} name="totp" method="DELETE" path="totp" />`

/** @param {{ reseller: import('../answers').Account }} props */
function Contact({ reseller: r }) {
  const title = t('reseller.contact-title', { name: r.username })
  const form = useForm({
    name: 'contact ' + r.id, method: 'PATCH', path: `/users/${r.id}/contact`, title,
    fields: { country: r.country, whatsapp: r.whatsapp || '', telegram: r.telegram || '', email: r.email || '', notes: r.notes || '' },
  })
  useDone(form, () => closeForm(done(t('reseller.contact-done', { name: r.username }))))
  return html`<section class="panel"><h2>${title}</h2>
    <${Form} form=${form} submit=${t('save')} onSubmit=${() => form.send(contactOf(form.fields))} onClose=${() => closeForm()}><${ContactFields} form=${form} /><//>
  </section>`
}

/** @param {{ reseller: import('../answers').Account, alerts: ReturnType<typeof useAlerts> }} props */
const Alert = ({ reseller, alerts }) => html`<${Read} of=${alerts}>${(/** @type {import('../answers').Alerts} */ a) => html`<${AlertForm} account=${reseller} alerts=${a} changed=${alerts.set} />`}<//>`

const OfPassword = (/** @type {{ reseller: import('../answers').Account }} */ { reseller }) => html`<${NameAndPassword} account=${reseller} />`
