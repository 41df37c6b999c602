// The parts that screens are made of.
import { Fragment, html, useState, useEffect, useId, useRef } from './html.js'
import { ask, rowsOf } from './api.js'
import { t, languages } from './text.js'
import { credits, dateTime, inCredits, left } from './format.js'
import { ofFields, words } from './problem.js'
import { Link, place, returnTo } from './router.js'
import { brand } from './brand.js'
import { icons } from './icons.js'
import { store } from './store.js'
import { digits } from './typed.js'

/** A small picture beside words, of which it says nothing more. @param {{ name: string }} props */
export const Icon = ({ name }) =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d=${icons[name]} /></svg>`

/**
 * What every screen begins with. Its heading gets the focus when the user comes to it.
 * @param {{ title: string, named?: any, up?: string, below?: any, children?: any, actions?: any }} props named: whether the title is a name; up: the
 *   place that the way back leads to; below: a line below the title
 */
export function Screen({ title, named = false, up, below, actions, children }) {
  useEffect(() => { document.title = title + ' · ' + brand }, [title])
  return html`<section class="screen">
    ${up && html`<p class="crumb"><button type="button" onClick=${() => returnTo(up)}>${t('nav.' + (up.slice(1) || 'home'))}</button><${Icon} name="chevron-right" /><span class="clip" translate=${!named}>${title}</span></p>`}
    <div class="head">
      <div class="title"><h1 tabindex="-1" translate=${!named}>${title}</h1>${below}</div>
      ${actions && html`<div class="actions">${actions}</div>`}
    </div>
    ${children}
  </section>`
}

/** @param {{ tone?: 'good' | 'bad' | 'unsure' | 'plain', children?: any }} props tone: bad and unsure are read out at once */
export const Notice = ({ tone = 'plain', children }) =>
  html`<div class="note ${tone}" role=${tone === 'bad' || tone === 'unsure' ? 'alert' : 'status'}><${Icon} name=${notes[tone]} /><div>${children}</div></div>`

const notes = { good: 'circle-check', bad: 'circle-alert', unsure: 'triangle-alert', plain: 'circle-alert' }

/** A state by shape and word. @param {{ of?: string, tone: 'good' | 'warn' | 'bad' | 'plain', icon: string, badge?: boolean, children?: any }} props of: its name; badge: beside a title */
export const State = ({ of, tone, icon, badge = false, children }) =>
  html`<span class="${badge ? 'badge' : 'state'} ${tone}" data-state=${of}><${Icon} name=${icon} /><span class="word">${children}</span></span>`

/** Whether something works. @param {{ good: boolean, badge?: boolean, children?: any }} props */
export const Good = ({ good, badge, children }) => html`<${State} of=${good ? 'good' : 'bad'} tone=${good ? 'good' : 'bad'} icon=${good ? 'circle-check' : 'circle-x'} badge=${badge}>${children}<//>`

/** A problem in words, with its remedy, and a way to try again. @param {{ problem: any, retry?: () => void }} props */
export function Failure({ problem, retry }) {
  const { text, remedy } = words(problem)
  return html`<${Notice} tone="bad">
    <p>${text}</p>
    ${remedy && html`<p><${Link} to=${remedy.to}>${remedy.text}<//></p>`}
    ${retry && html`<button type="button" class="button" onClick=${retry}><${Icon} name="rotate-cw" />${t('retry')}</button>`}
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
  useAgain(state.problem, () => setTurn((n) => n + 1))
  return { ...state, reload: () => setTurn((n) => n + 1), set: (value) => set({ value, problem: null, loading: false }) }
}

/** Reads again what failed, when the device is connected again or the tab is looked at again. @param {any} problem @param {() => void} read */
export function useAgain(problem, read) {
  useEffect(() => {
    if (!problem) return
    const again = () => { if (!document.hidden) read() }
    addEventListener('online', again)
    document.addEventListener('visibilitychange', again)
    return () => {
      removeEventListener('online', again)
      document.removeEventListener('visibilitychange', again)
    }
  }, [problem])
}

