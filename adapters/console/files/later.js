// What only those need who are signed in (inside.js): a file of its own, so that the sign-in need not wait for it.
import { html, useEffect, useState } from './html.js'
import { store } from './store.js'
import { Failure, Skeleton } from './ui.js'

const inside = store(/** @type {typeof import('./inside.js') | null} */ (null))

/** Reads it, before it is shown or for that. */
export const readInside = async () => { if (!inside.get()) inside.set(await import('./inside.js')) }

/** It, as soon as it was read. */
export function Later() {
  const read = inside.use(), [problem, fail] = useState(/** @type {any} */ (null))
  useEffect(() => { readInside().catch(fail) }, [])
  if (read) return html`<${read.Inside} />`
  return html`<main class="alone">${problem ? html`<${Failure} problem=${problem} retry=${() => location.reload()} />` : html`<${Skeleton} />`}</main>`
}
