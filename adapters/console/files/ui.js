// The parts that screens are made of.
import { Fragment, html, useState, useEffect, useId, useRef } from './html.js'
import { ask, rowsOf } from './api.js'
import { t, languages } from './text.js'
import { dateTime, inCredits, left } from './format.js'
import { ofFields, words } from './problem.js'
import { Link, place, returnTo } from './router.js'
import { brand } from './brand.js'
import { store } from './store.js'
import { digits } from './typed.js'

/** @type {Record<string, string>} */
const paths = {
  home: 'M3 11 12 4l9 7v9h-6v-6H9v6H3z',
  lines: 'M4 6h16v10H4zM9 20h6M12 16v4',
  resellers: 'M12 4v5M12 9H5v5M12 9h7v5M9 4h6M3 14h4v5H3zM17 14h4v5h-4zM12 9v5M10 14h4v5h-4z',
  statement: 'M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6',
  more: 'M4 7h16M4 12h16M4 17h16',
  add: 'M12 5v14M5 12h14',
  again: 'M4 12a8 8 0 1 1 2.500 5.800M4 12V6M4 12h6',
  back: 'M15 5l-7 7 7 7',
  open: 'M5 9l7 7 7-7',
  closed: 'M9 5l7 7-7 7',
  save: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  search: 'M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16 16l5 5',
  close: 'M6 6l12 12M18 6 6 18',
  message: 'M4 5h16v11H9l-5 4z',
  renew: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4M12 12.500v5M9.500 15h5',
  power: 'M12 4v8M7.500 7a7 7 0 1 0 9 0',
  filter: 'M4 7h16M7 12h10M10 17h4',
  telegram: 'M3 11.500 21 4l-3 16-6-4.500-3 3.500v-6L18 7',
  good: 'M5 13l4 4L19 7',
  bad: 'M12 4v10M12 18v1.500',
  clock: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 7v5l3 3',
  trial: 'M10 4h4M10 4v6L5 20h14l-5-10V4',
  pause: 'M9 6v12M15 6v12',
  lock: 'M6 11h12v9H6zM8 11V8a4 4 0 0 1 8 0v3',
}

/** A small picture beside words, of which it says nothing more. @param {{ name: string }} props */
export const Icon = ({ name }) =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d=${paths[name]} /></svg>`

/**
 * What every screen begins with. Its heading gets the focus when the user comes to it.
 * @param {{ title: string, named?: any, up?: string, children?: any, actions?: any }} props named: whether the title is a name; up: the place that the
 *   way back leads to
 */
export function Screen({ title, named = false, up, actions, children }) {
  useEffect(() => { document.title = title + ' · ' + brand }, [title])
  return html`<section class="screen">
    <div class="head">
      ${up && html`<button type="button" class="icon-only" aria-label=${t('back')} onClick=${() => returnTo(up)}><${Icon} name="back" /></button>`}
      <h1 tabindex="-1" translate=${!named}>${title}</h1>
      ${actions && html`<div class="actions">${actions}</div>`}
    </div>
    ${children}
  </section>`
}

/** @param {{ tone?: 'good' | 'bad' | 'unsure' | 'plain', children?: any }} props tone: bad and unsure are read out at once */
export const Notice = ({ tone = 'plain', children }) =>
  html`<div class="notice ${tone}" role=${tone === 'bad' || tone === 'unsure' ? 'alert' : 'status'}>${children}</div>`

/** A problem in words, with its remedy, and a way to try again. @param {{ problem: any, retry?: () => void }} props */
export function Failure({ problem, retry }) {
  const { text, remedy } = words(problem)
  return html`<${Notice} tone="bad">
    <p>${text}</p>
    ${remedy && html`<p><${Link} to=${remedy.to}>${remedy.text}<//></p>`}
    ${retry && html`<button type="button" onClick=${retry}><${Icon} name="again" />${t('retry')}</button>`}
  <//>`
}

/**
 * Reads something when the component is shown, and again when path or query change.
 * @template {string} P
 * @param {P | null} path null: nothing yet @param {Record<string, any>} [query]
 * @param {(path: P, query: Record<string, any>, signal: AbortSignal) => Promise<any>} [read]
 * @returns {{ value: import('./answers').Answer<'GET', P> | null, problem: any, loading: boolean, reload: () => void, set: (value: import('./answers').Answer<'GET', P>) => void }}
 */
