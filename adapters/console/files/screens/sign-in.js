// Sign-in. It stands in place of any screen whose session has ended: who signs in again goes on where they were.
import { html, useEffect, useState } from '../html.js'
import { choose, signIn } from '../session.js'
import { language, t } from '../text.js'
import { Failure, Field, Language, Notice, Screen } from '../ui.js'

/** @param {{ ended: boolean }} props ended: a session was good until now */
export function SignIn({ ended }) {
  const [fields, set] = useState({ username: '', password: '' })
  const [problem, setProblem] = useState(/** @type {any} */ (null))
  const [busy, setBusy] = useState(false)
  useEffect(() => { document.getElementsByName('username')[0]?.focus() }, [])
  useEffect(() => {
    const password = problem && document.getElementsByName('password')[0]
    if (!(password instanceof HTMLInputElement)) return
    password.focus()
    password.select()
  }, [problem])
  const enter = async (/** @type {Event} */ e) => {
    e.preventDefault()
    if (busy) return
    setBusy(true)
    setProblem(null)
    try {
      await signIn(fields.username, fields.password)
    } catch (refused) {
      setProblem(refused)
      setBusy(false)
    }
  }
  // Fields take what a form of form.js has; a sign-in is no effect, and may be tried as often as one likes.
  const form = { fields, frozen: busy, problem, set: (/** @type {object} */ values) => set((f) => ({ ...f, ...values })) }
  return html`<main class="alone"><${Screen} title=${t('sign-in')}>
    ${ended && html`<${Notice} tone="unsure"><p>${t('sign-in.ended')}</p><//>`}
    ${!isSecureContext && html`<${Notice} tone="bad"><p>${t('sign-in.insecure')}</p><//>`}
    <form onSubmit=${enter} aria-busy=${busy}>
      <${Field} form=${form} name="username" label=${t('username')} autocomplete="username" maxlength="64" required />
      <${Field} form=${form} name="password" label=${t('password')} type="password" autocomplete="current-password" maxlength="128" required />
      ${problem && html`<${Failure} problem=${problem} />`}
      <div class="buttons"><button type="submit" class="main" disabled=${busy || !isSecureContext}>${t(busy ? 'form.sending' : 'sign-in')}</button></div>
    </form>
    <${Language} value=${language.get()} choose=${choose} />
  <//></main>`
}
