// Forms that change something, exactly once whatever happens.
//
// The idempotency key of a form is made when it opens and is valid until an answer arrives. The tab stores it, under the
// signed-in user, with the sent request. So a reload, a lost answer and a new sign-in end in the same request under the
// same key, which the service executes once. The movement of the request has the key as its request_id.
//
// The tab also stores typed values that were not sent, until they are sent, discarded with "cancel", or the account signs
// out: reload, back and Esc lose nothing. They have no key yet.
//
//   editing --send--> sending --answer----> done      the form is over
//                             --refusal---> refused   nothing was changed; it is edited and sent again under the same key
//                             --neither---> unknown   its fields are frozen, and it can only be sent again
//   unknown --again--> sending
//
// Not every refusal shows the result of an earlier try: a blocked account, or one with too many requests, is refused before
// the service looks for the key. Then the form stays unknown.
//
// A key that the service knows from another body ends the form as "over": an earlier try was executed.
import { ask, base, Problem } from './api.js'
import { now } from './clock.js'
import { keyOf, me, refresh, sameAccount, session } from './session.js'
import { store } from './store.js'
import { useState, useEffect } from './html.js'
import { forget } from './list.js'
import { forgetNames } from './names.js'
import { digits, nameOf } from './typed.js'

/** The service forgets keys after 7 days: half a day before that, no request is repeated under its key. */
const goodFor = 6.5 * 24 * 3600_000

/** The refusals that the service decides on after it has looked for the key: under it nothing was done. */
const settled = new Set([
  'not-found', 'not-allowed', 'insufficient-credits', 'username-taken', 'external-id-taken', 'line-not-trial', 'line-is-trial', 'period-too-long', 'tree-too-deep',
  'balance-limit', 'no-balance', 'too-many-webhooks', 'webhook-disabled', 'too-many-principals', 'spend-limit-reached', 'totp-active', 'totp-inactive', 'totp-not-pending', 'wrong-code', 'bad-url', 'expiry-in-past', 'trial-allowance-spent', 'selection-changed', 'job-running', 'too-many-lines', 'too-many-free-changes', 'unknown-price', 'ambiguous-price', 'price-changed', 'plan-off-sale', 'plan-differs', 'period-differs', 'downgrade-at-extension', 'plan-immutable', 'plan-changing', 'too-many-plans', 'unknown-plan', 'effective-too-soon', 'too-many-versions', 'version-in-force', 'idempotency-key-reused', 'invalid-credentials', 'too-many-attempts',
])

/**
 * @typedef {'editing' | 'sending' | 'refused' | 'unknown' | 'done' | 'over'} FormState
 * @typedef {{ name: string, method: string, path: string, title: string, payer?: number, place?: string, here?: boolean, secret?: string[] }} About
 *   name: of the form, unique in the account ('activate 7'); title: what is shown of it elsewhere; payer: whose statement has
 *   the movement that comes of it; place: where it is, if its answer shows something once; here: the list that is shown
 *   changes by itself and is not read again; secret: fields that are not stored until
 *   they are sent
 * @typedef {{ method: string, path: string, body?: string, at: number, title: string, payer?: number, place?: string }} Sent
 * @typedef {{ key: string, fields?: any, sent?: Sent }} Kept what the tab keeps of a form; fields: those that were typed,
 *   all once it was sent
 */

const everyone = `resellerd${base} form `
const prefix = (/** @type {import('./answers').SignedIn} */ who) => everyone + keyOf(who) + ' '

/** One form of one account. It lives until it is done or closed, whether or not it is on the screen. */
class Form {
  /** @param {string} id @param {About} about */
  constructor(id, about) {
    this.id = id
    this.about = about
    const before = /** @type {Kept} */ (JSON.parse(sessionStorage.getItem(id) || '{}'))
    /** @type {Kept} */
    this.kept = before.sent ? before : { key: newKey(), fields: before.fields }
    /** Whether the form has typed values that were not sent. */
    this.restored = !before.sent && !!before.fields
    this.state = store(/** @type {FormState} */ (this.kept.sent ? 'unknown' : 'editing'))
    /** @type {Problem | null} */
    this.problem = null
    /** @type {any} */
    this.answer = null
    this.shown = 0
  }

