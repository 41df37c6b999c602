// Refusals in words, with the remedy that the answer names.
import { t, has } from './text.js'
import { credits, dateTime, inCredits } from './format.js'
import { now } from './clock.js'
import { session } from './session.js'

/**
 * What a problem says to a user.
 * @param {import('./api.js').Problem} problem
 * @returns {{ text: string, remedy?: { text: string, to: string } }}
 */
export function words(problem) {
  const { code, body = {}, wait = 0 } = problem // of another error than a Problem nothing more is known than that there is no answer
  const values = {
    balance: credits(body.balance || '0'), required: inCredits(body.required || '0'),
    seconds: wait, limit: credits(body.limit || '0'), spent: credits(body.spent || '0'), at: dateTime(new Date(now() + wait * 1000)), detail: body.detail || '',
  }
  const key = 'problem.' + (isPresent(problem) ? 'wrong-password' : code)
  let text = has(key) ? t(key, values) : body.detail ? t('problem.other', values) : t('problem.no-answer')
  if (problem.status >= 500 && problem.request) text += ' ' + t('problem.request', { id: problem.request })
  return { text, remedy: code === 'job-running' ? { text: t('remedy.jobs'), to: '/jobs' } : remedyOf(body.remedy) }
}

/** Whether a refusal is about the present password, which the user enters to change something. @param {import('./api.js').Problem | null} problem */
const isPresent = (problem) => problem?.code === 'invalid-credentials' && session.get().is === 'in'

/** The screen on which the operation is done that the answer names. @param {{ href: string } | undefined} named */
function remedyOf(named) {
  const [, what, id] = /\/lines\/(extend|active)\/(\d+)$/.exec(named?.href || '') || []
  if (!what) return undefined
  const form = what === 'extend' ? 'extend' : 'activate'
  return { text: t('remedy.' + form), to: `/lines/${id}?do=${form}` }
}

/**
 * What a problem says of each field, by the field's name.
 * @param {import('./api.js').Problem | null} problem
 * @returns {Record<string, string>}
 */
export function ofFields(problem) {
  /** @type {Record<string, string>} */
  const found = {}
  if (isPresent(problem)) found.password = t('problem.wrong-password')
  if (problem?.code === 'wrong-proof') found.password = found.totp = t('problem.wrong-proof')
  if (problem?.code === 'wrong-code') found.code = found.totp = t('problem.wrong-code')
  if (problem?.code === 'username-taken') found.username = t('problem.username-taken')
  if (problem?.code === 'external-id-taken') found.external_id = t('problem.external-id-taken')
  for (const { pointer = '', parameter = '', code, detail } of problem?.body.errors || []) {
    const key = 'field.' + code, n = /\d+(?=\D*$)/.exec(detail)?.[0] || ''
    found[pointer.slice(1).replace('spend_limit', 'credits') || parameter] = has(key) ? t(key, { limit: n }) : detail
  }
  return found
}
