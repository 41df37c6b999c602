// Searches a list shortly after the last letter. What is searched for is in the address.
import { html, useEffect, useRef, useState } from './html.js'
import { place, setQuery } from './router.js'
import { nameOf } from './typed.js'
import { Icon } from './ui.js'

/** @param {{ name: string, label: string }} props name: of the filter, in the address */
export function Search({ name, label }) {
  const wanted = place.use().query.get(name) || ''
  const [text, set] = useState(wanted)
  const later = useRef(0)
  useEffect(() => { if (!later.current) set(wanted) }, [wanted])
  useEffect(() => () => clearTimeout(later.current), [])
  const type = (/** @type {any} */ e) => {
    const value = e.target.value
    set(value)
    clearTimeout(later.current)
    later.current = setTimeout(() => { later.current = 0; setQuery({ [name]: nameOf(value) }) }, 250)
  }
  return html`<label class="search"><${Icon} name="search" />
    <input type="search" value=${text} onInput=${type} aria-label=${label} placeholder=${label} autocapitalize="none" autocomplete="off" spellcheck=${false} maxlength="64" /></label>`
}