  /** Whether the tab has room for it. */
  keep() {
    const { sent, fields } = this.kept, { secret = [] } = this.about
    const typed = Object.fromEntries(Object.entries(fields || {}).filter(([name]) => !secret.includes(name)))
    try {
      if (sent) sessionStorage.setItem(this.id, JSON.stringify(this.kept))
      else if (Object.keys(typed).length) sessionStorage.setItem(this.id, JSON.stringify({ fields: typed }))
      else sessionStorage.removeItem(this.id)
      return true
    } catch {
      return false
    }
  }

  /** @param {any} values of fields that the user changed */
  type(values) {
    this.kept.fields = { ...this.kept.fields, ...values }
    this.keep()
  }

  /** Discards the typed values, or a request that is too old to be repeated, and its key. */
  restart() {
    this.kept = { key: newKey() }
    this.problem = null
    this.restored = false
    this.keep()
    listPending()
    this.state.set('editing')
  }

  drop() {
    sessionStorage.removeItem(this.id)
    forms.delete(this.id)
    listPending()
  }

  /** @param {any} body @param {any} fields to fill the form again with */
  send(body, fields) {
    if (!['editing', 'refused'].includes(this.state.get()) || !sameAccount()) return
    const { method, path, title, payer, place } = this.about
    this.kept.fields = fields
    this.kept.sent = { method, path, body: body === undefined ? undefined : JSON.stringify(tidy(body)), at: now(), title, payer, place }
    if (this.keep()) return this.run(false)
    // Otherwise a reload would lose the fact that it was sent.
    delete this.kept.sent
    this.problem = new Problem('no-room')
    this.state.set('refused')
  }

  again() {
    if (this.state.get() === 'unknown' && !this.tooOld() && sameAccount()) this.run(true)
  }

  tooOld() { return now() - (this.kept.sent?.at ?? 0) > goodFor }

  /** @param {boolean} again whether an earlier try may have been carried out */
  async run(again) {
    const { method, path, body } = /** @type {Sent} */ (this.kept.sent)
    this.problem = null
    this.restored = false
    listPending()
    this.state.set('sending')
    try {
      this.answer = await ask(method, path, { body, key: this.kept.key })
      this.drop()
      if (this.about.place) forms.set(this.id, this) // its screen, which may be read again just now, shows the answer
      forget(this.about.here)
      forgetNames()
      refresh()
      this.state.set('done')
    } catch (cause) {
      this.problem = cause instanceof Problem ? cause : new Problem('no-answer')
      if (this.problem.unknown || again && !settled.has(this.problem.code)) {
        this.state.set('unknown')
      } else if (this.problem.code === 'idempotency-key-reused') {
        this.drop()
        refresh()
        this.state.set('over')
      } else {
        delete this.kept.sent
        this.keep()
        listPending()
        if (this.problem.signedOut) this.problem = null // the shell shows the sign-in, and returns to this
        this.state.set(this.problem ? 'refused' : 'editing')
      }
    }
  }

  /** Leaves the screen. What was not sent is made again of what the tab keeps, unless signing in comes back to it. */
  hide() {
    this.shown--
    listPending()
    if (!this.shown && !this.kept.sent && session.get().is === 'in') forms.delete(this.id)
  }
}

/** @type {Map<string, Form>} */
const forms = new Map()

/** What is sent, less what keyboards add to names behind a completed word, and with digits that dial. @param {any} body */
const tidy = (body) => ({
  ...body, ...typeof body.username === 'string' && { username: nameOf(body.username) }, ...typeof body.whatsapp === 'string' && { whatsapp: digits(body.whatsapp) },
})

