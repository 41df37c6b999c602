// Credits to a reseller, or back, in a panel over a list or the reseller's screen: common amounts, the last one chosen beforehand,
// the balances of both sides, and one button that names the amount.
import { html, useEffect, useLayoutEffect } from './html.js'
import { base } from './api.js'
import { account, keyOf, me } from './session.js'
import { recall, remember, store } from './store.js'
import { useDone, useForm } from './form.js'
import { t } from './text.js'
import { credits, inCredits, less, units } from './format.js'
import { AmountField, amountOf } from './amount.js'
import { done } from './done.js'
import { Panel } from './panel.js'
import { exact, Facts, Field, Form, Notice } from './ui.js'

/** @typedef {import('./answers').Account} Account @typedef {'topup' | 'reclaim'} Kind */

/** The amounts to choose from. */
export const amounts = ['10', '20', '50']

/** What a button has opened: whose credits move, and how many are chosen. @type {ReturnType<typeof store<{ reseller: Account, name: Kind, amount?: string } | null>>} */
export const opened = store(/** @type {any} */ (null))

/** Where the browser stores how many credits moved last. @param {Kind} name */
const last = (name) => `resellerd${base} ${name} for ${keyOf(me())}`

/** The panel that a button of a screen has opened. @param {{ then: (state: object) => void }} props then: takes what is shown once it is done (done.js) */
export function Opened({ then }) {
  const now = opened.use()
  const shut = (/** @type {object} */ state) => {
    opened.set(null)
    if (state) then(state)
  }
  useLayoutEffect(() => () => opened.set(null), [])
  return now && html`<${TopUp} key=${now.name + now.reseller.id} ...${now} onClose=${shut} />`
}

/** @param {{ reseller: Account, name: Kind, amount?: string, onClose: (state?: object) => void }} props onClose: takes what is shown once it is done */
export function TopUp({ reseller: r, name, amount: chosen = '', onClose }) {
  const own = account.use(), gives = name === 'topup'
  const form = useForm({
    name: `${name} ${r.id}`, method: gives ? 'PATCH' : 'POST', path: gives ? '/users/credits/' + r.id : `/users/${r.id}/credits/reclaim`, payer: r.id,
    title: t(`reseller.${name}-title`, { name: r.username }), fields: { credits: credits(recall(last(name)) || (gives ? amounts[0] : '')), notes: '' },
  })
  const { fields, frozen } = form
  const typed = amountOf(fields.credits)
  const amount = frozen ? form.said().credits : typed.wrong ? '' : typed.amount
  useEffect(() => { if (chosen) form.set({ credits: credits(chosen) }) }, [])
  useDone(form, () => {
    remember(last(name), amount)
    onClose(done(t(`reseller.${name}-done`, { name: r.username, amount: inCredits(amount) }), { payer: r.id, key: form.key }))
  })
  // An amount alone is chosen again at once.
  const close = () => {
    if (!fields.notes) form.cancel()
    onClose()
  }
  const payer = gives ? own : r, short = !!amount && !!payer && !payer.is_admin && units(payer.credits) < units(amount)
  const becomes = /** @type {(of: Account, came?: boolean) => [any, any]} */ ((of, came = gives === (of === r)) => [html`<span class="name" translate=${false}>${of.username}</span>`,
    exact('reseller.then', { now: credits(of.credits), after: inCredits(less(of.credits, came ? '-' + amount : amount)) })])
  return html`<${Panel} look="side-panel top-up" title=${exact(`reseller.${name}-title`, { name: r.username })} onClose=${close}>
    <${Form} form=${form} submit=${amount ? t(`reseller.${name}-amount`, { amount: inCredits(amount) }) : t('reseller.' + name)} unclear=${!!typed.wrong}
      onSubmit=${() => form.send({ credits: amount, notes: fields.notes.trim() || null })}>
      <fieldset class="choice few short" disabled=${frozen}><legend class="hush">${t('amount')}</legend>
        ${amounts.map((one) => html`<label key=${one}><input type="radio" name="amount" value=${one} checked=${amount === one} onChange=${() => form.set({ credits: one })} />
          <span translate=${false}>${gives ? '+' : '−'}${one}</span></label>`)}</fieldset>
      <${AmountField} form=${form} typed=${typed} label=${t('amount.other')} />
      <div class="becomes" aria-live="polite">
        ${!amount ? null : frozen ? html`<p>${exact('amount.sent', { amount: inCredits(amount) })}</p>`
          : short ? html`<${Notice} tone="unsure"><p>${exact(gives ? 'cost.short' : 'cost.short-of', { name: r.username, cost: inCredits(amount), now: credits(payer?.credits || '') })}</p><//>`
          : html`<${Facts} of=${[becomes(r), ...own && !own.is_admin && own.id !== r.id ? [becomes(own)] : []]} />`}
      </div>
      <${Field} form=${form} name="notes" label=${t('notes')} kind="textarea" rows="1" maxlength="2000" />
    <//>
  <//>`
}
