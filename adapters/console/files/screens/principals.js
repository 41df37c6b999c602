// Who acts for the account besides its owner: keys for programs, and people who sign in. A new key is shown here alone.
import { html } from '../html.js'
import { now } from '../clock.js'
import { closeForm, go, Link, openForm, place, returnTo } from '../router.js'
import { me } from '../session.js'
import { useDone, useForm } from '../form.js'
import { t } from '../text.js'
import { dateTime } from '../format.js'
import { amountOf } from '../amount.js'
import { done } from '../done.js'
import { Few, given, Question, Secret, useForgotten } from '../few.js'
import { bodyOf, chosen, dayOf, fieldsOf, KeyState, meaning, PrincipalFields, rightsText, spentText, usedText } from '../principal.js'
import { newPassword, SendAccess } from '../name-and-password.js'
import { SessionsOf } from './sessions.js'
import { Facts, Field, Form, Read, Screen, useRead, useRecord, When } from '../ui.js'

/** @typedef {import('../principal.js').Kind} Kind */

/** How many of each an account has at most. */
const most = 100
const paths = { key: '/keys', staff: '/staff' }

/** What one is called. @param {any} one */
const nameOf = (one) => one.name || one.username

export const Keys = () => html`<${All} kind="key" />`
export const Staff = () => html`<${All} kind="staff" />`
export const OneKey = (/** @type {{ id: string }} */ { id }) => html`<${One} kind="key" id=${id} />`
export const Member = (/** @type {{ id: string }} */ { id }) => html`<${One} kind="staff" id=${id} />`

/** @param {{ kind: Kind }} props */
function All({ kind }) {
  const { query } = place.use()
  if (query.get('do') === 'create') return html`<${Create} kind=${kind} />`
  return html`<${Few} path=${paths[kind]} title=${t('nav.' + paths[kind].slice(1))} meaning=${t(kind + '.meaning')} add=${t(kind + '.new')} most=${most}
    full=${t('problem.too-many-principals')} empty=${t(kind + '.none')} row=${(/** @type {any} */ one) => html`<${Row} kind=${kind} one=${one} />`} />`
}

/** @param {{ kind: Kind, one: any }} props */
const Row = ({ kind, one }) => html`<${Link} class="row principal" to=${`${paths[kind]}/${one.id}`} data-row>
  <span class="name" translate=${false}>${nameOf(one)}</span>
  <span>${kind === 'key' && html`<${KeyState} one=${one} />`}</span>
  <span>${rightsText(one)}</span>
  <span class="quiet">${one.expires_at && html`${t('event.until', { until: dateTime(one.expires_at) })} · `}${spentText(one)} · ${usedText(one)}</span>
<//>`

/** @param {{ kind: Kind }} props */
function Create({ kind }) {
  const form = useForm({ name: kind, method: 'POST', path: paths[kind], title: t(kind + '.new'), place: paths[kind] + '?do=create', secret: ['password'], fields: { ...fieldsOf(kind), ...kind === 'staff' && { password: newPassword() } } })
  const { fields, answer } = form
  useDone(form, () => {
    given.set({ of: `${kind} ${answer.id}`, secret: answer.key || fields.password })
    go(`${paths[kind]}/${answer.id}`, { replace: true, state: done(t(kind + '.created', { name: nameOf(answer) })) })
  })
  return html`<${Screen} title=${t(kind + '.new')} up=${paths[kind]}><section class="panel">
    <${Form} form=${form} submit=${t('reseller.create')} ready=${chosen(fields)} unclear=${!!amountOf(fields.credits).wrong} onSubmit=${() => form.send(bodyOf(fields))} onClose=${() => closeForm()}>
      <${PrincipalFields} form=${form} kind=${kind} min=${dayOf(now())} />
    <//>
  </section><//>`
}

/** @param {{ kind: Kind, id: string }} props */
function One({ kind, id }) {
  const { query } = place.use()
  const one = useRecord(/** @type {string} */ (`${paths[kind]}/${id}`))
  useForgotten()
  return html`<${Screen} title=${one.value ? nameOf(one.value) : t('nav.' + paths[kind].slice(1))} named=${one.value} up=${paths[kind]}>
    <${Read} of=${one}>${(/** @type {any} */ p) => html`<${Shown} kind=${kind} one=${p} doing=${query.get('do') || ''} changed=${one.set} />`}<//>
  <//>`
}

/** @typedef {{ kind: Kind, one: any, changed: (one: any) => void }} OfOne changed takes it as it is now */

