// Keys and staff, who act for an account: what they may do and spend, in words and as fields of a form.
import { html } from './html.js'
import { now } from './clock.js'
import { can } from './session.js'
import { t, has } from './text.js'
import { credits, dateTime, inCredits } from './format.js'
import { plain } from './typed.js'
import { AmountField, amountOf } from './amount.js'
import { Choice, Field, Good } from './ui.js'

/** @typedef {import('./answers').AccessKey} Key @typedef {import('./answers').Member} Member @typedef {'key' | 'staff'} Kind */

const roles = ['read_only', 'support', 'cashier', 'manager']
const scopes = ['lines:read', 'lines:passwords', 'lines:write', 'lines:spend', 'lines:delete', 'users:read', 'users:write', 'credits:move', 'ledger:read', 'events:read', 'entitlements:read', 'prices:write', 'manage']

/** Its text, if there is one: later versions may have more. @param {string} kind @param {string} name */
const worded = (kind, name) => (has(`${kind}.${name}`) ? t(`${kind}.${name}`) : name)

/** What one may, in words. @param {Key | Member} p */
export const rightsText = (p) => (p.role ? worded('rights', p.role) : p.scopes.map((scope) => worded('scope', scope)).join('; '))

/** What a role means. @param {string} role */
export const meaning = (role) => (has(`rights.${role}-means`) ? t(`rights.${role}-means`) : '')

/** What one has spent today of what one may, in words. @param {Key | Member} p */
export const spentText = ({ spend_limit: limit, spent }) => (limit ? t('limit.spent', { spent: credits(spent), limit: inCredits(limit.credits) }) : t('limit.none'))

/** When, and from where, one was used last. @param {Key | Member} p */
export const usedText = ({ last_used_at: at, last_used_address: address }) => (at ? t('key.used', { at: dateTime(at), address: address || '' }) : t('key.unused'))

/** Whether a key is still valid. @param {{ one: Key }} props */
export function KeyState({ one: { expires_at: at } }) {
  const good = !at || new Date(at).getTime() > now()
  return html`<${Good} good=${good}>${t('line.state.' + (good ? 'active' : 'expired'))}<//>`
}

/** The day here of an instant, as a field has it. @param {string | number} at */
export const dayOf = (at) => new Date(new Date(at).getTime() - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 10)

/** What the fields of a form begin with. @param {Kind} kind @param {any} [p] a key, or a member of the staff */
export const fieldsOf = (kind, p) => ({
  ...kind === 'key' ? { name: p?.name || '', expires_at: p?.expires_at ? dayOf(p.expires_at) : '', allowed_addresses: p?.allowed_addresses.join('\n') || '' }
    : { username: p?.username || '', ...p ? {} : { password: '' } },
  role: p ? p.role || '' : roles[0], scopes: /** @type {string[]} */ (p?.scopes || []), credits: p?.spend_limit ? credits(p.spend_limit.credits) : '',
})

/** What these fields are in a request. @param {any} fields @param {any} [p] */
export function bodyOf({ role, scopes, credits: typed, expires_at: expires, allowed_addresses: addresses, ...others }, p) {
  const { amount } = amountOf(typed)
  return {
    ...others, ...role ? { role } : { scopes }, spend_limit: amount ? { credits: amount, per: 'day' } : null,
    ...addresses === undefined ? {} : {
      allowed_addresses: plain(addresses).split(/[\s,;]+/).filter(Boolean),
      // One that was not changed is sent as it was, to the second.
      expires_at: !expires ? null : p?.expires_at && dayOf(p.expires_at) === expires ? p.expires_at : new Date(expires + 'T23:59:59').toISOString(),
    },
  }
}

/** Whether something is chosen. @param {any} fields */
export const chosen = ({ role, scopes }) => !!role || scopes.length > 0

/** @param {{ form: any, kind: Kind, min?: string }} props min: the first day that can be chosen */
export function PrincipalFields({ form, kind, ...others }) {
  const { fields } = form
  const choose = (/** @type {string} */ scope, /** @type {boolean} */ on) => form.set({ scopes: scopes.filter((one) => (one === scope ? on : fields.scopes.includes(one))) })
  return html`
    ${kind === 'key' ? html`<${Field} form=${form} name="name" label=${t('key.name')} hint=${t('key.name-hint')} maxlength="64" required />`
      : html`<${Field} form=${form} name="username" label=${t('username')} hint=${t('staff.username-hint')} maxlength="64" required />
        ${'password' in fields && html`<${Field} form=${form} name="password" label=${t('password')} hint=${t('password.generated')} minlength="6" maxlength="128" required />`}`}
    <${Choice} form=${form} name="role" label=${t('rights')} of=${[...roles, ''].map((role) => [role, t('rights.' + (role || 'own')), meaning(role || 'own')])} />
    ${!fields.role && html`<fieldset class="choice few" disabled=${form.frozen} aria-label=${t('rights.own')}>
      ${!fields.scopes.length && html`<p class="quiet">${t('webhook.choose')}</p>`}
      ${scopes.filter(can).map((scope) => html`<label key=${scope}>
        <input type="checkbox" value=${scope} checked=${fields.scopes.includes(scope)} onChange=${(/** @type {any} */ e) => choose(scope, e.target.checked)} />
        <span>${t('scope.' + scope)}</span></label>`)}
    </fieldset>`}
    <${AmountField} form=${form} typed=${amountOf(fields.credits)} label=${t('limit')} hint=${t('limit.hint')} required=${false} />
    ${kind === 'key' && html`
      <${Field} form=${form} name="expires_at" label=${t('key.expires')} hint=${t('key.expires-hint')} type="date" max="9999-12-31" ...${others} />
      <${Field} form=${form} name="allowed_addresses" label=${t('key.addresses')} hint=${t('key.addresses-hint')} kind="textarea" rows="2" maxlength="2500" />`}`
}