export function useRead(path, query = {}, read = (path, query, signal) => ask('GET', path, { query, signal })) {
  const [state, set] = useState(/** @type {any} */ ({ value: null, problem: null, loading: true }))
  const [turn, setTurn] = useState(0)
  const what = path + JSON.stringify(query)
  const shown = useRef(what)
  useEffect(() => {
    if (path === null) return
    const end = new AbortController()
    const same = shown.current === what
    shown.current = what
    set((/** @type {any} */ s) => ({ value: same ? s.value : null, problem: null, loading: true }))
    read(path, query, end.signal).then(
      (value) => set({ value, problem: null, loading: false }),
      (problem) => { if (!end.signal.aborted) set((/** @type {any} */ s) => ({ value: s.value, problem, loading: false })) },
    )
    return () => end.abort()
  }, [what, turn])
  return { ...state, reload: () => setTurn((n) => n + 1), set: (value) => set({ value, problem: null, loading: false }) }
}

/**
 * Reads the first rows of a list, as useRead does: pages may be short, or empty, and not the last.
 * @param {string | null} path @param {Record<string, any>} query @param {number} wanted how many rows suffice
 */
export const useRows = (path, query, wanted) => useRead(path, query, (path, query, signal) => rowsOf(path, query, wanted, signal))

/**
 * As useRead, and once more at another entry of the history, such as the way back from a form.
 * @template {string} P
 * @param {P} path @param {boolean} [always] also at the way to a form
 */
export function useRecord(path, always = false) {
  const { query, entry } = place.use()
  const read = useRead(path)
  const [seen, see] = useState(entry)
  useEffect(() => {
    if (seen === entry) return
    see(entry)
    if (always || !query.get('do')) read.reload()
  }, [entry])
  return read
}

/** What useRead read: children(value), or that it is being read, or why not. @param {{ of: any, children: (value: any) => any }} props */
export function Read({ of, children }) {
  return html`${of.problem && html`<${Failure} problem=${of.problem} retry=${of.reload} />`}
    ${of.value ? children(of.value) : of.loading && html`<p class="quiet" role="status">${t('list.loading')}</p>`}`
}

/**
 * A labelled field of a form. What is not named here is the input's own. Where a placeholder says what holds instead of an empty
 * text, it need not be called optional.
 * @param {{ form: any, name: string, label: string, hint?: string, wrong?: string, kind?: 'input' | 'textarea' | 'select', children?: any, [rest: string]: any }} props
 */
export function Field({ form, name, label, hint, wrong: known, kind = 'input', children, ...rest }) {
  const id = useId()
  const wrong = known || ofFields(form.problem)[name]
  const about = [hint && id + 'h', wrong && id + 'w'].filter(Boolean).join(' ') || undefined
  return html`<div class="field">
    <label for=${id}>${label}${!rest.required && !rest.placeholder && kind !== 'select' && html` <span class="quiet">${t('optional')}</span>`}</label>
    <${kind} id=${id} name=${name} value=${form.fields[name]} disabled=${form.frozen} aria-invalid=${wrong ? 'true' : undefined}
      aria-describedby=${about} autocapitalize="none" autocomplete="off" spellcheck=${false} ...${rest}
      onInput=${(/** @type {any} */ e) => form.set({ [name]: e.target.value })}>${children}<//>
    ${hint && html`<p class="quiet" id=${id + 'h'}>${hint}</p>`}
    ${wrong && html`<p class="wrong" id=${id + 'w'}>${wrong}</p>`}
  </div>`
}

/**
 * A text whose amounts and names are shown as they are, whatever translates the page; before a form is sent, it is compared
 * whether they are (Form).
 * @param {string} key @param {Record<string, any>} values
 */
export const exact = (key, values) => t(key, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, name === 'n' ? value : `\0${value}\0`]))).split('\0')
  .map((part, i) => (i % 2 ? html`<span key=${i + part} translate=${false} data-exact=${part}>${part}</span>` : part))

/** The numbers in a text. @param {string} text */
const numbers = (text) => digits(text).match(/\d+/g)?.join(' ')

/**
 * One of a few to choose from.
 * @param {{ form: any, name: string, label: string, of: [any, string, string?][] }} props of: what is chosen, what it is called,
 *   and what it means
 */
export const Choice = ({ form, name, label, of }) => html`<fieldset class="choice few" disabled=${form.frozen}>
  <legend>${label}</legend>
  ${of.map(([value, text, meaning]) => html`<label key=${String(value)}>
    <input type="radio" name=${name} value=${String(value)} checked=${form.fields[name] === value} onChange=${() => form.set({ [name]: value })} />
    <span>${meaning ? html`<strong>${text}</strong> ${meaning}` : text}</span>
  </label>`)}
</fieldset>`

