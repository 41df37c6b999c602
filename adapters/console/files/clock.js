// The service's clock. Windows of expiry, the rest of a line's time and the age of forms use it, because a browser's own
// clock may be wrong, and that of a sandbox is set.

/** By how much the service's clock is ahead of the browser's, in milliseconds. */
let ahead = 0

/** A Date header has whole seconds, and was some time on its way: nothing below this is a difference. */
const tolerance = 2_000

/** Takes note of the time of an answer. @param {string | null} date its Date header */
export function heard(date) {
  const off = Date.parse(date || '') + 500 - Date.now()
  if (Math.abs(off - ahead) > tolerance) ahead = Math.abs(off) > tolerance ? off : 0
}

/** The present instant, in milliseconds. */
export const now = () => Date.now() + ahead
