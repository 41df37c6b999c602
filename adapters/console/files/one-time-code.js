// The code of a second factor, as it is typed at a sign-in and on the screen of the sessions.
import { html, useState } from './html.js'
import { t } from './text.js'
import { plain } from './typed.js'
import { Field } from './ui.js'

/** A code as it is sent: apps show it in two halves. @param {string} typed */
export const codeOf = (typed) => plain(typed).replace(/\s/g, '')

/**
 * The field of a code. On a phone it has digits at hand; a recovery code has letters as well.
 * @param {{ form: any, name: string, recovery?: boolean }} props recovery: it may be one for recovery
 */
export function CodeField({ form, name, recovery = false }) {
  const [letters, setLetters] = useState(false)
  const toggle = () => {
    setLetters(!letters)
    form.set({ [name]: '' })
    document.getElementsByName(name)[0]?.focus()
  }
  return html`<${Field} form=${form} name=${name} label=${t(letters ? 'factor.recovery-code' : 'factor.code')} hint=${t(letters ? 'factor.recovery-hint' : 'factor.code-hint')}
      inputmode=${letters ? 'text' : 'numeric'} autocomplete="one-time-code" maxlength="40" required />
    ${recovery && html`<button type="button" class="button" onClick=${toggle}>${t(letters ? 'factor.use-app' : 'factor.use-recovery')}</button>`}`
}
