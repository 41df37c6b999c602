// Light or dark: as the device is, or as it was chosen in this browser. begin.js sets what was chosen before anything is shown.
import { base } from './api.js'
import { remember, store } from './store.js'

const key = `resellerd${base} theme`, root = document.documentElement

export const themes = /** @type {const} */ (['device', 'light', 'dark'])

/** @typedef {typeof themes[number]} Theme */

/** What was chosen. */
export const theme = store(/** @type {Theme} */ (root.dataset.theme || 'device'))

/** @param {Theme} wanted */
export function paint(wanted) {
  if (wanted === 'device') {
    localStorage.removeItem(key)
    delete root.dataset.theme
  } else {
    remember(key, wanted)
    root.dataset.theme = wanted
  }
  theme.set(wanted)
}