/** One bar while the device has no connection. */
export function Offline() {
  const [off, set] = useState(!navigator.onLine)
  useEffect(() => {
    const look = () => set(!navigator.onLine)
    addEventListener('online', look)
    addEventListener('offline', look)
    return () => {
      removeEventListener('online', look)
      removeEventListener('offline', look)
    }
  }, [])
  return html`<div class="offline" role="status">${off && html`<p class="banner"><${Icon} name="wifi-off" />${t('offline')}</p>`}</div>`
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
    ${of.value ? children(of.value) : of.loading && html`<${Skeleton} />`}`
}

/** What stands for rows that are being read, after a moment. */
export const Skeleton = () => html`<div class="skel" role="status"><span class="hush">${t('list.loading')}</span><i></i><i></i><i></i><i></i></div>`

/**
 * A labelled field of a form. What is not named here is the input's own. Where a placeholder says what holds instead of an empty
 * text, it need not be called optional.
 * @param {{ form: any, name: string, label: string, hint?: string, wrong?: string, kind?: 'input' | 'textarea' | 'select', children?: any, [rest: string]: any }} props
 */
export function Field({ form, name, label, hint, wrong: known, kind = 'input', children, ...rest }) {
  const id = useId()
  const wrong = known || ofFields(form.problem)[name]
  const [shown, show] = useState(false), secret = rest.type === 'password'
  const about = [hint && id + 'h', wrong && id + 'w'].filter(Boolean).join(' ') || undefined
  return html`<div class="field">
    <label for=${id}>${label}${!rest.required && !rest.placeholder && kind !== 'select' && html` <span class="quiet">${t('optional')}</span>`}</label>
    <div class=${secret ? 'with-peek' : ''}><${kind} class="input" id=${id} name=${name} value=${form.fields[name]} disabled=${form.frozen} aria-invalid=${wrong ? 'true' : undefined}
      aria-describedby=${about} autocapitalize="none" autocomplete="off" spellcheck=${false} ...${rest} ...${secret && shown ? { type: 'text' } : {}}
      onInput=${(/** @type {any} */ e) => form.set({ [name]: e.target.value })}>${children}<//>
      ${secret && html`<button type="button" class="peek" aria-label=${t('password.show')} title=${t('password.show')} aria-pressed=${shown} onClick=${() => show(!shown)}><${Icon} name="eye" /></button>`}</div>
    ${hint && html`<p class="hint" id=${id + 'h'}>${hint}</p>`}
    ${wrong && html`<p class="error" id=${id + 'w'}><${Icon} name="circle-alert" /><span>${wrong}</span></p>`}
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
 * Fields that are seldom needed, below their title. They are shown where one of them is wrong.
 * @param {{ title: string, form: any, names: string[], open?: boolean, children?: any }} props names: of the fields; open: from the beginning
 */
export function Folded({ title, form, names, open = false, children }) {
  const shown = useRef(open)
  shown.current ||= names.some((name) => ofFields(form.problem)[name])
  return html`<details class="folded" open=${shown.current} onInvalidCapture=${(/** @type {any} */ e) => { e.currentTarget.open = true }}><summary>${title}</summary>${children}</details>`
}

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
    const heading = place.get().query.get('do') && root.current?.closest('section, dialog')?.querySelector('h2')
    if (!heading) return
    heading.tabIndex = -1
    heading.focus()
  }, [])
  const invalid = () => /** @type {HTMLElement | null} */ (root.current?.querySelector('[aria-invalid]') || null)
  const toInvalid = () => invalid()?.focus()
  useEffect(() => {
    if (state === 'refused') toInvalid()
    // In a panel it may be behind the button, which is always in sight.
    if (!invalid()) root.current?.querySelector(':scope > [role=alert]')?.scrollIntoView({ block: 'nearest' })
  }, [state, problem])
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
      <button type="button" class="button" onClick=${form.restart}>${t('form.restart')}</button></div>`}
    <${Fragment} key=${redrawn}>${children}<//>
    ${redrawn > 0 && !form.frozen && html`<${Notice} key=${'redrawn' + redrawn} tone="unsure"><p>${t('form.redrawn')}</p><//>`}
    ${state === 'refused' && problem && html`<${Failure} problem=${problem} />`}
    ${state === 'over' && html`<${Notice} tone="unsure"><p>${t('form.over')}</p><//>`}
    ${state === 'unknown' && html`<${Unknown} form=${form} />`}
    ${state !== 'unknown' && html`<div class="buttons">
      ${state !== 'over' && html`<button key=${redrawn} type="submit" class=${danger ? 'button danger' : 'button primary'} data-exact=${submit} translate=${!/\d/.test(submit)} disabled=${form.frozen || !ready}>
        ${state === 'sending' ? t('form.sending') : html`<span key=${submit}>${submit}</span>`}</button>`}
      ${onClose && html`<button type="button" class="button" data-cancel disabled=${state === 'sending'} onClick=${() => { form.cancel(); onClose() }}>${t(state === 'over' ? 'close' : 'cancel')}</button>`}
    </div>`}
  </form>`
}

/** The result of a form is unknown: it can only be sent again. @param {{ form: any }} props */
export function Unknown({ form }) {
  if (form.tooOld) {
    return html`<${Notice} tone="unsure"><p>${t('form.too-old')}</p>
      <div class="buttons"><${Link} class="button" to="/statement">${t('nav.statement')}<//>
        <button type="button" class="button" onClick=${form.discard}>${t('form.discard')}</button></div><//>`
  }
  return html`<${Notice} tone="unsure"><p><strong>${t('form.unknown')}</strong></p><p>${t('form.unknown-why')}</p>
    ${form.problem && form.problem.code !== 'no-answer' && html`<p>${words(form.problem).text}</p>`}
    <div class="buttons"><button type="button" class="button primary" data-again onClick=${form.again}><${Icon} name="rotate-cw" />${t(form.pays ? 'form.check-payment' : 'form.check')}</button></div><//>`
}

