// Searches a list shortly after the last letter. What is searched for is in the address.
import { html, useEffect, useRef, useState } from './html.js'
import { go, place, setQuery } from './router.js'
import { nameOf } from './typed.js'
import { Icon } from './ui.js'

/** @param {{ name: string, label: string, to?: string }} props name: of the filter, in the address; to: the screen with the list, where it is not this one */
export function Search({ name, label, to }) {
  const { path, query } = place.use()
  const away = !!to && path !== to
  const wanted = away ? '' : query.get(name) || ''
  const [text, set] = useState(wanted)
  const later = useRef(0)
  useEffect(() => { if (!later.current) set(wanted) }, [wanted, path])
  useEffect(() => () => clearTimeout(later.current), [])
  const type = (/** @type {any} */ e) => {
    const value = e.target.value
    set(value)
    clearTimeout(later.current)
    if (!away) later.current = setTimeout(() => { later.current = 0; setQuery({ [name]: nameOf(value) }) }, 250)
  }
  const leave = (/** @type {KeyboardEvent} */ e) => { if (e.key === 'Enter' && away && nameOf(text)) go(`${to}?${new URLSearchParams({ [name]: nameOf(text) })}`) }
  return html`<label class="search"><${Icon} name="search" />
    <input type="search" data-search value=${text} onInput=${type} onKeyDown=${leave} aria-label=${label} placeholder=${label}
      autocapitalize="none" autocomplete="off" spellcheck=${false} maxlength="64" />${to && html`<kbd class="key" aria-hidden="true">/</kbd>`}</label>`
}
