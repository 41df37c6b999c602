// The second factor of the user: an app shows a code that a sign-in needs. What an app takes it over by, and
// the codes for when it is lost, are shown once.
import { html, useEffect, useState } from './html.js'
import { closeForm, openForm } from './router.js'
import { CodeField, codeOf } from './one-time-code.js'
import { Problem } from './api.js'
import { ownName } from './session.js'
import { isPending, useDone, useForm } from './form.js'
import { t } from './text.js'
import { done } from './done.js'
import { Present } from './name-and-password.js'
import { Printed } from './print.js'
import { Copy, Field, Form, Notice, Read, State } from './ui.js'

/** Whether there is one, and the way to it or away from it. @param {{ on: boolean }} props */
export const SecondFactor = ({ on }) => html`<section class="panel">
  <h2>${t('factor')}</h2>
  <p><${State} tone=${on ? 'good' : 'plain'} icon=${on ? 'circle-check' : 'circle-slash-2'} badge>${t(on ? 'webhook.on' : 'webhook.off')}<//></p>
  <p>${t('factor.meaning')}</p>
  <div class="buttons"><button type="button" class="button" onClick=${() => openForm(on ? 'no-totp' : 'totp')}>${t(on ? 'factor.remove' : 'factor.new')}</button></div>
</section>`

const confirming = 'confirm second factor'

/** Begins a second factor, has it confirmed, and shows the recovery codes. @param {{ of: any }} props of: the session, which says whether there is one already */
export function SetUp({ of }) {
  const [begun, begin] = useState(/** @type {any} */ (null))
  const [codes, show] = useState(/** @type {string[]} */ ([]))
  return html`<section class="panel"><h2>${t('factor.new')}</h2>
    ${codes.length ? html`<${Codes} codes=${codes} />`
      : begun || isPending(confirming) ? html`<${Confirm} of=${begun} show=${show} />` // at once: nothing else shows the codes
      : html`<${Read} of=${of}>${(/** @type {import('./answers').SignedIn} */ { totp }) => !totp ? html`<${Begin} begin=${begin} />`
        : html`<p>${t('problem.totp-active')}</p><div class="buttons"><button type="button" class="button" onClick=${() => closeForm()}>${t('close')}</button></div>`}<//>`}
  </section>`
}

/** @param {{ begin: (answer: any) => void }} props */
function Begin({ begin }) {
  const form = useForm({ name: 'begin second factor', method: 'POST', path: '/auth/totp', title: t('factor.new'), secret: ['password'], fields: { password: '' } })
  useDone(form, () => begin(form.answer))
  return html`<${Form} form=${form} submit=${t('factor.next')} onSubmit=${() => form.send(form.fields)} onClose=${() => closeForm()}>
    <p>${t('factor.apps')}</p>
    <${Present} form=${form} />
  <//>`
}

/** @param {{ of: { secret: string, otpauth_url: string, qr_svg: string } | null, show: (codes: string[]) => void }} props of: null after a reload, in which an answer is still awaited */
function Confirm({ of, show }) {
  const form = useForm({ name: confirming, method: 'POST', path: '/auth/totp/confirm', title: t('factor.new'), place: '/sessions?do=totp', secret: ['code'], fields: { code: '' } })
  useDone(form, () => show(form.answer.recovery_codes))
  return html`<${Form} form=${form} submit=${t('factor.confirm')} onSubmit=${() => form.send({ code: codeOf(form.fields.code) })} onClose=${() => closeForm()}>
    ${of && html`<p>${t('factor.scan')}</p>
      <div class="code"><${Drawn} svg=${of.qr_svg} />
        <div><p>${t('factor.type')}</p><p><code translate=${false} data-secret>${of.secret.match(/.{1,4}/g)?.join(' ')}</code></p>
          <div class="buttons"><${Copy} text=${of.secret} label=${t('webhook.secret-copy')} /><a class="button" href=${of.otpauth_url}>${t('factor.open')}</a></div></div></div>`}
    <${CodeField} form=${form} name="code" />
  <//>`
}

/** A QR code as the service draws it, on white: its two paths alone, so that no text becomes markup. @param {{ svg: string }} props */
function Drawn({ svg }) {
  const [, side, path] = /^<svg [^>]*viewBox="0 0 (\d+) \d+".* d="([MhvHz\d -]+)"\/><\/svg>$/.exec(svg) || []
  return side ? html`<svg class="qr" viewBox="0 0 ${side} ${side}" role="img" aria-label=${t('factor.qr')}><path d=${path} /></svg>` : null
}

/** @param {{ codes: string[] }} props */
function Codes({ codes }) {
  useEffect(() => document.querySelector('h2')?.focus(), [])
  return html`
    <${Notice} tone="good"><p>${t('factor.on')}</p><//>
    <p>${t('factor.codes')}</p>
    <${Printed} title=${t('print.codes', { name: ownName() })} />
    <ul class="codes">${codes.map((code) => html`<li key=${code}><code translate=${false}>${code}</code></li>`)}</ul>
    <div class="buttons">
      <${Copy} text=${codes.join('\n')} label=${t('factor.codes-copy')} />
      <button type="button" class="button" onClick=${() => print()}>${t('print')}</button>
      <button type="button" class="button primary" onClick=${() => closeForm(done(t('factor.on')))}>${t('factor.kept')}</button>
    </div>`
}

const wrongProof = new Problem('wrong-proof')

/** Does without it. */
export function Remove() {
  const form = useForm({ name: 'remove second factor', method: 'DELETE', path: '/auth/totp', title: t('factor.remove'), secret: ['password', 'totp'], fields: { password: '', totp: '' } })
  const { fields, problem } = form
  useDone(form, () => closeForm(done(t('factor.removed'))))
  // Of which of the two it is, the service says nothing.
  const shown = { ...form, problem: problem?.code === 'invalid-credentials' ? wrongProof : problem }
  return html`<section class="panel"><h2>${t('factor.remove')}</h2>
    <${Form} form=${shown} danger submit=${t('factor.remove')} onSubmit=${() => form.send({ password: fields.password, totp: codeOf(fields.totp) })} onClose=${() => closeForm()}>
      <p>${t('factor.remove-meaning')}</p>
      <${Present} form=${shown} />
      <${CodeField} form=${shown} name="totp" recovery />
    <//>
  </section>`
}
