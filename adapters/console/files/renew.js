// Renewing a line, or activating a trial, where it is seen: its prices, the likeliest chosen beforehand, what would become of
// it, and one button that says what it takes. A row and the line's own screen open it in the same panel.
import { html, useEffect, useLayoutEffect, useRef } from './html.js'
import { ask, base } from './api.js'
import { account, can, keyOf, me } from './session.js'
import { recall, remember, store } from './store.js'
import { useDone, useForm } from './form.js'
import { t } from './text.js'
import { credits, dateTime, daysTo, inCredits, less, near, relative, units } from './format.js'
import { dearerFor, PriceChoice, pricesFor, usePrices } from './prices.js'
import { AccessFields, ContactFields } from './contact.js'
import { Panel } from './panel.js'
import { exact, Failure, Folded, Form, LineState, Notice, Read, useRead } from './ui.js'

/** Which line's row has the form open, 0 for none. */
export const opened = store(0)

/** What this document has renewed or activated, by line: rows that were read before show it. @type {ReturnType<typeof store<Record<number, import('./answers').Line>>>} */
export const renewed = store({})

/** Where the browser keeps by which plan one renewed last. */
const last = () => `resellerd${base} renewed by plan for ${keyOf(me())}`

/** What one renews for most likely: as the last time, or for a month. @param {import('./prices.js').Price[]} prices */
function likeliest(prices) {
  const before = Number(recall(last()))
  return prices.find((p) => p.plan === before) || prices.find((p) => p.period === '1 month') || prices[0]
}

/**
 * The prices of a line, and the likeliest of them: that does not change any more, because it is on a button.
 * @param {Partial<import('./answers').ListedLine> & { owner?: number }} line none for those of the own account
 */
export function useOffers(line = {}) {
  const { prices: all, problem, reload } = usePrices(line.owner), first = useRef(/** @type {import('./prices.js').Price | undefined} */ (undefined))
  const prices = all && pricesFor(all, line)
  if (prices) first.current ||= likeliest(prices)
  return { prices, problem, reload, likely: first.current }
}

/** Who pays for a line: its owner, whose balance is known where it is the caller or below. @param {{ owner: number }} line */
export function usePayer(line) {
  const own = account.use()
  const other = useRead(line.owner === me().id || !can('users:read') ? null : `/users/${line.owner}`)
  return line.owner === me().id ? own : other.value
}

/**
 * What credits cost which account, before they are spent. Once sent, it is unknown whether the balance includes it.
 * @param {{ payer: import('./answers').Account | null, form: any }} props
 */
export function Cost({ payer, form }) {
  const cost = form.fields.credits
  if (!payer || !cost) return null
  if (form.frozen) return html`<p>${exact('cost.sent', { cost: inCredits(cost) })}</p>`
  if (payer.is_admin) return html`<p class="quiet">${t('cost.issued')}</p>`
  const values = { name: payer.username, cost: inCredits(cost), now: credits(payer.credits), after: credits(less(payer.credits, cost)) }
  if (units(payer.credits) < units(cost)) return html`<${Notice} tone="unsure"><p>${exact(payer.id === me().id ? 'cost.short' : 'cost.short-of', values)}</p><//>`
  return html`<p>${exact(payer.id === me().id ? 'cost.own' : 'cost.other', values)}</p>`
}

/** The chosen price has the focus, once there is one: the prices may come after the panel. @param {any} likely */
const useFocus = (likely) => useEffect(() => {
  if (likely) /** @type {HTMLElement | null} */ (document.querySelector('dialog[open] input:checked') || null)?.focus()
}, [!!likely])

/**
 * A form that spends credits on a line, with the price that is chosen in it: the plan, and what the button says it costs.
 * @template F
 * @param {Parameters<typeof useForm<F>>[0]} about @param {ReturnType<typeof useOffers>} offers
 * @returns {[any, { plan?: number, credits?: string }]}
 */
