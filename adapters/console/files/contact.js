// How a customer gets in, and how the person behind a customer or a reseller is reached.
import { html } from './html.js'
import { t } from './text.js'
import { Field } from './ui.js'

/** @param {{ form: any, required?: boolean }} props required: whether the password is */
export const AccessFields = ({ form, required = true }) => html`
  <${Field} form=${form} name="username" label=${t('username')} maxlength="64" required />
  <${Field} form=${form} name="password" label=${t('password')} minlength="4" maxlength="128" required=${required} />`

/** @param {{ form: any, all?: boolean }} props all: also what activating a trial does not take */
export const ContactFields = ({ form, all = true }) => html`
  <${Field} form=${form} name="country" label=${t('country')} hint=${t('country.hint')} maxlength="64" required />
  <${Field} form=${form} name="whatsapp" label=${t('whatsapp')} hint=${t('whatsapp.hint')} type="tel" inputmode="tel" maxlength="64" />
  ${all && html`<${Field} form=${form} name="telegram" label=${t('telegram')} maxlength="64" />
    <${Field} form=${form} name="email" label=${t('email')} type="email" inputmode="email" maxlength="254" />`}
  <${Field} form=${form} name="notes" label=${t('notes')} kind="textarea" rows="3" maxlength="2000" />`

/** What these fields are in a request: null clears a value. @param {any} fields */
export const contactOf = (fields) => ({
  country: fields.country, whatsapp: fields.whatsapp.trim() || null, telegram: fields.telegram.trim() || null,
  email: fields.email.trim() || null, notes: fields.notes.trim() || null,
})