/**
 * A form that changes something (form.js): its fields, its buttons, and its result.
 * @param {{ form: ReturnType<typeof import('./form.js').useForm>, submit: string, onSubmit: () => void, onClose?: () => void,
 *   danger?: boolean, ready?: boolean, unclear?: boolean, children?: any }} props ready: false while something is missing, which
 *   the form says; unclear: a field says that it does not understand what is in it, and who sends the form is led there
 */
export function Form({ form, submit, onSubmit, onClose, danger = false, ready = true, unclear = false, children }) {
  const { state, problem } = form
  const root = useRef(/** @type {HTMLFormElement | null} */ (null))
  const [redrawn, redraw] = useState(0)
  useEffect(() => {
    const heading = place.get().query.get('do') && root.current?.closest('section')?.querySelector('h2')
    if (!heading) return
    heading.tabIndex = -1
    heading.focus()
  }, [])
  const toInvalid = () => /** @type {HTMLElement | null} */ (root.current?.querySelector('[aria-invalid]') || null)?.focus()
  useEffect(() => { if (state === 'refused') toInvalid() }, [state, problem])
  useEffect(() => { if (redrawn) /** @type {HTMLElement | null} */ (root.current?.querySelector('[type=submit]') || null)?.focus() }, [redrawn])
  const send = (/** @type {Event} */ e) => {
    e.preventDefault()
    if (unclear) return setTimeout(toInvalid) // once it is drawn: leaving the field may have caused that just now
    if (!ready || form.frozen) return
    const shown = /** @type {HTMLElement[]} */ ([...root.current?.querySelectorAll('[data-exact]') || []])
    if (shown.every((at) => numbers(at.textContent || '') === numbers(at.dataset.exact || ''))) onSubmit()
    else redraw(redrawn + 1) // the shown values are not the values to send
  }
  return html`<form ref=${root} onSubmit=${send} aria-busy=${state === 'sending'} data-form=${state}>
    ${form.restored && state === 'editing' && html`<div class="buttons"><p class="quiet" role="status">${t('form.restored')}</p>
      <button type="button" onClick=${form.restart}>${t('form.restart')}</button></div>`}
    <${Fragment} key=${redrawn}>${children}<//>
    ${redrawn > 0 && !form.frozen && html`<${Notice} key=${'redrawn' + redrawn} tone="unsure"><p>${t('form.redrawn')}</p><//>`}
    ${state === 'refused' && problem && html`<${Failure} problem=${problem} />`}
    ${state === 'over' && html`<${Notice} tone="unsure"><p>${t('form.over')}</p><//>`}
    ${state === 'unknown' && html`<${Unknown} form=${form} />`}
    ${state !== 'unknown' && html`<div class="buttons">
      ${state !== 'over' && html`<button key=${redrawn} type="submit" class=${danger ? 'danger' : 'main'} data-exact=${submit} translate=${!/\d/.test(submit)} disabled=${form.frozen || !ready}>
        ${state === 'sending' ? t('form.sending') : html`<span key=${submit}>${submit}</span>`}</button>`}
      ${onClose && html`<button type="button" disabled=${state === 'sending'} onClick=${() => { form.cancel(); onClose() }}>${t(state === 'over' ? 'close' : 'cancel')}</button>`}
    </div>`}
  </form>`
}

/** The result of a form is unknown: it can only be sent again. @param {{ form: any }} props */
export function Unknown({ form }) {
  if (form.tooOld) {
    return html`<${Notice} tone="unsure"><p>${t('form.too-old')}</p>
      <div class="buttons"><${Link} class="button" to="/statement">${t('nav.statement')}<//>
        <button type="button" onClick=${form.discard}>${t('form.discard')}</button></div><//>`
  }
  return html`<${Notice} tone="unsure"><p><strong>${t('form.unknown')}</strong></p><p>${t('form.unknown-why')}</p>
    ${form.problem && form.problem.code !== 'no-answer' && html`<p>${words(form.problem).text}</p>`}
    <div class="buttons"><button type="button" class="main" data-again onClick=${form.again}><${Icon} name="again" />${t(form.pays ? 'form.check-payment' : 'form.check')}</button></div><//>`
}

/** An instant as a date, and as how far away it is. @param {{ at: string }} props */
export const When = ({ at }) => html`<time datetime=${at}>${dateTime(at)} <span class="quiet">(${left(at)})</span></time>`

/** Credits with their unit. @param {{ of: string }} props */
export const Credits = ({ of }) => html`<span key=${of} class="credits" translate=${false} data-exact=${inCredits(of)}>${inCredits(of)}</span>`

