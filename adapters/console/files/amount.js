// An amount of credits as it is typed: the form shows how it reads the amount before credits move, and reports a fault as
// well.
import { html } from './html.js'
import { t } from './text.js'
import { credits, typedCredits, units } from './format.js'
import { Field } from './ui.js'

/**
 * @param {string} typed @param {boolean} [zero] whether it may be 0
 * @returns {{ amount: string, wrong: string, perhaps?: string }} amount: '' where there is none; wrong: a sentence that says why
 */
export function amountOf(typed, zero = false) {
  const { amount, wrong, perhaps } = typedCredits(typed)
  if (wrong) return { amount, perhaps, wrong: t(wrong, { amount: credits(perhaps || '1234.5') }) }
  return { amount, wrong: amount && !zero && units(amount) === 0n ? t('field.not-positive') : '' }
}

/** The field credits of a form. @param {{ form: any, typed: ReturnType<typeof amountOf>, label: string, hint?: string }} props */
export const AmountField = ({ form, typed, ...rest }) => html`
  <${Field} form=${form} name="credits" wrong=${typed.wrong} inputmode="decimal" maxlength="24" required ...${rest} />
  ${typed.perhaps && !form.frozen && html`<button type="button" class="button" translate=${false} onClick=${() => form.set({ credits: credits(typed.perhaps || '') })}>${t('amount.perhaps', { amount: credits(typed.perhaps) })}</button>`}`
