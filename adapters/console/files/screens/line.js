// A line: what it is, how its user gets in, and all that can be done with it. Each form has an address of its own (?do=).
import { html, useState } from '../html.js'
import { closeForm, openForm, place, returnTo } from '../router.js'
import { account, can, me } from '../session.js'
import { useDone, useForm } from '../form.js'
import { t } from '../text.js'
import { country, credits, dateTime, inCredits, less, units } from '../format.js'
import { done } from '../done.js'
import { ContactFields, contactOf } from '../contact.js'
import { Question, Reason } from '../few.js'
import { History, useHistory } from '../event.js'
import { PriceChoice } from '../prices.js'
import { dialled } from '../whatsapp.js'
import { Copy, Credits, Facts, Failure, Field, Form, Icon, LineState, Notice, Read, Screen, useRead, useRecord, When } from '../ui.js'

/** @param {{ id: string }} props */
export function Line({ id }) {
  const { query } = place.use()
  // At each entry, such as a form or the way back from one: the line may have changed.
  const line = useRecord(`/lines/${id}`, true)
  return html`<${Screen} title=${line.value?.username || t('line.title')} up="/lines">
    <${Read} of=${line}>${(/** @type {import('../answers').Line} */ l) => html`<${Shown} line=${l} doing=${query.get('do') || ''} changed=${line.set} />`}<//>
  <//>`
}

/** Who pays for a line: its owner, whose balance is known where it is the caller or below. @param {import('../answers').Line} line */
function usePayer(line) {
  const own = account.use()
  const other = useRead(line.owner === me().id || !can('users:read') ? null : `/users/${line.owner}`)
  return line.owner === me().id ? own : other.value
}

/** @param {{ line: import('../answers').Line, doing: string, changed: (line: import('../answers').Line) => void }} props */
function Shown({ line, doing, changed }) {
  const payer = usePayer(line)
  const official = !line.isTrial, spend = can('lines:spend'), write = can('lines:write')
  const forms = /** @type {Record<string, any>} */ ({
    activate: !official && spend && Activate, extend: official && spend && Extend, edit: official && write && Edit, describe: write && Describe,
    // Both whatever the line is: it is read again while they are open, and may be as they have just made it.
    suspend: write && Suspend, resume: write && Resume, delete: can('lines:delete') && Delete,
  })
  const Doing = Object.hasOwn(forms, doing) && forms[doing]
  const does = (/** @type {string} */ name, main = false) =>
    html`<button type="button" class=${main ? 'main' : ''} onClick=${() => openForm(name)}>${t('line.' + name)}</button>`
  if (Doing) return html`<${Doing} line=${line} payer=${payer} changed=${changed} />`
  return html`
    <p class="glance"><${LineState} line=${line} /> <${When} at=${line.expDate} /></p>
    ${/suspended|blocked/.test(line.effective || '') && html`<div class="notice"><p>${t(`line.${line.effective}-means`)}</p><${Why} line=${line} /></div>`}
    <div class="buttons">
      ${forms.extend && does('extend', true)}${forms.edit && does('edit')}${forms.activate && does('activate', true)}
      ${write && html`${does('describe')}${does(line.suspended ? 'resume' : 'suspend')}`}
      ${forms.delete && html`<button type="button" class="danger-plain" onClick=${() => openForm('delete')}>${t('line.delete')}</button>`}
    </div>
    <${Access} line=${line} />
    <section class="panel">
      <h2>${t('line.record')}</h2>
      <${Facts} of=${[
        [t('whatsapp'), line.whatsapp], [t('telegram'), line.telegram], [t('email'), line.email], [t('country'), country(line.country)],
        [t('notes'), line.notes && html`<span class="text">${line.notes}</span>`],
        [t('line.owner'), line.owner === me().id ? null : payer?.username || t('line.owner-id', { id: line.owner })],
        [t('line.external-id'), line.external_id],
        [t('line.platform'), line.idPlatform], [t('line.id'), line.id], [t('created'), dateTime(line.createdAt)], [t('changed'), dateTime(line.updatedAt)],
      ]} />
    </section>
    ${line.metadata && html`<section class="panel members">
      <h2>${t('line.metadata')}</h2>
      <${Facts} of=${Object.entries(line.metadata).map(([name, value]) => [
        html`<span class="name">${name.split(/(?<=_)/).map((part) => html`${part}<wbr />`)}</span>`,
        html`<span class="text">${value || '—'}</span>`,
      ])} />
    </section>`}
    <${HistoryOf} line=${line.id} />`
}