const newKey = () => 'console-' + [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('')

/**
 * A form in a component. name, method and path must not change while it is shown.
 * @template F
 * @param {About & { fields: F }} about fields: what it begins with
 */
export function useForm({ fields: first, ...about }) {
  const id = prefix(me()) + about.name
  const [form] = useState(() => {
    let f = forms.get(id)
    if (f) f.about = about
    else forms.set(id, f = new Form(id, about))
    return f
  })
  const [fields, setFields] = useState(/** @returns {F} */ () => ({ ...first, ...form.kept.fields }))
  const state = form.state.use()
  useEffect(() => {
    form.shown++
    listPending()
    return () => form.hide()
  }, [])
  return {
    state,
    fields,
    /** Changes fields. @param {Partial<F>} values */
    set: (values) => {
      if (frozen(state)) return
      form.type(values)
      setFields((f) => ({ ...f, ...values }))
    },
    /** Whether nothing can be edited. */
    frozen: frozen(state),
    problem: form.problem,
    answer: form.answer,
    /** The request_id of the movement. */
    key: form.kept.key,
    /** Sends it, once. @param {any} [body] */
    send: (body) => form.send(body, fields),
    /** Whether credits move by it. */
    pays: !!about.payer,
    /** Repeats the request, whose answer shows the result. */
    again: () => form.again(),
    /** Whether the service may have forgotten the key. */
    tooOld: form.tooOld(),
    /** Discards a request that is too old to be repeated. */
    discard: () => form.restart(),
    /** Whether it has what was typed before, and a way to begin without it. */
    restored: form.restored,
    restart: () => { form.restart(); setFields(first) },
    /** Gives up what was typed. */
    cancel: () => form.drop(),
    /** The answer is shown: nothing else shows it. */
    taken: () => { if (forms.get(id) === form) forms.delete(id) },
    /** What was sent. @returns {any} */
    said: () => JSON.parse(form.kept.sent?.body || '{}'),
  }
}

/** Does something once a form is done. @param {{ state: FormState, taken: () => void }} form @param {() => void} then */
export function useDone(form, then) {
  useEffect(() => {
    if (form.state !== 'done') return
    form.taken()
    then()
  }, [form.state])
}

/** @param {FormState} state */
const frozen = (state) => state !== 'editing' && state !== 'refused'

/**
 * The forms of the account that were sent, have no answer, and are not on the screen: because of a reload, or because what
 * they are about has changed. The shell repeats their requests.
 */
export const pending = store(/** @type {(Sent & { id: string })[]} */ ([]))

/** One of these. @param {Sent & { id: string }} sent */
export function pendingForm(sent) {
  let form = forms.get(sent.id)
  if (!form) forms.set(sent.id, form = new Form(sent.id, { ...sent, name: '' }))
  return form
}

/** Whether a form of the signed-in user was sent and has no answer, or an answer that was not shown yet. @param {string} name */
export const isPending = (name) => forms.get(prefix(me()) + name)?.state.get() === 'done' || !!JSON.parse(sessionStorage.getItem(prefix(me()) + name) || '{}').sent

export function listPending() {
  const now = session.get()
  const found = []
  for (let i = 0; 'who' in now && i < sessionStorage.length; i++) {
    const id = sessionStorage.key(i) || ''
    if (!id.startsWith(prefix(now.who))) continue
    const { sent } = JSON.parse(sessionStorage.getItem(id) || '{}')
    if (sent && !forms.get(id)?.shown) found.push({ ...sent, id })
  }
  pending.set(found.sort((a, b) => a.at - b.at))
}

function settle() {
  const now = session.get()
  if (now.is === 'out' && !now.ended) forgetTyped()
  listPending()
}
settle()
session.watch(settle)

/** Who signs out leaves nothing that was typed and not sent. */
function forgetTyped() {
  for (const id of Object.keys(sessionStorage)) {
    if (!id.startsWith(everyone) || JSON.parse(sessionStorage.getItem(id) || '{}').sent) continue
    sessionStorage.removeItem(id)
    forms.delete(id)
  }
  for (const [id, form] of forms) if (form.state.get() === 'done') forms.delete(id)
}

/**
 * Finds the movement that came of a form in the payer's statement, null where it is not among the newest two thousand.
 * @param {number} payer @param {string} key of the form
 */
export async function movementOf(payer, key) {
  try {
    let cursor = /** @type {string | null} */ ('')
    for (let pages = 0; cursor !== null && pages < 5; pages++) {
      const { data, next_cursor } = /** @type {import('./answers').Answer<'GET', '/users/{id}/ledger'>} */ (await ask('GET', `/users/${payer}/ledger`, { query: { limit: cursor ? 500 : 50, cursor } }))
      const found = data.find((entry) => entry.request_id === key)
      if (found) return found
      cursor = next_cursor
    }
  } catch {
    // What was done is said without it.
  }
  return null
}