/** @param {OfOne & { doing: string }} props */
function Shown({ kind, one, doing, changed }) {
  const forms = /** @type {Record<string, any>} */ ({ edit: Edit, remove: Remove, ...kind === 'staff' ? { password: Password, totp: ResetFactor } : {} })
  const Doing = Object.hasOwn(forms, doing) && forms[doing]
  if (Doing) return html`<${Doing} key=${doing} kind=${kind} one=${one} changed=${changed} />`
  const does = (/** @type {string} */ name, /** @type {string} */ label, look = '') => html`<button type="button" class=${'button ' + look} onClick=${() => openForm(name)}>${t(label)}</button>`
  return html`
    ${kind === 'staff' ? html`<${SendAccess} of=${'staff ' + one.id} name=${one.username} />` : html`<${Secret} of=${'key ' + one.id} title=${t('key.secret')} meaning=${t('key.secret-once')} copy=${t('key.secret-copy')} /><p class="glance"><${KeyState} one=${one} /></p>`}
    <div class="buttons">
      ${does('edit', 'line.edit')}
      ${kind === 'staff' && html`${does('password', 'password.new')}${does('totp', 'reseller.totp')}`}
      ${does('remove', kind + '.remove', 'danger-plain')}
    </div>
    <section class="panel">
      <h2>${t('line.record')}</h2>
      <${Facts} of=${[
        [t('rights'), one.role ? html`<strong>${rightsText(one)}</strong>. ${meaning(one.role)}` : rightsText(one)],
        [t('limit'), spentText(one)],
        [t('key.expires'), kind === 'key' ? (one.expires_at ? html`<${When} at=${one.expires_at} />` : t('key.never')) : null],
        [t('key.addresses'), kind === 'key' ? one.allowed_addresses.join(', ') || t('key.anywhere') : null],
        [t('key.last'), usedText(one)], [t('line.id'), one.id], [t('created'), dateTime(one.created_at)],
      ]} />
    </section>
    ${kind === 'staff' && !me().staff && html`<${SessionsOfMember} name=${one.username} />`}`
}

/** Where a person is signed in. @param {{ name: string }} props */
function SessionsOfMember({ name }) {
  const sessions = useRead('/auth/sessions')
  return html`<section class="panel"><h2>${t('sessions')}</h2><${SessionsOf} of=${sessions} name=${name} /></section>`
}

/** What is done to whom. @param {string} what @param {any} one */
const about = (what, one) => `${t(what)}: ${nameOf(one)}`

/** @param {OfOne} props */
function Edit({ kind, one, changed }) {
  const title = about('line.edit', one)
  const form = useForm({ name: `edit ${kind} ${one.id}`, method: 'PATCH', path: `${paths[kind]}/${one.id}`, title, fields: fieldsOf(kind, one) })
  const { fields, answer } = form
  useDone(form, () => {
    closeForm(done(t('reseller.contact-done', { name: nameOf(answer) })))
    changed(answer)
  })
  return html`<section class="panel"><h2>${title}</h2>
    <${Form} form=${form} submit=${t('save')} ready=${chosen(fields)} unclear=${!!amountOf(fields.credits).wrong} onSubmit=${() => form.send(bodyOf(fields, one))} onClose=${() => closeForm()}>
      <${PrincipalFields} form=${form} kind=${kind} />
    <//>
  </section>`
}

/** @param {OfOne} props */
function Password({ one }) {
  const title = about('password.new', one)
  const form = useForm({ name: 'password of staff ' + one.id, method: 'PATCH', path: '/staff/' + one.id, title, secret: ['password'], fields: { password: '' } })
  useDone(form, () => closeForm(done(t('staff.password-done', { name: one.username }))))
  return html`<section class="panel"><h2>${title}</h2>
    <${Form} form=${form} submit=${t('save')} onSubmit=${() => form.send(form.fields)} onClose=${() => closeForm()}>
      <p>${t('staff.password-meaning')}</p>
      <${Field} form=${form} name="password" label=${t('password.new')} hint=${t('reseller.password-hint')} minlength="6" maxlength="128" required />
    <//>
  </section>`
}

/** @param {OfOne} props */
const ResetFactor = ({ one }) => html`<${Question} name=${'totp of staff ' + one.id} method="DELETE" path=${`/staff/${one.id}/totp`} title=${about('reseller.totp', one)}
  meaning=${t('reseller.totp-meaning')} submit=${t('reseller.totp')} danger then=${() => closeForm(done(t('reseller.totp-done', { name: one.username })))} />`

/** @param {OfOne} props */
const Remove = ({ kind, one }) => html`<${Question} name=${`remove ${kind} ${one.id}`} method="DELETE" path=${`${paths[kind]}/${one.id}`} title=${about(kind + '.remove', one)}
  meaning=${t(kind + '.remove-meaning')} submit=${t(kind + '.remove')} danger then=${() => returnTo(paths[kind], done(t(kind + '.removed', { name: nameOf(one) })))} />`
