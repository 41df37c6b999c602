// A line: what it is, how its user gets in, and all that can be done with it. Each form has an address of its own (?do=).
import { html, useState } from '../html.js'
import { closeForm, openForm, place, returnTo } from '../router.js'
import { can, me } from '../session.js'
import { useDone, useForm } from '../form.js'
import { t } from '../text.js'
import { country, dateTime, inCredits } from '../format.js'
import { done } from '../done.js'
import { ContactFields, contactOf } from '../contact.js'
import { Question, Reason } from '../few.js'
import { History, useHistory } from '../event.js'
import { PriceChoice } from '../prices.js'
import { Cost, RenewForm, usePayer } from '../renew.js'
import { dialled, spelled, toWhatsApp } from '../whatsapp.js'
import { nameIn, toTelegram } from '../telegram.js'
import { kinds, likely } from '../template.js'
import { textOf, useMessages } from '../messages.js'
import { now } from '../clock.js'
import { nameOf } from '../typed.js'
import { Copy, CopyIcon, exact, Facts, Field, Form, Icon, LineState, Notice, Read, Screen, useRecord, When } from '../ui.js'

/** @param {{ id: string }} props */
export function Line({ id }) {
  const { query } = place.use()
  // At each entry, such as a form or the way back from one: the line may have changed.
  const line = useRecord(`/lines/${id}`, true)
  const { reading } = useMessages() // its message is as long as the account made it, and would move what is below
  return html`<${Screen} title=${line.value?.username || t('line.title')} named=${line.value} up="/lines">
    <${Read} of=${reading && line.value ? { loading: true } : line}>${(/** @type {import('../answers').Line} */ l) => html`<${Shown} line=${l} doing=${query.get('do') || ''} changed=${line.set} />`}<//>
  <//>`
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
    html`<button type="button" class=${main ? 'button primary' : 'button'} onClick=${() => openForm(name)}>${t('line.' + name)}</button>`
  if (Doing) return html`<${Doing} line=${line} payer=${payer} changed=${changed} />`
  return html`
    <p class="glance"><${LineState} line=${line} badge /> <${When} at=${line.expDate} /></p>
    ${/suspended|blocked/.test(line.effective || '') && html`<${Notice}><p>${t(`line.${line.effective}-means`)}</p><${Why} line=${line} /><//>`}
    <div class="buttons">
      ${forms.extend && does('extend', true)}${forms.edit && does('edit')}${forms.activate && does('activate', true)}
      ${write && html`${does('describe')}${does(line.suspended ? 'resume' : 'suspend')}`}
      ${forms.delete && html`<button type="button" class="button danger-plain" onClick=${() => openForm('delete')}>${t('line.delete')}</button>`}
    </div>
    <div class="cols person">
    <${Access} line=${line} />
    <div class="stack"><section class="panel">
      <h2>${t('line.record')}</h2>
      <${Facts} of=${[
        [t('whatsapp'), line.whatsapp], [t('telegram'), line.telegram], [t('email'), line.email], [t('country'), country(line.country)],
        [t('notes'), line.notes && html`<span class="text">${line.notes}</span>`],
        [t('line.owner'), line.owner === me().id ? null : payer?.username || t('reseller.by-id', { id: line.owner })],
        [t('line.external-id'), line.external_id],
        [t('line.platform'), line.idPlatform], [t('line.id'), line.id], [t('created'), dateTime(line.createdAt)], [t('changed'), dateTime(line.updatedAt)],
      ]} />
    </section>
    ${line.metadata && html`<section class="panel members">
      <h2>${t('line.metadata')}</h2>
      <${Facts} of=${Object.entries(line.metadata).map(([name, value]) => [
        html`<span class="name" translate=${false}>${name.split(/(?<=_)/).map((part) => html`${part}<wbr />`)}</span>`,
        html`<span class="text" translate=${false}>${value || '—'}</span>`,
      ])} />
    </section>`}</div>
    <${HistoryOf} line=${line.id} />
    </div>`
}

/** @param {{ line: number }} props */
const HistoryOf = ({ line }) => html`<${History} of=${{ line }} latest=${useHistory({ line })} />`

/** The access data of the line's user, and the message with it, for each app. @param {{ line: import('../answers').Line }} props */
function Access({ line }) {
  const [chosen, choose] = useState('')
  const kind = chosen || likely(line, now())
  const text = textOf(kind, line)
  const number = dialled(line.whatsapp, line.country), name = nameIn(line.telegram)
  const way = (/** @type {string} */ href, /** @type {string} */ icon, /** @type {string} */ label) =>
    html`<a class=${icon === 'send' ? 'button' : 'button send'} href=${href} target="_blank" rel="noopener noreferrer"><${Icon} name=${icon} />${label}</a>`
  return html`<section class="panel">
    <h2>${t('line.access')}</h2>
    <${Facts} of=${[
      [t('username'), html`<span class="copied"><code translate=${false} data-username>${line.username}</code><${CopyIcon} text=${line.username} label=${t('line.copy-name')} /></span>`],
      [t('password'), line.password === null ? html`<span class="quiet">${t('line.password-hidden')}</span>`
        : html`<span class="copied"><code translate=${false} data-password>${line.password}</code><${CopyIcon} text=${line.password} label=${t('line.copy-password')} /></span>`],
    ]} />
    <fieldset class="choice few short"><legend class="hush">${t('line.message')}</legend>
      ${kinds.map((one) => html`<label key=${one}><input type="radio" name="message" value=${one} checked=${one === kind} onChange=${() => choose(one)} /><span>${t('messages.' + one)}</span></label>`)}
    </fieldset>
    <p class="bubble text" translate=${false} data-message=${kind}>${text}</p>
    <div class="buttons">
      ${way(toWhatsApp(number, text), 'message-circle', number ? t('line.whatsapp-to', { number: spelled(number) }) : t('line.whatsapp'))}
      ${way(toTelegram(name, text), 'send', name ? t('line.telegram-to', { name: '@' + name }) : t('line.telegram'))}
      <${Copy} text=${text} label=${t('line.copy')} />
    </div>
    ${line.whatsapp && !number && html`<p class="quiet">${t('line.whatsapp-unsure', { number: line.whatsapp })}</p>`}
  </section>`
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
  return html`<section class="panel"><h2>${exact('line.activate-title', { name: line.username })}</h2>
    <${Form} form=${form} submit=${fields.credits ? t('line.activate-for', { cost: inCredits(fields.credits) }) : t('line.activate')} ready=${fields.credits !== ''} onClose=${() => closeForm()}
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
const Extend = ({ line, payer, changed }) => html`<section class="panel"><h2>${exact('line.extend-title', { name: line.username })}</h2>
  <${RenewForm} line=${line} payer=${payer} onClose=${() => closeForm()} then=${(/** @type {import('../answers').Line} */ answer, /** @type {string} */ key) => {
    changed(answer)
    closeForm(done(t('line.extended', { name: answer.username, until: dateTime(answer.expDate) }), { payer: line.owner, key }))
  }}><p><${LineState} line=${line} /> <${When} at=${line.expDate} /></p><//>
</section>`

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

/** @param {Omit<OfLine, 'payer'> & { name: 'suspend' | 'resume', method: string, meaning: string, [rest: string]: any }} props it costs nothing */
const Stop = ({ line: { id, username }, changed, name, ...rest }) => html`<${Question} name=${`${name} ${id}`} path=${`/lines/${id}/suspension`}
  title=${t(`line.${name}-title`, { name: username })} submit=${t('line.' + name)} ...${rest}
  then=${(/** @type {import('../answers').Line} */ answer) => {
    changed(answer)
    closeForm(done(t(`line.${name}-done`, { name: username })))
  }} />`

const Suspend = (/** @type {OfLine} */ { line, changed }) => html`<${Stop} line=${line} changed=${changed} name="suspend" method="PUT" danger meaning=${t('line.suspended-means')} fields=${{ reason: '' }}>
  ${(/** @type {any} */ form) => html`<${Reason} form=${form} name=${line.username} />`}<//>`
const Resume = (/** @type {OfLine} */ { line, changed }) => html`<${Stop} line=${line} changed=${changed} name="resume" method="DELETE" meaning=${t('line.resume-meaning')}>${() => html`<${Why} line=${line} />`}<//>`

/** @param {OfLine} props */
function Delete({ line }) {
  const title = t('line.delete-title', { name: line.username })
  const form = useForm({ name: 'delete ' + line.id, method: 'DELETE', path: '/lines/' + line.id, title, fields: { typed: '' }, secret: ['typed'] })
  useDone(form, () => returnTo('/lines', done(t('line.deleted', { name: line.username }))))
  return html`<section class="panel"><h2>${title}</h2>
    <${Form} form=${form} danger submit=${t('line.delete')} ready=${nameOf(form.fields.typed) === line.username} onSubmit=${() => form.send()} onClose=${() => closeForm()}>
      <p>${t('line.delete-meaning')}</p>
      <${Field} form=${form} name="typed" label=${t('line.delete-type', { name: line.username })} required />
    <//>
  </section>`
}
