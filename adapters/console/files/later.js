// What only those need who are signed in (inside.js): a file of its own, so that the sign-in need not wait for it.
import { html, useEffect, useState } from './html.js'
import { Failure, Skeleton } from './ui.js'

/** @type {typeof import('./inside.js') | null} */
let inside = null

/** Reads it, before it is shown or for that. */
export const readInside = async () => { inside ||= await import('./inside.js') }

/** It, as soon as it was read. */
export function Later() {
  const [shown, show] = useState(!!inside), [problem, fail] = useState(/** @type {any} */ (null))
  useEffect(() => { if (!shown) readInside().then(() => show(true), fail) }, []) // also if it was read since
  if (inside) return html`<${inside.Inside} />`
  return html`<main class="alone">${problem ? html`<${Failure} problem=${problem} retry=${() => location.reload()} />` : html`<${Skeleton} />`}</main>`
}
