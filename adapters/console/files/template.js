// Templates of messages: which one a line likely needs, and its text. The functions are pure, so that they can be tested.

/** What a message is for. */
export const kinds = ['access', 'reminder', 'expired', 'welcome']

/** What a template leaves open. Anything else in braces is text. */
export const placeholders = ['username', 'password', 'expires', 'days', 'server', 'apps']

const open = new RegExp(`\\{(${placeholders.join('|')})\\}`, 'g')

/**
 * The message of a template. A row is left out if something in it has no value, and of the empty rows around it one stays.
 * @param {string} template @param {Record<string, string | number | null | undefined>} values by placeholder
 */
export function expand(template, values) {
  const has = (/** @type {string} */ name) => values[name] !== undefined && values[name] !== null && values[name] !== ''
  const rows = template.split('\n').filter((row) => [...row.matchAll(open)].every(([, name]) => has(name)))
  return rows.map((row) => row.replace(open, (_, name) => String(values[name]))).join('\n').replace(/\n{3,}/g, '\n\n').trim()
}

/** Whether a template says a password, which lists of lines do not have. @param {string} template */
export const needsPassword = (template) => template.includes('{password}')

const day = 86_400_000

/** How many days are left until an instant, a part of one as a whole; 0 from then on. @param {string} at @param {number} now */
export const daysLeft = (at, now) => Math.max(0, Math.ceil((Date.parse(at) - now) / day))

/**
 * The message that the user of a line likely needs: the access data, in the last 7 days its end, and then its expiry.
 * @param {{ expDate: string, isTrial: number }} line @param {number} now
 */
export function likely({ expDate, isTrial }, now) {
  const left = Date.parse(expDate) - now
  return left <= 0 ? 'expired' : !isTrial && left <= 7 * day ? 'reminder' : 'access'
}
