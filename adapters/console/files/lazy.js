// What few open first, in a file of its own (rare.js), which is read after the first screen.
import { html, useEffect, useState } from './html.js'
import { arrive, place } from './router.js'
import { Failure, Skeleton } from './ui.js'

/** @type {typeof import('./rare.js') | null} */
let rare = null
const { entry: begun } = place.get()

export const readRare = async () => { rare ||= await import('./rare.js') }

/** One of these, which is shown at once if its file was read. @param {keyof typeof import('./rare.js')} name @param {boolean} [over] whether it lies over the screen */
export const rarely = (name, over = false) => (/** @type {any} */ props) => {
  const [shown, show] = useState(!!rare), [problem, fail] = useState(/** @type {any} */ (null))
  useEffect(() => {
    if (shown) return
    readRare().then(() => {
      show(true)
      if (!over && place.get().entry !== begun) arrive() // once more: there was nothing to arrive at
    }, fail)
  }, [])
  if (rare) return html`<${rare[name]} ...${props} />`
  const failed = problem && html`<${Failure} problem=${problem} retry=${() => location.reload()} />`
  return over ? failed && html`<div class="toasts"><div class="toast"><div>${failed}</div></div></div>` : failed || html`<${Skeleton} />`
}
