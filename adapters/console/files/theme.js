// Light or dark: as the device is, or as it was chosen in this browser. begin.js sets what was chosen before anything is shown.
import { base } from './api.js'
import { recall, remember, store } from './store.js'

const key = `resellerd${base} theme`, dark = matchMedia('(prefers-color-scheme: dark)')

export const themes = /** @type {const} */ (['device', 'light', 'dark'])

/** @typedef {typeof themes[number]} Theme */

/** What was chosen. */
export const theme = store(/** @type {Theme} */ (recall(key) || 'device'))

/** @param {Theme} wanted */
export function paint(wanted) {
  if (wanted === 'device') localStorage.removeItem(key)
  else remember(key, wanted)
  theme.set(wanted)
  show()
}

function show() {
  const wanted = theme.get()
  document.documentElement.dataset.theme = wanted === 'device' ? (dark.matches ? 'dark' : 'light') : wanted
}
dark.addEventListener('change', show)
