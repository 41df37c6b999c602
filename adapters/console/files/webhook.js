// Webhooks: their events, in words and as fields of a form.
import { html, useState } from './html.js'
import { may, me } from './session.js'
import { t, has } from './text.js'
import { listed } from './format.js'
import { Choice, Field, Good } from './ui.js'

/** @typedef {import('./answers').Webhook} Webhook */

/** The host of its receiver. The service takes hosts that a browser does not. @param {Webhook} webhook */
export const hostOf = ({ url }) => url.split('/')[2].split('?')[0]

/**
 * The types of the journal, by what one chooses from and by how their names begin. Some concern no account: only an admin
 * sees these.
 * @returns {Record<string, Record<string, string[]>>}
 */
const kinds = () => ({
  lines: { line: ['trial_created', 'activated', 'extended', 'plan_changed', 'expiring', 'expired', 'suspended', 'resumed', 'imported', 'reimported', 'updated', 'deleted'] },
  balance: { balance: ['low', 'recovered'] },
  accounts: { reseller: ['created', 'credited', 'reclaimed', 'updated', 'blocked', 'unblocked'] },
  access: { session: ['started', 'ended'], token: ['revoked'], password: ['changed'], totp: ['enabled', 'disabled', 'reset'] },
  keys: { key: ['created', 'updated', 'revoked'], staff: ['created', 'updated', 'removed'] },
  webhooks: { webhook: ['created', 'updated', 'rotated', 'disabled', 'removed'] },
  jobs: { bulk: ['finished'] },
  prices: me().is_admin ? { plan: ['created', 'updated'], prices: ['changed'] } : { prices: ['changed'] },
  service: me().is_admin ? { operator: ['blocked', 'unblocked', 'password_reset', 'admin_created', 'service_key_replaced'], journal: ['began', 'restored'] }
    : { operator: ['blocked', 'unblocked', 'password_reset'] },
})

/** What a kind is in requests. @param {Record<string, string[]>} kind */
const patternsOf = (kind) => Object.keys(kind).map((beginning) => beginning + '.*')
/** @param {Record<string, string[]>} kind */
const typesOf = (kind) => Object.entries(kind).flatMap(([beginning, ends]) => ends.map((end) => `${beginning}.${end}`))

/** The beginning that covers a type. @param {string} type */
const pattern = (type) => type.split('.')[0] + '.*'
/** Whether what was chosen has a type. @param {string[]} chosen @param {string} type */
const within = (chosen, type) => chosen.includes(type) || chosen.includes(pattern(type))
/** Whether it has all of a kind, those of later versions included. @param {string[]} chosen @param {Record<string, string[]>} kind */
const whole = (chosen, kind) => patternsOf(kind).every((p) => chosen.includes(p))

/** A type in words. Those of some languages lead to the name that follows in a row. @param {string} type */
const typeText = (type) => (has('event.' + type) ? t('event.' + type) : type)

/** The events of a webhook, in words. @param {Webhook} webhook */
export function typesText({ types }) {
  if (types.includes('*')) return t('webhook.everything')
  const said = [], known = new Set()
  for (const [name, kind] of Object.entries(kinds())) {
    const some = typesOf(kind).filter((type) => within(types, type))
    for (const one of [...some, ...patternsOf(kind)]) known.add(one)
    if (whole(types, kind)) said.push(t('activity.' + name))
    else if (some.length) said.push(`${t('activity.' + name)} (${listed(some.map(typeText))})`)
  }
  return [...said, ...types.filter((type) => !known.has(type))].join('; ')
}

/** The scope of its events, in words. @param {Webhook} webhook */
export const scopeText = ({ scope }) => t('webhook.' + scope)

/** Whether it gets events. @param {{ webhook: Webhook }} props */
export const WebhookState = ({ webhook: w }) =>
  html`<${Good} good=${w.enabled}>${t(w.enabled ? 'webhook.on' : 'webhook.off')}<//>`

/** Why it is disabled, and what to do. @param {Webhook} webhook */
export const why = ({ disabled_reason: why }) => [t('webhook.why.' + why), t('webhook.mend.' + why)]

/** What the fields of a form begin with. @param {Webhook} [webhook] */
export const fieldsOf = (webhook) => ({
  url: webhook?.url || '', everything: !webhook || webhook.types.includes('*'), types: webhook?.types.filter((type) => type !== '*') || [],
  scope: webhook?.scope || (may.haveBelow() ? 'tree' : 'own'), description: webhook?.description || '',
})

/** What these fields are in a request. @param {ReturnType<typeof fieldsOf>} fields */
export const bodyOf = ({ everything, types, description, ...others }) => ({ ...others, types: everything ? ['*'] : types, description: description.trim() || null })

/** Whether something is chosen. @param {ReturnType<typeof fieldsOf>} fields */
export const chosen = ({ everything, types }) => everything || types.length > 0

/** @param {{ form: any }} props */
export const WebhookFields = ({ form }) => html`
  <${Field} form=${form} name="url" label=${t('webhook.url')} hint=${t('webhook.url-hint')} type="url" inputmode="url" maxlength="2048" required />
  <${Choice} form=${form} name="everything" label=${t('webhook.types')} of=${[[true, t('webhook.everything')], [false, t('webhook.chosen')]]} />
  ${!form.fields.everything && html`<fieldset class="kinds" disabled=${form.frozen} aria-label=${t('webhook.types')}>
    ${!form.fields.types.length && html`<p class="quiet">${t('webhook.choose')}</p>`}
    ${Object.entries(kinds()).map(([name, kind]) => html`<${Kind} key=${name} label=${t('activity.' + name)} kind=${kind} form=${form} />`)}
  </fieldset>`}
  ${may.haveBelow() && html`<${Choice} form=${form} name="scope" label=${t('filter.whose')} of=${['own', 'tree'].map((scope) => [scope, t('webhook.' + scope)])} />`}
  <${Field} form=${form} name="description" label=${t('webhook.description')} kind="textarea" rows="2" maxlength="2000" />`

/** All types of a kind, or some. @param {{ label: string, kind: Record<string, string[]>, form: any }} props */
function Kind({ label, kind, form }) {
  const types = /** @type {string[]} */ (form.fields.types)
  const all = whole(types, kind), own = typesOf(kind), patterns = patternsOf(kind)
  const [open] = useState(!all && own.some((type) => within(types, type)))
  const others = types.filter((type) => !own.includes(type) && !patterns.includes(type))
  const choose = (/** @type {string[]} */ more) => form.set({ types: [...others, ...more] })
  const some = (/** @type {string} */ type, /** @type {boolean} */ on) => choose(own.filter((other) => (other === type ? on : within(types, other))))
  return html`<div role="group" aria-label=${label}>
    <label class="check"><input type="checkbox" checked=${all} onChange=${(/** @type {any} */ e) => choose(e.target.checked ? patterns : [])} />${label}</label>
    ${!all && html`<details open=${open}><summary>${t('webhook.single')}</summary>
      <div class="choice">${own.map((type) => html`<label key=${type}>
        <input type="checkbox" value=${type} checked=${within(types, type)} onChange=${(/** @type {any} */ e) => some(type, e.target.checked)} />${typeText(type)}
      </label>`)}</div>
    </details>`}
  </div>`
}