function usePaid(about, { prices, likely, reload }) {
  const sent = useForm(about), wanted = /** @type {any} */ (sent.fields).plan
  const { plan, credits } = sent.frozen ? sent.said() : prices?.find((p) => p.plan === wanted) || prices?.find((p) => p.plan === likely?.plan) || /** @type {any} */ ({})
  useEffect(() => { if (sent.problem?.code === 'price-changed') reload() }, [sent.problem])
  return [{ ...sent, fields: { ...sent.fields, plan, credits: credits || '' } }, { plan, credits }]
}

/** @typedef {{ payer: import('./answers').Account | null, then: (line: import('./answers').Line, key: string) => void, onClose: () => void }} Paying then: takes the line as it is once it is done, and the form's key */

/** @param {Paying & { line: { id: number, owner: number, username: string } }} props */
export function RenewForm({ line, payer, then, onClose }) {
  const offers = useOffers(line)
  const [form, chosen] = usePaid({
    name: 'extend ' + line.id, method: 'PATCH', path: '/lines/extend/' + line.id, title: t('line.extend-title', { name: line.username }), payer: line.owner,
    here: true, fields: { plan: 0 }, secret: ['plan'],
  }, offers)
  const preview = useRead(chosen.plan && !form.frozen ? `/lines/extend-preview/${line.id}` : null, chosen)
  useDone(form, () => {
    remember(last(), String(chosen.plan))
    then(form.answer, form.key)
  })
  useFocus(offers.likely)
  const previewed = preview.value && preview.value.plan === chosen.plan ? preview.value : null
  const told = form.frozen ? null : previewed, refused = form.state === 'editing' && !previewed && preview.problem
  return html`<${Form} form=${form} submit=${chosen.credits ? t('line.renew-for', { cost: inCredits(chosen.credits) }) : t('line.extend')} ready=${!!chosen.plan && !refused}
    onSubmit=${() => form.send(chosen)} onClose=${onClose}>
    <${PriceChoice} form=${form} ...${offers} />
    <div class="becomes" aria-live="polite">
      ${refused ? html`<${Failure} problem=${refused} retry=${preview.reload} />`
        : html`<p data-preview=${told ? true : undefined}>${told ? t('line.preview', { until: dateTime(told.expDate) }) : '\u00a0'}</p><${Cost} payer=${payer} form=${form} />`}
    </div>
  <//>`
}

/** A running line takes a dearer plan at once, for the difference until its end. @param {Paying & { line: import('./answers').Line }} props */
export function ChangePlanForm({ line, payer, then, onClose }) {
  const { prices: all, problem, reload } = usePrices(line.owner), prices = all && dearerFor(all, line)
  const form = useForm({
    name: 'change plan ' + line.id, method: 'PATCH', path: `/lines/${line.id}/plan`, title: t('line.change-plan-title', { name: line.username }), payer: line.owner, here: true,
    fields: { plan: 0 }, secret: ['plan'],
  })
  const wanted = form.frozen ? 0 : form.fields.plan || prices?.[0]?.plan
  const would = useRead(/** @type {any} */ (wanted ? `/lines/${line.id}/plan` : null), { plan: wanted },
    (path, body, signal) => ask('PATCH', path, { query: { dry_run: true }, body: JSON.stringify(body), signal }))
  const previewed = would.value?.plan === wanted ? would.value : null
  const { plan, expected_credits } = form.frozen ? form.said() : { plan: wanted, expected_credits: previewed?.credits }
  useDone(form, () => then(form.answer, form.key))
  useEffect(() => {
    if (form.problem?.code !== 'price-changed') return
    reload()
    would.reload()
  }, [form.problem])
  useFocus(prices)
  const shown = { ...form, fields: { plan, credits: expected_credits || '' } }
  return html`<${Form} form=${form} submit=${expected_credits ? t('line.change-plan-for', { cost: inCredits(expected_credits) }) : t('line.change-plan')} ready=${!!expected_credits}
    onSubmit=${() => form.send({ plan, expected_credits })} onClose=${onClose}>
    <${PriceChoice} form=${shown} prices=${prices} problem=${problem} reload=${reload} label=${t('plan')} />
    <p class="quiet">${t('line.change-plan-meaning', { until: dateTime(line.expDate) })}</p>
    <div class="becomes brief" aria-live="polite">${form.state === 'editing' && would.problem ? html`<${Failure} problem=${would.problem} retry=${would.reload} />` : html`<${Cost} payer=${payer} form=${shown} />`}</div>
  <//>`
}

