// A line: what it is, how its user gets in, and all that can be done with it. Each form has an address of its own (?do=).
import { html, useEffect, useRef, useState } from '../html.js'
import { announce, closeForm, Link, openForm, place, returnTo } from '../router.js'
import { can, may, me } from '../session.js'
import { useDone, useForm } from '../form.js'
import { t } from '../text.js'
import { country, date, dateTime, daysTo, inCredits, left, near, relative, time } from '../format.js'
import { done } from '../done.js'
import { AccessFields, ContactFields, contactOf } from '../contact.js'
import { Code } from '../code.js'
import { Reason } from '../few.js'
import { History, useHistory } from '../event.js'
import { Panel } from '../panel.js'
import { ActivateForm, ChangePlanForm, PayPanel, RenewForm, useOffers, usePayer } from '../renew.js'
import { dialled, spelled, toWhatsApp } from '../whatsapp.js'
import { nameIn, toTelegram } from '../telegram.js'
import { kinds, likely } from '../template.js'
import { textOf, useMessages } from '../messages.js'
import { connectionsText, dearerFor, planText, usePrices } from '../prices.js'
import { now } from '../clock.js'
import { nameOf } from '../typed.js'
import { CopyIcon, exact, Facts, Failure, Field, Folded, Form, Icon, LineState, Menu, Notice, Read, Screen, Unknown, useRecord } from '../ui.js'

/** @typedef {import('../answers').Line} Shown */

/** @param {{ id: string }} props */
export function Line({ id }) {
  const { query } = place.use()
  // At each entry, such as a form or the way back from one: the line may have changed.
  const line = useRecord(`/lines/${id}`, true), shown = line.value
  const { reading } = useMessages(), { prices, problem } = usePrices(shown?.owner)
  // All at once: its message and its price are of any length, and would move what is beside them.
  const ready = !reading && (prices || problem || !can('lines:spend'))
  const stop = useRef(() => {})
  return html`<${Screen} title=${shown?.username || t('line.title')} named=${shown} up="/lines" below=${shown && html`<${Until} line=${shown} />`}
    actions=${shown && ready && html`<${Does} line=${shown} stop=${() => stop.current()} />`}>
    <${Read} of=${shown && !ready ? { loading: true } : line}>${(/** @type {Shown} */ l) => html`<${Stop} key=${l.updatedAt} line=${l} changed=${line.set} act=${stop} />
      <${About} line=${l} doing=${query.get('do') || ''} changed=${line.set} />`}<//>
  <//>`
}

/** Its state and its end. @param {{ line: Shown }} props */
function Until({ line }) {
  const { expDate } = line, today = !daysTo(expDate)
  return html`<p class="glance"><${LineState} line=${line} badge /> <span>${t(Date.parse(expDate) > now() ? 'line.ends' : 'line.ended')}${' '}
    <time datetime=${expDate} title=${dateTime(expDate)}><b>${today ? relative(expDate) : `${near(expDate)}, ${time(expDate)}`}</b>${!today && html` <span class="quiet">${left(expDate)}</span>`}</time></span></p>`
}

/** What is done with it: what is done daily as buttons, the rest in a menu. @param {{ line: Shown, stop: () => void }} props stop: suspends or resumes */
function Does({ line, stop }) {
  const { username: name, suspended } = line, { prices } = usePrices(line.owner)
  const write = can('lines:write'), edit = t('line.edit'), dearer = can('lines:spend') && !suspended && prices && dearerFor(prices, line).length > 0
  return html`${can('lines:spend') && html`<${Pay} line=${line} />`}
    ${write && html`<button type="button" class="button" aria-label=${edit} onClick=${() => openForm('edit')}><${Icon} name="pencil" /><span class="wide-only">${edit}</span></button>`}
    ${(write || can('lines:delete') || dearer) && html`<${Menu} label=${t('more-about', { name })} look="button only">
      ${dearer && html`<button type="button" onClick=${() => openForm('plan')}><${Icon} name="tag" />${t('line.change-plan')}…</button>`}
      ${write && html`<button type="button" onClick=${stop}><${Icon} name=${suspended ? 'play' : 'circle-pause'} />${t(suspended ? 'line.resume' : 'line.suspend')}</button>`}
      ${can('lines:delete') && html`<hr /><button type="button" class="bad" onClick=${() => openForm('delete')}><${Icon} name="trash-2" />${t('line.delete')}…</button>`}<//>`}`
}

