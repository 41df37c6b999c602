// The name and the password of an account. A new password ends every session of it, and makes its token void.
import { html, useState } from './html.js'
import { ask } from './api.js'
import { closeForm, href } from './router.js'
import { me, ownName, renamed } from './session.js'
import { useDone, useForm } from './form.js'
import { t } from './text.js'
import { done } from './done.js'
import { given } from './few.js'
import { spelled, toWhatsApp } from './whatsapp.js'
import { Copy, Failure, Field, Form, Icon } from './ui.js'

/** Letters and digits that are not mistaken for each other: 32, so that each byte names one fairly. */
const letters = 'abcdefghijkmnpqrstuvwxyz23456789'

/** A password that is easy to read and type. */
export const newPassword = () => [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => letters[byte & 31]).join('').replace(/.{4}(?=.)/g, '$&-')

/**
 * The access data of an account that was created a moment ago, to send: nothing but this document has the password (few.js).
 * @param {{ of: string, name: string, number?: string }} props of: as given has it; number: of WhatsApp
 */
export function SendAccess({ of, name, number = '' }) {
  const it = given.use()
  if (it?.of !== of) return null
  const text = t('access.message', { address: location.origin + href('/'), name, password: it.secret })
  return html`<section class="panel"><h2>${t('access.send')}</h2>
    <p>${t('access.once')}</p>
    <p class="bubble text" translate=${false} data-access>${text}</p>
    <div class="buttons"><a class="button send" href=${toWhatsApp(number, text)} target="_blank" rel="noopener noreferrer"><${Icon} name="message-circle" />${number ? t('line.whatsapp-to', { number: spelled(number) }) : t('line.whatsapp')}</a>
      <${Copy} text=${text} label=${t('line.copy')} /></div>
  </section>`
}

/** The field of the present password, by which one proves who one is. @param {{ form: any }} props */
export const Present = ({ form }) => html`<input hidden autocomplete="username" value=${ownName()} />
  <${Field} form=${form} name="password" label=${t('password.present')} type="password" autocomplete="current-password" maxlength="128" required />`

/** One's own password: the session in which it is changed goes on. */
export function OwnPassword() {
  const form = useForm({
    name: 'own password', method: 'PATCH', path: '/auth/password', title: t('password.change'), secret: ['password', 'new_password'],
    fields: { password: '', new_password: '' },
  })
  useDone(form, () => closeForm(done(t('password.own-changed'))))
  return html`<section class="panel"><h2>${t('password.change')}</h2>
    <${Form} form=${form} submit=${t('password.change')} onSubmit=${() => form.send(form.fields)} onClose=${() => closeForm()}>
      <p>${t(me().staff ? 'password.staff-meaning' : 'password.own-meaning')}</p>
      <${Present} form=${form} />
      <${Field} form=${form} name="new_password" label=${t('password.new')} hint=${t('password.hint')} type="password" autocomplete="new-password" minlength="6" maxlength="128" required />
    <//>
  </section>`
}

/**
 * One's own name. The service takes the name with a password, and a mistyped one would become the new one: so it is asked first
 * whether it is the present one.
 * @param {{ account: import('./answers').Account }} props
 */
export function OwnName({ account }) {
  const [refused, refuse] = useState(/** @type {any} */ (null))
  const [busy, setBusy] = useState(false)
  const form = useForm({
    name: 'own name', method: 'PATCH', path: '/users/' + account.id, title: t('name.change'), secret: ['password'],
    fields: { username: account.username, password: '', whatsapp: account.whatsapp || '' },
  })
  const { fields, answer } = form
  const send = async () => {
    if (busy) return
    setBusy(true)
    refuse(null)
    try {
      await ask('PATCH', '/auth/password', { body: JSON.stringify({ password: fields.password, new_password: fields.password }) })
      form.send({ ...fields, country: account.country })
    } catch (problem) {
      refuse(problem)
    }
    setBusy(false)
  }
  const wrong = ['invalid-credentials', 'validation-failed'].includes(refused?.code)
  useDone(form, () => {
    renamed(answer.username)
    closeForm(done(t('name.changed', { name: answer.username })))
  })
  return html`<section class="panel"><h2>${t('name.change')}</h2>
    <${Form} form=${form} submit=${t('name.change')} onSubmit=${send} onClose=${() => closeForm()}>
      <${Field} form=${form} name="username" label=${t('username')} maxlength="64" required />
      <${Field} form=${form} name="password" label=${t('password.present')} wrong=${wrong && t('problem.wrong-password')} type="password" autocomplete="current-password" maxlength="128" required />
      ${!account.whatsapp && html`<${Field} form=${form} name="whatsapp" label=${t('whatsapp')} hint=${t('whatsapp.hint')} type="tel" inputmode="tel" maxlength="64" required />`}
      ${refused && !wrong && html`<${Failure} problem=${refused} />`}
    <//>
  </section>`
}
