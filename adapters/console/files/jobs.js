// Jobs: one order for many lines. The one that runs is followed wherever one is, and after a reload.
import { html, useEffect } from './html.js'
import { ask } from './api.js'
import { store } from './store.js'
import { Link } from './router.js'
import { can, refresh, session } from './session.js'
import { t, has } from './text.js'
import { listed, whole } from './format.js'
import { seen, slept } from './feed.js'
import { forget } from './list.js'
import { Icon } from './ui.js'

/** @typedef {import('./answers').Job} Job */

/** The job that is followed, as last read, also once it has ended; null: none. @type {ReturnType<typeof store<Job | null>>} */
export const latest = store(/** @type {any} */ (null))

/** Milliseconds from one look at a job to the next. */
const pause = 1000

/** Ends for nobody: what waits is stopped by what it waits for. */
const { signal } = new AbortController()

/** Follows a job until it ends: then what lists and balances show is read again. @param {Job} job */
export async function follow(job) {
  const present = latest.get()
  if (present?.id === job.id && present.status === 'running') return
  latest.set(job)
  let now = /** @type {Job | null} */ (job)
  while (now?.id === job.id && now.status === 'running') {
    await slept(signal, pause)
    await seen(signal)
    if (session.get().is !== 'in') return latest.set(null) // it is looked for again by who signs in
    try {
      const read = await ask('GET', `/bulk/${job.id}`)
      if (latest.get()?.id === job.id) latest.set(read)
    } catch (/** @type {any} */ problem) {
      if (!problem.unknown) latest.set(null)
    }
    now = latest.get()
  }
  if (now?.id !== job.id) return
  forget()
  refresh()
}

/** What is done to which lines. @param {Job} job */
export const jobTitle = ({ action, matched }) => t('line.' + (action === 'details' ? 'describe' : action)) + ': ' + linesText(matched)

/** @param {number} n */
export const linesText = (n) => t('many.lines', { n, count: whole(n) })

/** How far it is. @param {Job} job */
export const jobProgress = ({ done, matched }) => t('job.of', { done: whole(done), all: whole(matched) })

/** The result of a job, or its progress. @param {Job} job */
export const became = (job) => (job.dry_run ? t('job.counted') : job.status === 'running' ? jobProgress(job) : t('job.' + job.status) + ' ' + listed([
  t('job.succeeded', { n: job.succeeded, count: whole(job.succeeded) }), ...(job.refused ? [t('job.refused', { n: job.refused, count: whole(job.refused) })] : []),
]) + '.')

/** Why a line was refused. @param {string} code */
export function whyRefused(code) {
  const own = 'many.why.' + code, other = 'problem.' + code
  return has(own) ? t(own) : has(other) ? t(other) : code
}

/** Leads to the job that runs. */
export function Running() {
  const job = latest.use()
  useEffect(() => {
    if (can('lines:read')) ask('GET', '/bulk', { query: { limit: 1 } }).then(({ data }) => { if (data[0]?.status === 'running') follow(data[0]) }, () => {})
  }, [])
  if (job?.status !== 'running') return null
  return html`<${Link} class="job" to=${'/jobs/' + job.id}><${Icon} name="clock" /><span>${job.dry_run ? t('many.counting') : `${jobTitle(job)} – ${jobProgress(job)}`}</span><//>`
}
