// The few things of a kind that an account has, such as webhooks: their list, a secret that an answer shows once, and the
// question before one of them goes.
import { html, useEffect } from './html.js'
import { closeForm, openForm } from './router.js'
import { store } from './store.js'
import { useDone, useForm } from './form.js'
import { t } from './text.js'
import { Copy, Field, Form, Icon, Read, Screen, useRead } from './ui.js'

/**
 * All of them, which are read at once.
 * @param {{ path: string, title: string, meaning: string, add: string, most: number, full: string, empty: string, row: (one: any) => any }} props
 *   add: what makes another one; full: the sentence at the maximum number
 */
export function Few({ path, title, meaning, add, most, full, empty, row }) {
  const all = useRead(path)
  return html`<${Screen} title=${title}>
    <p>${meaning}</p>
    <${Read} of=${all}>${(/** @type {{ data: any[] }} */ { data }) => html`
      <div class="buttons">${data.length < most ? html`<button type="button" class="button primary" onClick=${() => openForm('create')}><${Icon} name="plus" />${add}</button>`
        : html`<p class="quiet">${full}</p>`}</div>
      ${data.length ? html`<div><ul class="rows" aria-label=${title}>${data.map((one) => html`<li key=${one.id}>${row(one)}</li>`)}</ul></div>`
        : html`<p class="empty">${empty}</p>`}`}<//>
  <//>`
}

/** A secret that was given just now: of what it is, such as 'key 5'; nothing but this document knows it. @type {ReturnType<typeof store<{ of: string, secret: string } | null>>} */
export const given = store(/** @type {any} */ (null))

/** The secret is shown until the user leaves the screen. @param {{ of: string, title: string, meaning: string, copy: string }} props copy: what is on the button */
export function Secret({ of, title, meaning, copy }) {
  const it = given.use()
  if (it?.of !== of) return null
  return html`<section class="panel">
    <h2>${title}</h2>
    <p><code translate=${false} data-secret>${it.secret}</code></p>
    <p>${meaning}</p>
    <div class="buttons"><${Copy} text=${it.secret} label=${copy} /></div>
  </section>`
}

/** Forgets it with the screen. */
export const useForgotten = () => useEffect(() => () => given.set(null), [])

/**
 * A form with few fields, or none: it explains the result, and asks for a confirmation.
 * @param {{ name: string, method: string, path: string, title: string, meaning: string, submit: string, danger?: boolean, body?: any,
 *   fields?: any, then: (answer: any) => void, children?: (form: any) => any }} props name, method, path, title: of the form (form.js);
 *   fields: what they begin with, sent in place of a body; then: once it is done
 */
export function Question({ meaning, submit, danger = false, body, fields, then, children, ...about }) {
  const form = useForm({ ...about, fields: fields || {} })
  useDone(form, () => then(form.answer))
  return html`<section class="panel"><h2>${about.title}</h2>
    <${Form} form=${form} danger=${danger} submit=${submit} onSubmit=${() => form.send(fields ? form.fields : body)} onClose=${() => closeForm()}>
      <p>${meaning}</p>${children?.(form)}<//>
  </section>`
}

/** Why something is stopped, for the accounts that may resume it. @param {{ form: any, name: string }} props name: the account that does not see the reason */
export const Reason = ({ form, name }) =>
  html`<${Field} form=${form} name="reason" label=${t('reason')} hint=${t('reason.hint', { name })} kind="textarea" rows="2" maxlength="500" />`
