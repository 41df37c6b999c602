// The name and the password of an account. A new password ends every session of it, and makes its token void.
import { html, useState } from './html.js'
import { ask } from './api.js'
import { closeForm } from './router.js'
import { me, ownName, renamed } from './session.js'
import { useDone, useForm } from './form.js'
import { t } from './text.js'
import { done } from './done.js'
import { Failure, Field, Form } from './ui.js'

/** Of one below, whose present password is not needed. @param {{ account: import('./answers').Account }} props */
export function NameAndPassword({ account }) {
  const form = useForm({
    name: 'password ' + account.id, method: 'PATCH', path: '/users/' + account.id, title: t('password.of', { name: account.username }), secret: ['password'],
    fields: { username: account.username, password: '', country: account.country, whatsapp: account.whatsapp || '' },
  })
  const { fields, answer } = form
  useDone(form, () => closeForm(done(t('password.changed', { name: answer.username }))))
  return html`<section class="panel"><h2>${t('password.of', { name: account.username })}</h2>
    <${Form} form=${form} submit=${t('save')} onSubmit=${() => form.send(fields)} onClose=${() => closeForm()}>
      <p>${t('password.meaning')}</p>
      <${Field} form=${form} name="username" label=${t('username')} maxlength="64" required />
      <${Field} form=${form} name="password" label=${t('password.new')} type="password" autocomplete="new-password" minlength="6" maxlength="128" required />
      <${Field} form=${form} name="country" label=${t('country')} hint=${t('country.hint')} maxlength="64" required />
      <${Field} form=${form} name="whatsapp" label=${t('whatsapp')} hint=${t('whatsapp.hint')} type="tel" inputmode="tel" maxlength="64" required />
    <//>
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