/** The balance of the user, in a line that is shown before it is read. @param {{ of: import('./answers').Account | null }} props */
export const Balance = ({ of }) => html`<p class=${of && of.credits.length > 9 ? 'big long' : 'big'} data-balance=${of?.credits}>${of ? html`<${Credits} of=${of.credits} />` : '\u00a0'}</p>`

const marks = { active: 'good', trial: 'trial', expired: 'bad', 'trial-over': 'clock', suspended: 'pause', owner_blocked: 'lock' }

/**
 * A line's state at a glance: by word and picture, not by colour alone. Of a trial that is not served for another reason than
 * its end, it is said as well that it is one.
 * @param {{ line: import('./answers').Line | import('./answers').ListedLine }} props
 */
export function LineState({ line: { effective, status, isTrial } }) {
  const [running, over] = /** @type {(keyof typeof marks)[]} */ (isTrial ? ['trial', 'trial-over'] : ['active', 'expired'])
  const stopped = /** @type {const} */ (['suspended', 'owner_blocked']).find((state) => state === effective)
  const shown = stopped ? (isTrial ? [stopped, running] : [stopped]) : [status ? running : over]
  return html`<span class="marks">${shown.map((state) => html`<span key=${state} class="state ${state}"><${Icon} name=${marks[state]} />${t('line.state.' + state)}</span>`)}</span>`
}

/** The text that one copies by hand, '' for none. */
const byHand = store('')

/** Copies a text; where the browser lets no page do so it is shown (ByHand). @param {string} text */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const before = document.activeElement, field = document.createElement('textarea')
    field.value = text
    field.className = 'unseen'
    document.body.append(field)
    field.select()
    const done = document.execCommand('copy')
    field.remove()
    if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    if (!done) byHand.set(text)
    return done
  }
}

/** Shows what a browser does not let the page copy, selected. */
export function ByHand() {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null))
  const text = byHand.use()
  useEffect(() => {
    if (!text) return dialog.current?.close()
    const field = /** @type {HTMLTextAreaElement} */ (dialog.current?.querySelector('textarea'))
    dialog.current?.showModal()
    field.select()
    field.scrollTop = 0
  }, [text])
  return html`<dialog ref=${dialog} aria-labelledby="by-hand" onClose=${() => byHand.set('')}>
    ${text && html`<h2 id="by-hand">${t('copy.by-hand')}</h2>
    <p>${t('copy.refused')}</p>
    <textarea readonly rows="4" translate=${false} aria-labelledby="by-hand" value=${text}></textarea>
    <div class="buttons"><button type="button" class="main" onClick=${() => byHand.set('')}>${t('close')}</button></div>`}
  </dialog>`
}

/** Whether a text was copied a moment ago, and what copies it. @param {string} text @returns {[boolean, () => Promise<void>]} */
function useCopy(text) {
  const [done, setDone] = useState(false)
  return [done, async () => {
    if (!await copied(text)) return
    setDone(true)
    setTimeout(() => setDone(false), 3000)
  }]
}

/** Copies a text. @param {{ text: string, label: string }} props */
export function Copy({ text, label }) {
  const [done, copy] = useCopy(text)
  return html`<button type="button" onClick=${copy}><${Icon} name=${done ? 'good' : 'copy'} /><span aria-live="polite">${done ? t('copied') : label}</span></button>`
}

/** Copies a text by a small button beside it. @param {{ text: string, label: string }} props */
export function CopyIcon({ text, label }) {
  const [done, copy] = useCopy(text)
  return html`<button type="button" class="icon-only copies" aria-label=${label} title=${label} onClick=${copy}><${Icon} name=${done ? 'good' : 'copy'} /></button>
    <span class="unseen" aria-live="polite">${done && t('copied')}</span>`
}

/** Terms with what they are; pairs without a value are left out. @param {{ of: [any, any][] }} props */
export const Facts = ({ of }) =>
  html`<dl class="facts">${of.filter(([, what]) => what != null && what !== '').map(([term, what]) => html`<div><dt>${term}</dt><dd>${what}</dd></div>`)}</dl>`

/**
 * What is chosen for this browser, such as its language.
 * @param {{ label: string, value: string, choose: (value: any) => void, of: [string, string][], short?: boolean }} props short: its label is not shown
 */
export function Setting({ label, value, choose, of, short = false }) {
  const id = useId()
  return html`<div class="field setting">${!short && html`<label for=${id}>${label}</label>`}
    <select id=${id} aria-label=${short ? label : undefined} value=${value} onChange=${(/** @type {any} */ e) => choose(e.target.value)}>
      ${of.map(([code, name]) => html`<option key=${code} value=${code} lang=${code in languages ? code : undefined}>${name}</option>`)}
    </select></div>`
}
