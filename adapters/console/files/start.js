// The three steps of a new account: where customers sign in, the first trial, the first customer.
import { html, useState } from './html.js'
import { base } from './api.js'
import { Link } from './router.js'
import { can, keyOf, me } from './session.js'
import { recall, remember } from './store.js'
import { t } from './text.js'
import { inCredits } from './format.js'
import { templateIn, useMessages } from './messages.js'
import { usePrices } from './prices.js'
import { NewTrial } from './trial.js'
import { Icon, useRows } from './ui.js'

/** Where the browser stores that the user does not want them. */
const place = () => `resellerd${base} started ${keyOf(me())}`

/**
 * Whether the account takes them: it sells, and has had no customer yet.
 * @param {import('./answers').Summary | null} summary
 */
export function useStart(summary) {
  const { messages, reading } = useMessages()
  const [gone, go] = useState(() => !!recall(place()))
  const sells = !me().is_admin && ['lines:read', 'lines:write', 'lines:spend', 'users:write'].every(can)
  const idle = sells && !gone && !!summary && !summary.lines.running && !summary.lines.expired_14d && !summary.days.some((d) => d.activations || d.extensions)
  const customers = useRows(idle ? '/lines' : null, { isTrial: 0, limit: 1 }, 1)
  const server = templateIn('server', messages), tried = !!summary && (summary.lines.trials > 0 || summary.days.some((d) => d.trials > 0))
  return {
    reading,
    known: !idle || !reading && !!(customers.value || customers.problem), takes: idle && customers.value?.data.length === 0, server, tried,
    /** Which one is open. */
    at: !server ? 0 : !tried ? 1 : 2,
    leave: () => {
      remember(place(), 'yes')
      go(true)
    },
  }
}

/** @param {{ of: ReturnType<typeof useStart> }} props */
export function Start({ of: { server, tried, at, leave } }) {
  const month = usePrices().prices?.find((p) => p.period === '1 month')
  const done = [!!server, tried, false], trials = '/lines?show=trials'
  const step = (/** @type {string} */ name, /** @type {string} */ about, /** @type {string} */ to, /** @type {any} */ act) => {
    const i = ['server', 'trial', 'customer'].indexOf(name), title = t('start.' + name)
    return html`<li class=${done[i] ? 'is-done' : i === at ? 'is-now' : ''} aria-current=${i === at ? 'step' : undefined} data-step=${name}>
      <span class="step" aria-hidden="true">${done[i] ? html`<${Icon} name="check" />` : i + 1}</span>
      <div><h2>${title}${done[i] && html`<span class="hush"> ${t('start.done')}</span>`}</h2><p class="quiet text">${about}</p>${i === at && act}</div>
      ${done[i] && html`<${Link} class="button ghost only" to=${to} aria-label=${t('start.change', { step: title })} title=${t('start.change', { step: title })}><${Icon} name="pencil" /><//>`}</li>`
  }
  return html`<section class="panel first-steps"><ol class="steps">
      ${step('server', server || t('start.server-why'), '/messages', html`<${Link} class="button primary" to="/messages">${t('start.server-do')}<//>`)}
      ${step('trial', t('start.trial-why'), trials, html`<${NewTrial} />`)}
      ${step('customer', month ? t('start.customer-costs', { cost: inCredits(month.credits) }) : t('start.customer-why'), '/lines', html`<${Link} class="button primary" to=${trials}>${t('start.customer-do')}<//>`)}
    </ol><p class="foot"><span>${t('start.at', { done: done.filter(Boolean).length, all: done.length })}</span><button type="button" class="button link" data-later onClick=${leave}>${t('start.later')}</button></p></section>`
}