/** @param {{ line: number }} props */
const HistoryOf = ({ line }) => html`<${History} of=${{ line }} latest=${useHistory({ line })} />`

/** How the line's user gets in, to be copied or sent. @param {{ line: import('../answers').Line }} props */
function Access({ line }) {
  const text = t('line.message', { name: line.username, password: line.password, until: dateTime(line.expDate) })
  const number = dialled(line.whatsapp, line.country)
  return html`<section class="panel">
    <h2>${t('line.access')}</h2>
    <${Facts} of=${[[t('username'), html`<code data-username>${line.username}</code>`], [t('password'), line.password === null ? html`<span class="quiet">${t('line.password-hidden')}</span>` : html`<code data-password>${line.password}</code>`]]} />
    ${line.password !== null && html`<div class="buttons">
      <${Copy} text=${text} label=${t('line.copy')} />
      <a class="button" href=${`https://wa.me/${number}?text=${encodeURIComponent(text)}`} target="_blank" rel="noopener noreferrer"><${Icon} name="message" />${number ? t('line.whatsapp-to', { number: '+' + number }) : t('line.whatsapp')}</a>
    </div>`}
    ${line.password !== null && line.whatsapp && !number && html`<p class="quiet">${t('line.whatsapp-unsure', { number: line.whatsapp })}</p>`}
  </section>`
}

/**
 * What credits cost which account, before they are spent. Once sent, it is unknown whether the balance includes it.
 * @param {{ payer: import('../answers').Account | null, form: any }} props
 */
function Cost({ payer, form }) {
  const cost = form.fields.credits
  if (!payer || !cost) return null
  if (form.frozen) return html`<p>${t('cost.sent', { cost: inCredits(cost) })}</p>`
  if (payer.is_admin) return html`<p class="quiet">${t('cost.issued')}</p>`
  const values = { name: payer.username, cost: inCredits(cost), now: credits(payer.credits), after: credits(less(payer.credits, cost)) }
  if (units(payer.credits) < units(cost)) return html`<${Notice} tone="unsure"><p>${t('cost.short', values)}</p><//>`
  return html`<p>${t(payer.id === me().id ? 'cost.own' : 'cost.other', values)}</p>`
}

/** @typedef {{ line: import('../answers').Line, payer: import('../answers').Account | null, changed: (line: import('../answers').Line) => void }} OfLine what a form is given: changed takes the line as it is now */

/** @param {OfLine} props */
function Activate({ line, payer, changed }) {
  const title = t('line.activate-title', { name: line.username })
  const form = useForm({
    name: 'activate ' + line.id, method: 'PATCH', path: '/lines/active/' + line.id, title, payer: line.owner,
    fields: { username: line.username, password: line.password || '', credits: '', whatsapp: line.whatsapp || '', country: line.country, notes: line.notes || '' },
  })
  const { answer, fields } = form
  useDone(form, () => {
    changed(answer)
    closeForm(done(t('line.activated', { name: answer.username, until: dateTime(answer.expDate) }), { payer: line.owner, key: form.key }))
  })
  return html`<section class="panel"><h2>${title}</h2>
    <${Form} form=${form} submit=${t('line.activate')} ready=${fields.credits !== ''} onClose=${() => closeForm()}
      onSubmit=${() => form.send({ ...fields, whatsapp: fields.whatsapp.trim() || null, notes: fields.notes.trim() || null })}>
      <${PriceChoice} form=${form} />
      <${Cost} payer=${payer} form=${form} />
      <${Contact} form=${form} />
    <//>
  </section>`
}