/** An instant as a date, and as how far away it is. @param {{ at: string }} props */
export const When = ({ at }) => html`<time datetime=${at}>${dateTime(at)} <span class="quiet">(${left(at)})</span></time>`

/** Credits with their unit. @param {{ of: string }} props */
export const Credits = ({ of }) => html`<span key=${of} class="credits" translate=${false} data-exact=${inCredits(of)}>${inCredits(of)}</span>`

/** The same, with a unit of its own look. @param {{ of: string }} props */
export function Amount({ of }) {
  const all = inCredits(of), amount = credits(of)
  return html`<span key=${of} class="credits" translate=${false} data-exact=${all}><span>${amount}</span><span class="unit">${all.replace(amount, '')}</span></span>`
}

/** The balance of the user, in a line that is shown before it is read. @param {{ of: import('./answers').Account | null }} props */
export const Balance = ({ of }) => html`<p class=${of && of.credits.length > 9 ? 'big long' : 'big'} data-balance=${of?.credits}>${of ? html`<${Amount} of=${of.credits} />` : '\u00a0'}</p>`

/** The shape and the tone of each state. @type {Record<string, [string, 'good' | 'warn' | 'bad' | 'plain']>} */
const marks = {
  active: ['circle-check', 'good'], trial: ['circle-dashed', 'plain'], expired: ['circle-x', 'bad'], 'trial-over': ['circle-slash-2', 'plain'],
  suspended: ['circle-pause', 'warn'], owner_blocked: ['lock', 'bad'],
}

/**
 * A line's state at a glance: by word and picture, not by colour alone. Of a trial that is not served for another reason than
 * its end, it is said as well that it is one.
 * @param {{ line: import('./answers').Line | import('./answers').ListedLine, badge?: boolean }} props
 */
