// Jobs: one order for many lines. A list of them, and one job: its progress, and the results of its lines.
import { html, useEffect, useState } from '../html.js'
import { base, stream } from '../api.js'
import { Link } from '../router.js'
import { can } from '../session.js'
import { useDone, useForm } from '../form.js'
import { t } from '../text.js'
import { dateTime, whole } from '../format.js'
import { List } from '../list.js'
import { became, follow, jobProgress, jobTitle, latest, linesText, whyRefused } from '../jobs.js'
import { actions } from '../many.js'
import { Credits, Facts, Failure, Form, Icon, Read, Screen, useRead } from '../ui.js'

/** How many lines are named that were refused for one reason. */
const named = 50

/** @typedef {import('../answers').Job} OneJob */
/** @typedef {{ line: number, name: string }} Named */

export const Jobs = () => html`<${Screen} title=${t('nav.jobs')}>
  <${List} path="/bulk" label=${t('nav.jobs')} empty=${t('job.none')} row=${(/** @type {OneJob} */ job) => html`<${Link} class="row job-row" to=${'/jobs/' + job.id} data-row>
    <span class="name">${jobTitle(job)}</span><span class="quiet">${became(job)}</span><span class="quiet">${dateTime(job.created_at)}</span><//>`} />
<//>`

/** @param {{ id: string }} props */
export function Job({ id }) {
  const read = useRead(`/bulk/${id}`), now = latest.use()
  const job = now?.id === Number(id) ? now : /** @type {OneJob | null} */ (read.value)
  useEffect(() => { if (read.value?.status === 'running') follow(read.value) }, [read.value])
  return html`<${Screen} title=${job ? jobTitle(job) : t('nav.jobs')} up="/lines">
    <${Read} of=${job ? { value: job } : read}>${(/** @type {OneJob} */ job) => html`<${Shown} job=${job} />
      <p><${Link} to="/jobs">${t('job.all')}<//></p>`}<//>
  <//>`
}

/** @param {{ job: OneJob }} props */
function Shown({ job }) {
  const runs = job.status === 'running', scope = actions[/** @type {keyof typeof actions} */ (job.action)] || 'lines:write'
  return html`<section class="panel" data-job=${job.status}>
    ${runs && html`<progress role="progressbar" max=${job.matched} value=${job.done} aria-valuenow=${job.done} aria-valuemin="0" aria-valuemax=${job.matched}
      aria-label=${jobTitle(job)} aria-valuetext=${jobProgress(job)}></progress>`}
    <p class="glance" role=${runs ? undefined : 'status'}>${became(job)}</p>
    ${runs && can(scope) && html`<${Stop} job=${job} />`}
    ${!runs && !job.dry_run && html`<${Facts} of=${[
      [t('job.charged'), job.charged !== '0' && html`<${Credits} of=${job.charged} />`], [t('job.left'), job.status === 'stopped' && linesText(job.matched - job.done)],
      [t('job.began'), dateTime(job.created_at)], [t('job.ended'), job.finished_at && dateTime(job.finished_at)],
    ].filter(([, what]) => what)} />`}
  </section>
  ${!runs && !job.dry_run && job.done > 0 && html`<${Results} job=${job} />`}`
}

/** @param {{ job: OneJob }} props */
function Stop({ job }) {
  const form = useForm({ name: 'stop ' + job.id, method: 'DELETE', path: '/bulk/' + job.id, title: t('job.stop'), fields: {} })
  useDone(form, () => latest.set(form.answer))
  return html`<${Form} form=${form} danger submit=${t('job.stop')} onSubmit=${() => form.send()} />`
}

/** Which lines were refused, by why. @param {{ job: OneJob }} props */
function Results({ job: { id, refused } }) {
  const [found, set] = useState(/** @type {Record<string, { n: number, lines: Named[] }> | null} */ (null))
  const [problem, setProblem] = useState(/** @type {any} */ (null))
  const read = () => {
    const end = new AbortController()
    /** @type {Record<string, { n: number, lines: Named[] }>} */
    const by = {}
    let left = refused
    setProblem(null)
    stream(`/bulk/${id}/results`, ({ line, code, line_username }) => {
      if (!code) return true
      const of = by[code] ||= { n: 0, lines: [] }
      if (of.n++ < named) of.lines.push({ line, name: line_username || t('job.line', { id: line }) })
      return --left > 0
    }, end.signal).then(() => set(by), (refusal) => { if (!end.signal.aborted) setProblem(refusal) })
    return () => end.abort()
  }
  useEffect(() => (refused ? read() : undefined), [])
  return html`${refused > 0 && html`<section class="panel" aria-busy=${!found && !problem}><h2>${t('job.refused', { n: refused, count: whole(refused) })}</h2>
    ${problem && html`<${Failure} problem=${problem} retry=${read} />`}
    ${found && Object.entries(found).map(([code, { n, lines }]) => html`<div key=${code} data-why=${code}>
      <p>${linesText(n)}: ${whyRefused(code)}</p>
      <ul class="names">${lines.map(({ line, name }) => html`<li key=${line} class="name" translate=${false}>${code === 'not-found' ? name : html`<${Link} to=${'/lines/' + line}>${name}<//>`}</li>`)}${n > named && html`<li class="quiet">${t('job.more', { n: n - named })}</li>`}</ul></div>`)}
  </section>`}
  <div class="buttons"><a class="button" href=${`${base}/bulk/${id}/results`} download=${`job-${id}.ndjson`}><${Icon} name="download" />${t('job.save')}</a></div>`
}
