// The deliveries of a webhook: its attempts, the newest first, and the result of a test.
import { html, useEffect, useState } from './html.js'
import { ask } from './api.js'
import { now } from './clock.js'
import { seen, slept } from './feed.js'
import { t, has } from './text.js'
import { dateTime, left, whole } from './format.js'
import { Good, Icon, Notice, Read, useRead } from './ui.js'

/** @typedef {import('./answers').Delivery} Delivery */

/** How often attempts are read once something was sent, and for how long, in milliseconds: one takes 15 s at most. */
const every = 1000, patience = 25_000
/** How many attempts are shown at first. */
const few = 10

/** The last test. @param {Delivery[] | undefined} attempts */
const testOf = (attempts) => attempts?.find(({ event }) => event.startsWith('test_'))

/** The number at the end of an entry's id. @param {string} event */
const numberOf = (event) => event.replace(/.*_/, '')

/** Why an attempt failed. @param {Delivery} attempt */
const why = ({ error, cause }) => (has('delivery.tls.' + cause) ? t('delivery.tls.' + cause) : has('delivery.why.' + error) ? t('delivery.why.' + error) : error)

/** The beginning of an answer that was not accepted: text of the receiver. @param {{ of: Delivery }} props */
const Said = ({ of: { answer } }) => answer && html`<span class="text">${t('delivery.answer')} <bdi>${answer}</bdi></span>`

/**
 * The attempts of a webhook. watch: has them read again and again for a while, since something was sent just now.
 * @param {number} webhook @param {boolean} shown not while a form is in their place, which may delete the webhook
 */
export function useDeliveries(webhook, shown) {
  const read = useRead(`/webhooks/${webhook}/deliveries`)
  const [watched, set] = useState(/** @type {{ test: boolean, before?: string, over: boolean } | null} */ (null))
  useEffect(() => {
    if (!shown || !watched || watched.over) return
    const end = new AbortController()
    follow(end.signal)
    return () => end.abort()
  }, [shown, watched])
  const follow = async (/** @type {AbortSignal} */ signal) => {
    for (const until = Date.now() + patience; Date.now() < until; ) {
      await slept(signal, every)
      await seen(signal)
      if (signal.aborted) return
      try {
        const latest = await ask('GET', `/webhooks/${webhook}/deliveries`, { signal })
        read.set(latest)
        if (watched?.test && testOf(latest.data)?.event !== watched.before) break
      } catch {
        // The request is repeated once.
      }
    }
    if (!signal.aborted) set((w) => w && { ...w, over: true })
  }
  return {
    ...read,
    /** The attempt of the test that the screen waits for, once it exists. */
    test: watched?.test && testOf(read.value?.data)?.event !== watched.before ? testOf(read.value?.data) : undefined,
    watched,
    /** @param {boolean} [test] whether a test was sent */
    watch: (test = false) => set({ test, before: testOf(read.value?.data)?.event, over: false }),
  }
}

/** The result of a test that was sent. @param {{ of: ReturnType<typeof useDeliveries> }} props */
export function Tested({ of: { test, watched } }) {
  if (!watched?.test) return null
  if (!test) return html`<${Notice} tone=${watched.over ? 'unsure' : 'plain'}><p>${t(watched.over ? 'webhook.test-late' : 'webhook.test-sent')}</p><//>`
  return test.error ? html`<${Notice} tone="bad"><p>${t('webhook.test-failed', { why: why(test) })} <${Said} of=${test} /></p><//>`
    : html`<${Notice} tone="good"><p>${t('webhook.test-arrived', { status: test.http_status, ms: whole(test.duration_ms) })}</p><//>`
}

/**
 * @param {{ of: ReturnType<typeof useDeliveries>, enabled: boolean, refresh: () => void }} props enabled: whether what failed is sent
 *   again; refresh: reads them again, and the webhook, which a failure may have disabled
 */
export function Deliveries({ of, enabled, refresh }) {
  const [all, showAll] = useState(false)
  return html`<section class="panel"><h2>${t('delivery.attempts')}</h2>
    <${Read} of=${of}>${(/** @type {{ data: Delivery[] }} */ { data }) => html`
      ${data.length ? html`<ul class="rows">${data.slice(0, all ? data.length : few).map((d) => html`<li key=${d.event + d.attempt + d.at}>
        <${Attempt} of=${d} goesOn=${enabled && data.find(({ event }) => event === d.event) === d} /></li>`)}</ul>`
        : html`<p class="quiet">${t('delivery.none')}</p>`}
      <div class="buttons">
        ${data.length > few && !all && html`<button type="button" class="button" onClick=${() => showAll(true)}>${t('home.all')}</button>`}
        <button type="button" class="button" disabled=${of.loading} onClick=${refresh}><${Icon} name="rotate-cw" />${t('list.refresh')}</button>
      </div>`}<//>
  </section>`
}

/** When an entry is sent again, in words; nothing for a time in the past. @param {string | null} at */
const again = (at) => at && Date.parse(at) > now() && (Date.parse(at) < now() + 60_000 ? t('delivery.soon') : t('delivery.next', { at: left(at) }))

/** @param {{ of: Delivery, goesOn: boolean }} props goesOn: whether another may follow it, and none has yet */
function Attempt({ of: d, goesOn }) {
  const facts = [d.http_status && t('delivery.status', { status: d.http_status }), whole(d.duration_ms) + '\u00a0ms', d.attempt > 1 && t('delivery.attempt', { n: d.attempt }), goesOn && again(d.next_attempt_at)]
  return html`<div class="row delivery">
    <span class="name">${t(d.event.startsWith('test_') ? 'delivery.test' : 'delivery.entry', { n: numberOf(d.event) })}</span>
    <${Good} good=${!d.error}>${t(d.error ? 'delivery.failed' : 'delivery.arrived')}<//>
    ${d.error && html`<span>${why(d)}</span>`}
    <${Said} of=${d} />
    <span class="quiet"><time datetime=${d.at}>${dateTime(d.at)}</time>${facts.filter(Boolean).map((fact) => '\u00a0· ' + fact)}</span>
  </div>`
}