/** @param {{ form: any, whatsapp?: boolean }} props whatsapp: whether one is required */
const Contact = ({ form, whatsapp = false }) => html`
  <${Field} form=${form} name="username" label=${t('username')} maxlength="64" required />
  <${Field} form=${form} name="password" label=${t('password')} minlength="4" maxlength="128" required />
  <${Field} form=${form} name="whatsapp" label=${t('whatsapp')} hint=${t('whatsapp.hint')} type="tel" inputmode="tel" maxlength="64" required=${whatsapp} />
  <${Field} form=${form} name="country" label=${t('country')} hint=${t('country.hint')} maxlength="64" required />
  <${Field} form=${form} name="notes" label=${t('notes')} kind="textarea" rows="3" maxlength="2000" />`

/** @param {OfLine} props */
function Extend({ line, payer, changed }) {
  const title = t('line.extend-title', { name: line.username })
  const form = useForm({ name: 'extend ' + line.id, method: 'PATCH', path: '/lines/extend/' + line.id, title, payer: line.owner, fields: { credits: '' } })
  const { answer, fields, state } = form
  const preview = useRead(fields.credits && !form.frozen ? `/lines/extend-preview/${line.id}` : null, { credits: fields.credits })
  useDone(form, () => {
    changed(answer)
    closeForm(done(t('line.extended', { name: answer.username, until: dateTime(answer.expDate) }), { payer: line.owner, key: form.key }))
  })
  const previewed = preview.value && preview.value.credits === fields.credits ? preview.value : null
  return html`<section class="panel"><h2>${title}</h2>
    <${Form} form=${form} submit=${t('line.extend')} ready=${!!previewed} onSubmit=${() => form.send({ credits: fields.credits })} onClose=${() => closeForm()}>
      <p><${LineState} line=${line} /> <${When} at=${line.expDate} /></p>
      <${PriceChoice} form=${form} />
      ${previewed && html`<p data-preview>${t('line.preview', { from: dateTime(previewed.from), until: dateTime(previewed.expDate) })}</p>`}
      <${Cost} payer=${payer} form=${form} />
      ${fields.credits && preview.problem && !previewed && state !== 'refused' && html`<${Failure} problem=${preview.problem} retry=${preview.reload} />`}
    <//>
  </section>`
}

/** @param {OfLine} props */
function Edit({ line, changed }) {
  const title = t('line.edit-title', { name: line.username })
  const form = useForm({
    name: 'edit ' + line.id, method: 'PATCH', path: '/lines/' + line.id, title,
    fields: { username: line.username, password: line.password || '', whatsapp: line.whatsapp || '', country: line.country, notes: line.notes || '' },
  })
  const { answer, fields } = form
  useDone(form, () => {
    changed({ ...line, ...answer })
    closeForm(done(t('line.edited', { name: answer.username })))
  })
  return html`<section class="panel"><h2>${title}</h2>
    <${Form} form=${form} submit=${t('save')} onSubmit=${() => form.send({ ...fields, notes: fields.notes.trim() || null })} onClose=${() => closeForm()}>
      <${Contact} form=${form} whatsapp />
    <//>
  </section>`
}

/** Metadata as one edits them: a member in each row, a value of several rows with two spaces before all but its first. @param {Record<string, string> | null} of */
const metadataText = (of) => Object.entries(of || {}).map(([name, value]) => `${name}: ${value.replaceAll('\n', '\n  ')}`).join('\n')

/**
 * The metadata of such a text.
 * @param {string} text
 * @returns {{ metadata: Record<string, string> | null, wrong: string }} metadata: null where there are none; wrong: a sentence that says why
 */
function metadataOf(text) {
  /** @type {Map<string, string>} */
  const members = new Map()
  let name = '', wrong = ''
  for (const row of text.split('\n')) {
    if (members.size && row.startsWith('  ')) members.set(name, members.get(name) + '\n' + row.slice(2))
    else if (row.trim()) {
      const [, term = '', value = ''] = row.match(/^ *([a-z0-9_]{1,40}) *:(.*)/s) || []
      if (!term || members.has(term)) wrong ||= t('line.metadata.row', { row })
      members.set(name = term, value)
    }
  }
  return { metadata: members.size ? Object.fromEntries(members) : null, wrong }
}

