// The alerts of an account: the balance below which it gets one.
import { html } from './html.js'
import { closeForm } from './router.js'
import { can } from './session.js'
import { useDone, useForm } from './form.js'
import { t } from './text.js'
import { credits, inCredits } from './format.js'
import { done } from './done.js'
import { AmountField, amountOf } from './amount.js'
import { Form, useRead } from './ui.js'

/** @typedef {import('./answers').Alerts} Alerts */

/** The alert of an account. @param {number | null} id null: no account */
export const useAlerts = (id) => useRead(id === null || !can('users:read') ? null : `/users/${id}/alerts`)

/** @param {{ account: { id: number, username: string }, alerts: Alerts, changed?: (alerts: Alerts) => void }} props changed takes them as they are now */
export function AlertForm({ account: { id, username: name }, alerts, changed }) {
  const title = t('alert.title', { name })
  const form = useForm({
    name: 'alert ' + id, method: 'PUT', path: `/users/${id}/alerts`, title, fields: { credits: alerts.balance_low ? credits(alerts.balance_low) : '' },
  })
  const typed = amountOf(form.fields.credits)
  useDone(form, () => {
    const below = form.answer.balance_low
    changed?.(form.answer)
    closeForm(done(below ? t('alert.set', { name, amount: inCredits(below) }) : t('alert.unset', { name })))
  })
  return html`<section class="panel"><h2>${title}</h2>
    <${Form} form=${form} submit=${t('save')} unclear=${!!typed.wrong} onSubmit=${() => form.send({ balance_low: typed.amount || null })} onClose=${() => closeForm()}>
      <p>${t('alert.meaning')}</p>
      <${AmountField} form=${form} typed=${typed} label=${t('alert.field')} hint=${t('alert.hint')} required=${false} />
    <//>
  </section>`
}
