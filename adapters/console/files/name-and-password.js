// The name and the password of an account. A new password ends every session of it: who changes their own is signed in
// again with the new one.
import { html, useState } from './html.js'
import { closeForm } from './router.js'
import { me, signIn } from './session.js'
import { useDone, useForm } from './form.js'
import { t } from './text.js'
import { done } from './done.js'
import { Failure, Field, Form } from './ui.js'

/** @param {{ account: import('./answers').Account }} props */
export function NameAndPassword({ account }) {
  const [problem, setProblem] = useState(/** @type {any} */ (null))
  const form = useForm({
    name: 'password ' + account.id, method: 'PATCH', path: '/users/' + account.id, title: t('password.of', { name: account.username }), ends: account.id === me().id,
    fields: { username: account.username, password: '', country: account.country, whatsapp: account.whatsapp || '' },
  })
  const { fields, answer } = form
  const enter = async () => {
    setProblem(null)
    try {
      if (account.id === me().id) await signIn(answer.username, answer.password)
      closeForm(done(t('password.changed', { name: answer.username })))
    } catch (refused) {
      setProblem(refused)
    }
  }
  useDone(form, enter)
  return html`<section class="panel"><h2>${t('password.of', { name: account.username })}</h2>
    <${Form} form=${form} submit=${t('save')} onSubmit=${() => form.send(fields)} onClose=${() => closeForm()}>
      <p>${t('password.meaning')}</p>
      <${Field} form=${form} name="username" label=${t('username')} maxlength="64" required />
      <${Field} form=${form} name="password" label=${t('password.new')} type="password" autocomplete="new-password" minlength="6" maxlength="128" required />
      <${Field} form=${form} name="country" label=${t('country')} hint=${t('country.hint')} maxlength="64" required />
      <${Field} form=${form} name="whatsapp" label=${t('whatsapp')} type="tel" inputmode="tel" maxlength="64" required />
    <//>
    ${problem && html`<${Failure} problem=${problem} retry=${enter} />`}
  </section>`
}