/** What is known about any line, a trial too. @param {OfLine} props */
function Describe({ line, changed }) {
  const title = t('line.describe-title', { name: line.username })
  const form = useForm({
    name: 'describe ' + line.id, method: 'PATCH', path: `/lines/${line.id}/details`, title,
    fields: {
      country: line.country, whatsapp: line.whatsapp || '', telegram: line.telegram || '', email: line.email || '', notes: line.notes || '',
      external_id: line.external_id || '', metadata: metadataText(line.metadata || null),
    },
  })
  const { answer, fields } = form
  const { metadata, wrong } = metadataOf(fields.metadata)
  const [left, leave] = useState(form.restored) // a row that is still being typed is not called wrong
  useDone(form, () => {
    changed(answer)
    closeForm(done(t('line.described', { name: answer.username })))
  })
  return html`<section class="panel"><h2>${title}</h2>
    <${Form} form=${form} submit=${t('save')} unclear=${!!wrong} onClose=${() => closeForm()}
      onSubmit=${() => form.send({ ...contactOf(fields), external_id: fields.external_id.trim() || null, metadata })}>
      <${ContactFields} form=${form} />
      <${Field} form=${form} name="external_id" label=${t('line.external-id')} hint=${t('line.external-id.hint')} maxlength="64" />
      <${Field} form=${form} name="metadata" label=${t('line.metadata')} hint=${t('line.metadata.hint')} wrong=${left && wrong} kind="textarea"
        rows=${Math.min(fields.metadata.split('\n').length + 3, 21)} onBlur=${() => leave(true)} />
    <//>
  </section>`
}

/** Why a line is suspended. @param {{ line: import('../answers').Line }} props */
const Why = ({ line: { suspension_reason: reason } }) => reason && html`<${Facts} of=${[[t('reason'), html`<span class="text">${reason}</span>`]]} />`

/** @param {OfLine & { name: 'suspend' | 'resume', method: string, meaning: string, [rest: string]: any }} props */
const Stop = ({ line: { id, username }, changed, name, ...rest }) => html`<${Question} name=${`${name} ${id}`} path=${`/lines/${id}/suspension`}
  title=${t(`line.${name}-title`, { name: username })} submit=${t('line.' + name)} ...${rest}
  then=${(/** @type {import('../answers').Line} */ answer) => {
    changed(answer)
    closeForm(done(t(`line.${name}-done`, { name: username })))
  }} />`

const Suspend = (/** @type {OfLine} */ props) => html`<${Stop} ...${props} name="suspend" method="PUT" danger meaning=${t('line.suspended-means')} fields=${{ reason: '' }}>
  ${(/** @type {any} */ form) => html`<${Reason} form=${form} name=${props.line.username} />`}<//>`
const Resume = (/** @type {OfLine} */ props) => html`<${Stop} ...${props} name="resume" method="DELETE" meaning=${t('line.resume-meaning')}>${() => html`<${Why} line=${props.line} />`}<//>`

/** @param {OfLine} props */
function Delete({ line }) {
  const title = t('line.delete-title', { name: line.username })
  const form = useForm({ name: 'delete ' + line.id, method: 'DELETE', path: '/lines/' + line.id, title, fields: { typed: '' }, secret: ['typed'] })
  useDone(form, () => returnTo('/lines', done(t('line.deleted', { name: line.username }))))
  return html`<section class="panel"><h2>${title}</h2>
    <${Form} form=${form} danger submit=${t('line.delete')} ready=${form.fields.typed.trim() === line.username} onSubmit=${() => form.send()} onClose=${() => closeForm()}>
      <p>${t('line.delete-meaning')}</p>
      <${Field} form=${form} name="typed" label=${t('line.delete-type', { name: line.username })} required />
    <//>
  </section>`
}
