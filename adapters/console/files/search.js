// Searches names by how they begin, shortly after the last letter. What is searched for is in the address.
import { html, useEffect, useRef, useState } from './html.js'
import { place, setQuery } from './router.js'
import { Icon } from './ui.js'

/** @param {{ label: string }} props */
export function Search({ label }) {
  const { query } = place.use()
  const wanted = query.get('username') || ''
  const [text, set] = useState(wanted)
  const later = useRef(0)
  useEffect(() => { if (!later.current) set(wanted) }, [wanted])
  useEffect(() => () => clearTimeout(later.current), [])
  const type = (/** @type {any} */ e) => {
    const value = e.target.value
    set(value)
    clearTimeout(later.current)
    later.current = setTimeout(() => { later.current = 0; setQuery({ username: value.trim() }) }, 250)
  }
  return html`<label class="search"><${Icon} name="search" />
    <input type="search" data-search value=${text} onInput=${type} aria-label=${label} placeholder=${label}
      autocapitalize="none" autocomplete="off" spellcheck=${false} maxlength="64" /></label>`
}