/** Opens the panel in which one pays, with what one pays most likely on it. @param {{ line: Shown }} props */
function Pay({ line }) {
  const { likely } = useOffers(line), name = line.isTrial ? 'activate' : 'extend'
  return html`<button type="button" class="button primary" aria-haspopup="dialog" data-pay translate=${!likely} onClick=${() => openForm(name)}>
    ${likely ? t(line.isTrial ? 'line.activate-for' : 'line.renew-for', { cost: inCredits(likely.credits) }) : t('line.' + name)}</button>`
}

/** @param {{ line: Shown, doing: string, changed: (line: Shown) => void }} props */
function About({ line, doing, changed }) {
  const payer = usePayer(line)
  const official = !line.isTrial, spend = can('lines:spend'), write = can('lines:write')
  const forms = /** @type {Record<string, any>} */ ({
    activate: !official && spend && Buy, extend: official && spend && Buy, edit: write && Edit, plan: official && spend && ChangePlan,
    // Both whatever the line is: it is read again while they are open, and may be as they have just made it.
    suspend: write && Suspend, resume: write && Resume, delete: can('lines:delete') && Delete,
  })
  const Doing = Object.hasOwn(forms, doing) && forms[doing]
  return html`
    ${/suspended|blocked/.test(line.effective || '') && html`<${Notice}><p>${t(`line.${line.effective}-means`)}</p><${Why} line=${line} />
      ${write && line.suspended && html`<button type="button" class="button" onClick=${() => openForm('suspend')}><${Icon} name="pencil" />${t('reason')}</button>`}<//>`}
    <div class="cols person">
      <${Send} line=${line} />
      <div class="stack"><${Record} line=${line} payer=${payer} /></div>
      <${HistoryOf} line=${line} />
    </div>
    ${Doing && html`<${Doing} key=${doing} line=${line} payer=${payer} changed=${changed} />`}`
}

/** @param {{ line: Shown }} props */
function HistoryOf({ line: { id, updatedAt } }) {
  const latest = useHistory({ line: id }), read = useRef(updatedAt)
  useEffect(() => {
    if (read.current !== updatedAt) latest.reload()
    read.current = updatedAt
  }, [updatedAt])
  return html`<${History} of=${{ line: id }} latest=${latest} />`
}

/** The message with the access data, for each app. @param {{ line: Shown }} props */
function Send({ line }) {
  const [chosen, choose] = useState(''), [coded, code] = useState(false)
  const kind = chosen || likely(line, now())
  const text = textOf(kind, line)
  const number = dialled(line.whatsapp, line.country), name = nameIn(line.telegram)
  const telegram = name ? t('line.telegram-to', { name: '@' + name }) : t('line.telegram')
  const away = { target: '_blank', rel: 'noopener noreferrer' }
  return html`<section class="panel sending">
    <h2>${t('line.access')}</h2>
    <fieldset class="choice few short"><legend class="hush">${t('line.message')}</legend>
      ${kinds.map((one) => html`<label key=${one}><input type="radio" name="message" value=${one} checked=${one === kind} onChange=${() => choose(one)} /><span>${t('messages.' + one)}</span></label>`)}
    </fieldset>
    <p class="bubble text" translate=${false} data-message=${kind}>${text}</p>
    <div class="buttons">
      <a class="button send" href=${toWhatsApp(number, text)} ...${away}><${Icon} name="message-circle" />${number ? html`<span><span class="wide-only">${t('line.send-by')} </span>WhatsApp ${spelled(number)}</span>` : t('line.whatsapp')}</a>
      <${CopyIcon} text=${text} label=${t('line.copy')} look="button only" />
      <a class="button only" href=${toTelegram(name, text)} ...${away} aria-label=${telegram} title=${telegram}><${Icon} name="send" /></a>
      <button type="button" class="button only" aria-label=${t('line.qr')} title=${t('line.qr')} aria-haspopup="dialog" onClick=${() => code(true)}><${Icon} name="qr-code" /></button>
    </div>
    ${line.whatsapp && !number && html`<p class="quiet">${t('line.whatsapp-unsure', { number: line.whatsapp })}</p>`}
    ${coded && html`<${Code} text=${text} onClose=${() => code(false)} />`}
  </section>`
}

/** @param {{ line: Shown, payer: import('../answers').Account | null }} props */
function Record({ line, payer }) {
  const owner = line.owner === me().id ? null : payer?.username || t('reseller.by-id', { id: line.owner })
  return html`<section class="panel">
      <h2>${t('line.title')}</h2>
      <${Facts} of=${[
        [t('username'), html`<span class="copied"><code translate=${false} data-username>${line.username}</code><${CopyIcon} text=${line.username} label=${t('line.copy-name')} /></span>`],
        [t('password'), html`<${Password} of=${line.password} />`],
        [t('whatsapp'), line.whatsapp], [t('telegram'), line.telegram], [t('email'), line.email], [t('country'), country(line.country)],
        [t('plan'), line.plan && html`<${PlanOf} line=${line} />`], [t('line.since'), date(line.createdAt)],
        [t('line.owner'), owner && (may.seeResellers() ? html`<${Link} to=${'/resellers/' + line.owner}>${owner}<//>` : owner)],
        [t('notes'), line.notes && html`<span class="text">${line.notes}</span>`],
        [t('line.external-id'), line.external_id],
      ]} />
      <details><summary>${t('line.more')}</summary>
        <${Facts} of=${[[t('line.platform'), line.idPlatform], [t('line.id'), line.id], [t('changed'), dateTime(line.updatedAt)]]} /></details>
    </section>
    ${line.metadata && html`<section class="panel members">
      <h2>${t('line.metadata')}</h2>
      <${Facts} of=${Object.entries(line.metadata).map(([name, value]) => [
        html`<span class="name" translate=${false}>${name.split(/(?<=_)/).map((part) => html`${part}<wbr />`)}</span>`,
        html`<span class="text" translate=${false}>${value || '—'}</span>`,
      ])} />
    </section>`}`
}

/** The name of a line's plan. @param {{ line: Shown }} props */
function PlanOf({ line: { owner, plan, connections } }) {
  const sold = usePrices(owner).prices?.find((p) => p.plan === plan)
  return html`<span>${[sold ? planText(sold) : '#' + plan, connectionsText(connections)].filter(Boolean).join(', ')}</span>`
}

/** A password, which is hidden until one looks at it. @param {{ of: string | null }} props of: null where it is not for the user */
function Password({ of }) {
  const [shown, show] = useState(false), label = t('password.show')
  if (of === null) return html`<span class="quiet">${t('line.password-hidden')}</span>`
  return html`<span class="copied"><code translate=${false} data-password>${shown ? of : '••••••'}</code>
    <button type="button" class="button ghost only" aria-label=${label} title=${label} aria-pressed=${shown} onClick=${() => show(!shown)}><${Icon} name="eye" /></button>
    <${CopyIcon} text=${of} label=${t('line.copy-password')} /></span>`
}

/** @typedef {{ line: Shown, payer: import('../answers').Account | null, changed: (line: Shown) => void }} OfLine what a form is given: changed takes the line as it is now */

/** Renews it, or activates the trial. @param {OfLine} props */
function Buy({ line, payer, changed }) {
  const close = () => closeForm()
  return html`<${PayPanel} line=${line} onClose=${close}>
    <${line.isTrial ? ActivateForm : RenewForm} line=${line} payer=${payer} onClose=${close} then=${(/** @type {Shown} */ answer, /** @type {string} */ key) => {
      changed(answer)
      closeForm(done(t(line.isTrial ? 'line.activated' : 'line.extended', { name: answer.username, until: dateTime(answer.expDate) }), { payer: line.owner, key }))
    }} />
  <//>`
}