/** A trial becomes an official line: what it has is kept, unless it is changed below. @param {Paying & { line: import('./answers').Line }} props */
export function ActivateForm({ line, payer, then, onClose }) {
  const offers = useOffers(line)
  const [form, chosen] = usePaid({
    name: 'activate ' + line.id, method: 'PATCH', path: '/lines/active/' + line.id, title: t('line.activate-title', { name: line.username }), payer: line.owner, here: true,
    fields: { username: line.username, password: line.password || '', plan: 0, whatsapp: line.whatsapp || '', country: line.country, notes: line.notes || '' },
  }, offers)
  const { fields } = form
  useDone(form, () => {
    remember(last(), String(chosen.plan))
    then(form.answer, form.key)
  })
  useFocus(offers.likely)
  return html`<${Form} form=${form} submit=${chosen.credits ? t('line.activate-for', { cost: inCredits(chosen.credits) }) : t('line.activate')} ready=${!!chosen.plan} onClose=${onClose}
    onSubmit=${() => form.send({ ...fields, whatsapp: fields.whatsapp.trim() || null, notes: fields.notes.trim() || null })}>
    <${PriceChoice} form=${form} ...${offers} />
    <div class="becomes brief" aria-live="polite"><${Cost} payer=${payer} form=${form} /></div>
    <${Folded} title=${t('line.data')} form=${form} open=${line.password === null} names=${['username', 'password', 'country', 'whatsapp', 'notes']}><${AccessFields} form=${form} /><${ContactFields} form=${form} all=${false} /><//>
  <//>`
}

/** The same in a list, whose rows have no password. @param {Paying & { line: import('./answers').ListedLine }} props */
function Activate({ line, ...rest }) {
  const read = useRead(`/lines/${line.id}`)
  return html`<${Read} of=${read}>${(/** @type {import('./answers').Line} */ whole) => html`<${ActivateForm} ...${rest} line=${whole} />`}<//>`
}

/** The panel of these forms. @param {{ line: import('./answers').ListedLine, title?: string, onClose: () => void, children?: any }} props */
export const PayPanel = ({ line, title = line.isTrial ? 'line.activate-title' : 'line.extend-title', onClose, children }) => html`<${Panel} look="side-panel renew" onClose=${onClose}
  title=${exact(title, { name: line.username })}
  about=${html`<${LineState} line=${line} /> ${daysTo(line.expDate) ? near(line.expDate) + ', ' : ''}${relative(line.expDate)}`}>${children}<//>`

/**
 * The form of a row, in a panel over the list.
 * @param {{ line: import('./answers').ListedLine, then: (until: string) => void }} props then: takes when the line ends, if it was renewed or
 *   activated; the row's button has the focus again
 */
export function Renew({ line, then }) {
  const payer = usePayer(line)
  const shut = () => { if (opened.get() === line.id) opened.set(0) }
  const close = (until = '') => {
    shut()
    then(until)
  }
  // At once when it goes: a moment later its row may have another.
  useLayoutEffect(() => shut, [])
  return html`<${PayPanel} line=${line} onClose=${() => close()}>
    <${line.isTrial ? Activate : RenewForm} line=${line} payer=${payer} onClose=${() => close()} then=${(/** @type {import('./answers').Line} */ now) => {
      renewed.set({ ...renewed.get(), [line.id]: now })
      close(now.expDate)
    }} />
  <//>`
}