export function LineState({ line: { effective, status, isTrial }, badge }) {
  const [running, over] = isTrial ? ['trial', 'trial-over'] : ['active', 'expired']
  const stopped = /** @type {const} */ (['suspended', 'owner_blocked']).find((state) => state === effective)
  const shown = stopped ? (isTrial ? [stopped, running] : [stopped]) : [status ? running : over]
  return html`<span class="marks">${shown.map((state) => html`<${State} key=${state} of=${state} icon=${marks[state][0]} tone=${marks[state][1]} badge=${badge}>${t('line.state.' + state)}<//>`)}</span>`
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
    field.className = 'hush'
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
  return html`<dialog class="dialog" ref=${dialog} aria-labelledby="by-hand" onClose=${() => byHand.set('')}>
    ${text && html`<h2 id="by-hand">${t('copy.by-hand')}</h2>
    <p>${t('copy.refused')}</p>
    <textarea class="input" readonly rows="4" translate=${false} aria-labelledby="by-hand" value=${text}></textarea>
    <div class="buttons"><button type="button" class="button primary" onClick=${() => byHand.set('')}>${t('close')}</button></div>`}
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
  return html`<button type="button" class="button" onClick=${copy}><${Icon} name=${done ? 'check' : 'copy'} /><span aria-live="polite">${done ? t('copied') : label}</span></button>`
}

/** Copies a text by a small button beside it. @param {{ text: string, label: string, look?: string }} props look: its classes */
export function CopyIcon({ text, label, look = 'button ghost only copies' }) {
  const [done, copy] = useCopy(text)
  return html`<button type="button" class=${look} aria-label=${label} title=${label} onClick=${copy}><${Icon} name=${done ? 'check' : 'copy'} /></button>
    <span class="hush" aria-live="polite">${done && t('copied')}</span>`
}

/** Terms with what they are; pairs without a value are left out. @param {{ of: [any, any][] }} props */
export const Facts = ({ of }) =>
  html`<dl class="facts">${of.filter(([, what]) => what != null && what !== '').map(([term, what]) => html`<div><dt>${term}</dt><dd>${what}</dd></div>`)}</dl>`

/**
 * A row of a menu that chooses something for this browser, such as its language.
 * @param {{ label: string, icon: string, value: string, choose: (value: any) => void, of: [string, string][] }} props
 */
export const Setting = ({ label, icon, value, choose, of }) => html`<label class="setting"><${Icon} name=${icon} /><span>${label}</span>
  <select value=${value} onChange=${(/** @type {any} */ e) => choose(e.target.value)}>
    ${of.map(([code, name]) => html`<option key=${code} value=${code} lang=${code in languages ? code : undefined}>${name}</option>`)}
  </select></label>`

/**
 * Closes what floats by Esc and by a press outside of it.
 * @param {boolean} open @param {() => void} close @returns {{ current: any }} the ref of what floats and of its button
 */
export function useFloating(open, close) {
  const root = useRef(/** @type {HTMLElement | null} */ (null))
  useEffect(() => {
    if (!open) return
    const press = (/** @type {PointerEvent} */ e) => { if (!root.current?.contains(/** @type {Node} */ (e.target))) close() }
    const key = (/** @type {KeyboardEvent} */ e) => {
      const all = /** @type {HTMLElement[]} */ ([...root.current?.querySelectorAll('.menu :is(a, button, select)') || []])
      const by = { ArrowDown: 1, ArrowUp: -1 }[e.key]
      if (e.key === 'Escape') {
        const button = /** @type {HTMLElement | null | undefined} */ (root.current?.querySelector('[aria-expanded]'))
        close()
        button?.focus()
      } else if (by && document.activeElement?.tagName !== 'SELECT') {
        all.at((all.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + by) % all.length)?.focus()
      } else return
      e.preventDefault()
      e.stopPropagation()
    }
    addEventListener('pointerdown', press)
    document.addEventListener('keydown', key)
    return () => {
      removeEventListener('pointerdown', press)
      document.removeEventListener('keydown', key)
    }
  }, [open])
  return root
}

/**
 * A button that opens a menu: below it on a desk, from the foot of the screen on a phone.
 * @param {{ label: string, look?: string, face?: any, more?: object, children?: any }} props face: what is on the button, three dots where it is not given
 */
export function Menu({ label, look = 'button ghost only', face, more = {}, children }) {
  const [open, set] = useState(false)
  const root = useFloating(open, () => set(false))
  const leave = () => {
    root.current?.querySelector('button').focus({ preventScroll: true }) // to which a panel returns it
    set(false)
  }
  return html`<div class="pop" ref=${root}><button type="button" class=${look} aria-label=${label} title=${label} aria-expanded=${open} onClick=${() => set(!open)} ...${more}>${face || html`<${Icon} name="ellipsis" />`}</button>
    ${open && html`<div class="veil" onClick=${() => set(false)}></div><div class="menu" onClick=${(/** @type {any} */ e) => { if (e.target.closest('a, button')) leave() }}>${children}</div>`}</div>`
}
