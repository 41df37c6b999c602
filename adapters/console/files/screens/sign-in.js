// Sign-in. It replaces any screen whose session has ended: after a new sign-in the user continues there. If there is
// a second factor, the form asks for its code after a right password.
import { html, useEffect, useState } from '../html.js'
import { Problem } from '../api.js'
import { signIn } from '../session.js'
import { t } from '../text.js'
import { readInside } from '../later.js'
import { nameOf } from '../typed.js'
import { CodeField, codeOf } from '../one-time-code.js'
import { Languages, Logo } from '../settings.js'
import { brand } from '../brand.js'
import { Failure, Field, Notice, Screen } from '../ui.js'

/** @param {{ ended: boolean, dropped: boolean }} props ended: a session was valid until now; dropped: the browser did not store it */
export function SignIn({ ended, dropped }) {
  const [fields, set] = useState({ username: '', password: '', totp: '' })
  const [asked, ask] = useState(false)
  const [problem, setProblem] = useState(/** @type {any} */ (null))
  const [busy, setBusy] = useState(false)
  useEffect(() => { document.getElementsByName(asked ? 'totp' : 'username')[0]?.focus() }, [asked])
  useEffect(() => {
    const secret = problem && document.getElementsByName(asked ? 'totp' : 'password')[0]
    if (!(secret instanceof HTMLInputElement)) return
    secret.focus()
    secret.select()
  }, [problem])
  const enter = async (/** @type {Event} */ e) => {
    e.preventDefault()
    if (busy) return
    setBusy(true)
    setProblem(null)
    const { totp, ...known } = { ...fields, username: nameOf(fields.username) }
    try {
      await signIn(asked ? { ...known, totp: codeOf(totp) } : known)
    } catch (/** @type {any} */ refused) {
      // The password was right a moment ago: it is the code that is not.
      if (refused.code !== 'totp-required') setProblem(asked && refused.code === 'invalid-credentials' ? new Problem('wrong-code') : refused)
      else ask(true)
      setBusy(false)
    }
  }
  const again = () => {
    set({ ...fields, password: '', totp: '' })
    setProblem(null)
    ask(false)
  }
  // Fields take what a form of form.js has; a sign-in is no effect, and may be tried as often as one likes.
  const type = (/** @type {object} */ values) => {
    if (asked) setProblem(null)
    readInside().catch(() => null)
    set((f) => ({ ...f, ...values }))
  }
  const form = { fields, frozen: busy, problem, set: type }
  return html`<main class="alone card-page"><div class="card"><p class="sign-brand" translate=${false}><${Logo} />${brand}</p><${Screen} title=${t('sign-in')}>
    ${ended && html`<${Notice} tone=${dropped ? 'bad' : 'unsure'}><p>${t(dropped ? 'sign-in.dropped' : 'sign-in.ended')}</p><//>`}
    ${!isSecureContext && html`<${Notice} tone="bad"><p>${t('sign-in.insecure')}</p><//>`}
    <form onSubmit=${enter} aria-busy=${busy}>
      ${asked ? html`<p>${t('sign-in.code', { name: fields.username })}</p><${CodeField} form=${form} name="totp" recovery />`
        : html`<${Field} form=${form} name="username" label=${t('username')} autocomplete="username" maxlength="64" required />
          <${Field} form=${form} name="password" label=${t('password')} type="password" autocomplete="current-password" maxlength="128" required />`}
      ${problem && html`<${Failure} problem=${problem} />`}
      <button type="submit" class="button primary wide tall" disabled=${busy || !isSecureContext}>${t(busy ? 'form.sending' : 'sign-in')}</button>
      ${asked ? html`<button type="button" class="button wide" onClick=${again}>${t('back')}</button>` : html`<p class="quiet small help">${t('sign-in.forgotten')}</p>`}
    </form>
  <//></div><${Languages} /></main>`
}