/** Gives it another plan. @param {OfLine} props */
function ChangePlan({ line, payer, changed }) {
  const close = () => closeForm()
  return html`<${PayPanel} line=${line} title="line.change-plan-title" onClose=${close}>
    <${ChangePlanForm} line=${line} payer=${payer} onClose=${close} then=${(/** @type {any} */ { credits, ...now }, /** @type {string} */ key) => {
      changed({ ...line, ...now })
      closeForm(done(t('line.plan-changed', { name: line.username }), { payer: line.owner, key }))
    }} />
  <//>`
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

/** The whole record, of a trial without its access, which is set when it is activated. Only what was changed is sent. @param {OfLine} props */
function Edit({ line, changed }) {
  const [was] = useState(line) // it may be read again while the form is open
  const title = t('line.edit-title', { name: line.username })
  const first = {
    username: was.username, password: was.password || '', country: was.country, whatsapp: was.whatsapp || '', telegram: was.telegram || '', email: was.email || '',
    notes: was.notes || '', external_id: was.external_id || '', metadata: metadataText(was.metadata || null),
  }
  const form = useForm({ name: 'edit ' + line.id, method: 'PATCH', path: `/lines/${line.id}/details`, title, fields: first })
  const { answer, fields } = form
  const { metadata, wrong } = metadataOf(fields.metadata)
  const [left, leave] = useState(form.restored) // a row that is still being typed is not called wrong
  useDone(form, () => {
    changed(answer)
    closeForm(done(t('line.edited', { name: answer.username })))
  })
  const send = () => {
    const of = (/** @type {typeof first} */ f) => ({ ...contactOf(f), username: nameOf(f.username), password: f.password, external_id: f.external_id.trim() || null })
    const before = /** @type {Record<string, any>} */ (of(first))
    const body = Object.fromEntries(Object.entries(of(fields)).filter(([name, value]) => value !== before[name]))
    if (fields.metadata !== first.metadata) body.metadata = /** @type {any} */ (metadata)
    if (Object.keys(body).length) return form.send(body)
    form.cancel()
    closeForm()
  }
  return html`<${Panel} title=${title} onClose=${() => closeForm()}>
    <${Form} form=${form} submit=${t('save')} unclear=${!!wrong} onClose=${() => closeForm()} onSubmit=${send}>
      ${!was.isTrial && html`<fieldset class="group"><legend>${t('messages.access')}</legend><${AccessFields} form=${form} required=${was.password !== null} /></fieldset>`}
      <fieldset class="group"><legend>${t('line.contact')}</legend><${ContactFields} form=${form} /></fieldset>
      <${Folded} title=${t('line.more')} form=${form} names=${['external_id', 'metadata']} open=${!!wrong}>
        <${Field} form=${form} name="external_id" label=${t('line.external-id')} hint=${t('line.external-id.hint')} maxlength="64" />
        <${Field} form=${form} name="metadata" label=${t('line.metadata')} hint=${t('line.metadata.hint')} wrong=${left && wrong} kind="textarea"
          rows=${Math.min(fields.metadata.split('\n').length + 3, 21)} onBlur=${() => leave(true)} />
      <//>
    <//>
  <//>`
}

/** Why a line is suspended. @param {{ line: Shown }} props */
const Why = ({ line: { suspension_reason: reason } }) => reason && html`<${Facts} of=${[[t('reason'), html`<span class="text">${reason}</span>`]]} />`

/** The form that suspends a line, or resumes it. @param {Shown} line @param {'suspend' | 'resume'} does @param {string} [how] */
const stopping = ({ id, username }, does, how = '') => ({
  name: `${does}${how} ${id}`, method: does === 'suspend' ? 'PUT' : 'DELETE', path: `/lines/${id}/suspension`, title: t(`line.${does}-title`, { name: username }),
})

/** What is said then, with what undoes it. @param {Shown} line as it was @param {'suspend' | 'resume'} does */
function stopped(line, does) {
  const name = line.username, back = does === 'suspend' ? 'resume' : 'suspend'
  if (line.suspended && does === 'suspend') return done(t('line.edited', { name })) // with another reason
  return done(t(`line.${does}-done`, { name }), {
    undo: { ...stopping(line, back, ' again'), body: back === 'suspend' ? { reason: line.suspension_reason || '' } : undefined, said: t(`line.${back}-done`, { name }) },
  })
}

/**
 * Suspends a line, or resumes it, at once, because that can be undone. It shows what is not certain, or refused.
 * @param {Omit<OfLine, 'payer'> & { act: { current: () => void } }} props act: is given what does it
 */
function Stop({ line, changed, act }) {
  const does = line.suspended ? 'resume' : 'suspend'
  const form = useForm({ ...stopping(line, does, ' now'), fields: {} })
  act.current = () => form.send(does === 'suspend' ? {} : undefined)
  useDone(form, () => {
    announce(stopped(line, does))
    changed(form.answer)
  })
  return form.state === 'unknown' ? html`<${Unknown} form=${form} />` : form.state === 'refused' && form.problem && html`<${Failure} problem=${form.problem} />`
}

/** Suspends it with a reason, or changes that. @param {OfLine} props */
function Suspend({ line, changed }) {
  const form = useForm({ ...stopping(line, 'suspend'), fields: { reason: line.suspension_reason || '' } })
  return html`<${Stopping} form=${form} line=${line} changed=${changed} does="suspend"><p>${t('line.suspended-means')}</p><${Reason} form=${form} name=${line.username} /><//>`
}

/** @param {OfLine} props */
function Resume({ line, changed }) {
  const form = useForm({ ...stopping(line, 'resume'), fields: {} })
  return html`<${Stopping} form=${form} line=${line} changed=${changed} does="resume"><p>${t('line.resume-meaning')}</p><${Why} line=${line} /><//>`
}

/** @param {Omit<OfLine, 'payer'> & { form: any, does: 'suspend' | 'resume', children?: any }} props */
function Stopping({ form, line, changed, does, children }) {
  const [was] = useState(line)
  useDone(form, () => {
    changed(form.answer)
    closeForm(stopped(was, does))
  })
  return html`<${Panel} title=${t(`line.${does}-title`, { name: line.username })} onClose=${() => closeForm()}>
    <${Form} form=${form} danger=${does === 'suspend'} submit=${t('line.' + does)} onSubmit=${() => form.send(does === 'suspend' ? form.fields : undefined)} onClose=${() => closeForm()}>${children}<//>
  <//>`
}

/** @param {OfLine} props */
function Delete({ line }) {
  const title = t('line.delete-title', { name: line.username })
  const form = useForm({ name: 'delete ' + line.id, method: 'DELETE', path: '/lines/' + line.id, title, fields: { typed: '' }, secret: ['typed'] })
  useDone(form, () => returnTo('/lines', done(t('line.deleted', { name: line.username }))))
  return html`<${Panel} look="dialog" title=${title} onClose=${() => closeForm()}>
    <${Form} form=${form} danger submit=${t('line.delete')} ready=${nameOf(form.fields.typed) === line.username} onSubmit=${() => form.send()} onClose=${() => closeForm()}>
      <p>${t('line.delete-meaning')}</p>
      <${Field} form=${form} name="typed" label=${t('line.delete-type', { name: line.username })} autofocus required />
    <//>
  <//>`
}
